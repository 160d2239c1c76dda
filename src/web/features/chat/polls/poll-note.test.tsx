// The options of a poll, with the reply of the server and what the room receives after it.
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Poll } from '#contract/entities.ts';
import type { CallReply } from '#contract/http.ts';
import { createListeners, createStore } from '#web/store.ts';
import type { MessageChange, Room, RoomView } from '#web/sync/room/room.ts';
import { setUpRoot, waitForRender } from '#web/ui/testing/set-up-root.ts';
import { PollNote } from './poll-note.tsx';

notifyManager.setNotifyFunction((notify) => act(notify));

const { root, container } = setUpRoot();
const choose = vi.fn<Room['choose']>();
const noMarks: RoomView['marks'] = {
  votes: new Map(),
  choices: new Map(),
  entries: [],
};
const settings = { lecture: undefined } as RoomView['settings'];
const view = createStore<Partial<RoomView>>({ marks: noMarks, settings, staff: null });
const openPoll: Poll = {
  options: ['Monday', 'Friday'],
  several: false,
  resultsAfter: 'vote',
  closesAt: Date.now() + 3_600_000,
  result: null,
};
const changes = createListeners<[MessageChange]>();
/** How far the clock of the server is ahead of that of the browser. */
let serverAheadMs = 0;
let reply: CallReply<'readPoll'>;
let client: QueryClient;

beforeEach(() => {
  choose.mockReset();
  view.set({ marks: noMarks, settings, staff: null });
  reply = { choices: [], result: null };
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(reply)));
});

async function render(poll: Poll, { canSend = true } = {}): Promise<void> {
  const room = {
    ...view,
    choose,
    serverNow: () => Date.now() + serverAheadMs,
    onMessageChanged: changes.add,
  } as unknown as Room;
  await act(async () =>
    root.render(
      <QueryClientProvider client={client}>
        <article tabIndex={-1}>
          <PollNote
            classId="class"
            message={{ id: 'poll', memberId: 'lee', delivery: 'sent', createdAt: Date.now() }}
            poll={poll}
            room={room}
            me="ada"
            canSend={canSend}
            tabIndex={0}
          />
        </article>
      </QueryClientProvider>,
    ),
  );
}

const listOptions = () => [
  ...container.querySelectorAll<HTMLButtonElement>('[role=radio], [role=checkbox]'),
];
const listChecked = () =>
  listOptions().map((option) => option.getAttribute('aria-checked') === 'true');
const findButton = (name: string) =>
  [...container.querySelectorAll('button')].find(({ textContent }) => textContent === name);
const press = (name: string) => act(() => findButton(name)?.click());

test('a press on an option votes, another press changes nothing, and the vote can be taken back [POLL-52]', async () => {
  await render(openPoll);
  expect(container.textContent).toContain('The result appears after your vote');

  act(() => listOptions()[1]!.click());
  expect(choose).toHaveBeenLastCalledWith('poll', [1]);

  reply = { choices: [1], result: null };
  act(() =>
    view.set({ settings, staff: null, marks: { ...noMarks, choices: new Map([['poll', [1]]]) } }),
  );
  await waitForRender(() => expect(listChecked()).toEqual([false, true]));
  expect(container.textContent).toContain('Counts appear when 5 people have voted · you voted');
  act(() => listOptions()[1]!.click());
  expect(choose).toHaveBeenCalledOnce();
  press('Take back');
  expect(choose).toHaveBeenLastCalledWith('poll', []);
});

test('several options can be chosen if the poll allows it [POLL-52]', async () => {
  reply = { choices: [1], result: null };
  await render({ ...openPoll, several: true });
  await waitForRender(() => expect(listChecked()).toEqual([false, true]));

  act(() => listOptions()[0]!.click());
  expect(choose).toHaveBeenLastCalledWith('poll', [0, 1]);
  act(() => listOptions()[1]!.click());
  expect(choose).toHaveBeenLastCalledWith('poll', []);
});

test('staff see the result of their poll without a vote when they ask for it [POLL-58]', async () => {
  const persona = { memberId: 'lee', anonymousName: 'Prof. Lee', icon: 'lee' };
  act(() => view.set({ marks: noMarks, settings, staff: { persona, maySpeak: true } }));
  reply = { choices: [], result: { voters: 5, counts: [4, 1] } };
  await render(openPoll);
  await waitForRender(() => expect(findButton('Show result')).toBeDefined());
  expect(container.textContent).not.toContain('80%');

  press('Show result');

  await waitForRender(() => expect(container.textContent).toContain('80%'));
  reply = { choices: [], result: { voters: 6, counts: [3, 3] } };
  await render({ ...openPoll });
  await waitForRender(() => expect(container.textContent).toContain('6 votes'));
  press('Hide result');
  expect(container.textContent).not.toContain('50%');
});

