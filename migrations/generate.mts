import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMemory } from '../worker/sqlite/open-memory';

/**
 * Makes `migrations.generated.ts` (what the worker bundles) and `schema.sql` (what all migrations together come to)
 * from the numbered .sql files beside it. Run it with tsx after adding a migration; a test fails while they are stale.
 */

const FOLDER = import.meta.dirname;

export interface MigrationFile {
  readonly id: number;
  readonly name: string;
  readonly sql: string;
}

export function readMigrationFiles(): readonly MigrationFile[] {
  return readdirSync(FOLDER)
    .filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file))
    .sort()
    .map((file) => ({
      id: Number(file.slice(0, 4)),
      name: file.slice(5, -'.sql'.length),
      sql: readFileSync(join(FOLDER, file), 'utf8'),
    }));
}

export function renderMigrations(files: readonly MigrationFile[]): string {
  const entries = files.map(({ id, name, sql }) => {
    const fields = [`id: ${id}`, `name: ${JSON.stringify(name)}`, `sql: ${JSON.stringify(sql)}`];
    return `  {\n${fields.map((field) => `    ${field},\n`).join('')}  },\n`;
  });
  return [
    '// Made by migrations/generate.mts from the numbered .sql files beside it; do not edit.\n\n',
    "/** The stores' migrations, in the order they run. */\n",
    'export const STORE_MIGRATIONS: readonly {\n',
    '  readonly id: number;\n  readonly name: string;\n  readonly sql: string;\n}[] = [\n',
    ...entries,
    '];\n',
  ].join('');
}

/** The schema a fresh database has after these migrations, as SQL text. */
export async function renderSchema(files: readonly MigrationFile[]): Promise<string> {
  const { database, close } = await openMemory();
  const readNames = database.prepare(
    'SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid',
  );
  try {
    const before = new Set(readNames.all().map((row) => row['name']));
    for (const { sql } of files) database.exec(sql);
    return readNames
      .all()
      .filter((row) => !before.has(row['name'] ?? null))
      .map((row) => `${String(row['sql'])};\n`)
      .join('\n');
  } finally {
    close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const files = readMigrationFiles();
  writeFileSync(join(FOLDER, 'migrations.generated.ts'), renderMigrations(files));
  writeFileSync(join(FOLDER, 'schema.sql'), await renderSchema(files));
}
