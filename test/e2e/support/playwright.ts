/** Playwright's types, and Vitest's `expect`, which has `poll`: nothing here waits by the clock alone. */
export type { BrowserContext, Locator, Page } from 'playwright';
export { expect } from 'vitest';
