import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Trace } from './trace';

/** The traces of a .json, .ndjson or .ndjson.gz file, or of all such files below a folder, in order of their paths. */
export function* readTraces(path: string): Generator<Trace> {
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path).sort()) {
      const inside = join(path, name);
      if (statSync(inside).isDirectory() || /\.(json|ndjson|ndjson\.gz)$/.test(name))
        yield* readTraces(inside);
    }
    return;
  }
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  if (path.endsWith('.json')) {
    yield JSON.parse(text) as Trace;
    return;
  }
  for (const line of text.split('\n')) {
    if (line.trim() !== '') yield JSON.parse(line) as Trace;
  }
}
