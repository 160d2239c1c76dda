import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Replay } from '#server/chat/messages/catch-up.ts';
import type { EncodedEvents } from '#server/live/frames.ts';
import { ClassFeed } from './class-feed.ts';

const classId = 'AAAAAAAAAAAAAAAA';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A log whose head the test sets, and the feed of one node on it. */
function createNode() {
  const state = { head: 0, reads: 0, isDown: false };
  const published: [number, number][] = [];
  const createEvents = (from: number, to: number): EncodedEvents => ({
    from,
    to,
    frame: Buffer.alloc(0),
    items: () => [],
  });
  /** Answers in a later turn, as a database does. */
  const runQuery = async <Value>(value: () => Value): Promise<Value> => {
    if (state.isDown) throw new Error('The database is gone.');
    const result = value();
    await Promise.resolve();
    return result;
  };
  const feed = new ClassFeed({
    listHeads: (ids) => runQuery(() => new Map(ids.map((id) => [id, state.head]))),
    findEntriesAfter: (_, seq) =>
      runQuery((): Replay | null => {
        state.reads += 1;
        if (seq >= state.head) return null;
        return { from: seq + 1, to: Math.min(state.head, seq + 3), lastId: '', items: [] };
      }),
    encode: (_, { from, to }) => createEvents(from, to),
    publish: (_, { from, to }) => published.push([from, to]),
    hasNodes: true,
    onFirstListener: async () => {},
    log: { warn() {} },
  });
  return {
    state,
    published,
    feed,
    offer: (from: number, to: number) => feed.offer(classId, createEvents(from, to)),
  };
}

/** The seqs in the order in which they were published. */
const listSeqs = (published: readonly [number, number][]) =>
  published.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
const listSeqsUpTo = (last: number, from = 1) =>
  Array.from({ length: last - from + 1 }, (_, i) => from + i);

test('frames that continue the log are published without reading it [NODE-3]', async () => {
  const { state, published, feed, offer } = createNode();
  await feed.listen(classId, {});
  await vi.advanceTimersByTimeAsync(0);
  const readsBefore = state.reads;
  for (let seq = 1; seq <= 5; seq++) {
    state.head = seq;
    offer(seq, seq);
  }
  expect(listSeqs(published)).toEqual(listSeqsUpTo(5));
  expect(state.reads).toBe(readsBefore);
  await feed.stop();
});

test('a frame that overtakes another one waits for it [NODE-3]', async () => {
  const { state, published, feed, offer } = createNode();
  await feed.listen(classId, {});
  await vi.advanceTimersByTimeAsync(0);
  state.head = 3;
  const readsBefore = state.reads;
  offer(3, 3);
  offer(2, 2);
  expect(published).toEqual([]);
  offer(1, 1);
  expect(listSeqs(published)).toEqual([1, 2, 3]);
  await vi.advanceTimersByTimeAsync(29);
  expect(state.reads).toBe(readsBefore);
  await feed.stop();
});

test('a lost frame is read from the log as soon as a later one shows it [NODE-3]', async () => {
  const { state, published, feed, offer } = createNode();
  await feed.listen(classId, {});
  await vi.advanceTimersByTimeAsync(0);
  state.head = 2;
  offer(2, 2);
  await vi.advanceTimersByTimeAsync(30);
  expect(listSeqs(published)).toEqual([1, 2]);
  offer(2, 2);
  offer(1, 2);
  expect(listSeqs(published)).toEqual([1, 2]);
  await feed.stop();
});

test('a lost frame that nothing follows is found within two seconds, also after a failure [NODE-4]', async () => {
  const { state, published, feed } = createNode();
  await feed.listen(classId, {});
  await vi.advanceTimersByTimeAsync(0);
  state.head = 7;
  state.isDown = true;
  await vi.advanceTimersByTimeAsync(2000);
  expect(published).toEqual([]);
  state.isDown = false;
  await vi.advanceTimersByTimeAsync(2000);
  expect(listSeqs(published)).toEqual(listSeqsUpTo(7));
  await feed.stop();
});

test('frames that come before the head was read are not lost [NODE-3]', async () => {
  const { state, published, feed, offer } = createNode();
  state.head = 4;
  const listening = feed.listen(classId, {});
  state.head = 5;
  offer(5, 5);
  await listening;
  await vi.advanceTimersByTimeAsync(0);
  expect(listSeqs(published)).toEqual([5]);
  await feed.stop();
});

test('a listener that leaves and comes back gets what follows the new head [NODE-3]', async () => {
  const { state, published, feed, offer } = createNode();
  const listener = {};
  await feed.listen(classId, listener);
  feed.unlisten(classId, listener);
  feed.unlisten(classId, listener);
  state.head = 3;
  offer(3, 3);
  await feed.listen(classId, listener);
  await vi.advanceTimersByTimeAsync(2000);
  expect(published).toEqual([]);
  state.head = 4;
  offer(4, 4);
  expect(listSeqs(published)).toEqual([4]);
  await feed.stop();
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'lost, repeated and reordered frames change neither order nor number (seed %i) [NODE-3]',
  async (seed) => {
    let random = seed * 7919;
    const drawNumber = (bound: number) => {
      random = (random * 48271) % 2147483647;
      return random % bound;
    };
    const { state, published, feed, offer } = createNode();
    await feed.listen(classId, {});
    const sentRanges: [number, number][] = [];
    for (let round = 0; round < 1000; round++) {
      const count = 1 + drawNumber(3);
      sentRanges.push([state.head + 1, state.head + count]);
      state.head += count;
      // Of the last frames, any arrives, in any order, any number of times.
      for (let times = drawNumber(4); times > 0; times--) {
        const [from, to] = sentRanges[Math.max(0, sentRanges.length - 1 - drawNumber(5))] ?? [1, 1];
        offer(from, to);
      }
      if (drawNumber(3) === 0) await vi.advanceTimersByTimeAsync(drawNumber(60));
    }
    await vi.advanceTimersByTimeAsync(2000);
    expect(listSeqs(published)).toEqual(listSeqsUpTo(state.head));
    await feed.stop();
  },
);
