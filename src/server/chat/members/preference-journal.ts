// Changes of preferences whose rows are not yet written: one sealed value of each node (decision 45).
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { SavedPreferences } from '#contract/preferences.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import {
  deleteMetadata,
  listMetadata,
  readMetadata,
  writeMetadata,
} from '#server/store/server-metadata-queries.ts';

/** An account in a class, under an id that only the server key can link to the account. */
export interface PreferenceOwner {
  classId: string;
  id: string;
}

export interface PreferenceKeys {
  ids: KeyObject;
  contents: KeyObject;
}

/** A row that is not yet written. Null erases what an account that left has chosen. */
export interface PendingPreferences {
  owner: PreferenceOwner;
  preferences: SavedPreferences | null;
}

/** The journal of a server that has the database to itself. Those of nodes have an id behind it. */
export const journalName = 'pendingPreferences';
export const journalOfNode = (nodeId: string) => `${journalName} ${nodeId}`;
const paddedBytes = 16 * 1024;

/** The changes whose rows are not yet written, of all nodes. */
export async function readJournals(
  db: Database,
  keys: PreferenceKeys,
): Promise<PendingPreferences[]> {
  return (await listJournals(db)).flatMap(({ value }) => openJournal(keys, value));
}

/** The journals of all nodes and of a single server, sealed. */
export function listJournals(db: Database) {
  return listMetadata(db, journalName);
}

export async function readJournal(db: Database, keys: PreferenceKeys, name: string) {
  const sealed = await readMetadata(db, name);
  return sealed === null ? [] : openJournal(keys, sealed);
}

export function openJournal(keys: PreferenceKeys, sealed: string): PendingPreferences[] {
  return JSON.parse(unseal(journalKey(keys), sealed)) as PendingPreferences[];
}

/**
 * One value for all changes, rewritten as a whole: separate rows would have an order.
 *
 * @returns its size
 */
export async function saveJournal(
  db: DatabaseTransaction,
  keys: PreferenceKeys,
  name: string,
  pending: readonly PendingPreferences[],
): Promise<number> {
  if (pending.length === 0) {
    await deleteMetadata(db, name);
    return 0;
  }
  const text = JSON.stringify(pending);
  await writeMetadata(db, name, seal(journalKey(keys), text, { padTo: paddedBytes }));
  return text.length;
}

export async function dropJournals(db: DatabaseTransaction): Promise<void> {
  for (const { name } of await listJournals(db)) await deleteMetadata(db, name);
}

function journalKey({ contents }: PreferenceKeys): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', contents, '', 'pending', 32)));
}
