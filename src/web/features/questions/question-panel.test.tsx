// The panel of questions, with the list of the server and what the room receives after it.
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { MemoryRouter } from 'react-router';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Class, Message, Persona, Question } from '#contract/entities.ts';
import type { OwnSanction } from '#contract/moderation.ts';
import type { PrivateQuestion } from '#contract/private-questions.ts';
import { clearAllDrafts, loadDraft } from '#web/data/drafts.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import { createListeners, createStore } from '#web/store.ts';
import { notifySessionEnd } from '#web/data/session-end.ts';
import type { ReportTarget } from '#web/data/reports.ts';
import type { MessageChange, Room, RoomView } from '#web/sync/room/room.ts';
import { DialogsProvider } from '#web/ui/dialogs.tsx';
import { setUpRoot, waitForRender } from '#web/ui/testing/set-up-root.ts';
import { QuestionPanel, type QuestionTab } from './question-panel.tsx';
import { QuestionsButton } from './questions-button.tsx';
import { plainMessage } from '#web/sync/testing/plain-message.ts';

const noMarks: Question = { votes: 0, answer: null, endorsed: null };
const answer = {
  messageId: 'answer',
  quote: { memberId: 'cem', anonymousName: 'Calm Owl', text: 'On slide 12.', imageCount: 0 },
};

function createMessage(id: string, marks: Partial<Question>, memberId = 'ben'): Message {
  return {
    ...plainMessage,
    id,
    memberId,
    text: `${id}?`,
    createdAt: Date.now(),
    question: { ...noMarks, ...marks },
  };
}

notifyManager.setNotifyFunction((notify) => act(notify));

const { root, container } = setUpRoot();
const changes = createListeners<[MessageChange]>();
const vote = vi.fn<Room['vote']>();
const receiveVotes = vi.fn<Room['receiveVotes']>();
const privateChanges = createListeners();
const sanctionNotice = createLazyModule(() => import('../appeal/sanction-notice.tsx'));
const report = vi.fn<(target: ReportTarget) => void>();
const createView = (): Partial<RoomView> => ({
  newest: [],
  me: 'ada',
  staff: null,
  sanction: null,
  messages: [],
  marks: { votes: new Map(), choices: new Map(), entries: [] },
  personas: new Map(),
  settings: { readOnly: false } as RoomView['settings'],
  quietTime: null,
  preferences: { ignored: new Set(), hidden: new Set(), muted: false },
});
const view = createStore(createView());
let questions: { message: Message; voted: boolean }[];
let personas: Persona[];
let ownPrivate: PrivateQuestion[];
let privateQuestions: PrivateQuestion[];
let sanctions: Partial<OwnSanction>[];
/** The calls that change something: method, path after the class, and body. */
let commands: string[];
let isReachable: boolean;
/** What a response waits for. */
let arrival: Promise<void>;
let client: QueryClient;

beforeAll(() => sanctionNotice.load());

beforeEach(() => {
  view.set(createView());
  vote.mockReset();
  receiveVotes.mockReset();
  isReachable = true;
  arrival = Promise.resolve();
  personas = [];
  ownPrivate = [];
  privateQuestions = [];
  sanctions = [];
  commands = [];
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  questions = [
    { message: createMessage('newest', { votes: 2 }), voted: false },
    { message: createMessage('answered', { answer }), voted: false },
    { message: createMessage('mine', {}, 'ada'), voted: false },
    { message: createMessage('wanted', { votes: 7 }), voted: true },
  ];
  vi.stubGlobal('fetch', async (url: string, { method, body }: RequestInit) => {
    if (!isReachable) throw new TypeError('Failed to fetch');
    const path = url.replace('/api/classes/class/', '');
    if (method !== 'GET') {
      commands.push([method, path, String(body ?? '').trim()].join(' '));
      return Response.json({});
    }
    if (path === 'own-private-questions') return Response.json({ ownPrivate, hasStaff: true });
    if (path === 'private-questions') return Response.json({ privateQuestions });
    if (path === '/api/me/sanctions') return Response.json({ sanctions });
    if (path === '/api/decisions') return Response.json({ decisions: [] });
    const response = Response.json({
      questions: questions.map(({ message }) => message),
      personas,
      hasOlder: false,
      voted: questions.map(({ voted }) => (voted ? '1' : '0')).join(''),
    });
    await arrival;
    return response;
  });
});

