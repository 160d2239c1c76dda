// What the menu of a reply offers about the question that it answers.
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Message, Sanction } from '#contract/entities.ts';
import { createListeners } from '#web/store.ts';
import type { MessageChange, Room, RoomMessage, RoomView } from '#web/sync/room/room.ts';
import { plainMessage } from '#web/sync/testing/plain-message.ts';
import { setUpRoot, waitForRender } from '#web/ui/testing/set-up-root.ts';
import { useQuestionItems } from './use-question-items.ts';

const question = { votes: 0, answer: null, endorsed: null };
const questionMessage: Message = { ...plainMessage, id: 'q', memberId: 'ada', question };
const quote = { memberId: 'ada', anonymousName: 'Ada', text: 'Why?', imageCount: 0 };
const reply = { ...plainMessage, id: 'reply', replyTo: 'q', quote } as unknown as RoomMessage;
const createView = (fields: object = {}) =>
  ({
    me: 'ada',
    staff: null,
    sanction: null,
    messages: [questionMessage, reply],
    marks: { votes: new Map(), entries: [] },
    settings: { readOnly: false },
    quietTime: null,
    personas: new Map(),
    ...fields,
  }) as unknown as RoomView;

notifyManager.setNotifyFunction((notify) => act(notify));
const { root, container } = setUpRoot();
const notify = vi.fn<(notice: { text: string }) => void>();
const markAnswer = vi.fn<Room['markAnswer']>();
const changes = createListeners<[MessageChange]>();

function Items({ view, offline }: { view: RoomView; offline: boolean }) {
  const items = useQuestionItems({
    classId: 'class',
    room: { markAnswer, onMessageChanged: changes.add } as unknown as Room,
    view,
    message: reply,
    mayModerate: false,
    offline,
    ended: false,
    notify,
  });
  return items?.map(({ label, action }) => (
    <button key={label} type="button" onClick={action}>
      {label}
    </button>
  ));
}

async function render(view: RoomView, offline = false): Promise<void> {
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <Items view={view} offline={offline} />
      </QueryClientProvider>,
    ),
  );
}

const listButtons = () => [...container.querySelectorAll('button')];
const listLabels = () => listButtons().map(({ textContent }) => textContent);

beforeEach(() => {
  notify.mockReset();
  markAnswer.mockReset();
});

test('Without a connection the notice says that others see the mark later [QUEST-55]', async () => {
  await render(createView(), true);

  listButtons()[0]?.click();

  expect(markAnswer).toHaveBeenCalledWith('q', 'reply', false);
  expect(notify).toHaveBeenCalledWith({ text: 'Others see this when you are back online.' });
});

test('A notice says that an answer is marked when the log has the mark [QUEST-55]', async () => {
  const answer = { messageId: 'reply', quote };
  await render(createView());
  const markedQuestion = { kind: 'question', messageId: 'q', question: { ...question, answer } };

  listButtons()[0]?.click();
  changes.notify({ ...markedQuestion, question } as MessageChange);
  expect(notify).not.toHaveBeenCalled();
  changes.notify(markedQuestion as MessageChange);
  changes.notify(markedQuestion as MessageChange);

  expect(notify.mock.calls).toEqual([[{ text: 'Marked as the answer.' }]]);
});

test('A muted asker can only take the mark back [QUEST-4]', async () => {
  const sanction: Sanction = { kind: 'mute', until: null, reason: '' };
  await render(createView({ sanction }));
  expect(listLabels()).toEqual([]);

  const answeredMessage = {
    ...questionMessage,
    question: { ...question, answer: { messageId: 'reply', quote } },
  };
  await render(createView({ sanction, messages: [answeredMessage, reply] }));

  expect(listLabels()).toEqual(['Take back the answer mark']);
});

test('The asker marks a reply to a question that the browser does not hold [QUEST-59]', async () => {
  const page = { messages: [questionMessage], personas: [], hasOlder: true, hasNewer: true };
  vi.stubGlobal('fetch', async () => Response.json(page));

  await render(createView({ messages: [reply] }));

  await waitForRender(() => expect(listLabels()).toEqual(['Mark as answer']));
});

test('Who could not mark an answer causes no request [QUEST-59]', async () => {
  const fetchPage = vi.fn<typeof fetch>();
  vi.stubGlobal('fetch', fetchPage);

  await render(createView({ me: 'ben', messages: [reply] }));

  expect(listLabels()).toEqual([]);
  expect(fetchPage).not.toHaveBeenCalled();
});
