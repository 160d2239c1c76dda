import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { LivenessMonitor } from './liveness-monitor.ts';

function createPeer() {
  const stream = { bytesRead: 300, bytesWritten: 0, writableLength: 0 };
  return { stream, life: new LivenessMonitor(stream as unknown as Duplex) };
}

test('a peer that neither sends nor receives anything misses each ping [WIRE-7]', () => {
  const { life } = createPeer();
  expect([1, 2, 3].map(() => life.countMisses())).toEqual([0, 1, 2]);
});

test('everything that a peer sends shows that it is alive [WIRE-7]', () => {
  const { stream, life } = createPeer();
  life.countMisses();
  life.countMisses();
  stream.bytesRead += 6;
  expect([1, 2].map(() => life.countMisses())).toEqual([0, 1]);
});

test('a peer that receives part of a long queue is alive, although the pings wait behind it [WIRE-7]', () => {
  const { stream, life } = createPeer();
  Object.assign(stream, { bytesWritten: 600_000, writableLength: 600_000 });
  expect(life.countMisses()).toBe(0);
  for (let n = 0; n < 10; n++) {
    stream.writableLength -= 1000;
    expect(life.countMisses()).toBe(0);
  }
  expect([1, 2].map(() => life.countMisses())).toEqual([1, 2]);
});

test('bytes that the system accepts immediately do not show that a peer is alive [WIRE-7]', () => {
  const { stream, life } = createPeer();
  life.countMisses();
  for (let n = 1; n <= 2; n++) {
    stream.bytesWritten += 1000;
    expect(life.countMisses()).toBe(n);
  }
});
