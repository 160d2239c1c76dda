// What members chose for themselves in a class: whom they ignore, what they hide, whether it is muted. A row names
// neither the account nor the persona: its id is derived from the server key, and its content is encrypted (decision
// 45). Rows are written later, in batches. Until then a change is in one sealed value, so a crash loses nothing.
import { LRUCache } from 'lru-cache';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { SavedPreferences } from '#contract/preferences.ts';
import { deriveId } from './member-ids.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import {
  findPreferences,
  listPreferenceOwners,
  replacePreferences,
  savePreferences,
} from './preferences-queries.ts';
import { takeMetadata } from '#server/store/server-metadata-queries.ts';
import { createDelayedWrites } from './delayed-writes.ts';
import {
  journalName,
  journalOfNode,
  listJournals,
  openJournal,
  readJournal,
  readJournals,
  saveJournal,
  type PendingPreferences,
  type PreferenceKeys,
  type PreferenceOwner,
} from './preference-journal.ts';

export interface PreferenceStore {
  ownerOf(classId: string, classSalt: string, accountId: string): PreferenceOwner;
  /** Costs a query only for an owner who saved something. */
  read(owner: PreferenceOwner): Promise<SavedPreferences>;
  /**
   * Resolves when the change is durable.
   *
   * @param check called in the commit: the membership may have ended meanwhile
   * @throws {AppError} PREFERENCES_CHANGED if `version` is not the last one, TOO_MANY_IGNORED, and those of `check`
   */
  save(
    owner: PreferenceOwner,
    changed: SavedPreferences,
    check?: (db: Database) => Promise<void>,
  ): Promise<SavedPreferences>;
  /** Erases those of an account that left the class: readers see it immediately, and the row is written later. */
  delete(owner: PreferenceOwner): void;
  /** Writes the remaining rows. */
  stop(): Promise<void>;
}

interface Parts {
  db: Database;
  /** Not the queue of messages and personas: a row must not share a transaction with them. */
  commits: CommitQueue;
  keys: PreferenceKeys;
  /**
   * For one of several nodes, whose journals and rows are then read again each second. `adopts` tells whether it takes over
   * what nodes that are gone have left.
   */
  node: { id: string; adopts(): boolean } | null;
  /** How long the journal of a node that lives may stay as it is. */
  abandonedAfterMs?: number;
}

const noPreferences: SavedPreferences = {
  ignored: [],
  hidden: [],
  muted: false,
  version: 0,
};

/** All rows have one size, which fits the longest lists: a size must not tell how many members or messages a row names. */
const preferencesPaddedBytes = 24 * 1024;
/** Each change rewrites all that wait. */
const maxPending = 32;
const maxPendingBytes = 128 * 1024;
/** How long a node may not see what another one saved. */
const sharedTtlMs = 1000;
/** A node writes its changes within a minute. */
const defaultAbandonedAfterMs = 5 * 60_000;
const maxCachedContents = 2000;
const maxCachedClasses = 10_000;

