/**
 * Serves every file of the test server a second time below `/isolated/`, with the headers that make a page cross-origin
 * isolated: so pages of both kinds meet in one test, whatever `COI` says.
 */
import type { Plugin } from 'vite';
import { ISOLATED } from './isolated.ts';

export const ISOLATION_HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
} as const;

/** Must come before the plugins whose files it serves. */
export function isolatePages(): Plugin {
  return {
    name: 'isolate-pages',
    apply: 'serve',
    configureServer: ({ middlewares }) => {
      middlewares.use((request, response, next) => {
        if (request.url?.startsWith(`${ISOLATED}/`) === true) {
          request.url = request.url.slice(ISOLATED.length);
          for (const [name, value] of Object.entries(ISOLATION_HEADERS)) response.setHeader(name, value);
        }
        next();
      });
    },
  };
}
