import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Message } from '#contract/entities.ts';
import { createRejectedError } from '#web/rejected-error.ts';
import type { ServerFrame } from '#contract/socket.ts';
import type { Room, RoomMessage } from './room/room.ts';
import { FakeBrowser } from './testing/fake-browser.ts';
import { FakeServer } from './testing/fake-server.ts';

const classIds = ['one', 'two'];

const tab = fc.nat(5);
const inClass = fc.nat(1);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('post' as const),
      tab,
      class: inClass,
      picture: fc.constantFrom('none', 'none', 'just chosen', 'uploaded'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('pictures' as const),
      what: fc.constantFrom('collect', 'lose', 'reject', 'slow', 'quick'),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constantFrom('up' as const, 'down' as const),
      tab,
      frames: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('open' as const), tab }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('openMute' as const), tab }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom('drop', 'repeat', 'lose', 'close', 'retry', 'freeze'),
      tab,
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('newTab' as const), browser: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('change' as const),
      class: inClass,
      message: fc.nat(8),
      how: fc.constantFrom('edit', 'delete', 'react'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom('history' as const),
      tab,
      class: inClass,
      message: fc.nat(8),
      how: fc.constantFrom('open', 'date', 'older', 'newer', 'newest'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom('read' as const, 'unread' as const),
      tab,
      class: inClass,
      message: fc.nat(8),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('reject' as const), forGood: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.nat(20_000) }) },
);

