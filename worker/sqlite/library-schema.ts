import { ForbiddenSqlError } from './forbidden-sql-error';
import type { SqliteDatabase } from './sqlite-database';

/** Everything in the schema that carries a name of the library, or sits on a table of it. */
const SELECT_LIBRARY_SCHEMA = `
  SELECT type, name, tbl_name, sql FROM sqlite_schema
  WHERE name LIKE 'local\\_sync\\_%' ESCAPE '\\' OR name LIKE 'local\\_workspace\\_sync\\_%' ESCAPE '\\'
     OR tbl_name LIKE 'local\\_sync\\_%' ESCAPE '\\' OR tbl_name LIKE 'local\\_workspace\\_sync\\_%' ESCAPE '\\'
  ORDER BY type, name`;
/** Tables of the application with a foreign key to one of the library: its deletes would fail, or cascade. */
const SELECT_FOREIGN_KEYS = `
  SELECT s.name AS name, f."table" AS parent FROM sqlite_schema s JOIN pragma_foreign_key_list(s.name) f
  WHERE s.type = 'table'
    AND s.name NOT LIKE 'local\\_sync\\_%' ESCAPE '\\' AND s.name NOT LIKE 'local\\_workspace\\_sync\\_%' ESCAPE '\\'
    AND (f."table" LIKE 'local\\_sync\\_%' ESCAPE '\\' OR f."table" LIKE 'local\\_workspace\\_sync\\_%' ESCAPE '\\')`;

/**
 * Runs an application's migration and checks what the authorizer cannot see: a table renamed to a name of the
 * library's, or a foreign key to one of its tables.
 * @throws ForbiddenSqlError; the caller rolls back.
 */
export function assertLibrarySchemaUntouched(database: SqliteDatabase, work: () => void): void {
  const read = (): string => JSON.stringify(database.prepare(SELECT_LIBRARY_SCHEMA).all());
  const before = read();
  work();
  if (read() !== before) {
    throw new ForbiddenSqlError('the SQL was refused: it changes the schema of the library');
  }
  const foreignKey = database.prepare(SELECT_FOREIGN_KEYS).get();
  if (foreignKey === undefined) return;
  throw new ForbiddenSqlError(
    `the SQL was refused: "${String(foreignKey['name'])}" refers to "${String(foreignKey['parent'])}" of the library`,
  );
}
