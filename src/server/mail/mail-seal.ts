// Encrypts the mails in the queue. Without the server key, a row reveals nothing about its mail, not
// even the length.
import type { KeyObject } from 'node:crypto';
import { seal, unseal } from '#server/base/seal.ts';
import type { Mail } from './mail-transport.ts';

export interface QueuedMail extends Mail {
  /**
   * False for an address without an account. The row is written and deleted like any other row, but its mail is not sent.
   */
  deliver: boolean;
  attempts: number;
  /** After this time, the mail is not sent any more. Its link may have expired. */
  expiresAt: number;
  /** The account that gets this digest; undefined for other mails. The name is stored in queued mails, so it stays. */
  digestOf?: string;
  /** A mail about a threat, which leaves before others that wait. */
  isUrgent?: boolean;
  /** Whether the last attempt failed because the mail server could not be used, so that the mail leaves when it can. */
  isDelayedByOutage?: boolean;
}

/** Every mail fits into this size, so all rows have the same length. */
const paddedBytes = 3072;

export function sealMail(key: KeyObject, id: string, mail: QueuedMail): string {
  const text = JSON.stringify(mail);
  if (Buffer.byteLength(text) > paddedBytes) throw new Error('A mail is too long for the queue.');
  return seal(key, text, { padTo: paddedBytes, context: id });
}

/** @returns null if the row was not sealed under this id with this key */
export function tryToOpenMail(
  key: KeyObject,
  { id, content }: { id: string; content: string },
): QueuedMail | null {
  try {
    return JSON.parse(unseal(key, content, id)) as QueuedMail;
  } catch {
    return null;
  }
}
