// What an unsent message says, and what the member can do with it.
import { act } from 'react';
import { expect, test, vi } from 'vitest';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { UnsentNotes } from './unsent-notes.tsx';
import type { MessageActions } from './use-message-actions.ts';

const { root, container } = setUpRoot();

function render(message: object, canSend: boolean) {
  const room = { discard: vi.fn<Room['discard']>() };
  act(() =>
    root.render(
      <UnsentNotes
        message={
          { id: 'm', text: 'Hello', failure: null, retryAt: null, ...message } as RoomMessage
        }
        isOffline={false}
        canSend={canSend}
        room={room as unknown as Room}
        actions={{} as MessageActions}
        onEdit={() => undefined}
      />,
    ),
  );
  return room;
}

const listButtons = () => [...container.querySelectorAll('button')];

test.each([
  { who: 'who can send', canSend: true, text: 'Hello', ways: ['Retry', 'Edit', 'Delete'] },
  { who: 'who is muted', canSend: false, text: 'Hello', ways: ['Copy', 'Delete'] },
  { who: 'who is muted, without a text', canSend: false, text: '', ways: ['Delete'] },
])('A failed message of a member $who says why, and offers $ways [MOD-48, CSET-17]', (given) => {
  const message = { delivery: 'failed', failure: 'You are muted.', text: given.text };

  const { discard } = render(message, given.canSend);

  expect(container.querySelector('p')?.textContent).toBe('You are muted.');
  expect(listButtons().map(({ textContent }) => textContent)).toEqual(given.ways);
  act(() => listButtons().at(-1)?.click());
  expect(discard).toHaveBeenCalledWith('m');
});

test('A message that slow mode lets wait says when it is sent [CSET-18]', () => {
  render({ delivery: 'sending', retryAt: Date.now() + 600_000 }, true);

  expect(container.querySelector('[role=timer]')?.textContent).toBe('Sending again in 10 min');
});
