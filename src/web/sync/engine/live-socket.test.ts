import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ClientFrame } from '#contract/socket.ts';
import { LiveSocket, reconnectDelayMs, type OpenSocket, type SocketEvents } from './live-socket.ts';

type Handlers = Parameters<OpenSocket>[0];
let attempts: (Handlers & { sent: string[]; ended: boolean })[];
const open: OpenSocket = (handlers) => {
  const attempt = { ...handlers, sent: [] as string[], ended: false };
  attempts.push(attempt);
  return {
    send: (text) => attempt.sent.push(text),
    close() {
      attempt.ended = true;
    },
  };
};
beforeEach(() => {
  attempts = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

const quiet = { onFrame: () => {}, onDown: () => {} };

function connectSocket(events: SocketEvents): LiveSocket {
  const socket = new LiveSocket(open, events);
  socket.connect();
  return socket;
}

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

  test('the live socket comes back automatically, and immediately when woken [WIRE-8]', () => {
    const socket = connectSocket(quiet);
    attempts[0]!.open();
    attempts[0]!.close(1006);
    expect(attempts).toHaveLength(1);
    vi.advanceTimersByTime(1000);
    expect(attempts).toHaveLength(2);
    attempts[1]!.close(1006);
    socket.wake();
    expect(attempts).toHaveLength(3);
    socket.wake();
    expect(attempts).toHaveLength(3);
  });

  describe('when a connection never works [WIRE-25]', () => {
    const welcome = JSON.stringify({ type: 'welcome', epoch: 'e', account: 'a', maxFrameBytes: 1 });
    beforeEach(() => {
      vi.spyOn(Math, 'random').mockReturnValue(0);
    });
    afterEach(() => vi.restoreAllMocks());

    /** @returns the time until the newest attempt is replaced */
    function measureReplacementMs(): number {
      const countBefore = attempts.length;
      let waited = 0;
      for (; attempts.length === countBefore; waited += 100) vi.advanceTimersByTime(100);
      expect(attempts[countBefore - 1]!.ended).toBe(true);
      return waited;
    }

    test.each([
      ['is accepted and never upgraded', false],
      ['is upgraded and never welcomed', true],
    ])(
      'when a connection never works replaces one that %s, with more time for each, until a welcome',
      (_, upgraded) => {
        const ends: boolean[] = [];
        connectSocket({ ...quiet, onDown: (welcomed) => ends.push(welcomed) });
        const times = [1, 2, 3, 4].map(() => {
          if (upgraded) attempts.at(-1)!.open();
          return measureReplacementMs();
        });
        expect(times).toEqual([10_500, 20_500, 40_500, 40_500]);
        expect(ends).toEqual([false, false, false, false]);
        attempts.at(-1)!.open();
        attempts.at(-1)!.text(welcome);
        vi.advanceTimersByTime(120_000);
        expect(attempts).toHaveLength(5);
        attempts.at(-1)!.close(1006);
        vi.advanceTimersByTime(500);
        expect(measureReplacementMs()).toBe(10_500);
      },
    );

    test('when a connection never works replaces one that hangs half a second after it is woken, but none that has just begun', () => {
      const socket = connectSocket(quiet);
      vi.advanceTimersByTime(1900);
      socket.wake();
      expect(attempts).toHaveLength(1);
      vi.advanceTimersByTime(100);
      socket.wake();
      expect(attempts[0]!.ended).toBe(true);
      socket.wake();
      vi.advanceTimersByTime(499);
      expect(attempts).toHaveLength(1);
      vi.advanceTimersByTime(1);
      expect(attempts).toHaveLength(2);
      attempts[1]!.open();
      vi.advanceTimersByTime(2000);
      socket.wake();
      vi.advanceTimersByTime(500);
      expect(attempts).toHaveLength(3);
      attempts[2]!.open();
      attempts[2]!.text(welcome);
      vi.advanceTimersByTime(2000);
      socket.wake();
      expect(attempts).toHaveLength(3);
    });
  });

  test('each frame without a text has the same size [ANON-62]', () => {
    const classId = 'AAAAAAAAAAAAAAAA';
    const messageId = '00000000-0000-4000-8000-000000000000';
    const address = { rid: 1, classId, messageId };
    const examples: {
      [Type in Exclude<ClientFrame['type'], 'post' | 'edit'>]: Extract<
        ClientFrame,
        { type: Type }
      >[];
    } = {
      subscribe: [
        { type: 'subscribe', rid: 1, classId, light: true },
        { type: 'subscribe', rid: 1e9, classId, epoch: messageId, after: 1e9, afterId: 'entry--1' },
      ],
      unsubscribe: [{ type: 'unsubscribe', classId }],
      delete: [{ type: 'delete', ...address }],
      react: [
        { type: 'react', ...address, emoji: null },
        { type: 'react', ...address, emoji: '❤️' },
      ],
      vote: [
        { type: 'vote', ...address, voted: true },
        { type: 'vote', ...address, voted: false },
      ],
      choose: [
        { type: 'choose', ...address, choices: [] },
        { type: 'choose', ...address, choices: [0, 1, 2, 3, 4, 5, 6, 7] },
      ],
      answer: [
        { type: 'answer', ...address, answerId: null },
        { type: 'answer', ...address, answerId: messageId, endorsed: true },
      ],
      done: [{ type: 'done', ...address, done: true }],
      read: [
        { type: 'read', classId, seq: 1 },
        { type: 'read', classId, seq: 1e9, back: true },
      ],
      typing: [{ type: 'typing', classId }],
      viewing: [{ type: 'viewing', classId, inView: false }],
    };
    const frames = Object.values(examples).flat();
    const socket = connectSocket(quiet);
    attempts[0]!.open();

    for (const frame of frames) socket.send(frame);

    const { sent } = attempts[0]!;
    expect(sent.map((text) => JSON.parse(text) as unknown)).toEqual(frames);
    expect(new Set(sent.map((text) => Buffer.byteLength(text)))).toEqual(new Set([256]));
  });

  describe('when every connection is greeted and dropped [WIRE-8]', () => {
    const welcome = { type: 'welcome', epoch: 'e', account: 'a', maxFrameBytes: 1 };
    const live = { type: 'live', rid: 1, classId: 'x', seq: 0 };

    /** Welcomes, waits and drops the connection. @returns the longest delay until the next attempt */
    function measureReconnectMs(connectedMs: number, ...frames: object[]): number {
      const attempt = attempts.at(-1)!;
      const countBefore = attempts.length;
      attempt.open();
      for (const frame of [welcome, ...frames]) attempt.text(JSON.stringify(frame));
      vi.advanceTimersByTime(connectedMs);
      attempt.close(1006);
      let waited = 0;
      for (; attempts.length === countBefore; waited += 100) vi.advanceTimersByTime(100);
      return waited;
    }
    beforeEach(() => {
      vi.spyOn(Math, 'random').mockReturnValue(1);
      connectSocket(quiet);
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
    connectSocket(quiet);
    attempts[0]!.open();
    attempts[0]!.text(JSON.stringify({ type: 'bye', code: 1012, retryAfterMs: 7000 }));
    attempts[0]!.close(1012);
    vi.advanceTimersByTime(6999);
    expect(attempts).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(attempts).toHaveLength(2);
  });

  test('the live socket sends only when it is open, and hears nothing of a connection it gave up', () => {
    const frames: string[] = [];
    const socket = connectSocket({
      ...quiet,
      onFrame: (frame) => frames.push(frame.type),
    });
    const frame = { type: 'unsubscribe' as const, classId: 'x' };
    expect(socket.send(frame)).toBe(false);
    attempts[0]!.open();
    expect(socket.send(frame)).toBe(true);
    expect(attempts[0]!.sent.map((text) => text.trimEnd())).toEqual([JSON.stringify(frame)]);
    socket.reconnect();
    expect(attempts[0]!.ended).toBe(true);
    attempts[0]!.text(JSON.stringify({ type: 'welcome', epoch: 'old', maxFrameBytes: 1 }));
    attempts[0]!.close(1006);
    expect(attempts).toHaveLength(2);
    expect(frames).toEqual([]);
  });

  test('the live socket stays away once it is closed', () => {
    const socket = connectSocket(quiet);
    attempts[0]!.open();
    socket.close();
    attempts[0]!.close(1000);
    vi.advanceTimersByTime(60_000);
    expect(attempts).toHaveLength(1);
  });
});
