/**
 * The id of a call: `<kind>-<uuid>`, the uuid of version 7. The kind says whether the call leaves a receipt that can be
 * read by the id alone; the time in the uuid tells how old a call is that left none, and keeps ids made one after the
 * other together in an index.
 */
export type CallIdKind = 'receipt' | 'row' | 'read';

const CALL_ID = /^(receipt|row|read)-([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function makeCallId(
  kind: CallIdKind,
  options: { readonly now: number; readonly uuid: string },
): string {
  return `${kind}-${makeTimeOrderedId(options)}`;
}

/** A uuid of version 7. `now` in epoch milliseconds; `uuid` of version 4 lends the randomness. */
export function makeTimeOrderedId({ now, uuid }: { readonly now: number; readonly uuid: string }): string {
  const time = Math.max(0, Math.floor(now)).toString(16).padStart(12, '0').slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${uuid.slice(15)}`;
}

/** What a call id says; undefined where it is none. `madeAt` in epoch milliseconds. */
export function parseCallId(
  callId: string,
): { readonly kind: CallIdKind; readonly madeAt: number } | undefined {
  const [, kind, high, low] = CALL_ID.exec(callId) ?? [];
  if (kind === undefined || high === undefined || low === undefined) return undefined;
  return { kind: kind as CallIdKind, madeAt: Number.parseInt(high + low, 16) }; // the pattern allows these kinds only
}
