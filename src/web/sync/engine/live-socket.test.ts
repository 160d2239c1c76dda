import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLiveSocket, reconnectDelayMs, type OpenSocket } from './live-socket.ts';

type Handlers = Parameters<OpenSocket>[0];
let opened: (Handlers & { sent: string[]; ended: boolean })[];
const open: OpenSocket = (on) => {
  const one = { ...on, sent: [] as string[], ended: false };
  opened.push(one);
  return {
    send: (text) => one.sent.push(text),
    close() {
      one.ended = true;
    },
  };
};
beforeEach(() => {
  opened = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

const quiet = { onFrame: () => {}, onDown: () => {} };

describe('the live socket', () => {
  test('the live socket waits between half a second and thirty, longer with each failure [WIRE-8]', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
        const delay = reconnectDelayMs(failures, random);
        expect(delay).toBeGreaterThanOrEqual(500);
        expect(delay).toBeLessThanOrEqual(30_000);
      }),
    );
    expect(reconnectDelayMs(3, 1)).toBe(8000);
    expect(reconnectDelayMs(0, 1)).toBe(1000);
  });

  test('the live socket comes back automatically, and at once when woken [WIRE-8]', () => {
    const socket = createLiveSocket(open, quiet);
    opened[0]!.open();
    opened[0]!.close(1006);
    expect(opened).toHaveLength(1);
    vi.advanceTimersByTime(1000);
    expect(opened).toHaveLength(2);
    opened[1]!.close(1006);
    socket.wake();
    expect(opened).toHaveLength(3);
    socket.wake();
    expect(opened).toHaveLength(3);
  });

  describe('when a connection never works [WIRE-25]', () => {
    const welcome = JSON.stringify({ type: 'welcome', epoch: 'e', account: 'a', maxFrameBytes: 1 });
    beforeEach(() => {
      vi.spyOn(Math, 'random').mockReturnValue(0);
    });
    afterEach(() => vi.restoreAllMocks());

    /** @returns the time until the newest attempt is replaced */
    function measureReplacementMs(): number {
      const before = opened.length;
      let waited = 0;
      for (; opened.length === before; waited += 100) vi.advanceTimersByTime(100);
      expect(opened[before - 1]!.ended).toBe(true);
      return waited;
    }

    test.each([
      ['is accepted and never upgraded', false],
      ['is upgraded and never welcomed', true],
    ])(
      'when a connection never works replaces one that %s, with more time for each, until a welcome',
      (_, upgraded) => {
        const ends: boolean[] = [];
        createLiveSocket(open, { ...quiet, onDown: (welcomed) => ends.push(welcomed) });
        const times = [1, 2, 3, 4].map(() => {
          if (upgraded) opened.at(-1)!.open();
          return measureReplacementMs();
        });
        expect(times).toEqual([10_500, 20_500, 40_500, 40_500]);
        expect(ends).toEqual([false, false, false, false]);
        opened.at(-1)!.open();
        opened.at(-1)!.text(welcome);
        vi.advanceTimersByTime(120_000);
        expect(opened).toHaveLength(5);
        opened.at(-1)!.close(1006);
        vi.advanceTimersByTime(500);
        expect(measureReplacementMs()).toBe(10_500);
      },
    );

    test('when a connection never works replaces one that hangs half a second after it is woken, but none that has just begun', () => {
      const socket = createLiveSocket(open, quiet);
      vi.advanceTimersByTime(1900);
      socket.wake();
      expect(opened).toHaveLength(1);
      vi.advanceTimersByTime(100);
      socket.wake();
      expect(opened[0]!.ended).toBe(true);
      socket.wake();
      vi.advanceTimersByTime(499);
      expect(opened).toHaveLength(1);
      vi.advanceTimersByTime(1);
      expect(opened).toHaveLength(2);
      opened[1]!.open();
      vi.advanceTimersByTime(2000);
      socket.wake();
      vi.advanceTimersByTime(500);
      expect(opened).toHaveLength(3);
      opened[2]!.open();
      opened[2]!.text(welcome);
      vi.advanceTimersByTime(2000);
      socket.wake();
      expect(opened).toHaveLength(3);
    });
  });

  describe('when every connection is greeted and dropped [WIRE-13]', () => {
    const welcome = { type: 'welcome', epoch: 'e', account: 'a', maxFrameBytes: 1 };
    const live = { type: 'live', rid: 1, classId: 'x', seq: 0 };

    /** Welcomes, waits and drops the connection. @returns the longest delay until the next attempt */
    function measureReconnectMs(connectedMs: number, ...frames: object[]): number {
      const one = opened.at(-1)!;
      const before = opened.length;
      one.open();
      for (const frame of [welcome, ...frames]) one.text(JSON.stringify(frame));
      vi.advanceTimersByTime(connectedMs);
      one.close(1006);
      let waited = 0;
      for (; opened.length === before; waited += 100) vi.advanceTimersByTime(100);
      return waited;
    }
    beforeEach(() => {
      vi.spyOn(Math, 'random').mockReturnValue(1);
      createLiveSocket(open, quiet);
    });
    afterEach(() => vi.restoreAllMocks());

    test('when every connection is greeted and dropped waits longer each time, until one has held for ten seconds', () => {
      expect([1, 2, 3, 4].map(() => measureReconnectMs(50))).toEqual([1000, 2000, 4000, 8000]);
      expect(measureReconnectMs(9_900)).toBe(16_000);
      expect(measureReconnectMs(10_000)).toBe(1000);
      expect(measureReconnectMs(50)).toBe(2000);
    });

    test('when every connection is greeted and dropped waits longer each time, until one has brought a class up to date', () => {
      expect([1, 2].map(() => measureReconnectMs(50))).toEqual([1000, 2000]);
      expect(measureReconnectMs(50, live)).toBe(1000);
      expect(measureReconnectMs(50)).toBe(2000);
    });
  });

  test('the live socket comes back when the server that stops has asked it to [WIRE-9]', () => {
    createLiveSocket(open, quiet);
    opened[0]!.open();
    opened[0]!.text(JSON.stringify({ type: 'bye', code: 1012, retryAfterMs: 7000 }));
    opened[0]!.close(1012);
    vi.advanceTimersByTime(6999);
    expect(opened).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(opened).toHaveLength(2);
  });

  test('the live socket sends only when it is open, and hears nothing of a connection it gave up', () => {
    const frames: string[] = [];
    const socket = createLiveSocket(open, {
      ...quiet,
      onFrame: (frame) => frames.push(frame.type),
    });
    const frame = { type: 'unsubscribe' as const, classId: 'x' };
    expect(socket.send(frame)).toBe(false);
    opened[0]!.open();
    expect(socket.send(frame)).toBe(true);
    expect(opened[0]!.sent).toEqual([JSON.stringify(frame)]);
    socket.reconnect();
    expect(opened[0]!.ended).toBe(true);
    opened[0]!.text(JSON.stringify({ type: 'welcome', epoch: 'old', maxFrameBytes: 1 }));
    opened[0]!.close(1006);
    expect(opened).toHaveLength(2);
    expect(frames).toEqual([]);
  });

  test('the live socket stays away once it is closed', () => {
    const socket = createLiveSocket(open, quiet);
    opened[0]!.open();
    socket.close();
    opened[0]!.close(1000);
    vi.advanceTimersByTime(60_000);
    expect(opened).toHaveLength(1);
  });
});
