import { ROOT_NAME } from './opfs-names';

/**
 * A note kept outside the files of a database that says: there is one, and this is its id. It is written after the
 * first commit and removed last by `destroy`. A note without a database means that the files were lost, and that
 * starting with an empty one would pass off the loss as a fresh start.
 *
 * It does not help where the browser clears everything of an origin at once: then the note goes too.
 */

const STORE = 'sentinels';
/** IndexedDB answers in milliseconds or, when its files are damaged, sometimes never. */
const ANSWER_MS = 5_000;
/** Where nothing goes on without the answer: a machine on which a dozen tabs start at once has been slower than the above. */
export const PATIENT_ANSWER_MS = 20_000;

/** The id noted for a database of this name, or null. Rejects where IndexedDB cannot be read: then nobody knows. */
export async function readSentinel(name: string, answerMs = ANSWER_MS): Promise<string | null> {
  const id: unknown = await withStore('readonly', (store) => store.get(name), answerMs);
  return typeof id === 'string' ? id : null;
}

export async function writeSentinel(name: string, databaseId: string): Promise<void> {
  await withStore('readwrite', (store) => store.put(databaseId, name));
}

export async function removeSentinel(name: string): Promise<void> {
  await withStore('readwrite', (store) => store.delete(name));
}

async function withStore(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => { readonly result: unknown },
  answerMs = ANSWER_MS,
): Promise<unknown> {
  const opening = open();
  try {
    return await withDeadline(
      opening.then((db) => run(db, mode, work)),
      answerMs,
    );
  } finally {
    // Also when it opens after the deadline; a failed opening has nothing to close.
    opening.then(
      (db) => db.close(),
      () => undefined,
    );
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(ROOT_NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(toError(request.error));
  });
}

function run(
  db: IDBDatabase,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => { readonly result: unknown },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(STORE, mode, { durability: 'strict' });
    const request = work(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(toError(transaction.error));
  });
}

function withDeadline<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`IndexedDB did not answer within ${ms} ms`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function toError(error: DOMException | null): Error {
  return error ?? new Error('IndexedDB failed without a reason');
}
