// What a deleted account still has to be removed from: its classes, each at a random time of its own, so that
// no one can tell by the moment which personas were one person.
import {
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import type { Reader, Writer } from '../storage/database.ts';
import { readFact, writeFact } from '../storage/queries/facts.ts';

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
const ivLength = 12;
const tagLength = 16;

export async function readPendingRemovals(
  db: Reader,
  personaKey: KeyObject,
): Promise<PendingRemoval[]> {
  const sealed = await readFact(db, factName);
  return sealed === null ? [] : open(personaKey, sealed);
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
  await writeFact(db, factName, seal(personaKey, removals));
}

function seal(personaKey: KeyObject, removals: readonly PendingRemoval[]): string {
  const text = Buffer.from(JSON.stringify(removals));
  const padded = Buffer.alloc(Math.ceil(text.length / paddedTo) * paddedTo, ' ');
  text.copy(padded);
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv('aes-256-gcm', keyFrom(personaKey), iv);
  const parts = [iv, cipher.update(padded), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString('base64url');
}

function open(personaKey: KeyObject, sealed: string): PendingRemoval[] {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv(
    'aes-256-gcm',
    keyFrom(personaKey),
    bytes.subarray(0, ivLength),
  );
  decipher.setAuthTag(bytes.subarray(-tagLength));
  const text = decipher.update(bytes.subarray(ivLength, -tagLength), undefined, 'utf8');
  return JSON.parse(text + decipher.final('utf8')) as PendingRemoval[];
}

function keyFrom(personaKey: KeyObject): Buffer {
  return Buffer.from(hkdfSync('sha256', personaKey, '', 'pending removals', 32));
}
