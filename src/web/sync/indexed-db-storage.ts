// Unsent messages in IndexedDB: one database, one object store, an index by account.
import { createMemoryStorage, type OutboxStorage, type StoredEntry } from './outbox-storage.ts';

const databaseName = 'backchannel';
const storeName = 'outbox';
const byAccount = 'account';

/** IndexedDB where the browser allows it (private windows may not), else memory. */
export async function openOutboxStorage(): Promise<OutboxStorage> {
  try {
    return createIndexedDbStorage(await openDatabase());
  } catch (error) {
    console.warn('Unsent messages are kept in this tab only: no IndexedDB.', error);
    return createMemoryStorage();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(databaseName, 1);
    request.addEventListener('upgradeneeded', () => {
      const store = request.result.createObjectStore(storeName, { keyPath: 'id' });
      store.createIndex(byAccount, byAccount);
    });
    request.addEventListener('success', () => {
      const database = request.result;
      // Another tab runs a newer version, or clears the site's data: it must not wait for this one.
      database.addEventListener('versionchange', () => database.close());
      resolve(database);
    });
    request.addEventListener('error', () => reject(reasonOf(request.error)));
    request.addEventListener('blocked', () =>
      reject(new Error('Another tab has an older version.')),
    );
  });
}

function createIndexedDbStorage(database: IDBDatabase): OutboxStorage {
  /** Resolves when the transaction is on the disk, not when its last request succeeded. */
  function run<Result>(
    mode: IDBTransactionMode,
    act: (store: IDBObjectStore) => IDBRequest<Result> | null,
  ): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(storeName, mode, { durability: 'strict' });
      const request = act(transaction.objectStore(storeName));
      transaction.addEventListener('complete', () => resolve(request?.result));
      transaction.addEventListener('abort', () => reject(reasonOf(transaction.error)));
    });
  }

  return {
    shared: true,
    async list(account) {
      const found = await run<StoredEntry[]>('readonly', (store) =>
        store.index(byAccount).getAll(account),
      );
      // What was stored before there were pictures has none.
      return (found ?? []).map((entry) => ({ ...entry, picture: entry.picture ?? null }));
    },
    async put(entry) {
      await run('readwrite', (store) => store.put(entry));
    },
    async remove(ids) {
      await run('readwrite', (store) => {
        for (const id of ids) store.delete(id);
        return null;
      });
    },
    async clear(account) {
      await run('readwrite', (store) => {
        const request = store.index(byAccount).openKeyCursor(account);
        request.addEventListener('success', () => {
          const cursor = request.result;
          if (!cursor) return;
          store.delete(cursor.primaryKey);
          cursor.continue();
        });
        return null;
      });
    },
  };
}

function reasonOf(error: DOMException | null): Error {
  return error ?? new Error('IndexedDB gave no reason.');
}
