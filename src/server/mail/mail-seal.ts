// What the queue's rows hold: without the server key nothing of a mail, not even its length.
import type { KeyObject } from 'node:crypto';
import { seal, unseal } from '../seal.ts';
import type { Mail } from './mail.ts';

export interface QueuedMail extends Mail {
  /** False for an address without an account: its row is written and removed like any, but not sent. */
  deliver: boolean;
  attempts: number;
  /** After that its link is of no use. */
  expiresAt: number;
}

/** Every mail fits in it, so all rows are equally long. */
const paddedBytes = 3072;

export function sealMail(key: KeyObject, id: string, mail: QueuedMail): string {
  const text = JSON.stringify(mail);
  if (Buffer.byteLength(text) > paddedBytes) throw new Error('A mail is too long for the queue.');
  return seal(key, text, { padTo: paddedBytes, context: id });
}

/** @throws {Error} if the row was not sealed under this id with this key */
export function openMail(key: KeyObject, id: string, content: string): QueuedMail {
  return JSON.parse(unseal(key, content, id)) as QueuedMail;
}