async function render(tab: QuestionTab = 'unanswered'): Promise<void> {
  const room = {
    ...view,
    onMessageChanged: changes.add,
    onPrivateChanged: privateChanges.add,
    speakAs: (speaker: 'self' | 'staff') => view.set({ ...view.getSnapshot(), speaker }),
    vote,
    receiveVotes,
    serverNow: Date.now,
  } as unknown as Room;
  await act(async () =>
    root.render(
      <MemoryRouter>
        <QueryClientProvider client={client}>
          <QuestionsButton classId="class" room={room} isOpen onPress={() => undefined} />
          <DialogsProvider>
            <QuestionPanel
              classInfo={{ classId: 'class', ended: false } as Class}
              tab={tab}
              room={room}
              onReport={report}
              sanctionNotice={sanctionNotice}
              panel={{
                coversRoom: false,
                messageState: {},
                change: () => undefined,
                close: () => undefined,
                closeToComposer: () => undefined,
              }}
            />
          </DialogsProvider>
        </QueryClientProvider>
      </MemoryRouter>,
    ),
  );
}

const listIds = () =>
  [...container.querySelectorAll('a')].map((link) => link.getAttribute('href')?.split('=')[1]);
const expectIds = (ids: string[]) => waitForRender(() => expect(listIds()).toEqual(ids));
const findButton = (name: string) =>
  [...container.querySelectorAll('button')].find(({ textContent }) => textContent.includes(name));

test('questions of a lecture with as many votes are in the order in which they were asked [LECT-51]', async () => {
  const lecture = {
    lectureId: 'lecture',
    firstSeq: 0,
    lastSeq: null,
    lastsUntil: Date.now() + 3_600_000,
  };
  view.set({ ...createView(), settings: { readOnly: false, lecture } as RoomView['settings'] });
  const messages = ['third', 'second', 'first'].map((id, n) => createMessage(id, { votes: n % 2 }));
  questions = messages.map((message, n) => ({ message: { ...message, seq: 9 - n }, voted: false }));

  await render('lecture');

  await waitForRender(() => expect(listIds()).toEqual(['second', 'first', 'third']));
});

test('the panel lists unanswered questions by votes or by time, and the header counts them [QUEST-60]', async () => {
  await render();
  await expectIds(['wanted', 'newest', 'mine']);
  expect(container.querySelector('button')?.getAttribute('aria-label')).toBe(
    'Questions: 3 unanswered',
  );
  expect(receiveVotes.mock.calls[0]?.[0]).toContainEqual({ messageId: 'wanted', voted: true });

  act(() => findButton('Newest')?.click());

  await expectIds(['newest', 'mine', 'wanted']);
});

test('the panel shows answered questions with their answers, and the member’s own questions [QUEST-60]', async () => {
  await render('answered');
  await expectIds(['answered']);
  expect(container.querySelector('li')?.textContent).toMatch(/answered\?Answer +On slide 12\.$/);

  await render('mine');
  await expectIds(['mine']);
  expect(container.querySelector('li button')).toBeNull();
  expect(container.querySelector('li [role=img]')?.getAttribute('aria-label')).toBe(
    '0 people have this question too',
  );
});

test('the list follows new questions, votes, marks and deletions, and the answers that are edited [QUEST-60]', async () => {
  await render();
  await expectIds(['wanted', 'newest', 'mine']);

  const message = createMessage('asked', {});
  const persona = { memberId: 'ben', anonymousName: 'Blue Fox', icon: 'ben' };
  act(() => {
    changes.notify({ kind: 'posted', message, persona });
    changes.notify({ kind: 'question', messageId: 'newest', question: { ...noMarks, votes: 9 } });
    changes.notify({ kind: 'question', messageId: 'wanted', question: { ...noMarks, answer } });
    changes.notify({ kind: 'deleted', messageId: 'mine' });
  });
  await expectIds(['newest', 'asked']);

  await render('answered');
  await expectIds(['answered', 'wanted']);
  act(() =>
    changes.notify({ kind: 'edited', messageId: 'answer', text: 'On slide 13.', editedAt: 1 }),
  );
  await waitForRender(() => expect(container.textContent).toContain('On slide 13.'));
});

