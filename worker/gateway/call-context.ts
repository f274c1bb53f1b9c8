import type { CallMarks } from '../stores/call-marks';
import type { CallReceipts } from '../stores/call-receipts';
import type { Stores } from '../stores';
import type { AppDatabases } from '../sqlite/app-databases';
import type { Database } from '../database';
import type { AppDefinition } from '../app/app-definition';
import type { AppliedPulls } from './applied-pulls';
import type { ChangeLog } from './change-log';

/** What every call works on. One a writer's life. */
export interface WriterContext {
  readonly database: Database;
  readonly stores: Stores;
  readonly receipts: CallReceipts;
  readonly marks: CallMarks;
  readonly appliedPulls: AppliedPulls;
  /** Whoever writes a table that queries may read notes it here. */
  readonly changes: ChangeLog;
  readonly app: AppDatabases;
  readonly definition: AppDefinition;
  readonly serverInstanceId: string;
  /** ISO 8601 UTC. */
  readonly clock: () => string;
  readonly newId: () => string;
}

/** The same, for one call of one tab. */
export interface CallContext extends WriterContext {
  readonly sessionId: string;
  /** Whether this writer has the call and has not answered it yet. */
  readonly isUnderWay: (callId: string) => boolean;
}
