// What members chose for themselves in a class: whom they ignore, what they hide, whether it is muted. A row names neither the
// account nor the persona: its id is derived from the server key, and its content is encrypted (decision 45). Each change is
// stored in the journal first, so a crash loses nothing, and written to its row later, in batches.
import { createRecentMap, type RecentMap } from '#server/base/recent-map.ts';
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

interface Dependencies {
  db: Database;
  /** The queue of accounts: a row must not share a transaction with messages and personas. */
  commits: CommitQueue;
  keys: PreferenceKeys;
  /** Whether other servers change the database. If they do, cached values expire after a second. */
  isShared: boolean;
}

const noPreferences: SavedPreferences = {
  ignored: [],
  hidden: [],
  muted: false,
  version: 0,
};

/**
 * All rows have the same size, which fits the longest lists, so that it does not tell how many members or messages a row names.
 */
const preferencesPaddedBytes = 24 * 1024;
/** A small number, so that other writes do not wait long. */
const rowsPerCommit = 200;
/** The time after which a node sees what another node has saved. */
const sharedTtlMs = 1000;
const maxCachedContents = 2000;
const maxCachedClasses = 10_000;
const journalCacheKey = 'journal';

export class PreferenceStore {
  readonly #dependencies: Dependencies;
  readonly #contents: RecentMap<Promise<SavedPreferences>>;
  /** The owners of each class who have a row. Reads for all other owners need no query. */
  readonly #ownersByClass: RecentMap<Promise<Set<string>>>;
  readonly #journals: RecentMap<Promise<PreferenceJournal>>;
  #timer: NodeJS.Timeout | null = null;
  #lastWrite = Promise.resolve();
  #isStopped = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    const ttl = dependencies.isShared ? sharedTtlMs : 0;
    this.#contents = createRecentMap(maxCachedContents, ttl);
    this.#ownersByClass = createRecentMap(maxCachedClasses, ttl);
    this.#journals = createRecentMap(1, ttl);
  }

  deriveOwner(classId: string, classSalt: string, accountId: string): PreferenceOwner {
    const { ids } = this.#dependencies.keys;
    return { classId, id: deriveId(ids, classSalt, accountId, classId).id };
  }

  /** Gets the preferences, with a query only if the owner has saved some. */
  async get(owner: PreferenceOwner): Promise<SavedPreferences> {
    const { db, keys } = this.#dependencies;
    const { classId } = owner;
    const ownerKey = toOwnerKey(owner);
    const pendingChange = (await this.#getJournal()).pending.get(ownerKey);
    if (pendingChange) return pendingChange.preferences ?? noPreferences;
    const owners = await remember(
      this.#ownersByClass,
      classId,
      async () => new Set(await listPreferenceOwners(db, classId)),
    );
    if (!owners.has(owner.id)) return noPreferences;
    return remember(this.#contents, ownerKey, () => getStored(db, keys, owner));
  }

  /**
   * Saves the change. Resolves when the change is durable.
   *
   * @param check called in the commit, because the membership may have ended in the meantime
   * @throws {AppError} PREFERENCES_CHANGED if `version` is not the last one, TOO_MANY_IGNORED, and the errors of `check`
   */
  async save(
    commits: Commits,
    owner: PreferenceOwner,
    changedPreferences: SavedPreferences,
    check?: (db: Database) => Promise<void>,
  ): Promise<SavedPreferences> {
    const { keys } = this.#dependencies;
    if (changedPreferences.ignored.length > limits.ignoredMembers) {
      throw new AppError('TOO_MANY_IGNORED');
    }
    const preferences = { ...changedPreferences, version: changedPreferences.version + 1 };
    try {
      await commits.write(async ({ db: tx }) => {
        await check?.(tx);
        const journal = await lockJournal(tx, keys);
        const { version } = await getCurrent(tx, keys, journal, owner);
        if (changedPreferences.version !== version) {
          throw new AppError('PREFERENCES_CHANGED');
        }
        await addToJournal(tx, keys, journal, [{ owner, preferences }]);
      }, 'allAccounts');
    } finally {
      // Also after PREFERENCES_CHANGED: another server has a newer version, and the browser reads it now.
      this.#contents.delete(toOwnerKey(owner));
      this.#ownersByClass.delete(owner.classId);
      this.forget();
    }
    return preferences;
  }

  /** Erases the preferences of an account that leaves, in the commit that ends its memberships. The rows are written later. */
  async erase(tx: DatabaseTransaction, owners: readonly PreferenceOwner[]): Promise<void> {
    if (owners.length === 0) return;
    const { keys } = this.#dependencies;
    const erasures = owners.map((owner) => ({ owner, preferences: null }));
    await addToJournal(tx, keys, await lockJournal(tx, keys), erasures);
  }

  /** Drops the cached journal and reads it again, which also schedules the write of the rows. */
  forget(): void {
    this.#journals.clear();
    // A failed read is not cached, so the next call reads again.
    this.#getJournal().catch(() => {});
  }

  /** Writes the remaining rows. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#lastWrite;
    // If the write fails, the next server writes the rows.
    await this.#writeRows(true).catch(() => {});
  }

  #getJournal(): Promise<PreferenceJournal> {
    return remember(this.#journals, journalCacheKey, async () => {
      const journal = await getJournal(this.#dependencies.db, this.#dependencies.keys);
      if (journal.pending.size > 0) this.#schedule(journal.writeAt);
      return journal;
    });
  }

  /** Schedules the write. The first server to write also writes the rows of a server that was killed. */
  #schedule(writeAt: number): void {
    if (this.#isStopped) return;
    // A clock that was set back must not delay the rows.
    const delayMs = Math.min(Math.max(0, writeAt - Date.now()), maxDelayMs);
    // The new time may be earlier, because the journal is full.
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#lastWrite = this.#lastWrite
        .then(() => this.#writeRows(false))
        .catch(() => this.#schedule(Date.now() + maxDelayMs));
    }, delayMs);
  }

  async #writeRows(isStopping: boolean): Promise<void> {
    const { db, commits, keys } = this.#dependencies;
    for (;;) {
      const { pending, writeAt } = await getJournal(db, keys);
      if (pending.size === 0) return;
      const waitMs = writeAt - Date.now();
      if (!isStopping && waitMs > 0 && waitMs <= maxDelayMs) return this.#schedule(writeAt);
      const rows = await commits.write(
        (unitOfWork) => writeSomeRows(unitOfWork, keys),
        'allAccounts',
      );
      this.#journals.clear();
      for (const { owner } of rows) {
        this.#contents.delete(toOwnerKey(owner));
        this.#ownersByClass.delete(owner.classId);
      }
    }
  }
}