test('the questions of ignored people and hidden ones are not listed [QUEST-60]', async () => {
  const preferences = { ignored: new Set(['ben']), hidden: new Set(['mine']), muted: false };
  view.set({ ...createView(), preferences });
  await render();

  await waitForRender(() => expect(container.textContent).toContain('No open questions.'));
});

test('what changes while the list is on its way is not lost [QUEST-66]', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  arrival = promise;
  await render();

  const message = createMessage('asked', {});
  const persona = { memberId: 'ben', anonymousName: 'Ben', icon: 'b' };
  const votesBefore = view.getSnapshot().marks?.votes;
  act(() => {
    changes.notify({ kind: 'posted', message, persona });
    changes.notify({ kind: 'deleted', messageId: 'newest' });
    view.set(createView());
  });
  await act(async () => resolve());

  await expectIds(['wanted', 'asked', 'mine']);
  expect(receiveVotes.mock.lastCall?.[1]).toBe(votesBefore);
});

test('after a disconnection the list is read again, with the votes of other devices [QUEST-66]', async () => {
  await render();
  await expectIds(['wanted', 'newest', 'mine']);
  questions = [{ message: createMessage('newest', { votes: 3 }), voted: true }];

  act(() => changes.notify({ kind: 'resumed' }));

  await expectIds(['newest']);
  expect(receiveVotes).toHaveBeenLastCalledWith(
    [{ messageId: 'newest', voted: true }],
    view.getSnapshot().marks?.votes,
  );
});

test('after a disconnection the app forgets the own votes in polls that it has read [POLL-52]', async () => {
  await render();
  const queryKey = ['class', 'class', 'poll', 'p', null];
  client.setQueryData(queryKey, { choices: [0], result: null });

  act(() => changes.notify({ kind: 'resumed' }));

  await waitForRender(() => expect(client.getQueryData(queryKey)).toBeUndefined());
});

test('a gap during the request makes the app read the list again [QUEST-66]', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  arrival = promise;
  await render();
  questions = [{ message: createMessage('newer', {}), voted: false }];

  act(() => changes.notify({ kind: 'unknown' }));
  await act(async () => resolve());

  await waitForRender(() => expect(listIds()).toEqual(['newer']));
});

test('the answer of an ignored person, and a hidden one, are collapsed [QUEST-58]', async () => {
  await render('answered');
  await waitForRender(() => expect(container.textContent).toContain('On slide 12.'));
  const { preferences } = createView();

  for (const change of [{ ignored: new Set(['cem']) }, { hidden: new Set(['answer']) }]) {
    act(() => view.set({ ...createView(), preferences: { ...preferences!, ...change } }));
    expect(container.textContent).toContain('A collapsed message');
    expect(container.textContent).not.toContain('On slide 12.');
  }
});

test('members who look alike have their tags in the panel [QUEST-60]', async () => {
  questions = ['ben', 'dan'].map((memberId) => {
    return { message: createMessage(memberId, {}, memberId), voted: false };
  });
  personas = ['ben', 'dan'].map((memberId) => {
    return { memberId, anonymousName: 'Anonymous', icon: 'same' };
  });

  await render();

  await expectIds(['ben', 'dan']);
  const names = [...container.querySelectorAll('a')].map(({ textContent }) => textContent);
  expect(names).toEqual([
    expect.stringMatching(/^Olive Square W4, Anonymous/),
    expect.stringMatching(/^Olive Square U7, Anonymous/),
  ]);
});

