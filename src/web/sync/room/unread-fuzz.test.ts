import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import { FakeBrowser, type FakeTab } from '#web/sync/testing/fake-browser.ts';
import { FakeServer } from '#web/sync/testing/fake-server.ts';

const classIds = ['one', 'two', 'three'];
const ada = 'ada'.padEnd(16, '-');
const mention = toMentionToken(ada);
const tabArbitrary = fc.nat(2);
const inClass = fc.nat(2);

const stepArbitrary = fc.oneof(
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
      tab: tabArbitrary,
      n: fc.nat(8),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constantFrom('up', 'down'),
      tab: tabArbitrary,
      frames: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constantFrom('drop', 'connect'), tab: tabArbitrary }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.nat(3000) }) },
);
type Step = typeof stepArbitrary extends fc.Arbitrary<infer One> ? One : never;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function takeStep(step: Step, server: FakeServer, tabs: FakeTab[]): Promise<void> {
  const classId = 'class' in step ? classIds[step.class]! : '';
  const tab = 'tab' in step ? tabs[step.tab]! : undefined;
  await vi.advanceTimersByTimeAsync(1);
  switch (step.does) {
    case 'say':
      for (let n = 0; n < step.times; n++) {
        server.say(classId, crypto.randomUUID(), step.by, step.text);
      }
      return;
    case 'delete':
      return server.delete(classId, server.listMessages(classId).at(-1 - step.n)?.id ?? '');
    case 'edit':
      return server.edit(
        classId,
        server.listMessages(classId).at(-1 - step.n)?.id ?? '',
        step.text,
      );
    case 'open':
      tab?.live.room(classId);
      return;
    case 'read':
      return tab?.live.room(classId).markRead();
    case 'unread': {
      const room = tab?.live.room(classId);
      const id = room?.getSnapshot().messages.at(-1 - step.n)?.id;
      if (id !== undefined) room?.markUnreadFrom(id);
      return;
    }
    case 'up':
      for (let n = 0; n < step.frames; n++) tab?.wire()?.deliverUp();
      return;
    case 'down':
      for (let n = 0; n < step.frames; n++) tab?.wire()?.deliverDown();
      return;
    case 'drop':
      return tab?.wire()?.drop();
    case 'connect':
      return tab?.wire()?.open();
    case 'wait':
      await vi.advanceTimersByTimeAsync(step.ms);
  }
}

async function calmDown(tabs: FakeTab[]): Promise<void> {
  for (let quiet = 0; quiet < 12; quiet++) {
    await vi.advanceTimersByTimeAsync(3000);
    for (const tab of tabs) {
      tab.wire()?.open();
      while ((tab.wire()?.clientFrames.length ?? 0) + (tab.wire()?.serverFrames.length ?? 0) > 0) {
        tab.wire()?.deliverUp();
        tab.wire()?.deliverDown();
        await vi.advanceTimersByTimeAsync(0);
      }
    }
  }
}

test('every tab of two devices counts the unread messages and mentions that the server has, open classes or not [LIST-10, LIST-20, WIRE-42, MENTION-11]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 60, size: 'max' }), async (steps) => {
      const server = new FakeServer(200);
      const devices = [new FakeBrowser(server, ada), new FakeBrowser(server, ada)];
      const tabs = [devices[0]!.openTab(), devices[0]!.openTab(), devices[1]!.openTab()];
      for (const { live } of tabs) live.follow(classIds);
      await calmDown(tabs);
      for (const step of steps) await takeStep(step, server, tabs);
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
      for (const tab of tabs) tab.close();
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 200) },
  );
});
