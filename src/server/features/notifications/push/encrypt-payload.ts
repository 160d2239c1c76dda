// Encrypts a notification for one browser (RFC 8291), as a single record of aes128gcm (RFC 8188).
import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import type { PushSubscription } from '#contract/notifications.ts';

const curve = 'prime256v1';
const recordSize = 4096;
const lastRecord = 2;

/** What is random in a message. */
interface Ephemeral {
  privateKey: Buffer | null;
  salt: Buffer;
}

/**
 * @param paddedBytes the length of the text with its padding: all messages of one value have the same size
 * @param ephemeral fixed only in tests
 * @throws {RangeError} if the text is longer
 */
export function encryptPayload(
  { keys }: PushSubscription,
  text: string,
  paddedBytes: number,
  { privateKey, salt }: Ephemeral = { privateKey: null, salt: randomBytes(16) },
): Buffer {
  const plain = Buffer.from(text);
  if (plain.length > paddedBytes) throw new RangeError('The notification is too long.');
  const receiver = Buffer.from(keys.p256dh, 'base64url');
  const ecdh = createECDH(curve);
  if (privateKey) ecdh.setPrivateKey(privateKey);
  else ecdh.generateKeys();
  const sender = ecdh.getPublicKey();
  const secret = ecdh.computeSecret(receiver);

  const deriveWithHkdf = (from: Buffer, mixed: Buffer, info: Buffer, bytes: number) =>
    Buffer.from(hkdfSync('sha256', from, mixed, info, bytes));
  const createInfo = (name: string, ...suffixes: Buffer[]) =>
    Buffer.concat([Buffer.from(`${name}\0`), ...suffixes]);
  const auth = Buffer.from(keys.auth, 'base64url');
  const shared = deriveWithHkdf(secret, auth, createInfo('WebPush: info', receiver, sender), 32);
  const key = deriveWithHkdf(shared, salt, createInfo('Content-Encoding: aes128gcm'), 16);
  const nonce = deriveWithHkdf(shared, salt, createInfo('Content-Encoding: nonce'), 12);

  const header = Buffer.alloc(21);
  salt.copy(header);
  header.writeUInt32BE(recordSize, 16);
  header.writeUInt8(sender.length, 20);
  const padding = Buffer.alloc(paddedBytes - plain.length + 1);
  padding[0] = lastRecord;
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const sealed = [cipher.update(plain), cipher.update(padding), cipher.final()];
  return Buffer.concat([header, sender, ...sealed, cipher.getAuthTag()]);
}

/** Whether messages can be encrypted for this key: not every string of its length is a point on the curve. */
export function isPublicKey(p256dh: string): boolean {
  const ecdh = createECDH(curve);
  ecdh.generateKeys();
  try {
    ecdh.computeSecret(p256dh, 'base64url');
    return true;
  } catch {
    return false;
  }
}
