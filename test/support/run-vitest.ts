import { countVitestRun, type Counts } from './count-tests';
import { runProgram } from './run-program';

export interface VitestRun {
  readonly project: string;
  /** Only tests in these files or folders; all of the project's where it is empty. */
  readonly files?: readonly string[];
  /** Where the run leaves its report. */
  readonly reportPath: string;
  readonly deadlineMs: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a project's tests with this process's output, and counts them. */
export async function runVitest({ project, files = [], reportPath, ...options }: VitestRun): Promise<Counts> {
  const vitest = ['vitest', 'run', '--project', project, ...files];
  const reporters = ['--reporter', 'default', '--reporter', 'json', `--outputFile.json=${reportPath}`];
  return countVitestRun(reportPath, await runProgram('npx', [...vitest, ...reporters], options));
}
