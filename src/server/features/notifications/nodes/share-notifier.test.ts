import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LogItem } from '#contract/socket.ts';
import type { NewMessage } from '#server/chat/messages/new-messages.ts';
import { createBusCipher } from '#server/nodes/bus-cipher.ts';
import { createNotices } from '#server/nodes/notices.ts';
import { watchPresence } from '#server/nodes/presence-elsewhere.ts';
import type { Bus } from '#server/nodes/redis-bus.ts';
import { shareNotifier } from './share-notifier.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const createPostedItem = (seq: number) =>
  ({
    kind: 'posted',
    seq,
    id: randomUUID(),
    message: { id: randomUUID(), seq, memberId: 'ada', text: 'Hello' },
  }) as unknown as LogItem;

function createNodes() {
  const receivers = new Map<string, (message: Buffer) => void>();
  const createKey = () => createSecretKey(randomBytes(32));
  const keys = { channels: createKey(), messages: createKey() };
  const key = createKey();
  return (nodeId: string, isNotifier: boolean) => {
    const bus = {
      publish(_: string, message: Buffer) {
        for (const receive of receivers.values()) receive(message);
      },
      async subscribe(_: string, receive: (message: Buffer) => void) {
        receivers.set(nodeId, receive);
      },
      onConnected() {},
    } as unknown as Bus;
    const notices = createNotices({ bus, cipher: createBusCipher(keys, 'epoch'), key, nodeId });
    const hub = { countByAccount: () => new Map(), listViewed: () => [] };
    const presence = watchPresence(hub, notices, () => isNotifier);
    const notified: number[] = [];
    const notifier = shareNotifier({
      local: {
        onLogAppended(_: string, items: LogItem[]) {
          notified.push(...items.map(({ seq }) => seq));
        },
        onMessages(_: string, messages: readonly NewMessage[]) {
          notified.push(...messages.map(({ seq }) => seq));
        },
      } as never,
      subscriptions: { has: () => true, isEmpty: () => false, reload: async () => {} } as never,
      notices,
      isViewingHere: () => false,
      isDoneElsewhere: () => !isNotifier && presence.hasNotifier(),
      onNotifierLost: presence.onNotifierLost,
    });
    return {
      notified,
      post: (seq: number) => notifier.onLogAppended('AAAAAAAAAAAAAAAA', [createPostedItem(seq)]),
      /** Does what the kill of its process does: it receives and sends nothing more. */
      kill() {
        receivers.delete(nodeId);
        bus.publish = () => {};
      },
      stop() {
        presence.stop();
        notices.stop();
      },
    };
  };
}

test('A message after the notifying node was killed notifies a few seconds later [NODE-12]', async () => {
  const createNode = createNodes();
  const notifying = createNode('notifying', true);
  const other = createNode('other', false);
  await vi.advanceTimersByTimeAsync(4_500);
  other.post(1);
  await vi.advanceTimersByTimeAsync(3_000);
  expect([notifying.notified, other.notified]).toEqual([[1], []]);

  notifying.kill();
  other.post(2);
  await vi.advanceTimersByTimeAsync(9_000);

  expect(other.notified).toEqual([2]);
  other.post(3);
  await vi.advanceTimersByTimeAsync(100);
  expect(other.notified).toEqual([2, 3]);
});

test('A message after the notifying node has stopped notifies immediately [NODE-12]', async () => {
  const createNode = createNodes();
  const notifying = createNode('notifying', true);
  const other = createNode('other', false);
  await vi.advanceTimersByTimeAsync(4_500);

  notifying.stop();
  other.post(1);
  await vi.advanceTimersByTimeAsync(100);

  expect(other.notified).toEqual([1]);
});