export async function createPreferences(parts: Parts): Promise<PreferenceStore> {
  const { db, commits, keys, node, abandonedAfterMs = defaultAbandonedAfterMs } = parts;
  const isShared = node !== null;
  const ttl = isShared ? sharedTtlMs : 0;
  const ownJournal = node ? journalOfNode(node.id) : journalName;
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
  // A node takes over what a single server left, and a single server what nodes left.
  for (const pending of await readJournal(db, keys, ownJournal)) adopt(pending);
  for (const journal of await listJournals(db)) {
    if (journal.name !== ownJournal && (!isShared || journal.name === journalName)) {
      await adoptJournal(journal);
    }
  }

  function adopt(pending: PendingPreferences): void {
    const key = keyOf(pending.owner);
    const known = delayed.get(key);
    const isNewer = (known?.preferences?.version ?? 0) < (pending.preferences?.version ?? 0);
    if (!known || isNewer) delayed.set(key, pending);
  }

  /** Does nothing if the journal has changed, or another node took it. */
  async function adoptJournal({ name, value }: { name: string; value: string }): Promise<void> {
    const adopted = openJournal(keys, value);
    const isTaken = await commits.write(async ({ db: tx }) => {
      if (!(await takeMetadata(tx, name, value))) return false;
      await saveJournal(tx, keys, ownJournal, [...delayed.values(), ...adopted]);
      return true;
    }, 'allAccounts');
    if (isTaken) for (const pending of adopted) adopt(pending);
  }

  /** The journals of the other nodes, and since when they are as they are. */
  let watched = new Map<string, { value: string; since: number }>();
  async function adoptAbandoned(): Promise<void> {
    if (!node?.adopts()) return watched.clear();
    const before = watched;
    watched = new Map();
    for (const journal of await listJournals(db)) {
      if (journal.name === ownJournal) continue;
      const known = before.get(journal.name);
      const now = performance.now();
      const since = known?.value === journal.value ? known.since : now;
      if (now - since > abandonedAfterMs) await adoptJournal(journal);
      else watched.set(journal.name, { value: journal.value, since });
    }
  }

  let adopting = Promise.resolve();
  const timer = isShared
    ? setInterval(() => {
        // The next turn tries again.
        adopting = adoptAbandoned().catch(() => {});
      }, abandonedAfterMs / 5)
    : null;

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
  async function add(
    pending: PendingPreferences,
    check?: (db: Database) => Promise<void>,
  ): Promise<void> {
    const key = keyOf(pending.owner);
    const before = delayed.get(key);
    let bytes: number;
    delayed.set(key, pending);
    try {
      bytes = await commits.write(async ({ db: tx }) => {
        await check?.(tx);
        return saveJournal(tx, keys, ownJournal, delayed.values());
      }, 'allAccounts');
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
    async save(owner, changed, check) {
      if (changed.ignored.length > limits.ignoredMembers) throw new AppError('TOO_MANY_IGNORED');
      const stored = await read(owner);
      // Another device may have saved since the row was read.
      const pending = delayed.get(keyOf(owner));
      const here = pending ? (pending.preferences ?? noPreferences) : stored;
      const current = isShared && stored.version > here.version ? stored : here;
      if (changed.version !== current.version) throw new AppError('PREFERENCES_CHANGED');
      const preferences = { ...changed, version: current.version + 1 };
      await add({ owner, preferences }, check);
      return preferences;
    },
    delete: (owner) => delayed.set(keyOf(owner), { owner, preferences: null }),
    async stop() {
      if (timer) clearInterval(timer);
      await adopting;
      await delayed.stop();
    },
  };
}

const keyOf = ({ classId, id }: PreferenceOwner) => `${classId} ${id}`;

export async function writePreferences(
  db: DatabaseTransaction,
  keys: PreferenceKeys,
  { owner, preferences }: PendingPreferences,
): Promise<void> {
  const options = { context: keyOf(owner), padTo: preferencesPaddedBytes };
  const content = seal(keys.contents, JSON.stringify(preferences ?? noPreferences), options);
  const row = { classId: owner.classId, owner: owner.id, content };
  // The row of an account that left goes later, on a random day: a deleted row would tell the day (decision 45).
  if (preferences) await savePreferences(db, row);
  else await replacePreferences(db, row);
}

/** Whether it is the sealed content of an account that left. Everything that is saved has a later version. */
export function arePreferencesErased(
  keys: PreferenceKeys,
  owner: PreferenceOwner,
  sealed: string,
): boolean {
  return unsealPreferences(keys, owner, sealed).version === noPreferences.version;
}

export function unsealPreferences(
  keys: PreferenceKeys,
  owner: PreferenceOwner,
  sealed: string,
): SavedPreferences {
  return JSON.parse(unseal(keys.contents, sealed, keyOf(owner))) as SavedPreferences;
}
