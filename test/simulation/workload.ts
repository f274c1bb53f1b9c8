import type { PushedOperation } from '../../src/client/gateway/push';
import { UpstreamRejected } from '../../src/client/gateway/upstream-rejected';
import { CALL_BOUND_MS, WORKSPACE, type SimTab } from './tab';

/** A gateway operation makes up to four calls one after the other, beside its wait for a turn and its request. */
const gatewayBoundMs = (timeoutMs: number): number => 2 * timeoutMs + 4 * CALL_BOUND_MS;

/** What a wait that was given little time may end with. */
const OUT_OF_TIME = ['DEADLINE_EXCEEDED', 'WRITER_UNRESPONSIVE'];

/** How the names of operations begin whose permits are driven by hand. */
const HAND = 'hand';

const STEPS = {
  addRow: 10,
  addRowAndThrow: 1,
  addRowAborted: 1,
  addRowInAHurry: 1,
  listRows: 5,
  pull: 3,
  push: 4,
  pushByHand: 2,
  summarize: 1,
  handOver: 0.6,
} as const;

/** Does one thing after the other. Several of them in a tab do so side by side. */
export class Caller {
  readonly #tab: SimTab;
  readonly #name: string;
  #sequence = 0;

  constructor(tab: SimTab, name: string) {
    this.#tab = tab;
    this.#name = `${tab.name}/${name}`;
  }

  async work(steps: number): Promise<void> {
    const { dice, world } = this.#tab;
    for (let step = 0; step < steps && !world.isEnding; step += 1) {
      await this.#doOne(dice.weighted(STEPS));
      await this.#tab.sleep(dice.chance(0.7) ? dice.between(0, 15) : dice.between(15, 400));
    }
  }

  async #doOne(what: keyof typeof STEPS): Promise<void> {
    const { tide, dice } = this.#tab;
    switch (what) {
      case 'addRow':
        return await this.#addRow({});
      case 'addRowAndThrow':
        return await this.#addRow({ handler: 'addRowAndThrow', mayFail: ['HANDLER_FAILED'] });
      case 'addRowAborted': {
        const controller = new AbortController();
        this.#tab.platform.after(dice.between(0, 20), () => controller.abort());
        return await this.#addRow({ signal: controller.signal, mayFail: ['ABORTED'] });
      }
      case 'addRowInAHurry':
        return await this.#addRow({ timeoutMs: dice.integer(1, 30), mayFail: OUT_OF_TIME });
      case 'listRows':
        return void (await this.#tab.ask(
          { name: 'query rows', boundMs: CALL_BOUND_MS },
          () => tide.query('rows', {}),
          (rows) => ({ rows }),
        ));
      case 'pull':
        return await pullOnce(this.#tab);
      case 'push':
        return void (await pushOnce(this.#tab, this.#pickOperations()));
      case 'pushByHand':
        return await pushByHand(this.#tab, this.#nextName(HAND));
      case 'handOver':
        await this.#tab.ask({ name: 'handOver', boundMs: CALL_BOUND_MS }, () => tide.handOver());
        return;
      case 'summarize':
        return void (await this.#tab.ask({ name: 'permits.summarize', boundMs: CALL_BOUND_MS }, () =>
          tide.permits.summarize(WORKSPACE),
        ));
    }
  }

  async #addRow({
    handler = 'addRow',
    mayFail = [],
    timeoutMs,
    signal,
  }: {
    readonly handler?: 'addRow' | 'addRowAndThrow';
    readonly mayFail?: readonly string[];
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
  }): Promise<void> {
    const name = handler === 'addRow' && this.#tab.build !== 'first' ? 'addRowNext' : handler;
    const row = { id: this.#nextName('row'), caller: this.#name, sequence: this.#sequence };
    const options = {
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(signal === undefined ? {} : { signal }),
    };
    await this.#tab.ask({ name, row, mayFail, boundMs: timeoutMs ?? CALL_BOUND_MS }, () =>
      this.#tab.tide.mutate(name, row, options),
    );
  }

  /**
   * New ones, and such as others are pushing or have pushed. None that somebody has a permit for by hand: the store lets
   * two permits stand for one operation, and whoever drives them must see to it that they do not.
   */
  #pickOperations(): readonly string[] {
    const { dice, world } = this.#tab;
    const fresh = Array.from({ length: dice.integer(1, 2) }, () => this.#nextName('op'));
    const known = [...world.operations].filter((identity) => !identity.startsWith(HAND));
    const again = known.length > 0 && dice.chance(0.6) ? [dice.pick(known)] : [];
    return [...new Set([...fresh, ...again])];
  }

  #nextName(kind: string): string {
    this.#sequence += 1;
    return `${kind}-${this.#name}-${String(this.#sequence)}`;
  }
}

