// Encryption of values that only this server may read (AES-256-GCM).
import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * @param padTo the text is filled with spaces to a multiple of this many bytes, so that its length tells nothing
 * @param context where the value belongs, such as the id of its row; needed again to open it
 * @returns nonce, tag and encrypted text, as base64url
 */
export function seal(key: KeyObject, text: string, { padTo = 1, context = '' } = {}): string {
  const plain = Buffer.from(text);
  const padding = Buffer.alloc(Math.ceil(plain.length / padTo) * padTo - plain.length, ' ');
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(plain), cipher.update(padding), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** @returns the text with its padding @throws {Error} if it was not sealed with this key and context */
export function unseal(key: KeyObject, sealed: string, context = ''): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const body = nonceBytes + tagBytes;
  // base64url ignores characters that it does not know: only one text may open a value.
  if (bytes.length < body || bytes.toString('base64url') !== sealed) throw new Error('Not sealed.');
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(nonceBytes, body));
  return decipher.update(bytes.subarray(body), undefined, 'utf8') + decipher.final('utf8');
}
