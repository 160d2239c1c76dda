// What the queue's rows hold: without the server key nothing of a mail, not even its length.
import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import type { Mail } from './mail.ts';

export interface QueuedMail extends Mail {
  /** False for an address without an account: its row is written and removed like any, but not sent. */
  deliver: boolean;
  attempts: number;
  /** After that its link is of no use. */
  expiresAt: number;
}

/** Every mail fits in it; all rows are equally long. */
const paddedBytes = 3072;
const nonceBytes = 12;
const tagBytes = 16;

export function sealMail(key: KeyObject, id: string, mail: QueuedMail): string {
  const plain = Buffer.from(JSON.stringify(mail));
  if (plain.length > paddedBytes) throw new Error('A mail is too long for the queue.');
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(id));
  const padded = Buffer.concat([plain, Buffer.alloc(paddedBytes - plain.length, ' ')]);
  const sealed = Buffer.concat([cipher.update(padded), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** @throws if the row was not sealed under this id with this key */
export function openMail(key: KeyObject, id: string, content: string): QueuedMail {
  const bytes = Buffer.from(content, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(id))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const plain = [decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()];
  return JSON.parse(Buffer.concat(plain).toString()) as QueuedMail;
}
