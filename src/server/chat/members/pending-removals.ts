// What the server still has to remove of deleted accounts and of members who left. Each class has a separate random time,
// so the times do not reveal which personas belonged to one person.
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { seal, unseal } from '#server/base/seal.ts';
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
  /** The rows of the account's reading, its votes or its waiting questions; absent in removals of earlier versions. */
  // oxlint-disable-next-line reading/noun-names -- a stored field
  own?: OwnRows;
  /** The account, if it has only left the class. It may have joined again. */
  leaverId?: string;
  dueAt: number;
}

/** The ids by which the rows of an account in a class are found. */
interface OwnRows {
  /** The id of the read mark. */
  reader?: string;
  /** The id from which those of the votes for questions are computed: see chat/messages/questions.ts. */
  voter?: string;
  /** The memberId of the questions that wait for release. */
  asker?: string;
}

const metadataName = 'pendingRemovals';
const paddedBytes = 4096;

export async function listPendingRemovals(
  db: Database,
  personaKey: KeyObject,
): Promise<PendingRemoval[]> {
  const sealed = await findMetadata(db, metadataName);
  return sealed === null ? [] : unsealPendingRemovals(personaKey, sealed);
}

export function unsealPendingRemovals(personaKey: KeyObject, sealed: string): PendingRemoval[] {
  return JSON.parse(unseal(deriveKey(personaKey), sealed)) as PendingRemoval[];
}

/**
 * Changes the removals, which are stored as one sealed value. The position, transaction or age of separate rows would reveal
 * which of them belong to one account, even if they were sealed. The row is locked, because commits of different classes and
 * accounts change it.
 *
 * @returns false if `change` returned null, which changes nothing
 */
export async function changePendingRemovals(
  db: DatabaseTransaction,
  personaKey: KeyObject,
  change: (removals: PendingRemoval[]) => PendingRemoval[] | null,
): Promise<boolean> {
  await insertMetadataOnce(db, metadataName, sealRemovals(personaKey, []));
  await lockMetadata(db, metadataName);
  const changedRemovals = change(await listPendingRemovals(db, personaKey));
  if (changedRemovals === null) return false;
  await writeMetadata(db, metadataName, sealRemovals(personaKey, changedRemovals));
  return true;
}

function sealRemovals(personaKey: KeyObject, removals: readonly PendingRemoval[]): string {
  return seal(deriveKey(personaKey), JSON.stringify(removals), { padTo: paddedBytes });
}

/** Seals the removals with another key. */
export async function resealPendingRemovals(
  db: DatabaseTransaction,
  oldKey: KeyObject,
  newKey: KeyObject,
): Promise<void> {
  const removals = await listPendingRemovals(db, oldKey);
  // The change of the key deletes the read marks, the waiting questions, and the votes of those who left, so their ids are dropped.
  const removalsWithoutRows = removals.map((removal) => ({ ...removal, own: undefined }));
  await writeMetadata(db, metadataName, sealRemovals(newKey, removalsWithoutRows));
}

/** Drops the removals, because no one can unseal those that were sealed with a lost key. */
export async function dropPendingRemovals(db: DatabaseTransaction): Promise<void> {
  await deleteMetadata(db, metadataName);
}

function deriveKey(personaKey: KeyObject): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', personaKey, '', 'pending removals', 32)));
}
