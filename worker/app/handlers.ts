import type { z } from 'zod';
import type { OperationClass } from '../../src/domain/permit-vocabulary';
import type { AppDatabase, AppReader } from '../sqlite/app-database';
import { parseHandlerInput } from './parse-handler-input';

export interface QueryContext {
  /** The active workspace; null before the first was opened. */
  readonly workspaceId: string | null;
}

export interface MutationContext {
  readonly workspaceId: string;
  /** The instant of this run, ISO 8601 UTC. Handlers take the time from here, so that tests can set it. */
  readonly now: string;
  /** A fresh unique id each call. */
  readonly newId: () => string;
}

export interface ApplyContext extends MutationContext {
  readonly operationClass: OperationClass;
  /** The operations whose acceptance is being applied; empty for a pull. */
  readonly operationIdentities: readonly string[];
}

/** What a tab may know of a handler: its types. `types` never exists at run time. */
interface Typed<Input, Output> {
  readonly types?: { readonly input: Input; readonly output: Output };
}

export interface QueryHandler<Input = unknown, Output = unknown> extends Typed<Input, Output> {
  readonly kind: 'query';
  readonly run: (db: AppReader, raw: unknown, context: QueryContext) => unknown;
}

export interface MutationHandler<Input = unknown, Output = unknown> extends Typed<Input, Output> {
  readonly kind: 'mutation';
  readonly run: (db: AppDatabase, raw: unknown, context: MutationContext) => unknown;
}

export interface ApplyHandler<Input = unknown, Output = unknown> extends Typed<Input, Output> {
  readonly kind: 'apply';
  readonly run: (db: AppDatabase, raw: unknown, context: ApplyContext) => unknown;
}

/** A read of the app's tables. Synchronous; may only read. The schema checks what a tab sends. */
export function query<Schema extends z.ZodType, Output>(
  schema: Schema,
  run: (db: AppReader, input: z.output<Schema>, context: QueryContext) => Output,
): QueryHandler<z.input<Schema>, Output> {
  return { kind: 'query', run: (db, raw, context) => run(db, parseHandlerInput(schema, raw), context) };
}

/** A local write. Synchronous, and it may be run again before it commits: no effects but through `db`. */
export function mutation<Schema extends z.ZodType, Output>(
  schema: Schema,
  run: (db: AppDatabase, input: z.output<Schema>, context: MutationContext) => Output,
): MutationHandler<z.input<Schema>, Output> {
  return { kind: 'mutation', run: (db, raw, context) => run(db, parseHandlerInput(schema, raw), context) };
}

/** Turns an upstream answer into local rows, in the transaction that releases the permit. Rules as for a mutation. */
export function apply<Schema extends z.ZodType, Output>(
  schema: Schema,
  run: (db: AppDatabase, page: z.output<Schema>, context: ApplyContext) => Output,
): ApplyHandler<z.input<Schema>, Output> {
  return { kind: 'apply', run: (db, raw, context) => run(db, parseHandlerInput(schema, raw), context) };
}
