// The line above the unread messages in a room of a fake server.
import { act, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FakeBrowser } from '#web/sync/testing/fake-browser.ts';
import type { FakeServer } from '#web/sync/testing/fake-server.ts';
import { carry, openTabIn, startBrowser, stopBrowser } from '#web/sync/testing/one-browser.ts';
import type { Room } from '#web/sync/room/room.ts';
import { NewMessagesLine, useNewMessages } from './new-messages-line.tsx';

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

function Line({ room }: { room: Room }) {
  const newMessages = useNewMessages(room);
  useEffect(() => {
    room.markRead();
    return room.subscribe(room.markSeen);
  }, [room]);
  return <NewMessagesLine {...newMessages} />;
}

test.each([
  { unreadCount: 1, opened: '1 new message', loaded: '1 new message' },
  { unreadCount: 3, opened: '3 new messages', loaded: '3 new messages' },
  { unreadCount: 120, opened: '50+ new messages', loaded: '120 new messages' },
])(
  'the line says that $unreadCount messages were unread, also when the room receives and forgets others [LIST-21]',
  async ({ unreadCount, opened, loaded }) => {
    const firstTab = await openTabIn(browser);
    server.say('class', 'read');
    await carry(firstTab);
    firstTab.live.room('class').markRead();
    await carry(firstTab);
    firstTab.close();
    for (let n = 1; n <= unreadCount; n++) server.say('class', `unread ${n}`);
    const tab = await openTabIn(browser);
    const room = tab.live.room('class');
    const container = document.createElement('div');
    const root = createRoot(container);
    act(() => root.render(<Line room={room} />));
    const getLabel = () => container.querySelector('h2')?.textContent;

    expect(getLabel()).toBe(opened);
    for (let page = 1; page <= 2; page++) await act(() => room.loadOlder());
    expect(getLabel()).toBe(loaded);

    for (let n = 1; n <= 700; n++) server.say('class', `later ${n}`);
    act(() => {
      while (tab.wire()?.serverFrames.length) tab.wire()?.deliverDown();
      room.forgetDistant();
    });
    expect(room.getSnapshot().messages.some(({ id }) => id === 'unread 1')).toBe(false);
    expect(getLabel()).toBe(loaded);
    act(() => root.unmount());
  },
);
