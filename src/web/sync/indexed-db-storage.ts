// Unsent messages in IndexedDB: one database, one object store, an index by account.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { createMemoryStorage, type OutboxStorage, type StoredEntry } from './outbox-storage.ts';

const databaseName = 'backchannel';

interface Schema extends DBSchema {
  outbox: { key: string; value: StoredEntry; indexes: { account: string } };
}

/** IndexedDB if the browser allows it (private windows may not), else memory. */
export async function openOutboxStorage(): Promise<OutboxStorage> {
  try {
    return createIndexedDbStorage(await openDatabase());
  } catch (error) {
    console.warn('Unsent messages are kept in this tab only: no IndexedDB.', error);
    return createMemoryStorage();
  }
}

function openDatabase(): Promise<IDBPDatabase<Schema>> {
  return new Promise((resolve, reject) => {
    openDB<Schema>(databaseName, 1, {
      upgrade(database) {
        database.createObjectStore('outbox', { keyPath: 'id' }).createIndex('account', 'account');
      },
      blocked: () => reject(new Error('Another tab has an older version.')),
      // Another tab runs a newer version, or clears the site's data: it must not wait for this one.
      blocking: (_current, _next, event) => (event.target as IDBDatabase).close(),
    }).then(resolve, reject);
  });
}

function createIndexedDbStorage(database: IDBPDatabase<Schema>): OutboxStorage {
  const outbox = () => database.transaction('outbox', 'readwrite', { durability: 'strict' });
  // Every write waits for `done`: the transaction is on the disk, not only its last request accepted.
  return {
    shared: true,
    async list(account) {
      const found = await database.getAllFromIndex('outbox', 'account', account);
      // Entries stored before pictures existed have none.
      return found.map((entry) => ({ ...entry, picture: entry.picture ?? null }));
    },
    async put(entry) {
      const { store, done } = outbox();
      await Promise.all([store.put(entry), done]);
    },
    async remove(ids) {
      const { store, done } = outbox();
      await Promise.all([...ids.map((id) => store.delete(id)), done]);
    },
    async clear(account) {
      const { store, done } = outbox();
      const ids = await store.index('account').getAllKeys(account);
      await Promise.all([...ids.map((id) => store.delete(id)), done]);
    },
  };
}
