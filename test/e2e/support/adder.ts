import type { BrowserContext, Page } from 'playwright';

/** Between two tasks of one loop: enough calls are in flight at any moment, and the board stays small enough to read. */
const PAUSE_MS = 60;
const LOOPS = 3;

/** A lab tab on the demo's database that adds tasks without end, several calls in flight at once. */
export interface Adder {
  readonly page: Page;
  /** Titles the tab asked for, answered or not. */
  readonly asked: string[];
  /** Titles whose call resolved. */
  readonly acknowledged: string[];
  readonly failures: string[];
  readRole(): Promise<string>;
  /** Lets the calls in flight end. */
  stop(): Promise<void>;
}

export async function openAdder(context: BrowserContext, labUrl: string, prefix: string): Promise<Adder> {
  const page = await context.newPage();
  const asked: string[] = [];
  const acknowledged: string[] = [];
  const failures: string[] = [];
  await page.exposeFunction('noteAsked', (title: string) => void asked.push(title));
  await page.exposeFunction('noteAcknowledged', (title: string) => void acknowledged.push(title));
  await page.exposeFunction('noteFailure', (text: string) => void failures.push(text));
  await page.goto(labUrl);
  await page.evaluate(startAdding, { prefix, loops: LOOPS, pauseMs: PAUSE_MS });
  return {
    page,
    asked,
    acknowledged,
    failures,
    readRole: () => page.evaluate('lab.tide.status.role'),
    stop: () => page.evaluate('adding.stop()'),
  };
}

/** Runs in the page. Notes are awaited, so that what a crash cuts off was not noted as acknowledged. */
async function startAdding({
  prefix,
  loops,
  pauseMs,
}: {
  prefix: string;
  loops: number;
  pauseMs: number;
}): Promise<void> {
  const page = globalThis as unknown as {
    lab: { connect(options: { db: string }): Promise<AdderTide> };
    adding: { stop(): Promise<void> };
    noteAsked(title: string): Promise<void>;
    noteAcknowledged(title: string): Promise<void>;
    noteFailure(text: string): Promise<void>;
  }; // the lab's page and the functions exposed above
  interface AdderTide {
    mutate(name: string, input: unknown): Promise<unknown>;
    workspaces: { open(id: string, principal: object): Promise<unknown> };
  }
  const tide = await page.lab.connect({ db: 'tidelock-demo' });
  await tide.workspaces.open('demo', { userId: 'demo-user', tenantId: 'demo' });
  let isStopped = false;
  let count = 0;
  const add = async (): Promise<void> => {
    while (!isStopped) {
      const title = `${prefix}-${String(count++)}`;
      await page.noteAsked(title);
      try {
        await tide.mutate('addTask', { title });
        await page.noteAcknowledged(title);
      } catch (error) {
        await page.noteFailure(`${title}: ${String(error)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  const running = Promise.all(Array.from({ length: loops }, add));
  page.adding = {
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}
