import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Message } from '#contract/entities.ts';
import { createRejectedError } from '#web/rejected-error.ts';
import type { ServerFrame } from '#contract/socket.ts';
import type { Room, RoomMessage } from './room/room.ts';
import type { StoredEntry } from './outbox/outbox-storage.ts';
import { FakeBrowser } from './testing/fake-browser.ts';
import { FakeServer } from './testing/fake-server.ts';

const classIds = ['one', 'two'];

const tabArbitrary = fc.nat(5);
const inClass = fc.nat(1);
const stepArbitrary = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('post' as const),
      tab: tabArbitrary,
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
      tab: tabArbitrary,
      frames: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('open' as const), tab: tabArbitrary }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('openMute' as const), tab: tabArbitrary }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom('drop', 'repeat', 'lose', 'close', 'retry', 'freeze', 'editUnsent'),
      tab: tabArbitrary,
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
      tab: tabArbitrary,
      class: inClass,
      message: fc.nat(8),
      how: fc.constantFrom('open', 'date', 'older', 'newer', 'newest'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom('read' as const, 'unread' as const),
      tab: tabArbitrary,
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

const steps = fc.array(stepArbitrary, { maxLength: 80, size: 'max' });

type Step = typeof stepArbitrary extends fc.Arbitrary<infer One> ? One : never;

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
  const posts: { id: string; classId: string; browser: number; picture: string | null }[] = [];
  const settle = () => vi.advanceTimersByTimeAsync(0);
  const listTabs = () => browsers.flatMap((browser) => browser.tabs);
  const pick = (n: number) => listTabs()[n % Math.max(1, listTabs().length)];

  /** Resolves after the welcome frame. Before it, unsent messages have no account and stay in memory. */
  async function openTab(browser: FakeBrowser): Promise<void> {
    const tab = browser.openTab();
    tab.live.follow(classIds);
    for (const classId of classIds) tab.live.room(classId);
    tab.wire()?.open();
    tab.wire()?.deliverDown();
    await settle();
  }

  async function post({
    tab: n,
    class: classIndex,
    picture,
  }: Step & { does: 'post' }): Promise<void> {
    const from = pick(n);
    const classId = classIds[classIndex]!;
    if (!from) return;
    const room = from.live.room(classId);
    const content = picture === 'none' ? null : `picture ${posts.length}`;
    if (content !== null) await room.staging.add([new File([content], 'x')]);
    if (picture === 'uploaded') await vi.advanceTimersByTimeAsync(server.uploadMs + 1);
    // Meanwhile the server may have rejected the picture, or the test may have closed the tab.
    const staged = room.staging.getSnapshot().pictures.length > 0;
    room.showNewest();
    const idsBefore = new Set(room.getSnapshot().messages.map(({ id }) => id));
    room.post(`said ${posts.length}`);
    const message = room.getSnapshot().messages.find(({ id }) => !idsBefore.has(id));
    if (!message) throw new Error('It must be shown at once.');
    const browser = browsers.findIndex((candidate) => candidate.tabs.includes(from));
    posts.push({ id: message.id, classId, browser, picture: staged ? content : null });
  }

  async function takeStep(step: Step): Promise<void> {
    const wire = 'tab' in step ? pick(step.tab)?.wire() : undefined;
    // Each event gets its own millisecond.
    await vi.advanceTimersByTimeAsync(1);
    switch (step.does) {
      case 'post':
        return post(step);
      case 'up':
        for (let i = 0; i < step.frames; i++) wire?.deliverUp();
        return;
      case 'down':
        for (let i = 0; i < step.frames; i++) wire?.deliverDown();
        return;
      case 'open':
        pick(step.tab)?.wake();
        return pick(step.tab)?.wire()?.open();
      case 'openMute':
        return wire?.open(false);
      case 'drop':
        return wire?.drop();
      case 'repeat': {
        const frame = wire?.serverFrames[0];
        if (frame?.type === 'events') wire?.inject(frame);
        return;
      }
      case 'lose':
        if (wire?.serverFrames[0]?.type === 'events') wire.serverFrames.shift();
        return;
      case 'close':
        return pick(step.tab)?.close();
      case 'freeze':
        return pick(step.tab)?.freeze();
      case 'retry':
        for (const classId of classIds) {
          const room = pick(step.tab)?.live.room(classId);
          for (const { id, delivery } of room?.getSnapshot().messages ?? []) {
            if (delivery === 'failed') room?.retry(id);
          }
        }
        return;
      case 'editUnsent':
        for (const classId of classIds) {
          const room = pick(step.tab)?.live.room(classId);
          for (const { id, delivery } of room?.getSnapshot().messages ?? []) {
            if (delivery === 'sending') void room?.edit(id, `said better ${Date.now()}`);
          }
        }
        return;
      case 'newTab':
        return openTab(browsers[step.browser]!);
      case 'change': {
        const classId = classIds[step.class]!;
        const id = server.listMessages(classId)[step.message]?.id ?? '';
        if (step.how === 'edit') server.edit(classId, id, `edited ${Date.now()}`);
        if (step.how === 'delete') server.delete(classId, id);
        if (step.how === 'react') server.react(classId, id, 'cem', '👍');
        return;
      }
      case 'history': {
        const classId = classIds[step.class]!;
        const room = pick(step.tab)?.live.room(classId);
        const id = server.listMessages(classId)[step.message]?.id ?? '';
        // The response arrives at any time.
        if (step.how === 'open') void room?.openMessage(id);
        if (step.how === 'date') void room?.openTime(0);
        if (step.how === 'older') void room?.loadOlder();
        if (step.how === 'newer') void room?.loadNewer();
        if (step.how === 'newest') room?.showNewest();
        return;
      }
      case 'read':
      case 'unread': {
        const room = pick(step.tab)?.live.room(classIds[step.class]!);
        const id = room?.getSnapshot().messages[step.message]?.id;
        if (step.does === 'read') room?.markRead();
        else if (id !== undefined) room?.markUnreadFrom(id);
        return;
      }
      case 'reject':
        server.refusals.push(
          step.forGood
            ? { code: 'INVALID', message: 'No.' }
            : { code: 'TOO_MANY', message: 'Wait.', retryAfterMs: 3000 },
        );
        return;
      case 'pictures':
        if (step.what === 'collect') server.collect();
        if (step.what === 'lose') server.uploadErrors.push(null);
        if (step.what === 'reject') server.uploadErrors.push(createRejectedError('TOO_MANY'));
        if (step.what === 'slow') server.uploadMs = 3000;
        if (step.what === 'quick') server.uploadMs = 0;
        return;
      case 'wait':
        await vi.advanceTimersByTimeAsync(step.ms);
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
      let hasMoved = false;
      for (const tab of listTabs()) {
        const wire = tab.wire();
        if (!wire) continue;
        wire.open();
        if (!wire.greeted) continue;
        while (wire.clientFrames.length + wire.serverFrames.length > 0) {
          wire.deliverUp();
          const [frame] = wire.serverFrames;
          // A tab checks for missed frames once a minute.
          if (frame?.type !== 'live') hasMoved = true;
          if (isOnItsWay(frame)) break;
          wire.deliverDown();
          await settle();
        }
      }
      quiet = hasMoved ? 0 : quiet + 1;
    }
  }
  return { server, browsers, posts, listTabs, openTab, takeStep, calmDown };
}

