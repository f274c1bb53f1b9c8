import { join } from 'node:path';
import { repositoryRoot } from '../support/repository-root';

export const PAGE_PATH = join(repositoryRoot, 'src/domain/STATE-MACHINES.md');
export const ERROR_CODES_PATH = join(repositoryRoot, 'src/domain/error-codes.ts');
