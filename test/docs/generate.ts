/** `npm run docs`: writes the page on the state machines and codes anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { renderStateMachines } from './render-state-machines';
import { ERROR_CODES_PATH, PAGE_PATH } from './paths';

writeFileSync(PAGE_PATH, renderStateMachines(readFileSync(ERROR_CODES_PATH, 'utf8')));
console.log(`wrote ${PAGE_PATH}`);
