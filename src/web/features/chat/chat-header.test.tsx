import { act } from 'react';
import { expect, test, vi } from 'vitest';
import type { RoomView } from '#web/sync/room/room.ts';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { ConnectionNotice } from './chat-header.tsx';
import type { ChatState } from './chat-state.ts';

const { root, container } = setUpRoot();
const view = { messages: [], keptAt: null, state: 'ready' } as unknown as RoomView;

async function show(shownView: RoomView, state: ChatState): Promise<void> {
  await act(async () => {
    root.render(<ConnectionNotice view={shownView} state={state} />);
    await import('./connection-notice.tsx');
  });
}

test.each([
  [{}, ''],
  [{ offline: true }, 'You are offline. Messages will be sent when you are back.'],
  [{ offline: true, closed: true }, 'You are offline.'],
  [
    { blocked: true, closed: true },
    'Live updates are blocked.Try another network. If the problem continues, tell the operator of this server that WebSocket connections fail.',
  ],
])('A room whose connection is %j says %o [WIRE-27]', async (connection, sentence) => {
  const state = { offline: false, blocked: false, closed: false, ...connection } as ChatState;

  await show(view, state);

  expect(container.querySelector('[role=status]')?.textContent).toBe(sentence);
});

test('on a phone, the further sentences open with a press [CHAT-13]', async () => {
  const phone = Object.assign(new EventTarget(), { matches: true });
  const media = vi.spyOn(window, 'matchMedia');
  media.mockReturnValue(phone as unknown as MediaQueryList);
  const state = { offline: true, blocked: false, closed: false } as ChatState;

  await show({ ...view, keptAt: 0 }, state);

  const details = container.querySelector('details');
  expect(details?.querySelector('summary')?.textContent).toMatch(/^You are offline\./);
  expect([details?.open, details?.querySelectorAll('p').length]).toEqual([false, 1]);
  media.mockRestore();
});
