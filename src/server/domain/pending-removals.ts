// What a deleted account still has to be removed from: its classes, each at a random time of its own, so that
// no one can tell by the moment which personas were one person.
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { seal, unseal } from '../seal.ts';
import type { Reader, Writer } from '../storage/database.ts';
import { readFact, removeFact, writeFact } from '../storage/queries/facts.ts';

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
  db: Reader,
  personaKey: KeyObject,
): Promise<PendingRemoval[]> {
  const sealed = await readFact(db, factName);
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
  db: Writer,
  personaKey: KeyObject,
  removals: readonly PendingRemoval[],
): Promise<void> {
  const text = JSON.stringify(removals);
  await writeFact(db, factName, seal(keyFrom(personaKey), text, { padTo: paddedTo }));
}

/** The same under another key. */
export async function resealPendingRemovals(
  db: Writer,
  before: KeyObject,
  after: KeyObject,
): Promise<void> {
  const removals = await readPendingRemovals(db, before);
  if (removals.length > 0) await savePendingRemovals(db, after, removals);
}

/** Without the key that sealed them, no one can read what was to be removed. */
export async function dropPendingRemovals(db: Writer): Promise<void> {
  await removeFact(db, factName);
}

function keyFrom(personaKey: KeyObject): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', personaKey, '', 'pending removals', 32)));
}
