// What members chose for themselves in a class: whom they ignore, what they hide, whether it is muted. A row names
// neither the account nor the persona: its id is derived from the server key, and its content is encrypted (decision
// 45). Rows are written later, in batches. Until then a change is in one sealed value, so a crash loses nothing.
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { SavedPreferences } from '#contract/preferences.ts';
import { deriveId } from '../derived-ids.ts';
import { seal, unseal } from '../seal.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database, DatabaseTransaction } from '../storage/database.ts';
import { findClass } from '../storage/queries/classes.ts';
import {
  findPreferences,
  listPreferenceOwners,
  savePreferences,
} from '../storage/queries/preferences.ts';
import { deleteMetadata, readMetadata, writeMetadata } from '../storage/queries/server-metadata.ts';
import { createDelayedWrites } from './delayed-writes.ts';

/** An account in a class, under an id that only the server key can link to the account. */
export interface PreferenceOwner {
  classId: string;
  id: string;
}

export interface PreferenceKeys {
  ids: KeyObject;
  contents: KeyObject;
}

export interface PreferenceStore {
  ownerOf(classId: string, classSalt: string, accountId: string): PreferenceOwner;
  /** Costs a query only for an owner who saved something. */
  read(owner: PreferenceOwner): Promise<SavedPreferences>;
  /**
   * Resolves when the change is durable.
   *
   * @throws {AppError} PREFERENCES_CHANGED if `version` is not the last one, TOO_MANY_IGNORED
   */
  save(owner: PreferenceOwner, changed: SavedPreferences): Promise<SavedPreferences>;
  /** Deletes those of an account that left the class. */
  delete(classId: string, accountId: string): Promise<void>;
  /** Writes the remaining rows. */
  stop(): Promise<void>;
}

interface Parts {
  db: Database;
  /** Not the queue of messages and personas: a row must not share a transaction with them. */
  commits: CommitQueue;
  keys: PreferenceKeys;
}

/** A row that is not yet written. Null deletes it. */
export interface PendingPreferences {
  owner: PreferenceOwner;
  preferences: SavedPreferences | null;
}

const noPreferences: SavedPreferences = {
  ignored: [],
  hidden: [],
  muted: false,
  version: 0,
};

/** The size of a row must not tell how many members it names. */
const preferencesPaddedBytes = 4096;
const journalName = 'pendingPreferences';
const journalPaddedBytes = 16 * 1024;
/** Each change rewrites all that wait. */
const maxPending = 32;
const maxPendingBytes = 128 * 1024;
const maxCachedContents = 2000;
const maxCachedClasses = 10_000;

