import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import { FakeBrowser, type FakeTab } from '#web/sync/testing/fake-browser.ts';
import { FakeServer } from '#web/sync/testing/fake-server.ts';

const classIds = ['one', 'two', 'three'];
const ada = 'ada'.padEnd(16, '-');
const mention = toMentionToken(ada);
const tab = fc.nat(2);
const inClass = fc.nat(2);

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('say' as const),
      class: inClass,
      times: fc.constantFrom(1, 1, 1, 3, 60),
      by: fc.constantFrom('cem', 'cem', ada),
      text: fc.constantFrom('news', 'news', mention, `\\${mention}`),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('delete' as const), class: inClass, n: fc.nat(70) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('edit' as const),
      class: inClass,
      n: fc.nat(10),
      text: fc.constantFrom('news', mention),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom('open', 'read', 'unread'),
      class: inClass,
      tab,
      n: fc.nat(8),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constantFrom('up', 'down'),
      tab,
      frames: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('drop', 'connect'), tab }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.nat(3000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function take(one: Step, server: FakeServer, tabs: FakeTab[]): Promise<void> {
  const classId = 'class' in one ? classIds[one.class]! : '';
  const at = 'tab' in one ? tabs[one.tab]! : undefined;
  await vi.advanceTimersByTimeAsync(1);
  switch (one.does) {
    case 'say':
      for (let n = 0; n < one.times; n++) {
        server.say(classId, crypto.randomUUID(), one.by, one.text);
      }
      return;
    case 'delete':
      return server.delete(classId, server.listMessages(classId).at(-1 - one.n)?.id ?? '');
    case 'edit':
      return server.edit(classId, server.listMessages(classId).at(-1 - one.n)?.id ?? '', one.text);
    case 'open':
      at?.live.room(classId);
      return;
    case 'read':
      return at?.live.room(classId).markRead();
    case 'unread': {
      const room = at?.live.room(classId);
      const id = room?.getSnapshot().messages.at(-1 - one.n)?.id;
      if (id !== undefined) room?.markUnreadFrom(id);
      return;
    }
    case 'up':
      for (let n = 0; n < one.frames; n++) at?.wire()?.deliverUp();
      return;
    case 'down':
      for (let n = 0; n < one.frames; n++) at?.wire()?.deliverDown();
      return;
    case 'drop':
      return at?.wire()?.drop();
    case 'connect':
      return at?.wire()?.open();
    case 'wait':
      await vi.advanceTimersByTimeAsync(one.ms);
  }
}

async function calmDown(tabs: FakeTab[]): Promise<void> {
  for (let quiet = 0; quiet < 12; quiet++) {
    await vi.advanceTimersByTimeAsync(3000);
    for (const { wire } of tabs) {
      wire()?.open();
      while ((wire()?.up.length ?? 0) + (wire()?.down.length ?? 0) > 0) {
        wire()?.deliverUp();
        wire()?.deliverDown();
        await vi.advanceTimersByTimeAsync(0);
      }
    }
  }
}

test('every tab of two devices counts the unread messages and mentions that the server has, open classes or not [LIST-10, LIST-20, WIRE-42, MENTION-12]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const server = new FakeServer(200);
      const devices = [new FakeBrowser(server, ada), new FakeBrowser(server, ada)];
      const tabs = [devices[0]!.openTab(), devices[0]!.openTab(), devices[1]!.openTab()];
      for (const { live } of tabs) live.follow(classIds);
      await calmDown(tabs);
      for (const one of steps) await take(one, server, tabs);
      await calmDown(tabs);
      for (const classId of classIds) {
        const truth = server.countUnread(ada, classId);
        for (const { live } of tabs) {
          const { count, hasMore, mentions, hasMoreMentions } = live.unread(classId).getSnapshot();
          // An open class may not hold the oldest unread messages, and says so.
          if (!hasMore) expect({ unread: count, mentions }).toEqual(truth);
          if (!hasMoreMentions) expect(mentions).toBe(truth.mentions);
          expect(count).toBeLessThanOrEqual(truth.unread);
          expect(mentions).toBeLessThanOrEqual(truth.mentions);
        }
      }
      for (const one of tabs) one.close();
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 200) },
  );
}, 120_000);
