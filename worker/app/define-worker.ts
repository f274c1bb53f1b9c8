import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';
import { isDatabaseName } from '../../src/protocol/names';
import { WorkerHost } from '../host/worker-host';
import { BrowserWorkerPlatform } from '../host/worker-platform';
import type { AppDefinition, Handlers } from './app-definition';

type TypesOf<Group> =
  Group extends Handlers<{ readonly types?: unknown }>
    ? { readonly [Name in keyof Group]: NonNullable<Group[Name]['types']> }
    : Record<never, never>;

/** Names and types of a worker file's handlers, for `connect<typeof app>`. */
export interface WorkerApp<Definition extends AppDefinition> {
  readonly name: string;
  readonly shape?: {
    readonly queries: TypesOf<Definition['queries']>;
    readonly mutations: TypesOf<Definition['mutations']>;
    readonly apply: TypesOf<Definition['apply']>;
  };
  /** Starts listening for the tab. Call it once, last in the worker file. */
  serve(): void;
}

/**
 * Describes what the app keeps and does beside SQLite.
 * @throws TidelockError INVALID_INPUT (path) for a bad name or a handler of the wrong kind
 * @example
 * export const app = defineWorker({ name: 'tasks', migrations, queries, mutations, apply });
 * app.serve();
 * export type App = typeof app;
 */
export function defineWorker<const Definition extends AppDefinition>(
  definition: Definition,
): WorkerApp<Definition> {
  assertDefinition(definition);
  return {
    name: definition.name,
    serve: () => new WorkerHost(definition, makePlatform()).listen(),
  };
}

function makePlatform(): BrowserWorkerPlatform {
  const scope: unknown = globalThis;
  if (typeof DedicatedWorkerGlobalScope !== 'undefined' && scope instanceof DedicatedWorkerGlobalScope) {
    return new BrowserWorkerPlatform(scope);
  }
  throw new TidelockError(LIBRARY_CODES.UNSUPPORTED_ENVIRONMENT, 'serve() runs in a dedicated worker only.', {
    details: { missing: 'worker' },
  });
}

function assertDefinition(definition: AppDefinition): void {
  if (!isDatabaseName(definition.name))
    refuse('name', `"${definition.name}" is no name; wanted letters, digits, ".", "-" or "_"`);
  const { version = 0 } = definition;
  if (!Number.isSafeInteger(version) || version < 0)
    refuse('version', `${String(version)} is no whole number from 0`);
  const groups: readonly (readonly [group: string, kind: string, Handlers<{ readonly kind: string }>])[] = [
    ['queries', 'query', definition.queries ?? {}],
    ['mutations', 'mutation', definition.mutations ?? {}],
    ['apply', 'apply', definition.apply ?? {}],
  ];
  for (const [group, kind, handlers] of groups) {
    for (const [name, handler] of Object.entries(handlers)) {
      if (handler.kind !== kind) refuse(`${group}.${name}`, `made by ${handler.kind}(); wanted ${kind}()`);
    }
  }
}

function refuse(path: string, problem: string): never {
  throw new TidelockError(
    LIBRARY_CODES.INVALID_INPUT,
    `Invalid worker definition at "${path}": ${problem}.`,
    {
      details: { path, problem },
    },
  );
}