export async function createPreferences({ db, commits, keys }: Parts): Promise<PreferenceStore> {
  const contents = new LRUCache<string, SavedPreferences>({ max: maxCachedContents });
  /** The owners of each class who have a row: all others cost no query. */
  const ownersOfClass = new LRUCache<string, Promise<Set<string>>>({ max: maxCachedClasses });
  const delayed = createDelayedWrites<PendingPreferences>({
    commits,
    async write(tx, batch, rest) {
      for (const pending of batch) await writePreferences(tx, keys, pending);
      await saveJournal(tx, keys, rest());
    },
    onWritten(batch) {
      for (const { owner } of batch) {
        contents.delete(keyOf(owner));
        // A list that was read before the commit lacks this owner.
        void ownersOfClass.get(owner.classId)?.then((owners) => owners.add(owner.id));
      }
    },
  });
  for (const pending of await readJournal(db, keys)) delayed.set(keyOf(pending.owner), pending);

  function listOwners(classId: string): Promise<Set<string>> {
    const known = ownersOfClass.get(classId);
    if (known) return known;
    const listed = listPreferenceOwners(db, classId).then((owners) => new Set(owners));
    ownersOfClass.set(classId, listed);
    listed.catch(() => ownersOfClass.delete(classId));
    return listed;
  }

  async function read(owner: PreferenceOwner): Promise<SavedPreferences> {
    const key = keyOf(owner);
    const isStored = (await listOwners(owner.classId)).has(owner.id);
    const pending = delayed.get(key);
    if (pending) return pending.preferences ?? noPreferences;
    if (!isStored) return noPreferences;
    const known = contents.get(key);
    if (known) return known;
    const sealed = await findPreferences(db, { classId: owner.classId, owner: owner.id });
    const found = sealed === null ? noPreferences : unsealPreferences(keys, owner, sealed);
    // It may have changed meanwhile.
    const newer = delayed.get(key);
    if (newer) return newer.preferences ?? noPreferences;
    contents.set(key, found);
    return found;
  }

  /** Shows the change to all readers, and makes it durable. */
  async function add(pending: PendingPreferences): Promise<void> {
    const key = keyOf(pending.owner);
    const before = delayed.get(key);
    let bytes: number;
    delayed.set(key, pending);
    try {
      bytes = await commits.write(({ db: tx }) => saveJournal(tx, keys, delayed.values()));
    } catch (error) {
      delayed.revert(key, pending, before);
      throw error;
    }
    const isFull = delayed.values().length >= maxPending || bytes > maxPendingBytes;
    if (isFull) void delayed.flush();
  }

  const ownerOf: PreferenceStore['ownerOf'] = (classId, classSalt, accountId) => {
    return { classId, id: deriveId(keys.ids, classSalt, accountId, classId).id };
  };

  return {
    ownerOf,
    read,
    async save(owner, changed) {
      if (changed.ignored.length > limits.ignoredMembers) throw new AppError('TOO_MANY_IGNORED');
      const stored = await read(owner);
      // Another device may have saved since the row was read.
      const pending = delayed.get(keyOf(owner));
      const current = pending ? (pending.preferences ?? noPreferences) : stored;
      if (changed.version !== current.version) throw new AppError('PREFERENCES_CHANGED');
      const preferences = { ...changed, version: current.version + 1 };
      await add({ owner, preferences });
      return preferences;
    },
    async delete(classId, accountId) {
      const found = await findClass(db, classId);
      if (!found) return;
      const owner = ownerOf(classId, found.salt, accountId);
      if ((await read(owner)).version > 0) await add({ owner, preferences: null });
    },
    stop: delayed.stop,
  };
}

const keyOf = ({ classId, id }: PreferenceOwner) => `${classId} ${id}`;

export async function writePreferences(
  db: DatabaseTransaction,
  keys: PreferenceKeys,
  { owner, preferences }: PendingPreferences,
): Promise<void> {
  const options = { context: keyOf(owner), padTo: preferencesPaddedBytes };
  const content = preferences && seal(keys.contents, JSON.stringify(preferences), options);
  await savePreferences(db, { classId: owner.classId, owner: owner.id, content });
}

export function unsealPreferences(
  keys: PreferenceKeys,
  owner: PreferenceOwner,
  sealed: string,
): SavedPreferences {
  return JSON.parse(unseal(keys.contents, sealed, keyOf(owner))) as SavedPreferences;
}

/** The changes whose rows are not yet written. */
export async function readJournal(
  db: Database,
  keys: PreferenceKeys,
): Promise<PendingPreferences[]> {
  const sealed = await readMetadata(db, journalName);
  if (sealed === null) return [];
  return JSON.parse(unseal(journalKey(keys), sealed)) as PendingPreferences[];
}

/**
 * One value for all changes, rewritten as a whole: separate rows would have an order.
 *
 * @returns its size
 */
async function saveJournal(
  db: DatabaseTransaction,
  keys: PreferenceKeys,
  pending: readonly PendingPreferences[],
): Promise<number> {
  if (pending.length === 0) {
    await deleteMetadata(db, journalName);
    return 0;
  }
  const text = JSON.stringify(pending);
  await writeMetadata(db, journalName, seal(journalKey(keys), text, { padTo: journalPaddedBytes }));
  return text.length;
}

export function dropJournal(db: DatabaseTransaction): Promise<void> {
  return deleteMetadata(db, journalName);
}

function journalKey({ contents }: PreferenceKeys): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', contents, '', 'pending', 32)));
}