const toContent = ({ id, seq, text, reactions, imageUrl }: RoomMessage | Message) => ({
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
    const sentMessages = messages.filter(({ delivery }) => delivery === 'sent').map(toContent);
    const start = truth.findIndex((message) => (message as RoomMessage).id === sentMessages[0]?.id);
    if (sentMessages.length > 0) {
      expect(sentMessages).toEqual(truth.slice(start, start + sentMessages.length));
    }
    if (newer === 'none') return;
    await room.loadNewer();
  }
}

describe('several browsers over one server', () => {
  test('lose nothing, double nothing and agree, whatever the network does [PIC-30, LOG-3, LOG-6, LOG-14, SEND-7, SEND-8, SEND-17, WIRE-8, WIRE-25, WIRE-26, WIRE-40, LIST-20]', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.constantFrom(0, 0, 20_000, 50_000),
        async (stepsToTake, frameMs) => {
          const world = createWorld();
          const { server, browsers, posts, listTabs } = world;
          for (const browser of browsers) await world.openTab(browser);
          for (const step of stepsToTake) {
            await world.takeStep(step);
            for (const { live } of listTabs()) {
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
            for (const tab of listTabs().filter((candidate) => candidate.wire())) {
              const room = tab.live.room(classId);
              const failedIds = new Set(
                room
                  .getSnapshot()
                  .messages.flatMap(({ id, delivery }) => (delivery === 'failed' ? [id] : [])),
              );
              // If two tabs sent a message and the server rejected it once, its failed correction is shown instead.
              const truth = server
                .listMessages(classId)
                .filter(({ id }) => !failedIds.has(id))
                .map(toContent);
              await expectTrueWindow(room, truth);
              while (room.getSnapshot().older === 'some') await room.loadOlder();
              const { messages } = room.getSnapshot();
              expect(messages.filter(({ delivery }) => delivery === 'sent').map(toContent)).toEqual(
                truth,
              );
              expect(messages.filter(({ delivery }) => delivery === 'sending')).toEqual([]);
              const { account } = browsers.find(({ tabs: ownTabs }) => ownTabs.includes(tab))!;
              const readSeq = server.getReadSeq(account, classId);
              expect(room.getSnapshot().readSeq).toBe(readSeq);
              const unread = server
                .listMessages(classId)
                .filter(({ seq, memberId }) => seq > readSeq && memberId !== account);
              expect(room.getSnapshot().unread.count).toBe(unread.length);
            }
          }
          const unsentEntries = new Map<string, StoredEntry>();
          for (const { storage, account } of browsers) {
            for (const entry of await storage.list(account)) {
              expect(entry.failure).toBe('No.');
              unsentEntries.set(entry.id, entry);
            }
          }
          for (const { id, classId, picture } of posts) {
            const unsentEntry = unsentEntries.get(id);
            const count = server.countPosted(id);
            if (!unsentEntry) expect(count).toBe(1);
            else if (!unsentEntry.edited) expect(count).toBe(0);
            const message = server.listMessages(classId).find((candidate) => candidate.id === id);
            if (message) expect(await server.loadPicture(message)).toBe(picture);
          }
          for (const tab of [...listTabs()]) tab.close();
        },
      ),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 300) },
    );
  });
});
