import type { IncomingMessage } from 'node:http';
import { parseJson, unwanted } from './parse';
import { ERROR_CODES, RequestError } from './reply';

const MIB = 1024 * 1024;
const MAX_BODY_BYTES = MIB;
/** Up to here a body is read to its end and discarded, so that the client hears 413; past it the connection is cut. */
const MAX_DISCARDED_BYTES = 16 * MIB;

/**
 * Reads a body and parses it as JSON. Demanding the JSON content type makes a foreign page's POST need a preflight,
 * which it does not get.
 *
 * @throws RequestError 413 or 415, InvalidInputError for what is no JSON.
 */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const bytes = await readBytes(request);
  const contentType = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(contentType)) {
    const message = `content-type is "${contentType}", wanted application/json`;
    throw new RequestError(415, ERROR_CODES.UNSUPPORTED_MEDIA_TYPE, message);
  }
  return parseJson(decodeUtf8(bytes), '');
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  // No encoding is set on the request, so its chunks are Buffers.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
    if (sizeBytes > MAX_DISCARDED_BYTES) request.destroy();
  }
  if (sizeBytes <= MAX_BODY_BYTES) return Buffer.concat(chunks);
  throw new RequestError(413, ERROR_CODES.BODY_TOO_LARGE, `the body is over ${MAX_BODY_BYTES} bytes`);
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unwanted(bytes.toString('latin1'), '', 'UTF-8');
  }
}
