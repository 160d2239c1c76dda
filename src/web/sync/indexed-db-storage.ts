// Stores unsent messages in IndexedDB: one object store with an index by account.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { createMemoryStorage, type OutboxStorage, type StoredEntry } from './outbox-storage.ts';

const databaseName = 'backchannel';

interface Schema extends DBSchema {
  outbox: { key: string; value: StoredEntry; indexes: { account: string } };
}

/** Uses IndexedDB if the browser allows it, else memory. Private windows may forbid IndexedDB. */
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
      // Another tab upgrades or deletes the database: closing this connection unblocks it.
      blocking: (_current, _next, event) => (event.target as IDBDatabase).close(),
    }).then(resolve, reject);
  });
}

function createIndexedDbStorage(database: IDBPDatabase<Schema>): OutboxStorage {
  const outbox = () => database.transaction('outbox', 'readwrite', { durability: 'strict' });
  // Every write waits for `done`, because a successful request does not mean that the transaction committed.
  return {
    shared: true,
    async list(account) {
      const found = await database.getAllFromIndex('outbox', 'account', account);
      // Older entries have no `picture` field.
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
