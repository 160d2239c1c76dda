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

/** Leaves places for entries that are added before an entry later. */
const placeGap = 2 ** 20;

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

function choosePlace(
  storedEntries: readonly PlacedEntry[],
  id: string,
  beforeId: string | undefined,
): number {
  const previous = storedEntries.find((entry) => entry.id === id);
  if (previous) return getPlace(previous);
  const places = storedEntries.map(getPlace);
  const next = storedEntries.find((entry) => entry.id === beforeId);
  if (!next) return Math.max(0, ...places) + placeGap;
  const nextPlace = getPlace(next);
  const lowerPlace = Math.max(nextPlace - placeGap, ...places.filter((place) => place < nextPlace));
  // Entries of earlier versions have no gaps.
  return Math.min(lowerPlace + 1, (lowerPlace + nextPlace) / 2);
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
    async put(entry, beforeId) {
      const { store, done } = write('outbox');
      const storedEntries = await store.index('account').getAll(entry.account);
      const place = choosePlace(storedEntries, entry.id, beforeId);
      await Promise.all([store.put({ ...entry, place }), done]);
    },
    async remove(entries) {
      const { store, done } = write('outbox');
      const removeUnchanged = async ({ id, text }: Pick<StoredEntry, 'id' | 'text'>) => {
        if ((await store.get(id))?.text === text) await store.delete(id);
      };
      await Promise.all([...entries.map(removeUnchanged), done]);
    },
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
