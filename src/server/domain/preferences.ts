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
import {
  deleteMetadata,
  listMetadataNames,
  readMetadata,
  takeMetadata,
  writeMetadata,
} from '../storage/queries/server-metadata.ts';
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
  /** Of several nodes, whose journals and rows are then read again each second; null for a single server. */
  nodeId: string | null;
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
/** How long a node may not see what another one saved. */
const sharedTtlMs = 1000;
const maxCachedContents = 2000;
const maxCachedClasses = 10_000;

export async function createPreferences(parts: Parts): Promise<PreferenceStore> {
  const { db, commits, keys, nodeId } = parts;
  const isShared = nodeId !== null;
  const ttl = isShared ? sharedTtlMs : 0;
  const ownJournal = isShared ? `${journalName} ${nodeId}` : journalName;
  const contents = new LRUCache<string, SavedPreferences>({ max: maxCachedContents, ttl });
  /** The owners of each class who have a row: all others cost no query. */
  const ownersOfClass = new LRUCache<string, Promise<Set<string>>>({
    max: maxCachedClasses,
    ttl,
  });
  let elsewhere: { readAt: number; pending: Promise<Map<string, SavedPreferences>> } | null = null;
  const delayed = createDelayedWrites<PendingPreferences>({
    commits,
    async write(tx, batch, rest) {
      for (const pending of batch) {
        if (isShared && (await isOutdated(tx, pending))) continue;
        await writePreferences(tx, keys, pending);
      }
      await saveJournal(tx, keys, ownJournal, rest());
    },
    onWritten(batch) {
      for (const { owner } of batch) {
        contents.delete(keyOf(owner));
        // A list that was read before the commit lacks this owner.
        void ownersOfClass.get(owner.classId)?.then((owners) => owners.add(owner.id));
      }
    },
  });
  for (const pending of await adoptJournals()) delayed.set(keyOf(pending.owner), pending);

  /** A node takes over what a single server left, and a single server what nodes left. */
  async function adoptJournals(): Promise<PendingPreferences[]> {
    const left = isShared ? [journalName] : await listMetadataNames(db, `${journalName} `);
    const own = await readJournal(db, keys, ownJournal);
    const found = await Promise.all(left.map((name) => readJournal(db, keys, name)));
    if (found.every((journal) => journal.length === 0)) return own;
    return commits.write(async ({ db: tx }) => {
      const adopted = [...own];
      for (const name of left) {
        const sealed = await takeMetadata(tx, name);
        if (sealed !== null) adopted.push(...openJournal(keys, sealed));
      }
      await saveJournal(tx, keys, ownJournal, adopted);
      return adopted;
    });
  }

  async function isOutdated(tx: Database, { owner, preferences }: PendingPreferences) {
    const sealed = await findPreferences(tx, { classId: owner.classId, owner: owner.id });
    if (sealed === null || preferences === null) return false;
    return unsealPreferences(keys, owner, sealed).version > preferences.version;
  }

  /** What other nodes saved and have not written. */
  async function readElsewhere(): Promise<Map<string, SavedPreferences>> {
    const found = new Map<string, SavedPreferences>();
    for (const { owner, preferences } of await readJournals(db, keys)) {
      const known = found.get(keyOf(owner));
      if (preferences && preferences.version > (known?.version ?? 0)) {
        found.set(keyOf(owner), preferences);
      }
    }
    return found;
  }

  function pendingElsewhere(): Promise<Map<string, SavedPreferences>> {
    const now = performance.now();
    if (elsewhere && now - elsewhere.readAt < sharedTtlMs) return elsewhere.pending;
    const pending = readElsewhere();
    elsewhere = { readAt: now, pending };
    pending.catch(() => {
      elsewhere = null;
    });
    return pending;
  }

  function listOwners(classId: string): Promise<Set<string>> {
    const known = ownersOfClass.get(classId);
    if (known) return known;
    const listed = listPreferenceOwners(db, classId).then((owners) => new Set(owners));
    ownersOfClass.set(classId, listed);
    listed.catch(() => ownersOfClass.delete(classId));
    return listed;
  }

  async function read(owner: PreferenceOwner): Promise<SavedPreferences> {
    const here = await readHere(owner);
    if (!isShared) return here;
    const other = (await pendingElsewhere()).get(keyOf(owner));
    return other && other.version > here.version ? other : here;
  }

  async function readHere(owner: PreferenceOwner): Promise<SavedPreferences> {
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
      bytes = await commits.write(({ db: tx }) =>
        saveJournal(tx, keys, ownJournal, delayed.values()),
      );
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
      const here = pending ? (pending.preferences ?? noPreferences) : stored;
      const current = isShared && stored.version > here.version ? stored : here;
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

/** The changes whose rows are not yet written, of all nodes. */
export async function readJournals(
  db: Database,
  keys: PreferenceKeys,
): Promise<PendingPreferences[]> {
  const found: PendingPreferences[] = [];
  for (const name of [journalName, ...(await listMetadataNames(db, `${journalName} `))]) {
    found.push(...(await readJournal(db, keys, name)));
  }
  return found;
}

async function readJournal(db: Database, keys: PreferenceKeys, name: string) {
  const sealed = await readMetadata(db, name);
  return sealed === null ? [] : openJournal(keys, sealed);
}

function openJournal(keys: PreferenceKeys, sealed: string): PendingPreferences[] {
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
  name: string,
  pending: readonly PendingPreferences[],
): Promise<number> {
  if (pending.length === 0) {
    await deleteMetadata(db, name);
    return 0;
  }
  const text = JSON.stringify(pending);
  await writeMetadata(db, name, seal(journalKey(keys), text, { padTo: journalPaddedBytes }));
  return text.length;
}

export async function dropJournals(db: DatabaseTransaction): Promise<void> {
  const names = [journalName, ...(await listMetadataNames(db, `${journalName} `))];
  for (const name of names) await deleteMetadata(db, name);
}

function journalKey({ contents }: PreferenceKeys): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', contents, '', 'pending', 32)));
}
