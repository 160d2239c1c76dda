// Stores unsent messages and staged pictures in IndexedDB: object stores with an index by account.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import {
  createMemoryStorage,
  type OutboxPicture,
  type OutboxStorage,
  type StagedFile,
  type StoredEntry,
} from './outbox-storage.ts';

const databaseName = 'backchannel';

/** `place` counts up, so the order does not depend on a clock. Entries of earlier versions have none. */
type PlacedEntry = StoredEntry & { readonly place?: number };

interface Schema extends DBSchema {
  outbox: { key: string; value: PlacedEntry; indexes: { account: string } };
  staged: { key: string; value: StagedFile; indexes: { account: string } };
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
    openDB<Schema>(databaseName, 2, {
      async upgrade(database, oldVersion, _newVersion, transaction) {
        database.createObjectStore('staged', { keyPath: 'id' }).createIndex('account', 'account');
        if (oldVersion === 0) {
          database.createObjectStore('outbox', { keyPath: 'id' }).createIndex('account', 'account');
          return;
        }
        const outbox = transaction.objectStore('outbox');
        for (const entry of await outbox.getAll()) await outbox.put(upgradePictures(entry));
      },
      blocked: () => reject(new Error('Another tab has an older version.')),
      // Another tab upgrades or deletes the database: closing this connection unblocks it.
      blocking: (_current, _next, event) => (event.target as IDBDatabase).close(),
    }).then(resolve, reject);
  });
}

type OldPicture = Omit<OutboxPicture, 'id' | 'refusal'>;

/** Upgrades from version 1, where a message had one picture, which was uploaded under the message's id, or none. */
function upgradePictures(entry: StoredEntry & { picture?: OldPicture | null }): StoredEntry {
  const { picture, ...rest } = entry;
  return { ...rest, pictures: picture ? [{ ...picture, id: entry.id, refusal: null }] : [] };
}

function getPlace({ place, createdAt }: PlacedEntry): number {
  return place ?? createdAt;
}

function createIndexedDbStorage(database: IDBPDatabase<Schema>): OutboxStorage {
  const write = <Name extends 'outbox' | 'staged'>(name: Name) =>
    database.transaction(name, 'readwrite', { durability: 'strict' });
  async function removeFrom(name: 'outbox' | 'staged', ids: readonly string[]): Promise<void> {
    const { store, done } = write(name);
    await Promise.all([...ids.map((id) => store.delete(id)), done]);
  }
  // Every write waits for `done`, because a successful request does not mean that the transaction committed.
  return {
    shared: true,
    list: async (account) =>
      (await database.getAllFromIndex('outbox', 'account', account)).toSorted(
        (a, b) => getPlace(a) - getPlace(b),
      ),
    async put(entry) {
      const { store, done } = write('outbox');
      const storedEntries = await store.index('account').getAll(entry.account);
      const previous = storedEntries.find(({ id }) => id === entry.id);
      const place = previous ? getPlace(previous) : Math.max(0, ...storedEntries.map(getPlace)) + 1;
      await Promise.all([store.put({ ...entry, place }), done]);
    },
    remove: (ids) => removeFrom('outbox', ids),
    async clear(account) {
      for (const name of ['outbox', 'staged'] as const) {
        const ids = await database.getAllKeysFromIndex(name, 'account', account);
        await removeFrom(name, ids);
      }
    },
    listStaged: (account) => database.getAllFromIndex('staged', 'account', account),
    async putStaged(file) {
      const { store, done } = write('staged');
      await Promise.all([store.put(file), done]);
    },
    removeStaged: (ids) => removeFrom('staged', ids),
  };
}
