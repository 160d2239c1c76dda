// The screen of a lecture hall, with replies of the server one after the other.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { themeQuery } from '#web/data/school-theme.ts';
import { changeSetting } from '#web/data/settings.ts';
import { markupParser } from '#web/markup/markup-parser.ts';
import { setUpRoot, waitForRender } from '#web/ui/testing/set-up-root.ts';
import { PresenterScreen } from './presenter-screen.tsx';
import type { Presentation } from './presentation.ts';

type Question = Presentation['presentedQuestions'][number];
type Poll = NonNullable<Presentation['presentedPoll']>;

const { root, container } = setUpRoot();
const token = `${'c'.repeat(16)}${'s'.repeat(32)}`;
let questions: Question[];
let presentedPoll: Poll | null;
let reply: () => Promise<Response>;
const requests: RequestInit[] = [];

const createQuestion = (questionText: string, voteCount = 0): Question => ({
  questionKey: questionText,
  questionText,
  voteCount,
  answered: false,
  answeredAloud: false,
});

const createPoll = (pollKey: string, changes: Partial<Poll> = {}): Poll => ({
  pollKey,
  pollText: `${pollKey}?`,
  pollOptions: ['Monday', 'Friday'],
  pollOpen: true,
  pollCountsAfter: 'vote',
  pollCounts: null,
  ...changes,
});

beforeEach(() => {
  presentedPoll = null;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  requests.length = 0;
  questions = [createQuestion('First?', 3), createQuestion('Second?', 1), createQuestion('Third?')];
  reply = () =>
    Promise.resolve(
      Response.json(
        {
          ...{ className: 'CS 146', courseTitle: 'Data Structures', classLetters: 'M7KD' },
          ...{ presentedQuestions: questions, presentedPoll },
        },
        { headers: { etag: '"1"' } },
      ),
    );
  vi.stubGlobal('fetch', (_url: string, init: RequestInit) => {
    requests.push(init);
    return reply();
  });
});
afterEach(() => {
  vi.useRealTimers();
  delete document.documentElement.dataset['theme'];
});

async function render(): Promise<void> {
  const client = new QueryClient();
  client.setQueryData(themeQuery.queryKey, null);
  await act(async () =>
    root.render(
      <QueryClientProvider client={client}>
        <MemoryRouter initialEntries={[`/present#${token}`]}>
          <PresenterScreen />
        </MemoryRouter>
      </QueryClientProvider>,
    ),
  );
}

/** Lets the page ask the server again. */
const poll = () => act(() => vi.advanceTimersByTimeAsync(1000));
const press = (key: string) =>
  act(() => void window.dispatchEvent(new KeyboardEvent('keydown', { key })));
const findCurrent = () => container.querySelector('article [dir=auto]')?.textContent;
const waitForText = (text: string) =>
  waitForRender(() => expect(container.textContent).toContain(text));

test('the keys move between the questions, and the next ones are listed [LECT-54]', async () => {
  await render();
  await waitForText('1 of 3');
  expect(findCurrent()).toBe('First?');
  expect([...container.querySelectorAll('li')].map(({ textContent }) => textContent)).toEqual([
    '1Second?',
    '0Third?',
  ]);

  const steps = [' ', 'ArrowRight', 'ArrowRight', 'Home', 'PageDown', 'ArrowLeft', 'End'].map(
    (key) => {
      press(key);
      return findCurrent();
    },
  );

  expect(steps).toEqual(['Second?', 'Third?', 'Third?', 'First?', 'Second?', 'First?', 'Third?']);
});

test.each([
  ['3. why?\n7. how?', 'ol > li[value="3"] + li[value="7"]', 'how?'],
  ['- so', 'ul > li', 'so'],
  ['**why**', 'strong', 'why'],
  ['> why', 'blockquote', 'why'],
  ['|a|\n|-|\n|b|', 'td', 'b'],
  ['```py\nif x:\n    y\n```', 'pre code', 'if x:\n    y'],
])('the hall shows %j as the room does [LECT-91]', async (text, selector, part) => {
  questions = [createQuestion(text)];
  await act(() => markupParser.load());
  await render();
  await waitForText('1 of 1');

  expect(container.querySelector(`article ${selector}`)?.textContent).toBe(part);
});

