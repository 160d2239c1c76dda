// The journal of preferences: every change whose row is not yet written, of all servers, in one sealed value (decision 45). The
// journal decides, not the memory of a server: each change of the journal reads it in the same commit.
import { createSecretKey, hkdfSync, randomInt, type KeyObject } from 'node:crypto';
import type { SavedPreferences } from '#contract/preferences.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import {
  deleteMetadata,
  insertMetadataOnce,
  lockMetadata,
  findMetadata,
  writeMetadata,
} from '#server/store/server-metadata-queries.ts';
import { maxDelayMs, minDelayMs } from './delayed-writes.ts';

/** An account in a class, under an id that only the server key can link to the account. */
export interface PreferenceOwner {
  classId: string;
  id: string;
}

export interface PreferenceKeys {
  ids: KeyObject;
  contents: KeyObject;
}

/** A row that is not yet written. If `preferences` is null, it erases the preferences of an account that left. */
export interface PendingPreferences {
  owner: PreferenceOwner;
  preferences: SavedPreferences | null;
}

export interface PreferenceJournal {
  /** The changes by `toOwnerKey`. */
  pending: Map<string, PendingPreferences>;
  /** The time at which a server writes the rows. */
  writeAt: number;
}

interface JournalText {
  writeAt: number;
  pending: PendingPreferences[];
}

const journalName = 'pendingPreferences';
const paddedBytes = 16 * 1024;
/** The most pending changes. Each change writes all of them again. */
const maxPending = 32;
const maxPendingBytes = 128 * 1024;

export const toOwnerKey = ({ classId, id }: PreferenceOwner) => `${classId} ${id}`;

export async function getJournal(db: Database, keys: PreferenceKeys): Promise<PreferenceJournal> {
  const sealed = await findMetadata(db, journalName);
  const text = sealed === null ? null : unseal(deriveJournalKey(keys), sealed);
  const { writeAt, pending } = parseJournal(text);
  return { writeAt, pending: new Map(pending.map((entry) => [toOwnerKey(entry.owner), entry])) };
}

function parseJournal(text: string | null): JournalText {
  const journal = JSON.parse(text ?? '[]') as JournalText | PendingPreferences[];
  // An earlier version stored only the list.
  return Array.isArray(journal) ? { writeAt: 0, pending: journal } : journal;
}

/** Gets the journal and locks it, so that other commits which change the journal wait for this one. */
export async function lockJournal(
  db: DatabaseTransaction,
  keys: PreferenceKeys,
): Promise<PreferenceJournal> {
  await insertMetadataOnce(db, journalName, sealJournal(keys, { writeAt: 0, pending: [] }));
  await lockMetadata(db, journalName);
  return getJournal(db, keys);
}

/** Saves all changes as one value, because separate rows would have an order. */
export async function saveJournal(
  db: DatabaseTransaction,
  keys: PreferenceKeys,
  journal: PreferenceJournal,
): Promise<void> {
  const pending = [...journal.pending.values()];
  // An empty journal is deleted, because a value that stays would tell the day of the last change.
  if (pending.length === 0) return deleteJournal(db);
  const choices = pending.filter(({ preferences }) => preferences !== null);
  const bytes = JSON.stringify(pending).length;
  const isFull = choices.length >= maxPending || bytes > maxPendingBytes;
  const writeAt = isFull ? Date.now() : journal.writeAt;
  await writeMetadata(db, journalName, sealJournal(keys, { writeAt, pending }));
}

/** Adds the changes. Each one replaces an earlier change of the same owner. The commit must have locked the journal. */
export async function addToJournal(
  db: DatabaseTransaction,
  keys: PreferenceKeys,
  { pending: previousChanges, writeAt }: PreferenceJournal,
  changes: readonly PendingPreferences[],
): Promise<void> {
  const pending = new Map(previousChanges);
  for (const change of changes) pending.set(toOwnerKey(change.owner), change);
  const isFirst = previousChanges.size === 0;
  await saveJournal(db, keys, {
    pending,
    writeAt: isFirst ? Date.now() + randomInt(minDelayMs, maxDelayMs) : writeAt,
  });
}

export async function deleteJournal(db: DatabaseTransaction): Promise<void> {
  await deleteMetadata(db, journalName);
}

function sealJournal(keys: PreferenceKeys, text: JournalText): string {
  return seal(deriveJournalKey(keys), JSON.stringify(text), { padTo: paddedBytes });
}

function deriveJournalKey({ contents }: PreferenceKeys): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', contents, '', 'pending', 32)));
}
