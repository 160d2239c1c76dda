// Browsers that receive slowly or not at all cost the server little, and catch up.
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import type * as Hubs from '#server/live/hub.ts';
import { startSlowLine } from '#tests/support/slow-line.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

let hub: Hubs.LocalHub;

vi.mock('#server/live/hub.ts', async (importOriginal) => {
  const original = await importOriginal<typeof Hubs>();
  return { ...original, createLocalHub: () => (hub = original.createLocalHub()) };
});

const app = setUpApp();

const longMessages = 420;
/** Three bytes per character. More than one such text does not fit into a frame. */
const longText = '語'.repeat(3900);

async function fill(student: TestClient, classId: string, count: number, text = longText) {
  const socket = await student.connect();
  for (let postedCount = 0; postedCount < count; postedCount += 20) {
    const batchSize = Math.min(20, count - postedCount);
    await Promise.all(Array.from({ length: batchSize }, () => socket.post(classId, text)));
  }
  socket.close();
}

/** Ada's class with many long messages, and the beginning of it that Ben holds. */
async function createLongRoom() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  await fill(ada, classId, 1);
  const socket = await ben.connect();
  const { epoch, seq: seqAfter, lastId } = await socket.subscribe(classId);
  socket.close();
  await fill(ada, classId, longMessages);
  return { ada, ben, classId, held: { epoch, after: seqAfter, afterId: lastId! } };
}

const measureBytesInUse = () => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const measureLargestFrame = (socket: TestSocket) => Math.max(...socket.frameSizes);
/** One message can be larger than the frame limit. The rest of its frame is its envelope. */
const maxFrame = limits.historyFrameBytes + 500;

describe('catching up', () => {
  let room: Awaited<ReturnType<typeof createLongRoom>>;
  beforeAll(async () => {
    room = await createLongRoom();
  }, 30_000);
  // Closes the sockets of other tests.
  beforeEach(() => app.restart());

  test('sockets that read nothing cost little memory, and catch up when they read again [WIRE-16, LOG-6]', async () => {
    const { ada, ben, classId, held } = room;
    const bytesBefore = measureBytesInUse();
    const sockets: TestSocket[] = [];

    for (let n = 0; n < 60; n++) {
      const socket = await ben.connect();
      socket.send({ type: 'subscribe', rid: 1, classId, ...held });
      socket.webSocket.pause();
      sockets.push(socket);
    }

    await vi.waitFor(() => expect(hub.count().subscriptions).toBe(60), 20_000);

    await fill(ada, classId, 60);
    // 60 sockets with 420 messages of 12 KB each would need 300 MB.
    expect(measureBytesInUse() - bytesBefore).toBeLessThan(60_000_000);

    const [first] = sockets;
    first!.webSocket.resume();

    await first!.waitFor('live');

    const seqs = first!.frames.flatMap((frame) =>
      frame.type === 'events' ? frame.items.map(({ seq }) => seq) : [],
    );
    expect(seqs).toEqual(Array.from({ length: longMessages + 60 }, (_, n) => n + 2));
    expect(measureLargestFrame(first!)).toBeLessThan(maxFrame);

    await fill(ada, classId, 1, 'live');
    await first!.waitFor('events', (frame) => JSON.stringify(frame).includes('"live"'));
    for (const { webSocket } of sockets) webSocket.terminate();
  }, 60_000);

  test('a closed socket leaves no state of catching up [WIRE-17]', async () => {
    const { ben, classId, held } = room;
    const otherClassIds: string[] = [];
    for (let n = 0; n < 20; n++) otherClassIds.push(await ben.createClass());
    const sockets = await Promise.all([1, 2, 3].map(() => ben.connect()));
    for (const socket of sockets) {
      socket.send({ type: 'subscribe', rid: 1, classId, ...held });
      for (const [n, other] of otherClassIds.entries()) {
        socket.send({ type: 'subscribe', rid: 2 + n, classId: other });
      }
      socket.webSocket.pause();
    }

    await vi.waitFor(() => expect(hub.count()).toEqual({ connections: 3, subscriptions: 3 }));
    for (const { webSocket } of sockets) webSocket.terminate();
    await vi.waitFor(() => expect(hub.count().connections).toBe(0));

    // The server has finished the work for the closed sockets before it does this.
    const reader = await ben.connect();
    for (const other of otherClassIds) await reader.subscribe(other);
    expect(hub.count()).toEqual({ connections: 1, subscriptions: otherClassIds.length });

    reader.close();
  }, 30_000);

  test('a socket catches up in frames that keep a 56 kbit/s line busy [WIRE-15, CHAT-12]', async () => {
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    const classId = await ada.createClass();
    const otherClassId = await ada.createClass();
    for (const id of [classId, otherClassId]) await ben.join(id);
    await fill(ada, classId, 50, 'x'.repeat(4000));
    await fill(ada, otherClassId, 60, 'short');
    const line = await startSlowLine(app.origin, 7000);
    const socket = await ben.connect({ url: line.url });
    line.throttle();
    const began = performance.now();

    socket.send({ type: 'subscribe', rid: 1, classId });
    await socket.waitFor('live');

    expect(performance.now() - began).toBeLessThan(8000);

    line.release();
    const snapshot = await socket.waitFor('snapshot');
    expect(snapshot).toMatchObject({ hasOlder: true });
    expect(snapshot.messages.map(({ seq }) => seq)).toEqual([47, 48, 49, 50]);

    const short = await socket.subscribe(otherClassId);
    expect(short).toMatchObject({ hasOlder: true });
    expect(short.messages).toHaveLength(50);
    expect(measureLargestFrame(socket)).toBeLessThan(maxFrame);

    socket.close();
    line.end();

    // The rest comes as pages, which are bounded too and lose nothing.
    const seqs: number[] = [];
    for (let beforeSeq = 47, hasOlder = true; hasOlder; beforeSeq = seqs[0]!) {
      const query = { before: beforeSeq, limit: 50 };
      const page = await ben.call('listMessages', { params: { classId }, query });
      expect(JSON.stringify(page).length).toBeLessThan(limits.historyPageBytes + 500);
      seqs.unshift(...page.messages.map(({ seq }) => seq));
      hasOlder = page.hasOlder;
    }
    expect(seqs).toEqual(Array.from({ length: 46 }, (_, n) => n + 1));
  }, 40_000);

  test('a message larger than the frame limit has its own frame [WIRE-15]', async () => {
    const ada = await app.createStudent();
    const classId = await ada.createClass();
    // Each of these characters takes six bytes in JSON.
    await fill(ada, classId, 2, `a${'\u2028'.repeat(10)}${'\\'.repeat(3900)}`);
    const socket = await ada.connect();

    const { messages } = await socket.subscribe(classId);

    expect(messages).toHaveLength(2);

    await fill(ada, classId, 3);
    expect((await socket.subscribe(classId)).messages).toHaveLength(1);
  });

  test('messages that are posted during the catching up follow in consecutive frames [WIRE-15]', async () => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const socket = await ben.connectTo(classId);
    await fill(ada, classId, 60, 'x'.repeat(2000));
    await socket.waitFor('events', ({ to }) => to === 60);
    let seq = 0;

    for (const frame of socket.frames) {
      if (frame.type !== 'events') continue;
      expect(frame.from).toBe(seq + 1);
      expect(frame.items.map((item) => item.seq)).toEqual(
        Array.from({ length: frame.to - seq }, (_, n) => seq + 1 + n),
      );
      expect(frame.lastId).toBe(frame.items.at(-1)!.id);
      seq = frame.to;
    }
    expect(measureLargestFrame(socket)).toBeLessThan(maxFrame);
  });
});