const steps = fc.array(step, { maxLength: 80, size: 'max' });

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Two devices of Ada, one of them without locks, and one of Ben. */
function createWorld() {
  const server = new FakeServer(4);
  const browsers = [
    new FakeBrowser(server, 'ada'),
    new FakeBrowser(server, 'ada', { hasLocks: false }),
    new FakeBrowser(server, 'ben'),
  ];
  const posted: { id: string; classId: string; browser: number; picture: string | null }[] = [];
  const settle = () => vi.advanceTimersByTimeAsync(0);
  const tabs = () => browsers.flatMap((browser) => browser.tabs);
  const pick = (n: number) => tabs()[n % Math.max(1, tabs().length)];

  /** Resolves after the welcome frame. Before it, unsent messages have no account and stay in memory. */
  async function openTab(browser: FakeBrowser): Promise<void> {
    const opened = browser.openTab();
    opened.live.follow(classIds);
    for (const classId of classIds) opened.live.room(classId);
    opened.wire()?.open();
    opened.wire()?.deliverDown();
    await settle();
  }

  async function post({ tab: n, class: at, picture }: Step & { does: 'post' }): Promise<void> {
    const from = pick(n);
    const classId = classIds[at]!;
    if (!from) return;
    const room = from.live.room(classId);
    const content = picture === 'none' ? null : `picture ${posted.length}`;
    if (content !== null) await room.staging.add([new File([content], 'x')]);
    if (picture === 'uploaded') await vi.advanceTimersByTimeAsync(server.uploadMs + 1);
    // Meanwhile the server may have rejected the picture, or the test may have closed the tab.
    const staged = room.staging.getSnapshot().pictures.length > 0;
    room.showNewest();
    const before = new Set(room.getSnapshot().messages.map(({ id }) => id));
    room.post(`said ${posted.length}`);
    const added = room.getSnapshot().messages.find(({ id }) => !before.has(id));
    if (!added) throw new Error('It must be shown at once.');
    const browser = browsers.findIndex((one) => one.tabs.includes(from));
    posted.push({ id: added.id, classId, browser, picture: staged ? content : null });
  }

  async function take(one: Step): Promise<void> {
    const wire = 'tab' in one ? pick(one.tab)?.wire() : undefined;
    // Each event gets its own millisecond.
    await vi.advanceTimersByTimeAsync(1);
    switch (one.does) {
      case 'post':
        return post(one);
      case 'up':
        for (let i = 0; i < one.frames; i++) wire?.deliverUp();
        return;
      case 'down':
        for (let i = 0; i < one.frames; i++) wire?.deliverDown();
        return;
      case 'open':
        pick(one.tab)?.wake();
        return pick(one.tab)?.wire()?.open();
      case 'openMute':
        return wire?.open(false);
      case 'drop':
        return wire?.drop();
      case 'repeat': {
        const frame = wire?.down[0];
        if (frame?.type === 'events') wire?.inject(frame);
        return;
      }
      case 'lose':
        if (wire?.down[0]?.type === 'events') wire.down.shift();
        return;
      case 'close':
        return pick(one.tab)?.close();
      case 'freeze':
        return pick(one.tab)?.freeze();
      case 'retry':
        for (const classId of classIds) {
          const room = pick(one.tab)?.live.room(classId);
          for (const { id, delivery } of room?.getSnapshot().messages ?? []) {
            if (delivery === 'failed') room?.retry(id);
          }
        }
        return;
      case 'newTab':
        return openTab(browsers[one.browser]!);
      case 'change': {
        const classId = classIds[one.class]!;
        const id = server.listMessages(classId)[one.message]?.id ?? '';
        if (one.how === 'edit') server.edit(classId, id, `edited ${Date.now()}`);
        if (one.how === 'delete') server.delete(classId, id);
        if (one.how === 'react') server.react(classId, id, 'cem', '👍');
        return;
      }
      case 'history': {
        const classId = classIds[one.class]!;
        const room = pick(one.tab)?.live.room(classId);
        const id = server.listMessages(classId)[one.message]?.id ?? '';
        // The response arrives at any time.
        if (one.how === 'open') void room?.openMessage(id);
        if (one.how === 'date') void room?.openTime(0);
        if (one.how === 'older') void room?.loadOlder();
        if (one.how === 'newer') void room?.loadNewer();
        if (one.how === 'newest') room?.showNewest();
        return;
      }
      case 'read':
      case 'unread': {
        const room = pick(one.tab)?.live.room(classIds[one.class]!);
        const id = room?.getSnapshot().messages[one.message]?.id;
        if (one.does === 'read') room?.markRead();
        else if (id !== undefined) room?.markUnreadFrom(id);
        return;
      }
      case 'reject':
        server.refusals.push(
          one.forGood
            ? { code: 'INVALID', message: 'No.' }
            : { code: 'TOO_MANY', message: 'Wait.', retryAfterMs: 3000 },
        );
        return;
      case 'pictures':
        if (one.what === 'collect') server.collect();
        if (one.what === 'lose') server.uploadErrors.push(null);
        if (one.what === 'reject') server.uploadErrors.push(createRejectedError('TOO_MANY'));
        if (one.what === 'slow') server.uploadMs = 3000;
        if (one.what === 'quick') server.uploadMs = 0;
        return;
      case 'wait':
        await vi.advanceTimersByTimeAsync(one.ms);
    }
  }

  /**
   * Connects every new wire and delivers all frames until the system is idle.
   *
   * @param frameMs how long a snapshot or an events frame takes on each wire
   */
  async function calmDown(frameMs: number): Promise<void> {
    const arrivesAt = new Map<ServerFrame, number>();
    const isOnItsWay = (frame: ServerFrame | undefined) => {
      if (frame?.type !== 'snapshot' && frame?.type !== 'events') return false;
      if (!arrivesAt.has(frame)) arrivesAt.set(frame, Date.now() + frameMs);
      return Date.now() < arrivesAt.get(frame)!;
    };
    // A silent wire times out after 40 seconds and is replaced 15 seconds later.
    for (let quiet = 0, rounds = 0; quiet < 18; rounds++) {
      if (rounds > 1000) throw new Error('It never gets level.');
      await vi.advanceTimersByTimeAsync(4000);
      let moved = false;
      for (const one of tabs()) {
        const wire = one.wire();
        if (!wire) continue;
        wire.open();
        if (!wire.greeted) continue;
        while (wire.up.length + wire.down.length > 0) {
          wire.deliverUp();
          const [frame] = wire.down;
          // A tab checks for missed frames once a minute.
          if (frame?.type !== 'live') moved = true;
          if (isOnItsWay(frame)) break;
          wire.deliverDown();
          await settle();
        }
      }
      quiet = moved ? 0 : quiet + 1;
    }
  }
  return { server, browsers, posted, tabs, openTab, take, calmDown };
}