export async function pullOnce(tab: SimTab): Promise<void> {
  const { dice, tide, world, agent } = tab;
  const timeoutMs = dice.integer(500, 3_000);
  await tab.ask(
    { name: 'pull', boundMs: gatewayBoundMs(timeoutMs), mayFail: OUT_OF_TIME }, // of its turn
    () =>
      tide.gateway.pull({
        apply: 'page',
        timeoutMs,
        request: async ({ cursor }) => {
          const { page, nextCursor } = await world.upstream.pull(agent, cursor);
          return { disposition: 'accepted', page: page.map(({ id }) => ({ id })), nextCursor };
        },
      }),
  );
}

export async function pushOnce(
  tab: SimTab,
  identities: readonly string[],
): Promise<readonly PushedOperation[] | undefined> {
  const { dice, tide, world, agent } = tab;
  for (const identity of identities) world.operations.add(identity);
  const timeoutMs = dice.integer(500, 3_000);
  const result = await tab.ask(
    { name: 'push', operations: identities, boundMs: gatewayBoundMs(timeoutMs) },
    () =>
      tide.gateway.push({
        apply: 'echo',
        timeoutMs,
        operations: identities.map((identity) => ({ identity, payload: null })),
        request: async ({ operations }) => {
          const sent = operations.map(({ identity }) => identity);
          const disposition = await world.upstream.push(agent, sent);
          return { results: sent.map((identity) => ({ identity, disposition })), page: null };
        },
      }),
    ({ results }) => ({ operations: results.map(({ identity, outcome }) => ({ identity, outcome })) }),
  );
  return result?.results;
}

/** The same with the permit in one's own hands, given up here and there on the way. */
async function pushByHand(tab: SimTab, identity: string): Promise<void> {
  const { dice, tide, world, agent, platform } = tab;
  const { permits } = tide;
  world.operations.add(identity);
  const ask = <T>(name: string, work: () => Promise<T>): Promise<T | undefined> =>
    tab.ask(
      { name: `permits.${name}`, operations: [identity], hasNoEcho: true, boundMs: 2 * CALL_BOUND_MS },
      work,
    );
  const scope = { workspaceId: WORKSPACE, coordinatorGeneration: tab.generation };
  const deadlineAt = new Date(platform.now() + 120_000).toISOString();
  const issued = await ask('issue', () =>
    permits.issue({ ...scope, operationClass: 'push', operationIdentity: identity, deadlineAt }),
  );
  if (issued === undefined) return;
  const fence = { ...scope, permitId: issued.permitId };
  if (dice.chance(0.3)) {
    await ask('abandonPermit', () => permits.abandonPermit(fence));
    return;
  }
  await ask('transition', () =>
    permits.transition({ ...fence, expectedState: 'issued-idle', nextState: 'gateway-in-flight' }),
  );
  const upstreamDisposition = await Promise.race([send(), tab.sleep(2_000).then(() => 'unknown' as const)]);
  await ask('transition', () =>
    permits.transition({
      ...fence,
      expectedState: 'gateway-in-flight',
      nextState: 'gateway-complete-awaiting-apply',
      upstreamDisposition,
    }),
  );
  if (upstreamDisposition === 'unknown') await ask('abandonPermit', () => permits.abandonPermit(fence));
  else await ask('release', () => permits.release(fence));

  function send(): Promise<'accepted' | 'rejected' | 'unknown'> {
    return world.upstream
      .push(agent, [identity])
      .catch((error: unknown) => (error instanceof UpstreamRejected ? 'rejected' : 'unknown'));
  }
}
