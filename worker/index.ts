/** tidelock beside SQLite. What an app's worker file imports; everything else in worker is how it is done. */
export type { AppDefinition } from './app/app-definition';
export { defineWorker, type WorkerApp } from './app/define-worker';
export {
  apply,
  mutation,
  query,
  type ApplyContext,
  type ApplyHandler,
  type MutationContext,
  type MutationHandler,
  type QueryContext,
  type QueryHandler,
} from './app/handlers';
export type { Row, SqlValue } from './database';
export type { AppDatabase, AppReader } from './sqlite/app-database';
export type { Migration } from './sqlite/plan-migrations';
