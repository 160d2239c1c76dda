// The card for a member who comes back, with the messages of a room and the list of questions of the server.
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Message, Persona } from '#contract/entities.ts';
import { createListeners } from '#web/store.ts';
import type { MessageChange, Room, RoomMessage, RoomView } from '#web/sync/room/room.ts';
import { plainMessage } from '#web/sync/testing/plain-message.ts';
import { setUpRoot, waitForRender } from '#web/ui/testing/set-up-root.ts';
import { CatchUpCard } from './catch-up-card.tsx';

notifyManager.setNotifyFunction((notify) => act(notify));

const { root, container } = setUpRoot();
const lee: Persona = { memberId: 'lee', anonymousName: 'Prof. Lee', icon: 'lee', staff: true };
const changes = createListeners<[MessageChange]>();
const openMessage = vi.fn<Room['openMessage']>();
const fetchCalls = vi.fn<(url: string) => void>();

beforeEach(() => {
  openMessage.mockReset().mockResolvedValue('shown');
  fetchCalls.mockReset();
  const message: Message = {
    ...plainMessage,
    id: 'question',
    seq: 90,
    text: 'What is a heap?',
    question: { votes: 3, answer: null, endorsed: null },
  };
  vi.stubGlobal('fetch', (url: string) => {
    fetchCalls(url);
    const list = { questions: [message], personas: [], hasOlder: false, voted: '0' };
    return Promise.resolve(Response.json(list));
  });
});

/** The time of the server in milliseconds. The newest message that the member has read is from time 0. */
async function render(unreadCount: number, serverTime = 1000): Promise<void> {
  const read = { ...plainMessage, id: 'read', seq: 100, createdAt: 0 };
  const news = { ...plainMessage, id: 'news', seq: 101, memberId: 'lee', text: 'No lecture.' };
  const view: Partial<RoomView> = {
    messages: [read, news] as unknown as RoomMessage[],
    newest: [],
    personas: new Map([['lee', lee]]),
    preferences: { ignored: new Set(), hidden: new Set(), muted: false },
    settings: { pins: [] } as unknown as RoomView['settings'],
    marks: { votes: new Map(), choices: new Map(), entries: [] },
    me: 'ada',
    staff: null,
  };
  const room = {
    subscribe: () => () => undefined,
    getSnapshot: () => view,
    onMessageChanged: changes.add,
    receiveVotes: () => undefined,
    openMessage,
    serverNow: () => serverTime,
  } as unknown as Room;
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <CatchUpCard
          classId="class"
          room={room}
          view={view as RoomView}
          range={{ afterSeq: 100, toSeq: 101, count: unreadCount, isComplete: true }}
          place={container}
        />
      </QueryClientProvider>,
    ),
  );
}

const listLines = () => [...container.querySelectorAll('li')].map((line) => line.textContent);

test('the card names what happened, from the held messages and the list of questions alone [CATCH-3]', async () => {
  await render(60);
  await waitForRender(() =>
    expect(listLines()).toEqual(['What is a heap?3 votes', 'No lecture.Prof. Lee (Staff)']),
  );
  expect(container.querySelector('h2')?.textContent).toBe('While you were away');
  expect(fetchCalls.mock.calls).toEqual([['/api/classes/class/questions']]);

  act(() => container.querySelector<HTMLElement>('li button')?.click());

  expect(openMessage).toHaveBeenCalledWith('question');
});

test('the lines of the card follow edits and deletions, and end with a gap in the log [CATCH-3]', async () => {
  await render(60);
  await waitForRender(() => expect(listLines()).toHaveLength(2));

  act(() => {
    changes.notify({ kind: 'edited', messageId: 'news', text: 'A lecture.', editedAt: 1 });
    changes.notify({ kind: 'deleted', messageId: 'question' });
  });
  expect(listLines()).toEqual(['A lecture.Prof. Lee (Staff)']);
  act(() => changes.notify({ kind: 'unknown' }));

  expect(container.textContent).toBe('');
});

test('a member who was away for a short time by the clock of the server sees no card [CATCH-1]', async () => {
  await render(2);
  await waitForRender(() => expect(fetchCalls).toHaveBeenCalled());
  await act(async () => undefined);

  expect(container.textContent).toBe('');
});

test('a member who was away for a day by the clock of the server sees the card [CATCH-1]', async () => {
  await render(2, 24 * 3_600_000);

  await waitForRender(() => expect(listLines()).toHaveLength(2));
});
