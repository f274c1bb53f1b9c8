import { defineWorker } from 'tidelock/worker';

export const app = defineWorker({ name: 'replay' });
app.serve();
export type App = typeof app;
