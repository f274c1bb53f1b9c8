import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../support/repository-root';

/** The stores, and the pure decisions of theirs. */
const DECISIONS = [
  'abandonment',
  'admission',
  'canonical-json',
  'command-admission',
  'command-intent',
  'command-references',
  'completion-checks',
  'instant',
  'is-thenable',
  'issue-decision',
  'limit',
  'obligation-resolution',
  'operation-class',
  'permit-fence',
  'permit-machine',
  'permit-vocabulary',
  'terminal-transfer',
  'transfer-machine',
  'transition-decision',
];

export interface Source {
  /** From the repository's root. */
  readonly path: string;
  readonly text: string;
}

export function readSources(): readonly Source[] {
  const stores = readdirSync(join(repositoryRoot, 'worker/stores'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `worker/stores/${name}`)
    .toSorted();
  const domain = DECISIONS.map((name) => `src/domain/${name}.ts`);
  return [...stores, ...domain].map((path) => ({
    path,
    text: readFileSync(join(repositoryRoot, path), 'utf8'),
  }));
}