test('an entry of the log that the counts changed shows the new counts to a voter [POLL-54]', async () => {
  reply = { choices: [0], result: null };
  await render(openPoll);
  await waitForRender(() => expect(listChecked()).toEqual([true, false]));

  reply = { choices: [0], result: { voters: 5, counts: [4, 1] } };
  await render({ ...openPoll });

  await waitForRender(() => expect(container.textContent).toContain('80%'));
  expect(container.textContent).toContain(': 1 of 5 people');
  expect(container.textContent).toContain('5 votes');
});

test('after a disconnection, the vote of another device is selected [POLL-52]', async () => {
  await render(openPoll);
  expect(listChecked()).toEqual([false, false]);

  reply = { choices: [1], result: null };
  act(() => changes.notify({ kind: 'resumed' }));

  await waitForRender(() => expect(listChecked()).toEqual([false, true]));
});

test('the focus moves to the message when the focused control disappears [POLL-52, POLL-55]', async () => {
  reply = { choices: [1], result: null };
  await render(openPoll);
  await waitForRender(() => expect(findButton('Take back')).toBeDefined());
  const message = container.querySelector('article');

  act(() => findButton('Take back')?.focus());
  const mark = { type: 'choose', messageId: 'poll', choices: [] };
  const entries = [{ id: 'vote', mark, failure: null }] as unknown as RoomView['marks']['entries'];
  act(() => view.set({ settings, staff: null, marks: { ...noMarks, entries } }));
  expect(findButton('Take back')).toBeUndefined();
  expect(document.activeElement).toBe(message);

  act(() => listOptions()[0]?.focus());
  await render({ ...openPoll, closesAt: null });
  expect(document.activeElement).toBe(message);
});

test('an option has at most ten combining marks in a row, so it covers no other message [MARKUP-25]', async () => {
  await render({ ...openPoll, options: [`Z${'\u0301'.repeat(99)}`, 'Friday'] });

  expect(listOptions()[0]?.textContent).toBe(`AZ${'\u0301'.repeat(10)}`);
});

test('a closed poll has no controls and says why there are no counts [POLL-54, POLL-55]', async () => {
  await render({ ...openPoll, closesAt: null });

  expect(listOptions()).toEqual([]);
  expect(container.textContent).toContain('closed');
  expect(container.textContent).toContain('No counts: fewer than 5 people voted');
});

test('a poll says that it is shown in the hall, while the lecture is on [LECT-70]', async () => {
  const lecture = { lectureId: 'l', firstSeq: 0, lastSeq: null, lastsUntil: Date.now() + 60_000 };
  const setLecture = (lectureChanges: Partial<NonNullable<RoomView['settings']['lecture']>>) =>
    act(() =>
      view.set({
        marks: noMarks,
        staff: null,
        settings: { ...settings, lecture: { ...lecture, ...lectureChanges } },
      }),
    );
  await render(openPoll);
  setLecture({ pollId: 'other' });
  expect(container.textContent).not.toContain('shown in the hall');

  setLecture({ pollId: 'poll' });

  expect(container.textContent).toContain('shown in the hall');
  setLecture({ pollId: 'poll', lastSeq: 7 });
  expect(container.textContent).not.toContain('shown in the hall');
});

test('a poll closes by the clock of the server, also if its time becomes known later [POLL-55]', async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  // The clock of the device is a day ahead.
  const closesAt = Date.now() - 86_400_000 + 600_000;
  await render({ ...openPoll, closesAt });
  expect(container.textContent).toContain('closing');

  serverAheadMs = -86_400_000;
  onTestFinished(() => void (serverAheadMs = 0));
  act(() => void vi.advanceTimersByTime(1000));

  expect(container.textContent).toContain('closes in 10 min');
});

test('a muted member can only take the own vote back [POLL-52]', async () => {
  reply = { choices: [0], result: null };
  await render(openPoll, { canSend: false });

  await waitForRender(() => expect(findButton('Take back')).toBeDefined());
  expect(listOptions()).toEqual([]);
  expect(container.textContent).toContain('Your vote: ');
});
