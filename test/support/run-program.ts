import { spawn, type ChildProcess } from 'node:child_process';

export interface RunProgramOptions {
  /** After this the program and all it started are killed. */
  readonly deadlineMs: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const KILLED = 137;
const NOT_STARTED = 127;

/** Runs a program with this process's output and returns its exit code; 137 when it overran its deadline. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: RunProgramOptions,
): Promise<number> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...options.env },
    // A process group of its own, so that a kill reaches npm's and Vitest's children too.
    detached: true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const passOn = (signal: NodeJS.Signals): void => {
    killGroup(child, signal);
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.once('SIGINT', passOn);
  process.once('SIGTERM', passOn);
  const timer = setTimeout(() => {
    console.error(
      `"${command} ${args.join(' ')}" was not done after ${String(options.deadlineMs)} ms: killed.`,
    );
    killGroup(child, 'SIGKILL');
  }, options.deadlineMs);
  try {
    return await new Promise<number>((resolve) => {
      child.once('error', (error) => {
        console.error(`Cannot run "${command}": ${error.message}`);
        resolve(NOT_STARTED);
      });
      child.once('exit', (code) => resolve(code ?? KILLED));
    });
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', passOn);
    process.off('SIGTERM', passOn);
  }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It ended by itself in the meantime.
  }
}