const content = ({ id, seq, text, reactions, imageUrl }: RoomMessage | Message) => ({
  id,
  seq,
  text,
  reactions,
  imageUrl,
});

/** Expects the shown messages to be a gapless part of the log, and reads on to the newest one. */
async function expectTrueWindow(room: Room, truth: readonly unknown[]): Promise<void> {
  for (;;) {
    const { messages, newer } = room.getSnapshot();
    const sent = messages.filter(({ delivery }) => delivery === 'sent').map(content);
    const start = truth.findIndex((one) => (one as RoomMessage).id === sent[0]?.id);
    if (sent.length > 0) expect(sent).toEqual(truth.slice(start, start + sent.length));
    if (newer === 'none') return;
    await room.loadNewer();
  }
}

describe('several browsers over one server', () => {
  test('lose nothing, double nothing and agree, whatever the network does [PIC-30, LOG-3, LOG-6, LOG-8, LOG-14, LOG-15, SEND-7, SEND-8, WIRE-8, WIRE-25, WIRE-26, WIRE-41, LIST-20]', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(0, 0, 20_000, 50_000), async (taken, frameMs) => {
        const world = createWorld();
        const { server, browsers, posted, tabs } = world;
        for (const browser of browsers) await world.openTab(browser);
        for (const one of taken) {
          await world.take(one);
          for (const { live } of tabs()) {
            for (const classId of classIds) {
              const ids = live
                .room(classId)
                .getSnapshot()
                .messages.map(({ id }) => id);
              expect(new Set(ids).size).toBe(ids.length);
            }
          }
        }
        // The next tab that opens sends what a closed tab left.
        for (const browser of browsers) await world.openTab(browser);
        await world.calmDown(frameMs);
        // A tab only detects a lost frame when the next event arrives.
        for (const [n, classId] of classIds.entries()) server.say(classId, `news ${n}`);
        await world.calmDown(frameMs);

        for (const classId of classIds) {
          const truth = server.listMessages(classId).map(content);
          for (const one of tabs().filter(({ wire }) => wire())) {
            const room = one.live.room(classId);
            await expectTrueWindow(room, truth);
            while (room.getSnapshot().older === 'some') await room.loadOlder();
            const { messages } = room.getSnapshot();
            expect(messages.filter(({ delivery }) => delivery === 'sent').map(content)).toEqual(
              truth,
            );
            expect(messages.filter(({ delivery }) => delivery === 'sending')).toEqual([]);
            const { account } = browsers.find(({ tabs: own }) => own.includes(one))!;
            const readSeq = server.getReadSeq(account, classId);
            expect(room.getSnapshot().readSeq).toBe(readSeq);
            const unread = server
              .listMessages(classId)
              .filter(({ seq, memberId }) => seq > readSeq && memberId !== account);
            expect(room.getSnapshot().unread.count).toBe(unread.length);
          }
        }
        const left = new Set<string>();
        for (const { storage, account } of browsers) {
          for (const entry of await storage.list(account)) {
            expect(entry.failure).toBe('No.');
            left.add(entry.id);
          }
        }
        for (const { id, classId, picture } of posted) {
          expect(server.countPosted(id)).toBe(left.has(id) ? 0 : 1);
          const message = server.listMessages(classId).find((one) => one.id === id);
          if (message) expect(await server.loadPicture(message)).toBe(picture);
        }
        for (const one of [...tabs()]) one.close();
      }),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 300) },
    );
  }, 120_000);
});