test('the viewer votes in the panel, and a muted viewer and staff only take votes back [QUEST-53]', async () => {
  const votes = new Map([['wanted', { voted: true, counted: true }]]);
  const marks = { votes, choices: new Map(), entries: [] };
  view.set({ ...createView(), marks });
  await render();
  await expectIds(['wanted', 'newest', 'mine']);
  const listPressed = () =>
    [...container.querySelectorAll('li button')].map((button) => [
      button.getAttribute('aria-label'),
      button.getAttribute('aria-pressed'),
    ]);
  expect(listPressed()).toEqual([
    ['I have this question too, 7', 'true'],
    ['I have this question too, 2', 'false'],
  ]);
  act(() => findButton('2')?.click());
  expect(vote).toHaveBeenCalledWith('newest', true);

  for (const change of [
    { sanction: { kind: 'mute', until: null, reason: '' } },
    { staff: { persona: { memberId: 'lee' } } },
  ]) {
    act(() => view.set({ ...createView(), marks, ...change } as Partial<RoomView>));
    expect(listPressed()).toEqual([['I have this question too, 7', 'true']]);
  }
});

test('without a connection, the panel shows the questions that the device has, or says why there are none [QUEST-57, LAYOUT-8]', async () => {
  isReachable = false;
  const { seq: _, ...message } = createMessage('kept', {});
  await render();
  await waitForRender(() => expect(container.querySelector('[role=alert]')).not.toBe(null));

  act(() =>
    view.set({
      ...createView(),
      newest: [message] as unknown as RoomView['newest'],
    }),
  );

  await expectIds(['kept']);
  expect(container.textContent).toContain('in the messages that this device has');
});

test('the arrow keys move between the questions [QUEST-60]', async () => {
  await render();
  await expectIds(['wanted', 'newest', 'mine']);
  const press = (key: string) =>
    act(
      () =>
        void document.activeElement?.dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true }),
        ),
    );
  const links = [...container.querySelectorAll('a')];

  press('ArrowDown');
  expect(document.activeElement).toBe(links[0]);
  press('End');
  expect(document.activeElement).toBe(links[2]);
  press('ArrowUp');
  expect(document.activeElement).toBe(links[1]);
});

