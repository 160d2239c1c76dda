// The results of a search that are questions.
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { MemoryRouter } from 'react-router';
import { expect, test, vi } from 'vitest';
import type { Message } from '#contract/entities.ts';
import { createStore } from '#web/store.ts';
import type { Room } from '#web/sync/room/room.ts';
import { setUpRoot, waitForRender } from '#web/ui/testing/set-up-root.ts';
import { FoundMessages } from './found-messages.tsx';
import { updateFoundMessages } from './found-messages-query.ts';
import { plainMessage } from '#web/sync/testing/plain-message.ts';

const message: Message = {
  ...plainMessage,
  id: 'heap',
  text: 'What is a heap?',
  createdAt: Date.now(),
  question: { votes: 0, answer: null, endorsed: null },
};
const quote = {
  memberId: 'cem',
  anonymousName: 'Calm Owl',
  text: 'An ordered tree',
  imageCount: 0,
};

notifyManager.setNotifyFunction((notify) => act(notify));
const { root, container } = setUpRoot();

async function renderResults(replies: object[]): Promise<QueryClient> {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(replies.shift())));
  const client = new QueryClient();
  const preferences = createStore({ ignored: new Set(), hidden: new Set() });
  const view = { personas: new Map(), settings: {} };
  await act(async () =>
    root.render(
      <MemoryRouter>
        <QueryClientProvider client={client}>
          <FoundMessages
            classId="class"
            label="CS 146"
            query="heap"
            topicId={null}
            resultState={{}}
            room={{ preferences, getSnapshot: () => view } as unknown as Room}
            onFocusLost={() => undefined}
          />
        </QueryClientProvider>
      </MemoryRouter>,
    ),
  );
  return client;
}

test('a search that has not reached the first message goes on when the member asks [LAYOUT-51]', async () => {
  const createReply = (nextBefore: number | null, hits: object[] = []) => ({
    hits,
    personas: [],
    nextBefore,
  });
  const hit = { message, marks: [[10, 14]] };
  await renderResults([
    createReply(90),
    createReply(50),
    createReply(10, [hit]),
    createReply(null),
  ]);
  const expectText = (text: string) =>
    waitForRender(() => expect(container.textContent).toContain(text));
  await expectText('No match in the newest messages');

  const button = container.querySelector<HTMLElement>('button')!;
  act(() => button.click());
  await expectText('1 message so far');

  act(() => button.click());
  await waitForRender(() => expect(container.querySelector('button')).toBeNull());
  expect(container.textContent).not.toContain('so far');
});

test('a result that is a question says whether it has an answer, and follows its marks and edits [QUEST-64]', async () => {
  const client = await renderResults([
    { hits: [{ message, marks: [] }], personas: [], nextBefore: null },
  ]);
  const expectText = (text: string) =>
    waitForRender(() => expect(container.querySelector('a')?.textContent).toContain(text));
  await expectText('Question without an answer');

  const question = { votes: 0, answer: { messageId: 'a', quote }, endorsed: null };
  act(() =>
    updateFoundMessages(client, 'class', { kind: 'question', messageId: 'heap', question }),
  );
  await expectText('Answered: An ordered tree');

  const edit = {
    kind: 'edited',
    messageId: 'a',
    text: 'A partly ordered tree',
    editedAt: 1,
  } as const;
  act(() => updateFoundMessages(client, 'class', edit));
  await expectText('Answered: A partly ordered tree');
});
