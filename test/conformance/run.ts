import { openMemory } from '../../worker/sqlite/open-memory';
import { readTraces } from './read-traces';
import { runTrace } from './runner';

/** `npm run conformance -- <path>…`: runs traces in Node and says where the first difference of each failing one is. */
const paths = process.argv.slice(2);
if (paths.length === 0) {
  console.error('usage: npm run conformance -- <folder, .json, .ndjson or .ndjson.gz>…');
  process.exit(2);
}

let passed = 0;
let failed = 0;
for (const path of paths) {
  for (const trace of readTraces(path)) {
    const difference = runTrace(trace, await openMemory());
    if (difference === undefined) {
      passed += 1;
    } else {
      failed += 1;
      console.log(`FAILED ${trace.name}\n  ${difference}`);
    }
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
