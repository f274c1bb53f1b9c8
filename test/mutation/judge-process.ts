import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Case, Verdict } from './judge';

/** Below everything else on the machine. */
const NICE = 10;

/** A judge that is started anew when a mutant never ends. Close it. */
export class JudgeProcess {
  #child: ChildProcess | undefined;

  /** @returns a verdict; that of a mutant that overruns the deadline is `timeout` */
  async judge(given: Case, deadlineMs: number): Promise<Verdict> {
    const child = await this.#start();
    const over = new AbortController();
    const { signal } = over;
    const answered = once(child, 'message', { signal }).then(([verdict]) => verdict as Verdict);
    const died = once(child, 'exit', { signal }).then((): Verdict => ({ killedBy: 'crash', times: {} }));
    const late = setTimeout(deadlineMs, null, { signal }).then((): Verdict => ({
      killedBy: 'timeout',
      times: {},
    }));
    child.send(given);
    const verdict = await Promise.race([answered, died, late]);
    // The ones that were not first end as aborted; nobody waits for them.
    for (const loser of [answered, died, late]) loser.catch(() => undefined);
    over.abort();
    if (verdict.killedBy === 'timeout' || verdict.killedBy === 'crash') this.close();
    return verdict;
  }

  close(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  async #start(): Promise<ChildProcess> {
    if (this.#child !== undefined) return this.#child;
    const child = fork(join(import.meta.dirname, 'judge.ts'), {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    if (child.pid !== undefined) setPriority(child.pid, NICE);
    await once(child, 'message');
    this.#child = child;
    return child;
  }
}
