/** The board's worker file: its tables and handlers beside SQLite. The lab uses it too. */
import { defineWorker } from 'tidelock/worker';
import { applyHandlers } from './apply';
import { migrations } from './migrations';
import { mutations } from './mutations';
import { queries } from './queries';

export const app = defineWorker({ name: 'tasks', migrations, queries, mutations, apply: applyHandlers });
app.serve();
export type App = typeof app;
