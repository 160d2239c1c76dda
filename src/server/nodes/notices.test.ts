import { randomBytes, createSecretKey } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { createBusCipher } from './bus-cipher.ts';
import { createNotices } from './notices.ts';
import type { Bus } from './redis-bus.ts';

afterEach(() => vi.useRealTimers());

test('a recorded notice is rejected by the node that got it, and by one that starts later [NODE-22]', () => {
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

test('A listener that cannot read a notice does not keep it from the others [NODE-9]', async () => {
  const receivers: ((message: Buffer) => void)[] = [];
  const bus = {
    publish(_: string, message: Buffer) {
      for (const receive of receivers) receive(message);
    },
    async subscribe(_: string, receive: (message: Buffer) => void) {
      receivers.push(receive);
    },
    onConnected() {},
  } as unknown as Bus;
  const createKey = () => createSecretKey(randomBytes(32));
  const keys = { channels: createKey(), messages: createKey() };
  const key = createKey();
  const [sender, receiver] = ['sender', 'receiver'].map((nodeId) =>
    createNotices({ bus, cipher: createBusCipher(keys, 'epoch'), key, nodeId }),
  );
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
