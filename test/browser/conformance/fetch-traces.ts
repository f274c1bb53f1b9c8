import type { Trace } from '../../conformance/trace';

const GZIP_MAGIC = [0x1f, 0x8b];

/** The project's recorded traces, from the test server. */
export async function fetchTraces(): Promise<readonly Trace[]> {
  const response = await fetch(new URL('../../conformance/traces.ndjson.gz', import.meta.url));
  if (!response.ok) throw new Error(`the traces did not come: ${response.status}`);
  const text = await unpack(await response.arrayBuffer());
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Trace);
}

/** A server that names the encoding has had the browser unpack it already. */
async function unpack(bytes: ArrayBuffer): Promise<string> {
  const [first, second] = new Uint8Array(bytes);
  if (first !== GZIP_MAGIC[0] || second !== GZIP_MAGIC[1]) return new TextDecoder().decode(bytes);
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(unpacked).text();
}
