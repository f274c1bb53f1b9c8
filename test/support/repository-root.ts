import { fileURLToPath } from 'node:url';

/** The folder that holds package.json, with a slash at its end. For tests that run in Node. */
export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url));
