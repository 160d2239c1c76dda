// What members chose for themselves in a class: whom they ignore, what they hide, whether it is muted. A row names
// neither the account nor the persona: its id is derived from the server key, and its content is encrypted (decision
// 45). Rows are written later, in batches. Until then a change is in the journal, so a crash loses nothing.
import { LRUCache } from 'lru-cache';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { SavedPreferences } from '#contract/preferences.ts';
import { deriveId } from './member-ids.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { CommitQueue, Commits } from '#server/store/commit-queue.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import {
  findPreferences,
  listPreferenceOwners,
  replacePreferences,
  savePreferences,
} from './preferences-queries.ts';
import { maxDelayMs } from './delayed-writes.ts';
import {
  addToJournal,
  lockJournal,
  toOwnerKey,
  getJournal,
  saveJournal,
  type PendingPreferences,
  type PreferenceJournal,
  type PreferenceKeys,
  type PreferenceOwner,
} from './preference-journal.ts';

export interface PreferenceStore {
  deriveOwner(classId: string, classSalt: string, accountId: string): PreferenceOwner;
  /** Costs a query only for an owner who saved something. */
  read(owner: PreferenceOwner): Promise<SavedPreferences>;
  /**
   * Resolves when the change is durable.
   *
   * @param check called in the commit: the membership may have ended meanwhile
   * @throws {AppError} PREFERENCES_CHANGED if `version` is not the last one, TOO_MANY_IGNORED, and those of `check`
   */
  save(
    commits: Commits,
    owner: PreferenceOwner,
    changed: SavedPreferences,
    check?: (db: Database) => Promise<void>,
  ): Promise<SavedPreferences>;
  /** Erases what an account that leaves has chosen, in the commit that ends its memberships. The rows follow later. */
  erase(db: DatabaseTransaction, owners: readonly PreferenceOwner[]): Promise<void>;
  /** Drops what this server remembers, after a commit of `erase`. */
  forget(owner: PreferenceOwner): void;
  /** Writes the remaining rows. */
  stop(): Promise<void>;
}

interface Dependencies {
  db: Database;
  /** The queue of accounts: a row must not share a transaction with messages and personas. */
  commits: CommitQueue;
  keys: PreferenceKeys;
  /** Whether other servers change the database: what was read is then read again each second. */
  isShared: boolean;
}

const noPreferences: SavedPreferences = {
  ignored: [],
  hidden: [],
  muted: false,
  version: 0,
};

/** All rows have one size, which fits the longest lists: a size must not tell how many members or messages a row names. */
const preferencesPaddedBytes = 24 * 1024;
/** Small, so that other writes do not wait long. */
const rowsPerCommit = 200;
/** How long a node may not see what another one saved. */
const sharedTtlMs = 1000;
const maxCachedContents = 2000;
const maxCachedClasses = 10_000;
const journalCacheKey = 'journal';

