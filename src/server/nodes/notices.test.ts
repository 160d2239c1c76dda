import { randomBytes, createSecretKey } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { createBusCipher } from './bus-cipher.ts';
import { createNotices } from './notices.ts';
import { watchPresence } from './presence-elsewhere.ts';
import type { Bus } from './redis-bus.ts';

afterEach(() => vi.useRealTimers());

test('a recorded notice is rejected by the node that got it, and by one that starts later [NODE-5]', () => {
  vi.useFakeTimers();
  const createKey = () => createSecretKey(randomBytes(32));
  const keys = { channels: createKey(), messages: createKey() };
  const key = createKey();
  const receivers: ((message: Buffer) => void)[] = [];
  const recorded: Buffer[] = [];
  const bus = {
    publish(_: string, message: Buffer) {
      recorded.push(message);
      for (const receive of receivers) receive(message);
    },
    async subscribe(_: string, receive: (message: Buffer) => void) {
      receivers.push(receive);
    },
    onConnected() {},
  } as unknown as Bus;
  const createNode = (nodeId: string) =>
    createNotices({ bus, cipher: createBusCipher(keys, 'epoch'), key, nodeId });
  const receivedKinds: string[] = [];
  const yesterday = createNode('yesterday');
  const witness = createNode('witness');
  witness.onNotice(({ kind }) => receivedKinds.push(`live ${kind}`));
  yesterday.send({ kind: 'signInSucceeded', key: 'ada' });
  vi.advanceTimersByTime(50);
  expect(receivedKinds).toEqual(['live signInSucceeded']);
  // The witness has got it already.
  for (const message of recorded) receivers[1]!(message);
  expect(receivedKinds).toEqual(['live signInSucceeded']);

  vi.advanceTimersByTime(31_000);
  const restarted = createNode('restarted');
  restarted.onNotice(({ kind }) => receivedKinds.push(`replayed ${kind}`));
  for (const message of recorded) receivers.at(-1)!(message);

  expect(receivedKinds).toEqual(['live signInSucceeded']);
  for (const node of [yesterday, witness, restarted]) node.stop();
});

/** Nodes on a bus, which may lose messages. */
function createNodes(ids: string[], isLost: () => boolean = () => false) {
  const receivers: ((message: Buffer) => void)[] = [];
  const bus = {
    publish(_: string, message: Buffer) {
      if (!isLost()) for (const receive of receivers) receive(message);
    },
    async subscribe(_: string, receive: (message: Buffer) => void) {
      receivers.push(receive);
    },
    onConnected() {},
  } as unknown as Bus;
  const createKey = () => createSecretKey(randomBytes(32));
  const keys = { channels: createKey(), messages: createKey() };
  const key = createKey();
  return ids.map((nodeId) =>
    createNotices({ bus, cipher: createBusCipher(keys, 'epoch'), key, nodeId }),
  );
}

test('A listener that cannot read a notice does not keep it from the others [NODE-9]', async () => {
  const [sender, receiver] = createNodes(['sender', 'receiver']);
  const receivedKinds: string[] = [];
  receiver!.onNotice(() => {
    throw new Error('It lacks a field.');
  });
  receiver!.onNotice(({ kind }) => receivedKinds.push(kind));

  sender!.send({ kind: 'signInSucceeded', key: 'ada' });
  sender!.stop();

  expect(receivedKinds).toEqual(['signInSucceeded']);
  receiver!.stop();
});

test('the last notices of a node that is killed count as lost [NODE-9]', () => {
  vi.useFakeTimers();
  let isKilled = false;
  const [killed, other] = createNodes(['killed', 'other'], () => isKilled);
  const presence = watchPresence(
    { countByAccount: () => new Map(), listViewed: () => [] },
    other!,
    () => true,
  );
  const onGap = vi.fn<() => void>();
  other!.onGap(onGap);
  killed!.send({ kind: 'presence', isNotifier: false, sockets: [], viewed: [] });
  vi.advanceTimersByTime(4_000);
  expect(onGap).not.toHaveBeenCalled();

  isKilled = true;
  vi.advanceTimersByTime(10_000);

  expect(onGap).toHaveBeenCalledOnce();
  presence.stop();
  for (const notices of [killed!, other!]) notices.stop();
});
