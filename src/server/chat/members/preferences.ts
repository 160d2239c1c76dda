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

export class PreferenceStore {
  readonly #dependencies: Dependencies;
  readonly #contents: LRUCache<string, Promise<SavedPreferences>>;
  /** The owners of each class who have a row: all others cost no query. */
  readonly #ownersByClass: LRUCache<string, Promise<Set<string>>>;
  readonly #journals: LRUCache<string, Promise<PreferenceJournal>>;
  #timer: NodeJS.Timeout | null = null;
  #lastWrite = Promise.resolve();
  #isStopped = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    const ttl = dependencies.isShared ? sharedTtlMs : 0;
    this.#contents = new LRUCache({ max: maxCachedContents, ttl });
    this.#ownersByClass = new LRUCache({ max: maxCachedClasses, ttl });
    this.#journals = new LRUCache({ max: 1, ttl });
  }

  deriveOwner(classId: string, classSalt: string, accountId: string): PreferenceOwner {
    const { ids } = this.#dependencies.keys;
    return { classId, id: deriveId(ids, classSalt, accountId, classId).id };
  }

  /** Costs a query only for an owner who saved something. */
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
    return remember(this.#contents, ownerKey, () => findStored(db, keys, owner));
  }

  /**
   * Resolves when the change is durable.
   *
   * @param check called in the commit: the membership may have ended meanwhile
   * @throws {AppError} PREFERENCES_CHANGED if `version` is not the last one, TOO_MANY_IGNORED, and those of `check`
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
        const current = await findCurrent(tx, keys, journal, owner);
        if (changedPreferences.version !== current.version) {
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

  /** Erases what an account that leaves has chosen, in the commit that ends its memberships. The rows follow later. */
  async erase(tx: DatabaseTransaction, owners: readonly PreferenceOwner[]): Promise<void> {
    if (owners.length === 0) return;
    const { keys } = this.#dependencies;
    const erasures = owners.map((owner) => ({ owner, preferences: null }));
    await addToJournal(tx, keys, await lockJournal(tx, keys), erasures);
  }

  /** Drops what this server remembers of the journal. The read that follows finds the time at which the rows are to be written. */
  forget(): void {
    this.#journals.clear();
    // The next reader tries again.
    this.#getJournal().catch(() => {});
  }

  /** Writes the remaining rows. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#lastWrite;
    // The next server writes what cannot be written now.
    await this.#writeRows(true).catch(() => {});
  }

  #getJournal(): Promise<PreferenceJournal> {
    return remember(this.#journals, journalCacheKey, async () => {
      const journal = await getJournal(this.#dependencies.db, this.#dependencies.keys);
      if (journal.pending.size > 0) this.#schedule(journal.writeAt);
      return journal;
    });
  }

  /** Whichever server comes first writes the rows, also those of a server that was killed. */
  #schedule(writeAt: number): void {
    if (this.#isStopped) return;
    // A clock that was set back must not delay the rows.
    const delayMs = Math.min(Math.max(0, writeAt - Date.now()), maxDelayMs);
    // A full journal is due earlier than before.
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
