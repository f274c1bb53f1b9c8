import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { Case, Verdict } from './judge';

/** Below everything else on the machine. */
const NICE = 19;

/** A judge that is started anew when it has killed itself over a mutant that never ends. Close it. */
export class JudgeProcess {
  readonly #nice: number;
  #child: ChildProcess | undefined;

  constructor({ nice = NICE }: { readonly nice?: number } = {}) {
    this.#nice = nice;
  }

  /** @returns a verdict; a mutant that hangs is killed by `no end` */
  async judge(given: Case): Promise<Verdict> {
    const child = await this.#start();
    const over = new AbortController();
    const { signal } = over;
    const answered = once(child, 'message', { signal }).then(([verdict]) => verdict as Verdict);
    const died = once(child, 'exit', { signal }).then(() => null);
    child.send(given);
    const verdict = await Promise.race([answered, died]);
    // The one that was not first ends as aborted; nobody waits for it.
    for (const loser of [answered, died]) loser.catch(() => undefined);
    over.abort();
    if (verdict !== null) return verdict;
    this.#child = undefined;
    return { killedBy: 'no end', times: {}, cpuMs: given.budgetMs };
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
    if (child.pid !== undefined) setPriority(child.pid, this.#nice);
    await once(child, 'message');
    this.#child = child;
    return child;
  }
}
