import type { Fault, FaultSwitches } from './faults';
import { parseEffects, parseFault, parsePull, parsePush } from './parse-requests';
import { ERROR_CODES, RequestError, replyWith, type Reply } from './reply';
import type { SyncStore } from './sync-store';

export interface RouteRequest {
  readonly query: URLSearchParams;
  /** Parsed JSON; undefined for methods without a body. */
  readonly body: unknown;
}

/** Synchronous, so that no request comes between another's decision and its effect. */
export type Handler = (request: RouteRequest) => Reply;
/** Path → method → handler. */
export type Routes = ReadonlyMap<string, ReadonlyMap<string, Handler>>;

/** The server's whole surface. */
export function createRoutes(store: SyncStore, faults: FaultSwitches): Routes {
  return new Map([
    ['/sync/pull', byMethod({ GET: createPull(store, faults) })],
    ['/sync/push', byMethod({ POST: createPush(store, faults) })],
    ['/sync/effects', byMethod({ GET: createEffects(store) })],
    ['/sync/faults', createFaultMethods(faults)],
  ]);
}

/** @throws RequestError 404 or 405. */
export function mustFindHandler(routes: Routes, path: string, method: string): Handler {
  const methods = mustFindMethods(routes, path);
  const handler = methods.get(method);
  if (handler !== undefined) return handler;
  const allow = [...methods.keys(), 'OPTIONS'].join(', ');
  throw new RequestError(405, ERROR_CODES.METHOD_NOT_ALLOWED, `${path} has no ${method}, wanted ${allow}`, {
    allow,
  });
}

/** @throws RequestError 404. */
export function mustFindMethods(routes: Routes, path: string): ReadonlyMap<string, Handler> {
  const methods = routes.get(path);
  if (methods !== undefined) return methods;
  const known = [...routes.keys()].join(', ');
  throw new RequestError(404, ERROR_CODES.NOT_FOUND, `no route ${path}, wanted one of ${known}`);
}

function createPush(store: SyncStore, faults: FaultSwitches): Handler {
  return ({ body }) => {
    const push = parsePush(body);
    const fault = faults.take('push');
    return handleUnder(fault, () =>
      replyWith({ results: store.push(push, { refuse: fault?.next === 'reject' }) }),
    );
  };
}

function createPull(store: SyncStore, faults: FaultSwitches): Handler {
  return ({ query }) => {
    const pull = parsePull(query);
    assertCursorReached(pull.sinceSeq, store.readLastSeq(pull.workspace));
    const fault = faults.take('pull');
    return handleUnder(fault, () => {
      if (fault?.next === 'reject') {
        throw new RequestError(403, ERROR_CODES.FAULT_REJECTED, 'a fault switch rejected this pull');
      }
      const { changes, nextSeq, more } = store.readPage(pull);
      return replyWith({ changes, nextCursor: { seq: nextSeq }, more });
    });
  };
}

function createEffects(store: SyncStore): Handler {
  return ({ query }) => {
    const operations = store.listOperations(parseEffects(query).workspace);
    return replyWith({
      operations: operations.map(({ identity, arrived, effects }) => ({ identity, arrived, effects })),
    });
  };
}

function createFaultMethods(faults: FaultSwitches): ReadonlyMap<string, Handler> {
  const show = (): Reply => replyWith({ armed: faults.armed });
  return byMethod({
    GET: show,
    POST: ({ body }) => {
      faults.arm(parseFault(body));
      return show();
    },
    DELETE: () => {
      faults.clear();
      return show();
    },
  });
}

function byMethod(handlers: Readonly<Record<string, Handler>>): ReadonlyMap<string, Handler> {
  return new Map(Object.entries(handlers));
}

function handleUnder(fault: Fault | undefined, handle: () => Reply): Reply {
  const reply = handle();
  if (fault === undefined) return reply;
  switch (fault.next) {
    case 'reject':
      return reply;
    case 'lose':
      return { ...reply, delivery: 'lose' };
    case 'delay':
      return { ...reply, delivery: fault.delayMs };
    case 'duplicate':
      handle();
      return reply;
    default:
      return fault.next satisfies never;
  }
}

/** An empty page would be a lie: changes still to come would carry lower seqs, and the client would never see them. */
function assertCursorReached(sinceSeq: number, lastSeq: number): void {
  if (sinceSeq <= lastSeq) return;
  const message = `the cursor is at seq ${sinceSeq}, wanted at most ${lastSeq}: it is not from this server's data`;
  throw new RequestError(409, ERROR_CODES.CURSOR_AHEAD, message);
}
