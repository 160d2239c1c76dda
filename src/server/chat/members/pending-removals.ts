// What the server still has to remove of deleted accounts and of members who left. Each class has a separate random time,
// so the times do not reveal which personas belonged to one person.
import { createSecretKey, hash, hkdfSync, type KeyObject } from 'node:crypto';
import { createRecentMap } from '#server/base/recent-map.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { seal, unseal } from '#server/base/seal.ts';
import { shuffle } from '#server/base/shuffle.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import {
  deleteMetadata,
  insertMetadataOnce,
  lockMetadata,
  findMetadata,
  writeMetadata,
} from '#server/store/server-metadata-queries.ts';

export interface PendingRemoval {
  classId: string;
  /** The member whose messages, reactions and persona are removed; null if they are kept. */
  memberId: string | null;
  /** Whether the class still counts the account as a member. */
  isCounted: boolean;
  /** The rows of the account's votes, of its waiting questions, or of one private question. */
  own?: OwnRows;
  /** The deleted account that the class still counts; absent if its member was deleted by an earlier version. */
  deletedId?: string;
  /** The account, if it has only left the class. It may have joined again. */
  leaverId?: string;
  dueAt: number;
}

/** The ids by which the rows of an account in a class are found. */
interface OwnRows {
  /** The id from which those of the votes are computed: see chat/votes/votes.ts. */
  voter?: string;
  /** The memberId of who asked the questions that wait for release. */
  asker?: string;
  /** The id of a private question. Each one goes at a time of its own: staff would see that those that go together have one asker. */
  privateQuestion?: string;
}

export interface StoredRemoval extends PendingRemoval {
  id: string;
}

/**
 * The changes since the settled removals were sealed. Both are sealed as a whole: the position, transaction or age of separate
 * values would reveal which removals belong to one account. This one has always the same size, so that a change costs the same
 * however many removals wait, and its size does not tell what has changed.
 */
interface RecentChanges {
  added: StoredRemoval[];
  /** The ids of settled removals that are done or replaced. */
  removedIds: string[];
  /** The version of the settled removals; empty if there are none yet. */
  settledVersion: string;
}

/** The removals that were sealed when the recent changes were full. */
interface SettledRemovals {
  /** A random id. */
  version: string;
  removals: StoredRemoval[];
}

const recentName = 'pendingRemovals';
const settledName = 'settledRemovals';
const paddedBytes = 16 * 1024;

/** The settled removals by their version, because the server looks every few seconds for removals that are due. */
const settledCache = createRecentMap<StoredRemoval[]>(4);

export function listPendingRemovals({ db, site }: Reader): Promise<StoredRemoval[]> {
  return readRemovals(db, deriveKey(site.keys.personas));
}

async function readRemovals(db: Database, key: KeyObject): Promise<StoredRemoval[]> {
  for (;;) {
    const sealed = await findMetadata(db, recentName);
    if (sealed === null) return [];
    const changes = unsealChanges(key, sealed);
    const settledRemovals = await findSettled(db, key, changes.settledVersion);
    // Otherwise a commit has replaced both values in between.
    if (settledRemovals) return applyChanges(changes, settledRemovals);
  }
}

/**
 * Changes the removals. The row is locked, because commits of different classes and accounts change it.
 *
 * @param change returns the same objects for the removals that stay
 * @returns false if `change` returned null, which changes nothing
 */
export async function changePendingRemovals(
  { db, site }: UnitOfWork,
  change: (removals: StoredRemoval[]) => PendingRemoval[] | null,
): Promise<boolean> {
  const key = deriveKey(site.keys.personas);
  const changes = unsealChanges(key, await lockChanges(db, key));
  const settledRemovals = await findSettled(db, key, changes.settledVersion);
  if (!settledRemovals) throw new Error('The settled removals have another version.');
  const removals = applyChanges(changes, settledRemovals);
  const changedRemovals = change(removals);
  if (changedRemovals === null) return false;
  const previousRemovals = new Set<PendingRemoval>(removals);
  const remainingRemovals = new Set(changedRemovals);
  const newRemovals = changedRemovals
    .filter((removal) => !previousRemovals.has(removal))
    .map((removal) => ({ ...removal, id: createRandomId() }));
  const removedIds = settledRemovals
    .filter((removal) => !remainingRemovals.has(removal))
    .map(({ id }) => id);
  const recentRemovals = changes.added.filter((removal) => remainingRemovals.has(removal));
  const newChanges = {
    ...changes,
    added: shuffle([...recentRemovals, ...newRemovals]),
    removedIds,
  };
  if (changes.settledVersion !== '' && isAtMost(paddedBytes, newChanges)) {
    await writeMetadata(db, recentName, sealPadded(key, newChanges));
  } else {
    await settle(db, key, applyChanges(newChanges, settledRemovals));
  }
  return true;
}

