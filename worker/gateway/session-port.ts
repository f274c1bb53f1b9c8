/**
 * One tab's way in: takes messages of calls, has each run, answers each. A bad call is answered with its error and
 * harms no other call of the message.
 *
 *   envelope → parse → runner → scheduler (deadline, savepoint, shared commit) → reply
 *
 * Rule: a tab's writes run in the order in which it asked, also where one of them is held back to run alone.
 */
import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { isTidelockError, TidelockError } from '../../src/domain/tidelock-error';
import type { CallEnvelope, CallReply, WriterPort } from '../../src/protocol/call';
import { encodeError } from '../../src/protocol/error-codec';
import { CALLS, type CallInput, type CallKind } from '../../src/protocol/surface';
import { classifyFull } from '../sqlite/storage-errors';
import type { CallContext, WriterContext } from './call-context';
import { kindOf, type CallRunner } from './call-runner';
import { answerCall, type ScheduledCall } from './calls';
import { assertEnvelopes, parseCallInput, parseEnvelope } from './parse-envelope';
import { handlerFailed } from './run-handler';

export interface SessionPortOptions {
  readonly sessionId: string;
  readonly runner: CallRunner;
  /** Begins the hand-over to another writer, once this task is over. */
  readonly handOver: () => void;
}

export class SessionPort implements WriterPort {
  readonly #context: CallContext;
  readonly #runner: CallRunner;
  readonly #handOver: () => void;
  /** Ends with the last write of this tab that is held back; later writes wait for it. */
  #heldBack: Promise<void> | undefined;
  #isGone = false;

  constructor(context: WriterContext, { sessionId, runner, handOver }: SessionPortOptions) {
    this.#context = { ...context, sessionId, isUnderWay: (callId) => runner.isUnderWay(callId) };
    this.#runner = runner;
    this.#handOver = handOver;
  }

  /** The tab is gone: what it asked and has not run yet is not run any more. */
  end(): void {
    this.#isGone = true;
  }

  async invoke(message: unknown): Promise<CallReply[]> {
    return await Promise.all(assertEnvelopes(message).map((data) => this.#answer(data)));
  }

  async #answer(data: unknown): Promise<CallReply> {
    let envelope: CallEnvelope | undefined;
    try {
      envelope = parseEnvelope(data);
      return { callId: envelope.callId, ok: true, value: await this.#run(envelope) };
    } catch (error) {
      const answerable = toAnswerable(await classifyFull(error), envelope);
      return { callId: envelope?.callId ?? '', ok: false, error: encodeError(answerable) };
    }
  }

  #run(envelope: CallEnvelope): Promise<unknown> {
    const { call } = envelope;
    if (call === 'calls.ping' || call === 'writer.handOver') {
      parseCallInput(call, envelope.input);
      // Asked again, it has happened: the writer that was meant is gone.
      if (call === 'writer.handOver' && envelope.attempt === 1) this.#handOver();
      return Promise.resolve(null);
    }
    if (call === 'calls.cancel') {
      const { callIds } = parseCallInput(call, envelope.input);
      for (const callId of callIds) this.#runner.cancel(callId);
      return Promise.resolve(null);
    }
    const input = parseCallInput(call, envelope.input);
    const receipt = this.#findReceipt(envelope);
    if (receipt !== undefined) return Promise.resolve(receipt.value);
    const work = (): unknown => this.#perform(envelope, call, input);
    if (kindOf(call) === 'read') return this.#runner.run(envelope, work);
    const done = this.#runner.run(envelope, work, this.#heldBack);
    if (envelope.deaths > 0) this.#holdBackUntil(done);
    return done;
  }

  #holdBackUntil(done: Promise<unknown>): void {
    const over = done.then(
      () => undefined,
      () => undefined, // answered to whoever asked
    );
    this.#heldBack = over;
    void over.then(() => {
      if (this.#heldBack === over) this.#heldBack = undefined;
    });
  }

  #perform<C extends ScheduledCall>(envelope: CallEnvelope, call: C, input: CallInput<C>): unknown {
    const { repeat }: CallKind = CALLS[call];
    if (this.#isGone) throw gone();
    if (repeat !== 'receipt') return answerCall(this.#context, call, input);
    // Once more: the first run may have been waiting when the question was repeated.
    const receipt = this.#findReceipt(envelope);
    if (receipt !== undefined) return receipt.value;
    const value = answerCall(this.#context, call, input);
    this.#context.receipts.keep(envelope.callId, value);
    return value;
  }

  /** What a call answered that is asked again: found whatever its deadline, and before anything is run or marked. */
  #findReceipt({ call, callId, attempt }: CallEnvelope): { readonly value?: unknown } | undefined {
    const { repeat }: CallKind = CALLS[call];
    return attempt > 1 && repeat === 'receipt' ? this.#context.receipts.find(callId) : undefined;
  }
}

/** Of a tab that is gone, for nobody: what would be issued for it now would be held by nobody. */
function gone(): TidelockError {
  return new TidelockError(LIBRARY_CODES.ABORTED, 'The tab that asked is gone.', {
    details: { outcome: 'not-executed' },
  });
}

/** A call that an earlier writer may have run, and whose row nobody looked at: it is not known to be without effect. */
function admitEarlierRun(error: unknown, { call, attempt }: CallEnvelope): unknown {
  const { repeat }: CallKind = CALLS[call];
  const isClaimed = isTidelockError(error) && error.details['outcome'] === 'not-executed';
  const wasRefused =
    isTidelockError(error) &&
    (error.code === LIBRARY_CODES.DEADLINE_EXCEEDED || error.code === LIBRARY_CODES.ABORTED);
  if (attempt === 1 || repeat !== 'row' || !isClaimed || !wasRefused) return error;
  const { code, message, details, cause } = error;
  return new TidelockError(code, message, { details: { ...details, outcome: 'unknown' }, cause });
}

/**
 * The calls that run application code. What fails them after the handler returned (a deferred foreign key, a statement
 * that ended the transaction) is the handler's doing as well.
 */
const HANDLER_GROUPS: Partial<Record<string, string>> = {
  'app.query': 'queries',
  'app.mutate': 'mutations',
  'gateway.applyPull': 'apply',
  'gateway.applyPush': 'apply',
};

function toAnswerable(error: unknown, envelope: CallEnvelope | undefined): unknown {
  if (envelope === undefined) return error;
  if (isTidelockError(error)) return admitEarlierRun(error, envelope);
  const group = HANDLER_GROUPS[envelope.call];
  if (group === undefined) return error;
  const { handler } = envelope.input as { readonly handler: string | null }; // each of these inputs has the field
  if (handler === null) return error;
  return handlerFailed(`${group}.${handler}`, error);
}
