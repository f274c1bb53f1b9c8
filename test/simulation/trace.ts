/** What happened in a run, one line a task, to read and to compare. Kept only where somebody reads it: it costs time. */
export class Trace {
  readonly lines: string[] = [];
  readonly isKept: boolean;

  constructor({ isKept }: { readonly isKept: boolean }) {
    this.isKept = isKept;
  }

  add(atMs: number, line: string): void {
    if (this.isKept) this.lines.push(`${atMs.toFixed(2).padStart(10)}  ${line}`);
  }
}

/** A message in a few words. Comlink's own ids are left out: they are not the seed's. */
export function describeMessage(data: unknown): string {
  const { body, message, tidelock, stage } = (data ?? {}) as Readonly<Record<string, unknown>>; // only looked at
  if (isRecord(body)) return `${String(body['kind'])}${describeWriter(body['writer'])}`;
  if (isRecord(message)) return describeComlink(message);
  if (typeof tidelock === 'string') return `${tidelock}${typeof stage === 'string' ? ` ${stage}` : ''}`;
  return typeof data;
}

function describeWriter(writer: unknown): string {
  return isRecord(writer) ? ` of epoch ${String(writer['epoch'])}` : '';
}

function describeComlink(message: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(message['argumentList'] ?? message['value']) ?? '';
  const calls = [...text.matchAll(/"callId":"([^"]{0,8})[^"]*"(?:,"call":"([^"]+)")?/g)];
  const names = calls.map(([, id, call]) => (call === undefined ? id : `${call}(${id})`));
  return `${message['type'] === undefined ? 'reply' : 'calls'} ${names.join(' ')}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
