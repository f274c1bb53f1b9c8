import { defineWorker } from 'tidelock/worker';

export const app = defineWorker({ name: 'bench' });
app.serve();
export type App = typeof app;
