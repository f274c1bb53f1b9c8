/** What is wrong with a row goes to quarantine or gets a code. Any other error, of the engine say, is passed on as it is. */
import { describe, expect, test } from 'vitest';
import type { Database, Row } from '../../worker/database';
import { envelope, toFence, type TestDatabase } from '../stores/support/store-setup';
import { setupWrapped } from './support';

class EngineError extends Error {}

/** Rows of a database that throw where one column is looked at for the first time after it was broken. */
class BrokenColumns {
  column = '';

  wrap(inner: TestDatabase): Database {
    const breakRow = (row: Row): Row =>
      new Proxy(row, {
        get: (target, column) => {
          if (column === this.column) {
            this.column = '';
            throw new EngineError(column);
          }
          return Reflect.get(target, column) as unknown;
        },
      });
    return {
      provider: inner.provider,
      prepare: (sql) => {
        const statement = inner.prepare(sql);
        return {
          get: (params) => {
            const row = statement.get(params);
            return row && breakRow(row);
          },
          all: (params) => statement.all(params).map(breakRow),
          run: (params) => statement.run(params),
        };
      },
      transaction: (work) => inner.transaction(work),
      get isInTransaction() {
        return inner.isInTransaction;
      },
    };
  }
}

async function setup() {
  const broken = new BrokenColumns();
  const setup = await setupWrapped((database) => broken.wrap(database));
  const { permits, clock } = setup;
  const issue = () =>
    permits.issue({
      workspaceId: 'w',
      coordinatorGeneration: 1,
      serverInstanceId: 's',
      operationClass: 'pull',
      deadlineAt: clock.in(60_000),
    });
  return { ...setup, broken, issue };
}

const STATE_COLUMNS = ['ownership_mode', 'requested_by_json', 'terminal_transfer_result_json'];

describe('an error that no row is to blame for', () => {
  test.each(STATE_COLUMNS)('passes a look at the coordinator: %s', async (column) => {
    const { coordinator, broken, database } = await setup();
    broken.column = column;
    expect(() => coordinator.readOrCreateState()).toThrow(EngineError);
    broken.column = column;
    expect(() => coordinator.recoverAfterRestart()).toThrow(EngineError);
    expect(database.prepare('SELECT 1 FROM local_sync_quarantine').all()).toEqual([]);
  });

  test('passes an issue', async () => {
    const { broken, issue } = await setup();
    broken.column = 'ownership_mode';
    expect(issue).toThrow(EngineError);
  });

  test('moves no command and no permit', async () => {
    const { coordinator, permits, broken, issue, database } = await setup();
    coordinator.acceptCommand(envelope({ commandId: 'a' }));
    const { permitId } = issue();
    broken.column = 'args_json';
    expect(() => coordinator.readCommand('a')).toThrow(EngineError);
    broken.column = 'last_committed_cursor_json';
    expect(() => permits.read(permitId)).toThrow(EngineError);
    expect(database.prepare('SELECT 1 FROM local_sync_quarantine').all()).toEqual([]);
  });

  test('passes a look at where an obligation came from', async () => {
    const { permits, broken, issue, clock } = await setup();
    const fence = toFence(issue());
    permits.transition({ ...fence, expectedState: 'issued-idle', nextState: 'gateway-in-flight' });
    clock.move(60_000);
    permits.recoverExpiredPermits({ workspaceId: 'w', currentServerInstanceId: 's' });
    broken.column = 'origin_generation';
    const repair = () =>
      permits.resolveAuthoritativeRepairRecoveryObligations({
        workspaceId: 'w',
        coordinatorGeneration: 1,
        ownerMode: 'browser-gateway',
        repairId: 'r',
        stateSignatureSha256: 's',
      });
    expect(repair).toThrow(EngineError);
  });
});
