// Browsers that receive slowly or not at all: what they cost the server, and that they catch up.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import type * as Hubs from '#server/socket/hub.ts';
import { startSlowLine } from '../faults/slow-line.ts';
import type { Student } from '../../scripts/student.ts';
import { cookieOf, openRawSocket, type RawSocket } from './raw-socket.ts';
import { enter, joinClass, newClass, post, startApp, type RunningApp } from './running-app.ts';

let hub: Hubs.Hub;

vi.mock('#server/socket/hub.ts', async (importOriginal) => {
  const original = await importOriginal<typeof Hubs>();
  return { ...original, createHub: () => (hub = original.createHub()) };
});

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const longMessages = 420;
/** Three bytes per character. More than one such text does not fit into a frame. */
const longText = '語'.repeat(3900);

async function fill(student: Student, classId: string, count: number, text = longText) {
  const live = await student.connect();
  for (let said = 0; said < count; said += 20) {
    const next = Math.min(20, count - said);
    await Promise.all(Array.from({ length: next }, () => post(live, classId, text)));
  }
  live.close();
}

/** Ada's class with many long messages, and the beginning of it that Ben holds. */
async function longRoom() {
  const [ada, ben] = [await app.newStudent(), await app.newStudent()];
  const classId = await newClass(ada);
  await joinClass(ben, classId);
  await fill(ada, classId, 1);
  const live = await ben.connect();
  const { epoch, seq: after, lastId: afterId } = await enter(live, classId);
  live.close();
  await fill(ada, classId, longMessages);
  return { ada, ben, classId, held: { epoch, after, afterId } };
}

const bytesInUse = () => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const isLive = (raw: RawSocket) => raw.frames.some(({ type }) => type === 'live');
const largest = (raw: RawSocket) => Math.max(...raw.sizes);
/** One message can be larger than the frame limit. The rest of its frame is its envelope. */
const maxFrame = limits.historyFrameBytes + 500;

