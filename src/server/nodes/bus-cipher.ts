// What Redis, and anyone who watches it, sees of the nodes' messages: channels that only the server key can name, and
// ciphertexts. A message is bound to its channel, so it cannot be played into another one.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { LRUCache } from 'lru-cache';

export interface BusCipher {
  /** The channel of a class or of another subject. */
  toChannel(subject: string): string;
  seal(channel: string, parts: readonly Buffer[]): Buffer;
  /** Redis sends a node's messages to itself, too. */
  isOwn(message: Buffer): boolean;
  /** Returns null if another key or another channel sealed it. */
  open(channel: string, message: Buffer): Buffer | null;
}

const algorithm = 'aes-256-gcm';
const saltBytes = 16;
const counterBytes = 8;
const tagBytes = 16;
const maxSenders = 1000;

/** @param epoch of the database: its nodes do not hear those of another one with the same key */
export function createBusCipher(
  keys: { channels: KeyObject; messages: KeyObject },
  epoch: string,
): BusCipher {
  // Each process has its own key, so that a counter is enough to never use a nonce twice.
  const salt = randomBytes(saltBytes);
  const senders = new LRUCache<string, KeyObject>({ max: maxSenders });
  const channels = new LRUCache<string, string>({ max: 10_000 });
  let messageCount = 0n;

  function deriveSenderKey(sender: Buffer): KeyObject {
    const id = sender.toString('base64');
    const cachedKey = senders.get(id);
    if (cachedKey) return cachedKey;
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', keys.messages, sender, epoch, 32)));
    senders.set(id, key);
    return key;
  }

  return {
    toChannel(subject) {
      const cachedChannel = channels.get(subject);
      if (cachedChannel !== undefined) return cachedChannel;
      const hmac = createHmac('sha256', keys.channels).update(`${epoch} ${subject}`);
      const channel = `backchannel:${hmac.digest('base64url').slice(0, 22)}`;
      channels.set(subject, channel);
      return channel;
    },
    seal(channel, parts) {
      const counter = Buffer.alloc(counterBytes);
      counter.writeBigUInt64BE(messageCount++);
      const cipher = createCipheriv(algorithm, deriveSenderKey(salt), toNonce(counter));
      cipher.setAAD(Buffer.from(channel));
      const sealed = parts.map((part) => cipher.update(part));
      sealed.push(cipher.final());
      return Buffer.concat([salt, counter, ...sealed, cipher.getAuthTag()]);
    },
    isOwn: (message) => message.subarray(0, saltBytes).equals(salt),
    open(channel, message) {
      const bodyAt = saltBytes + counterBytes;
      const tagAt = message.length - tagBytes;
      if (tagAt < bodyAt) return null;
      const counter = message.subarray(saltBytes, bodyAt);
      const key = deriveSenderKey(message.subarray(0, saltBytes));
      try {
        const decipher = createDecipheriv(algorithm, key, toNonce(counter));
        decipher.setAAD(Buffer.from(channel)).setAuthTag(message.subarray(tagAt));
        const plaintext = decipher.update(message.subarray(bodyAt, tagAt));
        return Buffer.concat([plaintext, decipher.final()]);
      } catch {
        return null;
      }
    },
  };
}

const toNonce = (counter: Buffer) => Buffer.concat([Buffer.alloc(4), counter]);
