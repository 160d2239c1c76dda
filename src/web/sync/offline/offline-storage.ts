// Stores in IndexedDB what this device keeps: rooms, and the answers with which the app opens without a network. The
// database is only a copy, and a failure of it does not reach the outbox, which has its own. Each call opens and closes
// the database, because an open connection would delay the deletion of the database at sign-out.
import type { CallReply } from '#contract/http.ts';
import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from 'idb';
import { isOfflineRoom, type OfflineRoom } from './offline-room.ts';

const databaseName = 'backchannel-kept';
/** Increase the version when the stored form changes. The device then forgets what it kept. */
const version = 1;
/** A browser that never answers must not delay the app. */
const timeoutMs = 3000;

export interface OfflineAnswers {
  me: CallReply<'me'>;
  classes: CallReply<'listClasses'>;
  theme: CallReply<'schoolTheme'>;
}

export type StoredAnswers = Partial<OfflineAnswers> & { account: string; keptAt: number };

export interface OfflineStorage {
  loadAnswers(): Promise<StoredAnswers | null>;
  /** Removes everything of another account. */
  putAnswers(answers: StoredAnswers): Promise<void>;
  list(account: string): Promise<readonly OfflineRoom[]>;
  /**
   * Replaces what is kept of the class, unless another tab stored a later state. If nothing is kept, only a new room is
   * added, and only after the answers of the account.
   */
  put(room: OfflineRoom, isNew: boolean): Promise<void>;
  remove(classIds: readonly string[]): Promise<void>;
  /** Removes all rooms. */
  clear(): Promise<void>;
}

interface Schema extends DBSchema {
  answers: { key: 'answers'; value: StoredAnswers };
  rooms: { key: string; value: OfflineRoom };
}

export const offlineStorage: OfflineStorage = {
  async loadAnswers() {
    const answers = await runInDatabase((database) => database.get('answers', 'answers'));
    return typeof answers?.account === 'string' && answers.keptAt > 0 ? answers : null;
  },
  async putAnswers(answers) {
    await runInDatabase(async (database) => {
      const { objectStore, done } = write(database);
      const previousAnswers = await objectStore('answers').get('answers');
      if (previousAnswers && previousAnswers.account !== answers.account) {
        await objectStore('rooms').clear();
      }
      await Promise.all([objectStore('answers').put(answers, 'answers'), done]);
    }, true);
  },
  async list(account) {
    const rooms = (await runInDatabase((database) => database.getAll('rooms'))) ?? [];
    const usable = rooms.filter((room) => isOfflineRoom(room) && room.account === account);
    const unusable = rooms.filter((room) => !usable.includes(room));
    if (unusable.length > 0) await this.remove(unusable.map(({ classId }) => classId));
    return usable;
  },
  async put(room, isNew) {
    await runInDatabase(async (database) => {
      const { objectStore, done } = write(database);
      const owner = await objectStore('answers').get('answers');
      const previousRoom = await objectStore('rooms').get(room.classId);
      const isOwn = owner?.account === room.account;
      if (isOwn && canReplace(previousRoom, room, isNew)) await objectStore('rooms').put(room);
      await done;
    });
  },
  async remove(classIds) {
    await runInDatabase(async (database) => {
      const { objectStore, done } = write(database);
      await Promise.all([...classIds.map((id) => objectStore('rooms').delete(id)), done]);
    });
  },
  async clear() {
    await runInDatabase((database) => database.clear('rooms'));
  },
};

export function canReplace(
  previousRoom: OfflineRoom | undefined,
  room: OfflineRoom,
  isNew: boolean,
): boolean {
  if (!previousRoom) return isNew;
  return previousRoom.epoch !== room.epoch || !(previousRoom.replica.seq > room.replica.seq);
}

function write(database: IDBPDatabase<Schema>) {
  const transaction = database.transaction(['answers', 'rooms'], 'readwrite');
  // A failed request rejects as well. Without this, the browser would report the same failure twice.
  transaction.done.catch(() => undefined);
  const objectStore = transaction.objectStore.bind(transaction);
  return { objectStore, done: transaction.done };
}

/** @returns null if the database does not exist and `create` is false */
async function runInDatabase<Result>(
  run: (database: IDBPDatabase<Schema>) => Promise<Result>,
  create = false,
): Promise<Result | null> {
  let database: IDBPDatabase<Schema> | null = null;
  try {
    database = await open(create);
    return database && (await run(database));
  } catch (error) {
    // After other errors the database stays: a newer version of the app made it, or the disk is full.
    const name = error instanceof Error ? error.name : '';
    if (['NotFoundError', 'DataError', 'UnknownError'].includes(name)) {
      database?.close();
      await deleteDB(databaseName);
    }
    throw error;
  } finally {
    database?.close();
  }
}

async function open(create: boolean): Promise<IDBPDatabase<Schema> | null> {
  let isMissing = false;
  let isLate = false;
  const opening = openDB<Schema>(databaseName, version, {
    upgrade(database, oldVersion, _newVersion, transaction) {
      isMissing = oldVersion === 0 && !create;
      if (isMissing) {
        transaction.done.catch(() => undefined);
        return transaction.abort();
      }
      for (const name of database.objectStoreNames) database.deleteObjectStore(name);
      database.createObjectStore('answers');
      database.createObjectStore('rooms', { keyPath: 'classId' });
    },
  }).then(
    (database) => {
      if (isLate) database.close();
      return database;
    },
    (error: unknown) => {
      if (isMissing) return null;
      throw error;
    },
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new Error('IndexedDB does not answer.'));
    }, timeoutMs);
  });
  return Promise.race([opening, timeout]).finally(() => clearTimeout(timer));
}
