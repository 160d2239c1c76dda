// The notices that nodes send each other about changes that are in no log of a class. All notices use one channel and have sizes
// in steps, so that an observer of Redis cannot tell accounts apart. A notice may be lost: its content is also in the database,
// or is not essential.
import { createHmac, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { SavedPreferences } from '#contract/preferences.ts';
import type { OwnVote } from '#server/live/hub.ts';
import type { NewMessage } from '#server/chat/messages/new-messages.ts';
import type { RateName } from '#server/base/rates.ts';
import type { BusCipher } from './bus-cipher.ts';
import type { Bus } from './redis-bus.ts';

/**
 * An `account` is a keyed hash, so only a node that knows the account can identify it. An `accountId` is sent only of accounts
 * with notifications, which each node knows.
 */
export type Notice =
  | { kind: 'enrollment'; account: string; classId: string; joined: boolean }
  | { kind: 'read'; account: string; classId: string; seq: number; mayMoveBack: boolean }
  | { kind: 'preferences'; account: string; classId: string; preferences: SavedPreferences }
  | { kind: 'voted'; account: string; ownVote: OwnVote }
  | { kind: 'moderation'; accounts: readonly string[] }
  /** A change event was stored, or a session ended. The node reads it in the database. */
  | { kind: 'changed' }
  /** Something new is to be published at the random moment of QUEST-7: votes, or what is new in a private question. */
  | { kind: 'unpublished'; classId: string; messageId: string }
  /** Private questions of the class changed. */
  | { kind: 'privateChanged'; classId: string }
  /** The details of these classes changed. */
  | { kind: 'classes'; classIds: readonly string[] }
  | {
      kind: 'readMark';
      classId: string;
      readerKey: string;
      seq: number | null;
      mayMoveBack: boolean;
    }
  /** An action that counts against a limit. A negative cost is a refund. */
  | { kind: 'count'; limit: RateName; key: string; cost: number }
  | { kind: 'signInFailed'; key: string; allowedFailures: number }
  | { kind: 'signInSucceeded'; key: string }
  | { kind: 'presence'; isNotifier: boolean; sockets: SocketCounts; viewed: readonly string[] }
  | { kind: 'active'; account: string }
  | { kind: 'messages'; classId: string; messages: readonly NewMessage[] }
  | { kind: 'viewed'; accountId: string; classId: string }
  /** No device of the account has the class in view at this node any more. */
  | { kind: 'viewEnded'; account: string; classId: string }
  | { kind: 'readUpTo'; accountId: string; classId: string; seq: number }
  /** The push subscription of the session changed. */
  | { kind: 'subscription'; sessionId: string }
  /** The push service no longer knows the push subscription of the session. */
  | { kind: 'subscriptionGone'; sessionId: string };

type SocketCounts = readonly (readonly [account: string, count: number])[];

export interface Notices {
  /** Sends the notice together with others, within 50 ms. */
  send(notice: Notice): void;
  deriveAccountKey(accountId: string): string;
  /** Hashes a key with a secret of the nodes, so that a notice can contain it. */
  hashKey(key: string): string;
  /** @param listener also gets the id of the node that sent the notice */
  onNotice(listener: (notice: Notice, node: string) => void): void;
  /** Calls the listener if notices were lost, or may have been lost. */
  onGap(listener: () => void): void;
  /** Reports that notices may be lost. */
  reportGap(): void;
  /** The time that one of the last messages needed through Redis, back to this node. */
  delayMs(): number;
  stop(): void;
}

interface Dependencies {
  bus: Bus;
  cipher: BusCipher;
  key: KeyObject;
  nodeId: string;
}

const flushDelayMs = 50;
const paddedBytes = 4096;
const maxPerMessage = 200;
/** The time after which a message that has not come back counts as lost. */
const lostAfterMs = 10_000;
/**
 * The maximum age of a message. An older message may be a replay to a node that started later. The clocks of nodes may differ by
 * less.
 */
export const maxNoticeAgeMs = 30_000; // NODE-5

// The seal proves that a node wrote the message. A node of another version may send other kinds of notices.
const envelope = z.object({
  node: z.string(),
  number: z.number(),
  sentAt: z.number(),
  notices: z.array(z.looseObject({ kind: z.string() })),
});

export function createNotices({ bus, cipher, key, nodeId }: Dependencies): Notices {
  const channel = cipher.toChannel('notices');
  const listeners: ((notice: Notice, node: string) => void)[] = [];
  const gapListeners: (() => void)[] = [];
  /** The number of the last message of each node. */
  const lastNumbers = new Map<string, number>();
  let pending: Notice[] = [];
  let timer: NodeJS.Timeout | null = null;
  let number = 0;
  /** A message that Redis has not brought back yet. */
  let measuredMessage: { message: Buffer; sentAt: number } | null = null;
  let delayMs = 0;

  function flush(): void {
    timer = null;
    while (pending.length > 0) {
      const notices = pending.slice(0, maxPerMessage);
      pending = pending.slice(maxPerMessage);
      const content = { node: nodeId, number: ++number, sentAt: Date.now(), notices };
      const json = Buffer.from(JSON.stringify(content));
      const padding = Math.ceil(json.length / paddedBytes) * paddedBytes - json.length;
      const message = cipher.seal(channel, [json, Buffer.alloc(padding, ' ')]);
      measure(message);
      bus.publish(channel, message);
    }
  }

  function measure(message: Buffer): void {
    const now = performance.now();
    if (!measuredMessage || now - measuredMessage.sentAt > lostAfterMs) {
      measuredMessage = { message, sentAt: now };
    }
  }

  function receiveOwn(message: Buffer): void {
    if (!measuredMessage?.message.equals(message)) return;
    delayMs = performance.now() - measuredMessage.sentAt;
    measuredMessage = null;
  }

  function receive(message: Buffer): void {
    if (cipher.isOwn(message)) return receiveOwn(message);
    const plaintext = cipher.open(channel, message);
    if (!plaintext) return;
    const { data: batch } = envelope.safeParse(JSON.parse(plaintext.toString()));
    // A node of an earlier version sends no time, so its notices are ignored. Their content is also in the database.
    if (!batch || Math.abs(Date.now() - batch.sentAt) > maxNoticeAgeMs) return;
    const lastNumber = lastNumbers.get(batch.node);
    // A repeated message has an older state.
    if (lastNumber !== undefined && batch.number <= lastNumber) return;
    lastNumbers.set(batch.node, batch.number);
    for (const notice of batch.notices) {
      for (const listener of listeners) {
        try {
          listener(notice as unknown as Notice, batch.node);
        } catch {
          // A node of another version may have sent a notice that this node cannot handle. The other notices are still handled.
        }
      }
    }
    if (lastNumber !== undefined && batch.number !== lastNumber + 1) reportGap();
  }

  function reportGap(): void {
    for (const listener of gapListeners) listener();
  }

  const hashKey = (text: string) =>
    createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);

  void bus.subscribe(channel, receive);
  bus.onConnected(reportGap);

  return {
    send(notice) {
      pending.push(notice);
      timer ??= setTimeout(flush, flushDelayMs);
    },
    deriveAccountKey: (accountId) => hashKey(`account ${accountId}`),
    hashKey,
    onNotice: (listener) => void listeners.push(listener),
    onGap: (listener) => void gapListeners.push(listener),
    reportGap,
    delayMs: () => delayMs,
    stop() {
      if (timer) clearTimeout(timer);
      flush();
    },
  };
}
