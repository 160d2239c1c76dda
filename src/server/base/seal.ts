// Encrypts values that only this server can read (AES-256-GCM).
import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a value as JSON in a binary column.
 *
 * @param step pads the content to a multiple of this many bytes, to hide its length
 * @param context binds the content to its row; `openRecord` needs the same one
 * @returns nonce, tag and ciphertext
 */
export function sealRecord(
  key: KeyObject,
  value: unknown,
  { step, context }: { step: number; context: string },
): Buffer {
  const plain = Buffer.from(JSON.stringify(value));
  const padding = Buffer.alloc(Math.ceil(plain.length / step) * step - plain.length, ' ');
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(plain), cipher.update(padding), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** A record is damaged, was moved from another row, or is sealed with another key. */
export class DamagedRecordError extends Error {
  override name = 'DamagedRecordError';
}

/** @throws {DamagedRecordError} if the content was not sealed with this key and context */
export function openRecord(key: KeyObject, sealed: Buffer, context: string): unknown {
  const body = nonceBytes + tagBytes;
  try {
    if (sealed.length < body) throw new Error('Not sealed.');
    const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes))
      .setAAD(Buffer.from(context))
      .setAuthTag(sealed.subarray(nonceBytes, body));
    const text = decipher.update(sealed.subarray(body), undefined, 'utf8') + decipher.final('utf8');
    return JSON.parse(text);
  } catch (cause) {
    throw new DamagedRecordError('a record cannot be opened. npm run doctor says more.', { cause });
  }
}

/** @returns null if the record cannot be opened */
export function tryToOpen<Opened>(open: () => Opened): Opened | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof DamagedRecordError) return null;
    throw error;
  }
}

/**
 * @param padTo pads the text with spaces to a multiple of this many bytes, to hide its length
 * @param context binds the value to its place, such as the id of its row; `unseal` needs the same one
 * @returns nonce, tag and ciphertext, as base64url
 */
export function seal(key: KeyObject, text: string, { padTo = 1, context = '' } = {}): string {
  const plain = Buffer.from(text);
  const padding = Buffer.alloc(Math.ceil(plain.length / padTo) * padTo - plain.length, ' ');
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(plain), cipher.update(padding), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/**
 * @returns the text with its padding
 * @throws {Error} if the value was not sealed with this key and context
 */
export function unseal(key: KeyObject, sealed: string, context = ''): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const body = nonceBytes + tagBytes;
  // The decoder ignores characters outside base64url. Only the canonical encoding is accepted.
  if (bytes.length < body || bytes.toString('base64url') !== sealed) throw new Error('Not sealed.');
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(nonceBytes, body));
  return decipher.update(bytes.subarray(body), undefined, 'utf8') + decipher.final('utf8');
}
