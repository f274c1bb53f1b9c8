/** Below this path the test server serves everything a second time, cross-origin isolated; see `isolate-pages.ts`. */
export const ISOLATED = '/isolated';
