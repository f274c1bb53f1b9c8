/**
 * One tab's way in: takes messages of calls, has each run, answers each. A bad call is answered with its error and
 * harms no other call of the message.
 *
 *   envelope → parse → scheduler (deadline, savepoint, shared commit) → reply
 */
import { isTidelockError } from '../../src/domain/tidelock-error';
import type { CallEnvelope, CallReply, WriterPort } from '../../src/protocol/call';
import { encodeError } from '../../src/protocol/error-codec';
import { CALLS, type CallInput, type CallKind } from '../../src/protocol/surface';
import type { JobHandle, JobOutcome } from '../scheduler/job';
import type { Scheduler } from '../scheduler/scheduler';
import { classifyFull } from '../sqlite/storage-errors';
import type { CallContext } from './call-context';
import { answerCall, type ScheduledCall } from './calls';
import { assertEnvelopes, parseCallInput, parseEnvelope } from './parse-envelope';
import { handlerFailed } from './run-handler';

export class SessionPort implements WriterPort {
  readonly #context: CallContext;
  readonly #scheduler: Scheduler;
  readonly #running = new Map<string, JobHandle>();

  constructor(context: CallContext, scheduler: Scheduler) {
    this.#context = context;
    this.#scheduler = scheduler;
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
    if (call === 'calls.cancel') {
      this.#cancel(parseCallInput(call, envelope.input));
      return Promise.resolve(null);
    }
    const input = parseCallInput(call, envelope.input);
    return this.#schedule(envelope, () => this.#perform(envelope, call, input));
  }

  #schedule({ callId, call, deadlineAt }: CallEnvelope, work: () => unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: JobOutcome): void => {
        this.#running.delete(callId);
        if (outcome.ok) resolve(outcome.value);
        else reject(outcome.error instanceof Error ? outcome.error : new Error(String(outcome.error)));
      };
      const kind = CALLS[call].kind === 'read' ? 'read' : 'write';
      this.#running.set(callId, this.#scheduler.submit({ kind, deadlineAt, work, settle }));
    });
  }

  #perform<C extends ScheduledCall>(
    { callId, attempt }: CallEnvelope,
    call: C,
    input: CallInput<C>,
  ): unknown {
    const { repeat }: CallKind = CALLS[call];
    if (repeat !== 'receipt') return answerCall(this.#context, call, input);
    const { receipts } = this.#context;
    const receipt = attempt > 1 ? receipts.find(callId) : undefined;
    if (receipt !== undefined) return receipt.value;
    const value = answerCall(this.#context, call, input);
    receipts.keep(callId, value);
    return value;
  }

  #cancel({ callIds }: CallInput<'calls.cancel'>): void {
    for (const callId of callIds) this.#running.get(callId)?.cancel();
  }
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
  if (isTidelockError(error) || envelope === undefined) return error;
  const group = HANDLER_GROUPS[envelope.call];
  if (group === undefined) return error;
  const { handler } = envelope.input as { readonly handler: string | null }; // each of these inputs has the field
  if (handler === null) return error;
  return handlerFailed(`${group}.${handler}`, error);
}