export function createPreferences(dependencies: Dependencies): PreferenceStore {
  const { db, keys, isShared } = dependencies;
  const ttl = isShared ? sharedTtlMs : 0;
  const contents = new LRUCache<string, Promise<SavedPreferences>>({ max: maxCachedContents, ttl });
  /** The owners of each class who have a row: all others cost no query. */
  const ownersOfClass = new LRUCache<string, Promise<Set<string>>>({ max: maxCachedClasses, ttl });
  const journals = new LRUCache<string, Promise<PreferenceJournal>>({ max: 1, ttl });
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve();
  let isStopped = false;

  function readPending(): Promise<PreferenceJournal> {
    return remember(journals, journalCacheKey, async () => {
      const journal = await getJournal(db, keys);
      if (journal.pending.size > 0) schedule(journal.writeAt);
      return journal;
    });
  }

  /** Whichever server comes first writes the rows, also those of a server that was killed. */
  function schedule(writeAt: number): void {
    if (isStopped) return;
    // A clock that was set back must not delay the rows.
    const delayMs = Math.min(Math.max(0, writeAt - Date.now()), maxDelayMs);
    // A full journal is due earlier than before.
    if (timer) clearTimeout(timer);
    timer = setTimeout(() => {
      writing = writing.then(() => writeRows(false)).catch(() => schedule(Date.now() + maxDelayMs));
    }, delayMs);
  }

  async function writeRows(isStopping: boolean): Promise<void> {
    for (;;) {
      const { pending, writeAt } = await getJournal(db, keys);
      if (pending.size === 0) return;
      const waitMs = writeAt - Date.now();
      if (!isStopping && waitMs > 0 && waitMs <= maxDelayMs) return schedule(writeAt);
      const rows = await dependencies.commits.write(
        (unitOfWork) => writeSomeRows(unitOfWork, keys),
        'allAccounts',
      );
      journals.clear();
      for (const { owner } of rows) {
        contents.delete(toOwnerKey(owner));
        ownersOfClass.delete(owner.classId);
      }
    }
  }

  async function read(owner: PreferenceOwner): Promise<SavedPreferences> {
    const key = toOwnerKey(owner);
    const pending = (await readPending()).pending.get(key);
    if (pending) return pending.preferences ?? noPreferences;
    const { classId } = owner;
    const owners = await remember(
      ownersOfClass,
      classId,
      async () => new Set(await listPreferenceOwners(db, classId)),
    );
    if (!owners.has(owner.id)) return noPreferences;
    return remember(contents, key, () => findStored(db, keys, owner));
  }

  /** The read finds the time at which the rows are to be written. */
  function readAgain(): void {
    journals.clear();
    // The next reader tries again.
    readPending().catch(() => {});
  }

  return {
    read,
    deriveOwner(classId, classSalt, accountId) {
      return { classId, id: deriveId(keys.ids, classSalt, accountId, classId).id };
    },
    async save(commits, owner, changedPreferences, check) {
      if (changedPreferences.ignored.length > limits.ignoredMembers) {
        throw new AppError('TOO_MANY_IGNORED');
      }
      const preferences = { ...changedPreferences, version: changedPreferences.version + 1 };
      try {
        await commits.write(async ({ db: tx }) => {
          await check?.(tx);
          const journal = await lockJournal(tx, keys);
          const current = await findCurrent(tx, keys, journal, owner);
          if (changedPreferences.version !== current.version) {
            throw new AppError('PREFERENCES_CHANGED');
          }
          await addToJournal(tx, keys, journal, [{ owner, preferences }]);
        }, 'allAccounts');
      } finally {
        // Also after PREFERENCES_CHANGED: another server has a newer version, and the browser reads it now.
        contents.delete(toOwnerKey(owner));
        ownersOfClass.delete(owner.classId);
        readAgain();
      }
      return preferences;
    },
    async erase(tx, owners) {
      if (owners.length === 0) return;
      const erased = owners.map((owner) => ({ owner, preferences: null }));
      await addToJournal(tx, keys, await lockJournal(tx, keys), erased);
    },
    forget: readAgain,
    async stop() {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await writing;
      // The next server writes what cannot be written now.
      await writeRows(true).catch(() => {});
    },
  };
}

/** Forgets a value that could not be read. */
function remember<Value>(
  cache: LRUCache<string, Promise<Value>>,
  key: string,
  load: () => Promise<Value>,
): Promise<Value> {
  const cached = cache.get(key);
  if (cached) return cached;
  const loading = load();
  cache.set(key, loading);
  loading.catch(() => {
    if (cache.peek(key) === loading) cache.delete(key);
  });
  return loading;
}

async function findStored(
  db: Database,
  keys: PreferenceKeys,
  owner: PreferenceOwner,
): Promise<SavedPreferences> {
  const sealed = await findPreferences(db, { classId: owner.classId, owner: owner.id });
  return sealed === null ? noPreferences : unsealPreferences(keys, owner, sealed);
}

async function findCurrent(
  db: Database,
  keys: PreferenceKeys,
  { pending }: PreferenceJournal,
  owner: PreferenceOwner,
): Promise<SavedPreferences> {
  const change = pending.get(toOwnerKey(owner));
  if (change) return change.preferences ?? noPreferences;
  return findStored(db, keys, owner);
}

/** Writes in key order: the order of the changes would be the order in which their owners wrote. */
async function writeSomeRows(
  { db, contentErased }: UnitOfWork,
  keys: PreferenceKeys,
): Promise<PendingPreferences[]> {
  const { pending, writeAt } = await lockJournal(db, keys);
  const written = [...pending.keys()].toSorted().slice(0, rowsPerCommit);
  const rows = written.flatMap((key) => pending.get(key) ?? []);
  for (const row of rows) {
    if (await writePreferences(db, keys, row)) contentErased();
  }
  for (const key of written) pending.delete(key);
  await saveJournal(db, keys, { pending, writeAt });
  return rows;
}

/** @returns whether content was erased */
export async function writePreferences(
  db: DatabaseTransaction,
  keys: PreferenceKeys,
  { owner, preferences }: PendingPreferences,
): Promise<boolean> {
  const options = { context: toOwnerKey(owner), padTo: preferencesPaddedBytes };
  const content = seal(keys.contents, JSON.stringify(preferences ?? noPreferences), options);
  const row = { classId: owner.classId, owner: owner.id, content };
  // The row of an account that left goes later, on a random day: a deleted row would tell the day (decision 45).
  if (preferences === null) return replacePreferences(db, row);
  await savePreferences(db, row);
  return false;
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
  return JSON.parse(unseal(keys.contents, sealed, toOwnerKey(owner))) as SavedPreferences;
}