test('a question comes in a region that screen readers already know, and begins at its top [LECT-54]', async () => {
  await render();
  await waitForText('1 of 3');
  const [region, text] = ['article', 'article [tabindex]'].map((name) =>
    container.querySelector(name),
  );
  expect(region?.getAttribute('aria-live')).toBe('polite');

  press('ArrowRight');

  expect(findCurrent()).toBe('Second?');
  expect(container.querySelector('article')).toBe(region);
  expect(container.querySelector('article [tabindex]')).not.toBe(text);
});

test('a focused question that is longer than its place scrolls with the arrow keys [LECT-54]', async () => {
  await render();
  await waitForText('1 of 3');
  const text = container.querySelector<HTMLElement>('article [tabindex]');
  Object.defineProperty(text, 'scrollHeight', { value: 900 });
  const pressInText = (key: string) =>
    act(() => void text?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));

  pressInText('ArrowDown');
  expect(findCurrent()).toBe('First?');
  pressInText('ArrowRight');
  expect(findCurrent()).toBe('Second?');
});

test('the shown question stays while others overtake it, and the page sends no cookie [LECT-54]', async () => {
  await render();
  await waitForText('1 of 3');
  press('ArrowRight');
  questions = [createQuestion('New?', 9), ...questions];

  await poll();

  await waitForText('3 of 4');
  expect(findCurrent()).toBe('Second?');
  expect(requests.at(-1)).toMatchObject({
    credentials: 'omit',
    cache: 'no-store',
    headers: { 'presenter-token': token, 'if-none-match': '"1"' },
  });
});

test('the page leaves a question that staff mark as done, but not one that gets an answer [LECT-54]', async () => {
  await render();
  await waitForText('1 of 3');
  press('ArrowRight');
  const [first, second, third] = questions;
  questions = [first!, third!, { ...second!, answered: true }];
  await poll();
  await waitForText('3 of 3');
  expect(findCurrent()).toBe('Second?');

  questions = [first!, third!, { ...second!, answered: true, answeredAloud: true }];
  await poll();

  await waitForText('1 of 3');
  expect(findCurrent()).toBe('First?');
});

test('the controls fade after three seconds, and come back when someone uses the computer [LECT-55]', async () => {
  await render();
  await waitForText('1 of 3');
  const isIdle = () => container.querySelector('[data-idle]') !== null;
  expect(isIdle()).toBe(false);

  await act(() => vi.advanceTimersByTimeAsync(3000));
  expect(isIdle()).toBe(true);
  for (const sign of ['keydown', 'pointermove', 'focusin']) {
    act(() => void window.dispatchEvent(new Event(sign)));
    expect(isIdle()).toBe(false);
    await act(() => vi.advanceTimersByTimeAsync(3000));
    expect(isIdle()).toBe(true);
  }
});

test('the page moves to a poll that staff show, and back to the question when they stop [LECT-71]', async () => {
  await render();
  await waitForText('1 of 3');
  press('ArrowRight');
  presentedPoll = createPoll('Exam');
  await poll();
  await waitForText('Exam?');
  expect(container.querySelector('article')?.getAttribute('aria-label')).toBe('Poll');
  expect(container.textContent).toContain('Vote in the class. Counts appear when 5 people');

  presentedPoll = createPoll('Party');
  await poll();
  await waitForText('Party?');
  presentedPoll = null;
  await poll();

  await waitForText('2 of 3');
  expect(findCurrent()).toBe('Second?');
});

