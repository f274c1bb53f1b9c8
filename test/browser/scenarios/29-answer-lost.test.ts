import { expect, test } from 'vitest';
import { times } from '../../support/times';
import { freshDatabase, joinLedger, mustBeOk } from './setup';

/** Calls, and how many answers each takes; a pull or push asks several times, and may lose any of them. */
const ANSWERS: Readonly<Record<string, number>> = {
  mutate: 1,
  pull: 3,
  push: 3,
  issue: 1,
  transition: 1,
  renew: 1,
  release: 1,
  abandon: 1,
  acknowledge: 1,
  localCommit: 2,
  open: 1,
};
const TRIALS = Object.entries(ANSWERS).flatMap(([kind, answers]) =>
  Array.from({ length: answers }, (_, index) => ({ kind, nth: index + 1 })),
);
/** The last answer of a few. */
const isAmongFew = ({ kind, nth }: (typeof TRIALS)[number]): boolean =>
  ['mutate', 'pull', 'push', 'release'].includes(kind) && nth === ANSWERS[kind];
const ROUNDS = times({ some: 1, full: 2 });

test(
  'the writer does what it was asked and dies before it can say so: the caller gets its answer, the effect is there once',
  { timeout: 120_000 * ROUNDS },
  async () => {
    const db = freshDatabase();
    const writer = await joinLedger(db);
    const tab = await joinLedger(db);
    const trials = times({ some: 0, full: 1 }) === 1 ? TRIALS : TRIALS.filter(isAmongFew);
    let epoch = 1;
    for (let round = 0; round < ROUNDS; round++) {
      for (const { kind, nth } of trials) {
        const key = `${kind}-${String(nth)}-${String(round)}`;
        mustBeOk(await tab.call('callAndLoseAnswer', kind, nth, key));
        epoch += 1;
        expect(await tab.call('waitForEpoch', epoch), `the writer did not die in ${key}`).toBe(epoch);
      }
    }
    expect(await tab.call('findWrongEffects')).toEqual([]);
    expect(await writer.errors()).toEqual([]);
  },
);
