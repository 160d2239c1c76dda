import { act } from 'react';
import { expect, test } from 'vitest';
import type { RoomView } from '#web/sync/room/room.ts';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { ConnectionNotice } from './chat-header.tsx';
import type { ChatState } from './chat-state.ts';

const { root, container } = setUpRoot();
const view = { messages: [], keptAt: null, state: 'ready' } as unknown as RoomView;

test.each([
  [{}, ''],
  [{ offline: true }, 'You are offline. Messages will be sent when you are back.'],
  [{ offline: true, closed: true }, 'You are offline.'],
  [
    { blocked: true, closed: true },
    'Live updates are blocked. Try another network. If the problem continues, tell the operator of this server that WebSocket connections fail.',
  ],
])('A room whose connection is %j says %o [WIRE-27]', (connection, sentence) => {
  const state = { offline: false, blocked: false, closed: false, ...connection } as ChatState;

  act(() => root.render(<ConnectionNotice view={view} state={state} />));

  expect(container.querySelector('[role=status]')?.textContent).toBe(sentence);
});
