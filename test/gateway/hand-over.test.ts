import { describe, expect, test } from 'vitest';
import { setup } from './setup';

describe('a hand-over', () => {
  test('is begun once asked for, and not again when the question is repeated to the next writer', async () => {
    const { send, handOvers, close } = await setup();
    expect(await send([['writer.handOver', {}]])).toMatchObject([{ ok: true, value: null }]);
    expect(handOvers.count).toBe(1);
    expect(await send([['writer.handOver', {}]], { attempt: 2 })).toMatchObject([{ ok: true, value: null }]);
    expect(handOvers.count).toBe(1);
    close();
  });
});