test('the keys step from the poll to the questions and back [LECT-71]', async () => {
  presentedPoll = createPoll('Exam');
  await render();
  await waitForText('Exam?');

  const steps = ['ArrowLeft', ' ', 'ArrowRight', 'Home', 'End', 'Home', 'PageDown'].map((key) => {
    press(key);
    return findCurrent();
  });

  expect(steps).toEqual(['Exam?', 'First?', 'Second?', 'Exam?', 'Third?', 'Exam?', 'First?']);
  expect(container.querySelector('aside svg[role=img]')).not.toBeNull();
});

test('a poll without questions shows the counts that arrive [LECT-71]', async () => {
  questions = [];
  presentedPoll = createPoll('Exam', { pollCountsAfter: 'closing' });
  await render();
  await waitForText('The result appears when the poll has closed.');
  press('ArrowRight');

  presentedPoll = createPoll('Exam', {
    pollOpen: false,
    pollCounts: { pollVoters: 1200, optionCounts: [900, 300] },
  });
  await poll();

  await waitForText('Closed. 1,200 people voted.');
  expect([...container.querySelectorAll('li')].map(({ textContent }) => textContent)).toEqual([
    'AMonday900 · 75%',
    'BFriday300 · 25%',
  ]);
});

test('Q shows a code that leads to the class, D changes between dark and light [LECT-55]', async () => {
  await render();
  await waitForText('1 of 3');

  const findCode = (place: string) => container.querySelector(`${place} svg[role=img] path`);
  expect(findCode('aside')?.getAttribute('d')).toContain('M0 0h1v1');
  expect(container.querySelector('aside')?.textContent).toContain('/c/M7KD');
  press('q');
  expect([findCode('main') !== null, findCode('aside')]).toEqual([true, null]);
  press('q');
  expect(findCurrent()).toBe('First?');

  press('d');
  const { theme } = document.documentElement.dataset;
  press('d');
  expect([theme, document.documentElement.dataset['theme']]).toEqual(['dark', 'light']);
});

test('A letter does nothing if the profile has turned the shortcuts of a character off [KEY-1, LECT-55]', async () => {
  await render();
  await waitForText('1 of 3');
  act(() => changeSetting('characterKeys', 'off'));

  press('q');
  press('ArrowRight');

  expect(findCurrent()).toBe('Second?');
  act(() => changeSetting('characterKeys', 'on'));
});

test('without questions, the page shows the code [LECT-55]', async () => {
  questions = [];
  await render();

  await waitForText('No questions yet. Scan to ask yours.');
  expect(container.querySelector('svg[role=img]')).not.toBeNull();
});

test.each([
  ['404 page not found', 404],
  ['{}', 404],
  ['<h1>Sign in to the network</h1>', 200],
  ['Bad gateway', 502],
])(
  'after the answer %j of a proxy the questions stay, and come again [LECT-56]',
  async (body, status) => {
    await render();
    await waitForText('1 of 3');

    reply = () => Promise.resolve(new Response(body, { status }));
    await poll();
    await waitForText('Not connected.');
    expect(findCurrent()).toBe('First?');

    reply = () => Promise.resolve(new Response(null, { status: 304 }));
    await poll();
    await waitForRender(() => expect(container.textContent).not.toContain('Not connected.'));
  },
);

test('without a connection the questions stay, and after the lecture the page asks no more [LECT-56]', async () => {
  await render();
  await waitForText('1 of 3');

  reply = () => Promise.reject(new TypeError('Failed to fetch'));
  await poll();
  await waitForText('Not connected.');
  expect(findCurrent()).toBe('First?');

  reply = () => Promise.resolve(new Response(null, { status: 304 }));
  await poll();
  await waitForRender(() => expect(container.textContent).not.toContain('Not connected.'));

  reply = () => Promise.resolve(Response.json({ code: 'NOT_FOUND' }, { status: 404 }));
  await poll();
  await waitForText('This lecture is over, or its link was revoked.');
  const count = requests.length;
  await poll();
  expect(requests).toHaveLength(count);
});
