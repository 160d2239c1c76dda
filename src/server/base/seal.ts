// Encrypts values that only this server can read (AES-256-GCM), padded with spaces to hide their length. `sealRecord` and
// `openRecord` are for what accounts, sessions and registers store: JSON in a binary column, whose damage has an error of its own.
// `seal` and `unseal` are for texts in a text column or in a link.
import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const bodyStart = nonceBytes + tagBytes;

/**
 * @param step pads the content to a multiple of this many bytes
 * @param context binds the content to its row; `openRecord` needs the same one
 */
export function sealRecord(
  key: KeyObject,
  value: unknown,
  { step, context }: { step: number; context: string },
): Buffer {
  return encrypt(key, JSON.stringify(value), step, context);
}

/** A record is damaged, was moved from another row, or is sealed with another key. */
export class DamagedRecordError extends Error {
  override name = 'DamagedRecordError';

  constructor(cause?: unknown) {
    super('A record cannot be opened. npm run doctor says more.', { cause });
  }
}

/** @throws {DamagedRecordError} if the content was not sealed with this key and context */
export function openRecord(key: KeyObject, sealed: Buffer, context: string): unknown {
  try {
    return JSON.parse(decrypt(key, sealed, context));
  } catch (cause) {
    throw new DamagedRecordError(cause);
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
 * @param padTo pads the text to a multiple of this many bytes
 * @param context binds the value to its place, such as the id of its row; `unseal` needs the same one
 * @returns base64url
 */
export function seal(key: KeyObject, text: string, { padTo = 1, context = '' } = {}): string {
  return encrypt(key, text, padTo, context).toString('base64url');
}

/**
 * @returns the text with its padding
 * @throws {Error} if the value was not sealed with this key and context
 */
export function unseal(key: KeyObject, sealed: string, context = ''): string {
  const bytes = Buffer.from(sealed, 'base64url');
  // The decoder ignores characters outside base64url. Only the canonical encoding is accepted.
  if (bytes.toString('base64url') !== sealed) throw new Error('Not sealed.');
  return decrypt(key, bytes, context);
}

/** @returns nonce, tag and ciphertext */
function encrypt(key: KeyObject, text: string, padTo: number, context: string): Buffer {
  const plain = Buffer.from(text);
  const padding = Buffer.alloc(Math.ceil(plain.length / padTo) * padTo - plain.length, ' ');
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(plain), cipher.update(padding), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

function decrypt(key: KeyObject, sealed: Buffer, context: string): string {
  if (sealed.length < bodyStart) throw new Error('Not sealed.');
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes))
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(nonceBytes, bodyStart));
  return decipher.update(sealed.subarray(bodyStart), undefined, 'utf8') + decipher.final('utf8');
}
