import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toOffline } from './offline-room.ts';
import type { Room } from '#web/sync/room/room.ts';
import { FakeBrowser, type FakeTab } from '#web/sync/testing/fake-browser.ts';
import { FakeServer } from '#web/sync/testing/fake-server.ts';

const classIds = ['one', 'two', 'three'];
const inClass = fc.nat(2);
const stepArbitrary = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('say' as const), class: inClass }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constantFrom('edit', 'delete', 'react', 'hide', 'unhide', 'remove'),
      class: inClass,
      message: fc.nat(6),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ does: fc.constant('deliver' as const), frames: fc.nat(8) }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('connect' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('drop' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('reload' as const), class: inClass }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('open' as const), class: inClass }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('read' as const), class: inClass }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('forget' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('restoreBackup' as const) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.nat(8000) }) },
);
type Step = typeof stepArbitrary extends fc.Arbitrary<infer One> ? One : never;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Two devices of Ada. The first one keeps rooms. */
function createWorld(maxReplayEntries: number) {
  const server = new FakeServer(5);
  server.maxReplayEntries = maxReplayEntries;
  const browsers = [new FakeBrowser(server, 'ada'), new FakeBrowser(server, 'ada')] as const;
  let postCount = 0;

  function openTab(browser: FakeBrowser, onScreen: string): void {
    const tab = browser.openTab();
    tab.live.setAccount('ada');
    tab.live.follow(classIds);
    tab.live.room(onScreen);
    if (browser === browsers[0]) browser.keepRooms(tab, classIds);
  }

  async function takeStep(step: Step): Promise<void> {
    await vi.advanceTimersByTimeAsync(1);
    const classId = 'class' in step ? classIds[step.class]! : '';
    const tabs = browsers.map(({ tabs: ownTabs }) => ownTabs[0]!);
    if (step.does === 'say') {
      return server.say(classId, `m${postCount}`, 'cem', `text ${postCount++}`);
    }
    if (step.does === 'restoreBackup') {
      server.restoreBackup();
      for (const tab of tabs) tab.wire()?.drop();
      return;
    }
    if (step.does === 'wait') return void (await vi.advanceTimersByTimeAsync(step.ms));
    if ('message' in step) return change(classId, step);
    for (const tab of tabs) {
      if (step.does === 'connect') tab.wake();
      if (step.does === 'connect') tab.wire()?.open();
      if (step.does === 'drop') tab.wire()?.drop();
      if (step.does === 'open') tab.live.room(classId);
      if (step.does === 'read') tab.live.room(classId).markRead();
      if (step.does === 'forget') await tab.kept?.forget();
      if (step.does === 'deliver') {
        for (let n = 0; n < step.frames; n++) deliver(tab);
      }
      if (step.does === 'reload') {
        const browser = browsers[tabs.indexOf(tab)]!;
        tab.close();
        openTab(browser, classId);
      }
    }
  }

  function change(classId: string, { does, message }: { does: string; message: number }): void {
    const { id = '', moderation } = server.listMessages(classId)[message] ?? {};
    // The server rejects other changes of a removed message.
    if (moderation === 'removed' && does !== 'delete') return;
    if (does === 'edit') server.edit(classId, id, `edited ${postCount++}`);
    if (does === 'delete') server.delete(classId, id);
    if (does === 'react') server.react(classId, id, 'cem', '👍');
    if (does === 'hide') server.moderate(classId, id, 'hidden');
    if (does === 'unhide') server.moderate(classId, id, null);
    if (does === 'remove') server.moderate(classId, id, 'removed');
  }

  async function calmDown(): Promise<void> {
    for (let round = 0; round < 40; round++) {
      await vi.advanceTimersByTimeAsync(2000);
      for (const { tabs } of browsers) {
        tabs[0]!.wake();
        tabs[0]!.wire()?.open();
        for (let n = 0; n < 30; n++) {
          deliver(tabs[0]!);
          await vi.advanceTimersByTimeAsync(0);
        }
      }
    }
  }

  for (const browser of browsers) openTab(browser, 'one');
  return { server, browsers, take: takeStep, calmDown };
}

function deliver(tab: FakeTab): void {
  tab.wire()?.deliverUp();
  tab.wire()?.deliverDown();
}

/** Everything that the room shows, read back to the start of its log. */
async function loadWholeRoom(room: Room) {
  while (room.getSnapshot().older === 'some') await room.loadOlder();
  const { messages, personas, settings, readSeq, unread, me, keptAt, state } = room.getSnapshot();
  const authors = [...new Set(messages.map(({ memberId }) => memberId))];
  const names = authors.map((memberId) => personas.get(memberId)?.anonymousName ?? 'Anonymous');
  return { messages, names, settings, readSeq, unread, me, keptAt, state };
}

test('a room with the store becomes the same as one without it, and the store has nothing that was taken away [OFFLINE-10, OFFLINE-4]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(stepArbitrary, { maxLength: 60, size: 'max' }),
      fc.constantFrom(Infinity, 3),
      async (stepsToTake, maxReplayEntries) => {
        const { server, browsers, take: takeStep, calmDown } = createWorld(maxReplayEntries);
        for (const nextStep of stepsToTake) await takeStep(nextStep);
        await calmDown();
        const [tab, plain] = browsers.map(({ tabs }) => tabs[0]!) as [FakeTab, FakeTab];
        for (const { classId, replica } of browsers[0].kept.rooms.values()) {
          const storable = tab.live.offline.getRoom(classId).toStorable();
          expect(replica).toEqual(storable && toOffline(storable).replica);
          const texts = server
            .listMessages(classId)
            .map(({ text, moderation }) => (moderation ? '' : text));
          expect(texts).toEqual(expect.arrayContaining(replica.messages.map(({ text }) => text)));
        }
        for (const classId of classIds) {
          for (const openTab of [tab, plain]) openTab.live.room(classId);
        }
        await calmDown();
        for (const classId of classIds) {
          const view = await loadWholeRoom(tab.live.room(classId));
          expect(view).toEqual(await loadWholeRoom(plain.live.room(classId)));
          expect(view).toMatchObject({ state: 'ready', keptAt: null });
          expect(view.messages.map(({ id }) => id)).toEqual(
            server.listMessages(classId).map(({ id }) => id),
          );
        }
        for (const { tabs } of browsers) tabs[0]!.close();
      },
    ),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 100) },
  );
});