/** Caches a promise, unless it is rejected. */
function remember<Value>(
  cache: RecentMap<Promise<Value>>,
  key: string,
  load: () => Promise<Value>,
): Promise<Value> {
  const cachedPromise = cache.get(key);
  if (cachedPromise) return cachedPromise;
  const promise = load();
  cache.set(key, promise);
  promise.catch(() => {
    if (cache.peek(key) === promise) cache.delete(key);
  });
  return promise;
}

async function getStored(
  db: Database,
  keys: PreferenceKeys,
  owner: PreferenceOwner,
): Promise<SavedPreferences> {
  const sealed = await findPreferences(db, { classId: owner.classId, owner: owner.id });
  return sealed === null ? noPreferences : unsealPreferences(keys, owner, sealed);
}

async function getCurrent(
  db: Database,
  keys: PreferenceKeys,
  { pending }: PreferenceJournal,
  owner: PreferenceOwner,
): Promise<SavedPreferences> {
  const change = pending.get(toOwnerKey(owner));
  if (change) return change.preferences ?? noPreferences;
  return getStored(db, keys, owner);
}

/**
 * Writes rows in the order of their keys, because the order of the changes would be the order in which their owners made them.
 */
async function writeSomeRows(
  { db, contentErased }: UnitOfWork,
  keys: PreferenceKeys,
): Promise<PendingPreferences[]> {
  const { pending, writeAt } = await lockJournal(db, keys);
  const ownerKeys = [...pending.keys()].toSorted().slice(0, rowsPerCommit);
  const rows = ownerKeys.flatMap((key) => pending.get(key) ?? []);
  for (const row of rows) {
    if (await writePreferences(db, keys, row)) contentErased();
  }
  for (const key of ownerKeys) pending.delete(key);
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
  // The row of an account that left is deleted later, on a random day, because a deletion now would tell the day (decision 45).
  if (preferences === null) return replacePreferences(db, row);
  await savePreferences(db, row);
  return false;
}

/** Tells whether the content was erased when its account left. All saved content has a later version. */
export function isErasedPreferences(
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
