// What a deleted account still has to be removed from: its classes, each at a random time of its own, so that
// no one can tell by the moment which personas were one person.
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { seal, unseal } from '../seal.ts';
import type { Database, DatabaseTransaction } from '../storage/database.ts';
import { readMetadata, deleteMetadata, writeMetadata } from '../storage/queries/facts.ts';

export interface PendingRemoval {
  classId: string;
  /** Whose messages, reactions and persona go; null where they are kept. */
  memberId: string | null;
  /** The class still counts the account as a member. */
  isCounted: boolean;
  dueAt: number;
}

const factName = 'pendingRemovals';
const paddedTo = 4096;

export async function readPendingRemovals(
  db: Database,
  personaKey: KeyObject,
): Promise<PendingRemoval[]> {
  const sealed = await readMetadata(db, factName);
  return sealed === null ? [] : openPendingRemovals(personaKey, sealed);
}

export function openPendingRemovals(personaKey: KeyObject, sealed: string): PendingRemoval[] {
  return JSON.parse(unseal(keyFrom(personaKey), sealed)) as PendingRemoval[];
}

/**
 * All of them are one sealed value, rewritten as a whole. A row for each would tell by its place, its
 * transaction or its age which of them belong to one account, even if it were sealed.
 */
export async function savePendingRemovals(
  db: DatabaseTransaction,
  personaKey: KeyObject,
  removals: readonly PendingRemoval[],
): Promise<void> {
  const text = JSON.stringify(removals);
  await writeMetadata(db, factName, seal(keyFrom(personaKey), text, { padTo: paddedTo }));
}

/** The same under another key. */
export async function resealPendingRemovals(
  db: DatabaseTransaction,
  before: KeyObject,
  after: KeyObject,
): Promise<void> {
  const removals = await readPendingRemovals(db, before);
  if (removals.length > 0) await savePendingRemovals(db, after, removals);
}

/** Without the key that sealed them, no one can read what was to be removed. */
export async function dropPendingRemovals(db: DatabaseTransaction): Promise<void> {
  await deleteMetadata(db, factName);
}

function keyFrom(personaKey: KeyObject): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', personaKey, '', 'pending removals', 32)));
}