/** Seals all removals again, in another order. */
export async function resealPendingRemovals({ db, site }: UnitOfWork): Promise<void> {
  const key = deriveKey(site.keys.personas);
  await lockChanges(db, key);
  await settle(db, key, await readRemovals(db, key));
}

/** Seals the removals with another key. */
export async function rekeyPendingRemovals(
  db: DatabaseTransaction,
  oldKey: KeyObject,
  newKey: KeyObject,
): Promise<void> {
  const removals = await readRemovals(db, deriveKey(oldKey));
  // The change of the key deletes the waiting questions, and the votes of those who left, so their ids are dropped.
  const removalsWithoutRows = removals.map((removal) => ({ ...removal, own: undefined }));
  await settle(db, deriveKey(newKey), removalsWithoutRows);
}

/** Drops the removals, because no one can unseal those that were sealed with a lost key. */
export async function dropPendingRemovals(db: DatabaseTransaction): Promise<void> {
  await deleteMetadata(db, recentName);
  await deleteMetadata(db, settledName);
}

async function lockChanges(db: DatabaseTransaction, key: KeyObject): Promise<string> {
  const sealed = await lockMetadata(db, recentName);
  if (sealed !== null) return sealed;
  const noChanges = sealPadded(key, { added: [], removedIds: [], settledVersion: '' });
  await insertMetadataOnce(db, recentName, noChanges);
  return (await lockMetadata(db, recentName)) ?? noChanges;
}

function unsealChanges(key: KeyObject, sealed: string): RecentChanges {
  const changes = JSON.parse(unseal(key, sealed)) as RecentChanges | PendingRemoval[];
  if (!Array.isArray(changes)) return changes;
  // Version 0.3.0 stored all removals in this value, without ids.
  return {
    added: changes.map((removal) => ({
      ...removal,
      id: hash('sha256', JSON.stringify(removal), 'base64url'),
    })),
    removedIds: [],
    settledVersion: '',
  };
}

/** @returns null if the settled removals have another version */
async function findSettled(
  db: Database,
  key: KeyObject,
  version: string,
): Promise<StoredRemoval[] | null> {
  if (version === '') return [];
  const cachedRemovals = settledCache.get(version);
  if (cachedRemovals) return cachedRemovals;
  const sealed = await findMetadata(db, settledName);
  if (sealed === null) return null;
  const settled = JSON.parse(unseal(key, sealed)) as SettledRemovals;
  settledCache.set(settled.version, settled.removals);
  return settled.version === version ? settled.removals : null;
}

function applyChanges(
  { added, removedIds }: RecentChanges,
  settledRemovals: readonly StoredRemoval[],
): StoredRemoval[] {
  const ids = new Set(removedIds);
  return [...settledRemovals.filter(({ id }) => !ids.has(id)), ...added];
}

/**
 * Seals all removals in random order, so that those of one account are not next to each other. A few of them have room in the
 * recent changes, where each change shuffles them.
 */
async function settle(
  db: DatabaseTransaction,
  key: KeyObject,
  removals: readonly StoredRemoval[],
): Promise<void> {
  const shuffledRemovals = shuffle(removals);
  const version = createRandomId();
  const areFew = isAtMost(paddedBytes / 2, shuffledRemovals);
  const settled: SettledRemovals = { version, removals: areFew ? [] : shuffledRemovals };
  const changes: RecentChanges = {
    added: areFew ? shuffledRemovals : [],
    removedIds: [],
    settledVersion: version,
  };
  await writeMetadata(db, settledName, sealPadded(key, settled));
  await writeMetadata(db, recentName, sealPadded(key, changes));
}

const sealPadded = (key: KeyObject, value: RecentChanges | SettledRemovals): string =>
  seal(key, JSON.stringify(value), { padTo: paddedBytes });

const isAtMost = (bytes: number, value: unknown): boolean =>
  Buffer.byteLength(JSON.stringify(value)) <= bytes;

function deriveKey(personaKey: KeyObject): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', personaKey, '', 'pending removals', 32)));
}
