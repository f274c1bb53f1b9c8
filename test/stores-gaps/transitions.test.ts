import { describe, expect, test } from 'vitest';
import type { IssueInput, TransitionInput } from '../../src/domain/permit';
import { refusalOf, setupStores, toFence } from '../stores/support/store-setup';

const START = { expectedState: 'issued-idle', nextState: 'gateway-in-flight' } as const;
const END = { expectedState: 'gateway-in-flight', nextState: 'gateway-complete-awaiting-apply' } as const;
const PUSH = { operationClass: 'push', operationIdentity: 'op' } as const;

/** A permit, and what it says to moves of it. */
async function setup(input: Partial<IssueInput>) {
  const setup = await setupStores();
  const permit = setup.permits.issue(setup.issueInput(input));
  const move = (fields: Omit<TransitionInput, keyof ReturnType<typeof toFence>>): string =>
    refusalOf(() => setup.permits.transition({ ...toFence(permit), ...fields }));
  const read = () => setup.permits.read(permit.permitId);
  return { ...setup, move, read };
}

describe('an identity', () => {
  test('is given at the start where the issue gave none, and stays', async () => {
    const { move, read } = await setup({ operationClass: 'push' });
    expect(move(START)).toBe('PERMIT_IDENTITY_CONFLICT');
    expect(move({ ...START, operationIdentity: 'op' })).toBe('none');
    expect(read()).toMatchObject({ state: 'gateway-in-flight', operationIdentity: 'op' });
  });

  test('is the one of the issue', async () => {
    const { move, read } = await setup(PUSH);
    expect(move({ ...START, operationIdentity: 'another' })).toBe('PERMIT_IDENTITY_CONFLICT');
    expect(move({ ...START, operationIdentity: 'op' })).toBe('none');
    expect(move({ ...END, operationIdentity: 'another' })).toBe('PERMIT_IDENTITY_CONFLICT');
    expect(move(END)).toBe('none');
    expect(read()).toMatchObject({ operationIdentity: 'op', upstreamDisposition: 'unknown' });
  });

  test('is none of a pull', async () => {
    const { move, read } = await setup({});
    expect(move({ ...START, operationIdentity: 'op' })).toBe('PERMIT_IDENTITY_CONFLICT');
    expect(move(START)).toBe('none');
    expect(read()?.operationIdentity).toBeNull();
  });
});

describe('a transition that was made', () => {
  test('answers a repeat that says the same, or less', async () => {
    const { move, read } = await setup(PUSH);
    const end = { ...END, upstreamDisposition: 'accepted', operationIdentity: 'op' } as const;
    move(START);
    move(end);
    const made = read();
    expect([move(end), move(END)]).toEqual(['none', 'none']);
    expect(read()).toEqual(made);
  });

  test('refuses a repeat that says something else', async () => {
    const { move } = await setup(PUSH);
    move(START);
    expect(move({ ...START, operationIdentity: 'another' })).toBe('PERMIT_IDENTITY_CONFLICT');
    expect(move({ ...START, upstreamDisposition: 'accepted' })).toBe('PERMIT_STATE_CONFLICT');
    move({ ...END, upstreamDisposition: 'accepted' });
    expect(move({ ...END, upstreamDisposition: 'rejected' })).toBe('PERMIT_STATE_CONFLICT');
    expect(move({ ...END, operationIdentity: 'another' })).toBe('PERMIT_IDENTITY_CONFLICT');
  });

  test('is asked for entry again only where it starts something', async () => {
    const { move, clock } = await setup(PUSH);
    move(START);
    clock.move(60_000);
    expect(move(START)).toBe('PERMIT_EXPIRED');
    expect(move({ ...END, errorCode: 'LATE' })).toBe('none');
  });

  test('leaves the error that it is given, and none where none is', async () => {
    const { move, read } = await setup(PUSH);
    move({ ...START, errorCode: 'X' });
    expect(read()?.errorCode).toBe('X');
    move(END);
    expect(read()?.errorCode).toBeNull();
  });
});
