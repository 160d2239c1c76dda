// The removals of deleted accounts that are still due. Each class has its own random time, so the
// times do not reveal which personas belonged to one person.
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { seal, unseal } from '../seal.ts';
import type { Database, DatabaseTransaction } from '../storage/database.ts';
import { readMetadata, deleteMetadata, writeMetadata } from '../storage/queries/server-metadata.ts';

export interface PendingRemoval {
  classId: string;
  /** The member whose messages, reactions and persona are removed; null if they are kept. */
  memberId: string | null;
  /** Whether the class still counts the account as a member. */
  isCounted: boolean;
  dueAt: number;
}

const metadataName = 'pendingRemovals';
const paddedBytes = 4096;

export async function readPendingRemovals(
  db: Database,
  personaKey: KeyObject,
): Promise<PendingRemoval[]> {
  const sealed = await readMetadata(db, metadataName);
  return sealed === null ? [] : unsealPendingRemovals(personaKey, sealed);
}

export function unsealPendingRemovals(personaKey: KeyObject, sealed: string): PendingRemoval[] {
  return JSON.parse(unseal(deriveKey(personaKey), sealed)) as PendingRemoval[];
}

/**
 * All removals are one sealed value that is rewritten as a whole. The position, transaction or age of
 * separate rows would reveal which of them belong to one account, even if they were sealed.
 */
export async function savePendingRemovals(
  db: DatabaseTransaction,
  personaKey: KeyObject,
  removals: readonly PendingRemoval[],
): Promise<void> {
  const text = JSON.stringify(removals);
  await writeMetadata(db, metadataName, seal(deriveKey(personaKey), text, { padTo: paddedBytes }));
}

/** Seals the removals with another key. */
export async function resealPendingRemovals(
  db: DatabaseTransaction,
  oldKey: KeyObject,
  newKey: KeyObject,
): Promise<void> {
  const removals = await readPendingRemovals(db, oldKey);
  if (removals.length > 0) await savePendingRemovals(db, newKey, removals);
}

/** Removals that were sealed with a lost key cannot be read. */
export async function dropPendingRemovals(db: DatabaseTransaction): Promise<void> {
  await deleteMetadata(db, metadataName);
}

function deriveKey(personaKey: KeyObject): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', personaKey, '', 'pending removals', 32)));
}
