// Encrypts the messages that nodes send each other through Redis. Redis sees only ciphertexts, and channels whose names are derived
// from the server key. A message is bound to its channel, so it cannot be replayed in another channel.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { createRecentMap } from '#server/base/recent-map.ts';

export interface BusCipher {
  /** Derives the name of the channel of a class or of another subject. */
  toChannel(subject: string): string;
  seal(channel: string, parts: readonly Buffer[]): Buffer;
  /** Whether this node sent the message, because Redis also sends a node its own messages. */
  isOwn(message: Buffer): boolean;
  /** Returns null if another key or another channel sealed it. */
  open(channel: string, message: Buffer): Buffer | null;
}

const algorithm = 'aes-256-gcm';
const saltBytes = 16;
const counterBytes = 8;
const tagBytes = 16;
const maxSenders = 1000;

/** @param epoch the epoch of the database. Nodes of another database with the same key use other channels */
export function createBusCipher(
  keys: { channels: KeyObject; messages: KeyObject },
  epoch: string,
): BusCipher {
  // Each process has its own key, so that a counter is enough to never use a nonce twice.
  const salt = randomBytes(saltBytes);
  const senders = createRecentMap<KeyObject>(maxSenders);
  const channels = createRecentMap<string>(10_000);
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
      const bodyStart = saltBytes + counterBytes;
      const tagStart = message.length - tagBytes;
      if (tagStart < bodyStart) return null;
      const counter = message.subarray(saltBytes, bodyStart);
      const key = deriveSenderKey(message.subarray(0, saltBytes));
      try {
        const decipher = createDecipheriv(algorithm, key, toNonce(counter));
        decipher.setAAD(Buffer.from(channel)).setAuthTag(message.subarray(tagStart));
        const plaintext = decipher.update(message.subarray(bodyStart, tagStart));
        return Buffer.concat([plaintext, decipher.final()]);
      } catch {
        return null;
      }
    },
  };
}

const toNonce = (counter: Buffer) => Buffer.concat([Buffer.alloc(4), counter]);