describe('questions that only staff see', () => {
  const lee = { memberId: 'lee', anonymousName: 'Prof. Lee', icon: 'lee', staff: true as const };
  const staff = { persona: lee, maySpeak: true, sanction: null } as unknown as RoomView['staff'];
  const createPrivate = (
    questionId: string,
    texts: readonly string[],
    state: PrivateQuestion['state'] = 'open',
  ): PrivateQuestion => ({
    questionId,
    state,
    turns: texts.map((text, n) => ({
      turnId: `${questionId}-${n}`,
      turnPersona: n % 2 === 1 ? lee : null,
      text,
    })),
  });
  const findLabel = () => container.querySelector('button')?.getAttribute('aria-label');
  const listTitles = () =>
    [...container.querySelectorAll('section section')].map(
      (group) => document.getElementById(group.getAttribute('aria-labelledby') ?? '')?.textContent,
    );
  const typeInto = (field: HTMLTextAreaElement | null, text: string) => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(field, text);
    act(() => void field?.dispatchEvent(new InputEvent('input', { bubbles: true })));
  };

  beforeEach(() => {
    notifySessionEnd(false);
    localStorage.clear();
    report.mockReset();
  });

  test('the asker sees the own questions with their answers, and a dot until an answer was seen [PRIV-52, PRIV-54]', async () => {
    await render();
    await waitForRender(() => expect(findLabel()).toBe('Questions: 3 unanswered'));
    ownPrivate = [createPrivate('q', ['Am I failing?', 'No.'])];

    const random = vi.spyOn(Math, 'random').mockReturnValue(0);
    act(() => privateChanges.notify());
    random.mockRestore();

    const newsLabel = 'Questions: 3 unanswered. Something new in private.';
    await waitForRender(() => expect(findLabel()).toBe(newsLabel));
    await render('private');
    await waitForRender(() => expect(container.textContent).toContain('No.'));
    expect(listTitles()).toEqual(['Your questions to staff · 1']);
    expect(container.textContent).toContain('Prof. Lee');
    expect(findLabel()).toBe('Questions: 3 unanswered');
    expect(localStorage.getItem('seen-answers')).toBe('{"q":4}');
  });

  test('the asker adds a text, whose draft stays after a failure, and the same text once more, and decides on publication [PRIV-51, PRIV-52]', async () => {
    ownPrivate = [createPrivate('q', ['Am I failing?', 'No.'], 'asked')];
    await render('private');
    await waitForRender(() => expect(container.querySelector('form')).not.toBe(null));

    isReachable = false;
    typeInto(container.querySelector('textarea'), 'Thanks');
    act(() => findButton('Send')?.click());
    await waitForRender(() => expect(container.textContent).toContain('cannot be reached'));
    expect(loadDraft('private:q')).toBe('Thanks');
    isReachable = true;
    act(() => findButton('Send')?.click());
    await waitForRender(() => expect(container.querySelector('textarea')?.value).toBe(''));
    typeInto(container.querySelector('textarea'), 'Thanks');
    act(() => findButton('Send')?.click());
    await waitForRender(() => expect(commands).toHaveLength(2));
    act(() => findButton('Yes')?.click());
    await waitForRender(() => expect(commands).toHaveLength(3));

    const turn = /^PUT private-questions\/q\/turns\/\S+ {"text":"Thanks","asStaff":false/;
    expect(commands).toEqual([
      expect.stringMatching(turn),
      expect.stringMatching(turn),
      expect.stringMatching(/^PUT private-questions\/q\/publication {"agreed":true/),
    ]);
    expect(commands[0]).not.toBe(commands[1]);
  });

  test('an asker who is muted only here reads why, and can appeal [PRIV-10]', async () => {
    const mute = { classId: 'class', until: null, active: true, appeal: null };
    sanctions = [
      { ...mute, sanctionId: 'room', reason: 'Spam' },
      { ...mute, sanctionId: 'asker', reason: 'Rude', private: true },
    ];

    await render('private');

    await waitForRender(() => expect(findButton('Appeal')).toBeDefined());
    const notice = container.querySelector('[aria-label="Decision of a moderator"]');
    expect(notice?.textContent).toMatch(/^You cannot write to staff here. In the room .*Rude/);
    expect(container.textContent).not.toContain('Spam');
  });

  test('staff see what waits, what is answered and what is done, from someone without a name [PRIV-53, PRIV-56]', async () => {
    view.set({ ...createView(), staff });
    privateQuestions = [
      createPrivate('new', ['Is it late?']),
      createPrivate('old', ['Am I failing?', 'No.']),
      createPrivate('over', ['Where?', 'Here.'], 'done'),
    ];

    await render('private');

    await waitForRender(() =>
      expect(listTitles()).toEqual(['Not answered yet · 1', 'Answered · 1', 'Done · 1']),
    );
    expect(findLabel()).toBe('Questions: 3 unanswered. Something new in private.');
    const summaries = [...container.querySelectorAll('summary')].map((item) => item.textContent);
    expect(summaries[0]).toBe('Someone, asking privatelyIs it late?');
    for (const name of ['Mark as done', 'Ask to publish', 'Reopen']) {
      act(() => findButton(name)?.click());
      await waitForRender(() =>
        expect(findButton(name)?.getAttribute('aria-disabled')).toBe('false'),
      );
    }
    expect(commands.map((command) => command.slice(0, 60))).toEqual([
      expect.stringContaining('new/state {"state":"done"'),
      expect.stringContaining('old/state {"state":"asked"'),
      expect.stringContaining('over/state {"state":"open"'),
    ]);
    act(() => container.querySelector<HTMLElement>('[aria-label=Report]')?.click());
    expect(report).toHaveBeenCalledWith({
      messageId: 'new-0',
      persona: null,
      summary: 'Is it late?',
    });
  });

  test('after consent the answer goes into an empty message field, to be posted as staff, without the question [PRIV-53]', async () => {
    view.set({ ...createView(), staff, speaker: 'self' });
    privateQuestions = [createPrivate('q', ['Am I failing?', 'No one is.'], 'agreed')];
    localStorage.setItem('draft:class', 'anonymous words');
    await render('private');
    await waitForRender(() => expect(findButton('Publish')).toBeDefined());

    act(() => findButton('Publish')?.click());
    expect(view.getSnapshot().speaker).toBe('self');
    expect(loadDraft('class')).toBe('anonymous words');
    clearAllDrafts();
    act(() => findButton('Publish')?.click());

    expect(view.getSnapshot().speaker).toBe('staff');
    expect(loadDraft('class')).toBe('To a question that we got:\n\nNo one is.');
  });
});
