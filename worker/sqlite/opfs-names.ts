/** The only file of its kind in its pool; SQLite derives the names of journal and WAL from it. */
export const DATABASE_PATH = '/main.db';
/** Directory of all pools of an origin, and name of the IndexedDB database with their sentinels. */
export const ROOT_NAME = '.tidelock';

/** The directory of one database, below `ROOT_NAME`. Escaped, so that no name can leave it or meet another. */
export function toDirectoryName(name: string): string {
  return `db-${encodeURIComponent(name)}`;
}

export function toVfsName(name: string): string {
  return `tidelock-${encodeURIComponent(name)}`;
}
