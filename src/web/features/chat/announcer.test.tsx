// The announcements of a room of a fake server, while messages arrive faster than the browser has time for effects.
import { act, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FakeBrowser } from '#web/sync/testing/fake-browser.ts';
import type { FakeServer } from '#web/sync/testing/fake-server.ts';
import {
  carry,
  openTabIn,
  startBrowser,
  stopBrowser,
  wait,
} from '#web/sync/testing/one-browser.ts';
import type { Room } from '#web/sync/room/room.ts';
import { Announcer } from './announcer.tsx';

let server: FakeServer;
let browser: FakeBrowser;

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  ({ server, browser } = startBrowser());
});

afterEach(() => {
  stopBrowser(browser);
  vi.unstubAllGlobals();
});

function RoomAnnouncer({ room }: { room: Room }) {
  return <Announcer view={useSyncExternalStore(room.subscribe, room.getSnapshot)} />;
}

test('a flood of messages is announced without an error, and each line is removed after ten seconds [CHAT-16, WIRE-45]', async () => {
  const reported = vi.fn<(error: unknown) => void>();
  vi.stubGlobal('reportError', reported);
  const tab = await openTabIn(browser);
  const container = document.createElement('div');
  const root = createRoot(container, { onUncaughtError: reported });
  act(() => root.render(<RoomAnnouncer room={tab.live.room('class')} />));
  const listLines = () => [...container.querySelectorAll('[role=log] > span')].map(getText);
  // Outside of `act`, as in a browser: React renders the message in a microtask, and runs effects' changes in a later task.
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);

  for (let n = 1; n <= 120; n++) {
    server.say('class', `id ${n}`, 'ben', `Message ${n}`);
    tab.wire()?.deliverDown();
    await Promise.resolve();
  }

  expect(reported).not.toHaveBeenCalled();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  await act(() => carry(tab));
  expect(listLines()).toEqual(
    ['118', '119', '120'].map((n) => expect.stringContaining(`Message ${n}`)),
  );

  await act(() => wait(10_000));

  expect(listLines()).toEqual([]);
  act(() => root.unmount());
});

test('a new question is announced as one [QUEST-64]', async () => {
  const tab = await openTabIn(browser);
  const container = document.createElement('div');
  const root = createRoot(container);
  act(() => root.render(<RoomAnnouncer room={tab.live.room('class')} />));

  server.ask('class', 'q', 'ben', 'When is the exam?');
  await act(() => carry(tab));

  expect(container.textContent).toContain('Teal Square, Anonymous asks: When is the exam?');
  act(() => root.unmount());
});

function getText({ textContent }: Element): string {
  return textContent;
}