describe('catching up', () => {
  let room: Awaited<ReturnType<typeof longRoom>>;
  beforeAll(async () => {
    room = await longRoom();
  }, 30_000);

  test('costs little memory for sockets that read nothing, and they catch up when they read again [WIRE-16, LOG-6]', async () => {
    const { ada, ben, classId, held } = room;
    const cookie = await cookieOf(ben);
    const before = bytesInUse();
    const raws: RawSocket[] = [];
    for (let n = 0; n < 60; n++) {
      const raw = await openRawSocket(app.origin, cookie);
      raw.send({ type: 'subscribe', rid: 1, classId, ...held });
      raw.stream.pause();
      raws.push(raw);
    }
    await sleep(2000);
    await fill(ada, classId, 60);
    // 60 sockets with 420 messages of 12 KB each would need 300 MB.
    expect(bytesInUse() - before).toBeLessThan(60_000_000);

    const [first] = raws;
    first!.pongs = true;
    first!.stream.resume();
    await first!.until(() => isLive(first!));
    const seqs = first!.frames.flatMap((frame) =>
      frame.type === 'events' ? frame.items.map(({ seq }) => seq) : [],
    );
    expect(seqs).toEqual(Array.from({ length: longMessages + 60 }, (_, n) => n + 2));
    expect(largest(first!)).toBeLessThan(maxFrame);
    await fill(ada, classId, 1, 'live');
    await first!.until(() => JSON.stringify(first!.frames.at(-1)).includes('"live"'));
    for (const raw of raws) raw.stream.destroy();
  }, 60_000);

  test('leaves no state when the socket closes, for queued classes too [WIRE-18]', async () => {
    const { ben, classId, held } = room;
    const others: string[] = [];
    for (let n = 0; n < 20; n++) others.push(await newClass(ben));
    await vi.waitFor(() => expect(hub.count().connections).toBe(0), 10_000);
    const cookie = await cookieOf(ben);
    const raws = await Promise.all([1, 2, 3].map(() => openRawSocket(app.origin, cookie)));
    for (const raw of raws) {
      raw.send({ type: 'subscribe', rid: 1, classId, ...held });
      for (const [n, other] of others.entries()) {
        raw.send({ type: 'subscribe', rid: 2 + n, classId: other });
      }
      raw.stream.pause();
    }
    await vi.waitFor(() => expect(hub.count()).toEqual({ connections: 3, subscriptions: 3 }));
    for (const raw of raws) raw.stream.destroy();
    await vi.waitFor(() => expect(hub.count().connections).toBe(0));
    await sleep(500);
    expect(hub.count()).toEqual({ connections: 0, subscriptions: 0 });
  }, 30_000);

  test('uses small frames, so that a 56 kbit/s line is never silent for long [WIRE-15, CHAT-12]', async () => {
    const [ada, ben] = [await app.newStudent(), await app.newStudent()];
    const [classId, other] = [await newClass(ada), await newClass(ada)];
    for (const id of [classId, other]) await joinClass(ben, id);
    await fill(ada, classId, 50, 'x'.repeat(4000));
    await fill(ada, other, 60, 'short');
    const line = await startSlowLine(app.origin, 7000);
    const raw = await openRawSocket(
      app.origin,
      await cookieOf(ben),
      line.url.replace('ws', 'http'),
    );
    raw.pongs = true;
    line.throttle();
    const began = performance.now();
    raw.send({ type: 'subscribe', rid: 1, classId });
    await raw.until(() => isLive(raw));
    expect(performance.now() - began).toBeLessThan(8000);
    line.release();
    const snapshot = raw.frames.find((frame) => frame.type === 'snapshot')!;
    expect(snapshot).toMatchObject({ hasOlder: true });
    expect(snapshot.messages.map(({ seq }) => seq)).toEqual([47, 48, 49, 50]);
    raw.send({ type: 'subscribe', rid: 2, classId: other });
    await raw.until(() => raw.frames.some((frame) => frame.type === 'live' && frame.rid === 2));
    const short = raw.frames.findLast((frame) => frame.type === 'snapshot')!;
    expect(short).toMatchObject({ hasOlder: true });
    expect(short.messages).toHaveLength(50);
    expect(largest(raw)).toBeLessThan(maxFrame);
    raw.stream.destroy();
    line.end();

    // The rest comes as pages, which are bounded too and lose nothing.
    const seqs: number[] = [];
    for (let before = 47, more = true; more; before = seqs[0]!) {
      const query = { before, limit: 50 };
      const page = await ben.call('listMessages', { params: { classId }, query });
      expect(JSON.stringify(page).length).toBeLessThan(limits.historyPageBytes + 500);
      seqs.unshift(...page.messages.map(({ seq }) => seq));
      more = page.hasOlder;
    }
    expect(seqs).toEqual(Array.from({ length: 46 }, (_, n) => n + 1));
  }, 40_000);

  test('sends a message larger than the frame limit in its own frame [WIRE-15]', async () => {
    const ada = await app.newStudent();
    const classId = await newClass(ada);
    // Each of these characters takes six bytes in JSON.
    await fill(ada, classId, 2, `a${'\u2028'.repeat(10)}${'\\'.repeat(3900)}`);
    const live = await ada.connect();
    const { messages } = await enter(live, classId);
    expect(messages).toHaveLength(2);
    await fill(ada, classId, 3);
    expect((await enter(live, classId)).messages).toHaveLength(1);
  });

  test('delivers simultaneous messages live in consecutive frames [WIRE-15, LOG-9]', async () => {
    const [ada, ben] = [await app.newStudent(), await app.newStudent()];
    const classId = await newClass(ada);
    await joinClass(ben, classId);
    const raw = await openRawSocket(app.origin, await cookieOf(ben));
    raw.send({ type: 'subscribe', rid: 1, classId });
    await raw.until(() => isLive(raw));
    await fill(ada, classId, 60, 'x'.repeat(2000));
    await raw.until(() => raw.frames.some((frame) => frame.type === 'events' && frame.to === 60));
    let seq = 0;
    for (const frame of raw.frames) {
      if (frame.type !== 'events') continue;
      expect(frame.from).toBe(seq + 1);
      expect(frame.items.map((item) => item.seq)).toEqual(
        Array.from({ length: frame.to - seq }, (_, n) => seq + 1 + n),
      );
      expect(frame.lastId).toBe(frame.items.at(-1)!.id);
      seq = frame.to;
    }
    expect(largest(raw)).toBeLessThan(maxFrame);
    raw.stream.destroy();
  });
});
