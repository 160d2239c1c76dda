// The composer in a room of a fake server, while a check, a hint or a suggestion next to the message throws.
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, createRef } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  carry,
  openTabIn,
  startBrowser,
  stopBrowser,
  wait,
} from '#web/sync/testing/one-browser.ts';
import type { FakeBrowser, FakeTab } from '#web/sync/testing/fake-browser.ts';
import type { FakeServer } from '#web/sync/testing/fake-server.ts';
import type { RoomView } from '#web/sync/room/room.ts';
import { clearAllDrafts, loadDraft } from '#web/data/drafts.ts';
import { preloadModules } from '#web/lazy-module.ts';
import { Composer } from './composer.tsx';

const state = vi.hoisted(() => {
  const failing = { name: '', calls: 0 };
  /** Replaces each function of a module by one that throws while its name is in `failing`. */
  const makeBreakable = (module: object) =>
    Object.fromEntries(
      Object.entries(module).map(([name, value]: [string, unknown]) => {
        if (typeof value !== 'function') return [name, value];
        const original = value as (...args: unknown[]) => unknown;
        const callOrFail = (...args: unknown[]) => {
          if (failing.name !== name) return original(...args);
          failing.calls += 1;
          throw new Error(`${name} is broken.`);
        };
        return [name, callOrFail];
      }),
    );
  return { failing, makeBreakable };
});
const { failing } = state;

vi.mock('./personal-details.ts', async (load) => state.makeBreakable(await load()));
vi.mock('./mention-query.ts', async (load) => state.makeBreakable(await load()));
vi.mock('./send-state.ts', async (load) => state.makeBreakable(await load()));
vi.mock('./suggestion-keys.ts', async (load) => state.makeBreakable(await load()));
vi.mock('./preview.tsx', async (load) => state.makeBreakable(await load()));
vi.mock('./mention-suggestions.tsx', async (load) => state.makeBreakable(await load()));
vi.mock('./composer-hints.tsx', async (load) => state.makeBreakable(await load()));
vi.mock('../messages/quoted-message.tsx', async (load) => state.makeBreakable(await load()));
vi.mock('../messages/message-summary.ts', async (load) => state.makeBreakable(await load()));
vi.mock('../emoji/emoji-button.tsx', async (load) => state.makeBreakable(await load()));
vi.mock('../emoji/emoji-query.ts', async (load) => state.makeBreakable(await load()));
vi.mock('#web/data/mention-draft.ts', async (load) => state.makeBreakable(await load()));
vi.mock('#web/data/drafts.ts', async (load) => state.makeBreakable(await load()));
vi.mock('#contract/quote-text.ts', async (load) => state.makeBreakable(await load()));
vi.mock('#contract/mentions.ts', async (load) => state.makeBreakable(await load()));
vi.mock('#contract/quote-text.ts', async (load) => state.makeBreakable(await load()));

const blueFox = { memberId: 'cem', anonymousName: 'Blue Fox', icon: 'cem' };

notifyManager.setNotifyFunction((notify) => act(notify));

let server: FakeServer;
let browser: FakeBrowser;
let tab: FakeTab;
let root: Root;
let container: HTMLElement;
const reported = vi.fn<(error: unknown) => void>();

beforeAll(async () => {
  preloadModules();
  await vi.dynamicImportSettled();
});

beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('reportError', reported);
  ({ server, browser } = startBrowser());
  tab = await openTabIn(browser);
  server.say('class', 'x', 'ben', 'A question');
  await carry(tab);
  container = document.createElement('div');
  document.body.append(container);
  root = createRoot(container, { onCaughtError: reported });
});

afterEach(() => {
  failing.name = '';
  failing.calls = 0;
  act(() => root.unmount());
  container.remove();
  stopBrowser(browser);
  reported.mockReset();
  vi.unstubAllGlobals();
});

function render(change: Partial<RoomView> = {}, isReply = true): void {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(['me'], { account: { email: 'mary-ann.smith@university.edu' } });
  client.setQueryData(['class', 'class', 'mentionable'], { personas: [blueFox] });
  client.setQueryData(['listOwnPrivate', { params: { classId: 'class' } }, null], {
    ownPrivate: [],
    hasStaff: true,
  });
  const room = tab.live.room('class');
  const view = room.getSnapshot();
  const settings = { ...view.settings, slowModeSeconds: 10 };
  act(() =>
    root.render(
      <QueryClientProvider client={client}>
        <Composer
          classId="class"
          label="CS 146"
          field={createRef()}
          room={room}
          view={{ ...view, settings, ...change }}
          replyingTo={(isReply && view.messages[0]) || null}
          onCancelReply={() => undefined}
          onEditLast={() => undefined}
          onPage={() => undefined}
          disabled={false}
        />
      </QueryClientProvider>,
    ),
  );
}

function findField(): HTMLTextAreaElement {
  const field = container.querySelector('textarea');
  if (!field) throw new Error('The composer is not on screen.');
  return field;
}

function type(text: string): void {
  const field = findField();
  field.focus();
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(field, text);
  field.setSelectionRange(text.length, text.length);
  act(() => void field.dispatchEvent(new InputEvent('input', { bubbles: true })));
}

/** @returns whether the composer handled the key */
function press(key: string, options: KeyboardEventInit = {}): boolean {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...options });
  act(() => void findField().dispatchEvent(event));
  return event.defaultPrevented;
}

const isSuggested = () => container.textContent.includes('Blue Fox');
const listTexts = () => server.listMessages('class').map(({ text }) => text);

test.each([
  'findPersonalDetail',
  'findMentionQuery',
  'findSuggestions',
  'findSlowModeEnd',
  'Preview',
  'MentionSuggestions',
  'ReplyTarget',
  'QuoteLine',
  'summarizeMessage',
  'EmojiButton',
  'findUnfinishedEmoji',
  'toMessageText',
  'changeDraft',
  'saveMentionDraft',
  'toLocalQuote',
  'none',
])('a message goes out and is sent once, although %s throws [SEND-45]', async (name) => {
  failing.name = name;
  render();

  type('**Hello** @Nobody');
  press('Enter');
  await act(() => carry(tab));

  expect(failing.calls > 0).toBe(name !== 'none');
  expect(listTexts()).toEqual(['A question', '**Hello** @Nobody']);
  expect(findField().value).toBe('');
});

test('the composer shows what the member types in another tab [LIST-60]', () => {
  render();
  type('Hello');

  localStorage.setItem('draft:class', 'Hello from the other tab');
  act(() => void dispatchEvent(Object.assign(new Event('storage'), { key: 'draft:class' })));

  expect(findField().value).toBe('Hello from the other tab');
  type('');
});

test('a message goes out although Enter could not choose a suggestion [SEND-45]', async () => {
  failing.name = 'handleSuggestionKey';
  render();

  type('Hello @Blue Fox');
  expect(isSuggested()).toBe(true);
  press('Enter');
  await act(() => carry(tab));

  expect(failing.calls).toBe(1);
  expect(listTexts()).toEqual(['A question', 'Hello @Blue Fox']);
});

test.each([
  ['run :type', ['Enter'], null],
  ['Hello @', ['Enter'], null],
  ['Hello @Blue', ['Enter'], 'Hello @Blue Fox '],
  ['Done :tada', ['Enter'], 'Done 🎉'],
  ['Hello @blue fóx', ['Enter'], 'Hello @Blue Fox '],
  ['Hello @Bl', ['ArrowDown', 'Enter'], 'Hello @Blue Fox '],
  ['run :type', ['ArrowUp', 'ArrowDown', 'Tab'], 'run 🅰️'],
  ['Hello @Bl', ['Tab'], 'Hello @Blue Fox '],
])(
  'After %j, %j sends the text or chooses what was named [SEND-31, MENTION-6]',
  async (text, keys, draft) => {
    document.execCommand = (_command, _showsDialog, insert = '') => {
      const { value, selectionStart, selectionEnd } = findField();
      type(value.slice(0, selectionStart) + insert + value.slice(selectionEnd));
      return true;
    };
    render();
    type(text);
    await act(() => vi.dynamicImportSettled());

    for (const key of keys) press(key);
    await act(() => carry(tab));

    expect(findField().value).toBe(draft ?? '');
    expect(listTexts()).toEqual(draft === null ? ['A question', text] : ['A question']);
    type('');
  },
);

test.each([{ isComposing: true }, { keyCode: 229 }])(
  'A key of an input method (%o) neither sends nor cancels [SEND-6]',
  (options) => {
    render();
    type('Hello @Blue Fox');

    const handledKeys = ['Enter', 'ArrowDown', 'PageUp', 'Escape'].filter((key) =>
      press(key, options),
    );
    expect(handledKeys).toEqual([]);
    type('');
    expect(press('Escape')).toBe(true);
  },
);

test('The composer asks before it sends a PDF whose title has a personal detail [PDF-23, SEND-37]', async () => {
  const { staging } = tab.live.room('class');
  await staging.add([new File(['%PDF-1.7'], 'sheet.pdf', { type: 'application/pdf' })]);
  await carry(tab);
  staging.describe(staging.getSnapshot().pictures[0]?.id ?? '', 'Sheet 1 by Mary-Ann Smith');
  render();

  press('Enter');
  await act(() => carry(tab));

  expect(container.textContent).toContain('This looks like your name. Send anyway?');
  expect(listTexts()).toEqual(['A question']);
  press('Enter');
  await act(() => carry(tab));
  expect(server.listMessages('class').at(-1)?.images).toMatchObject([
    { alt: 'Sheet 1 by Mary-Ann Smith' },
  ]);
});

test('slow mode ends by the clock of the server [CSET-18]', async () => {
  // The clock of the device is an hour behind.
  server.aheadMs = 3_600_000;
  tab = await openTabIn(browser);
  const room = tab.live.room('class');
  room.post('Hello');
  await carry(tab);
  const sentAt = room.serverNow();
  const messages = room
    .getSnapshot()
    .messages.map((message) => ({ ...message, createdAt: sentAt }));
  render({ messages });
  expect(container.textContent).toContain('You can send again in 10 s.');

  await act(() => wait(11_000));

  expect(container.textContent).not.toContain('You can send again');
});

describe('with Only staff', () => {
  const privateNote = 'Only staff read this. They do not see your name here.';
  const click = (name: string) =>
    act(() =>
      [...container.querySelectorAll('button')]
        .find((button) => [button.getAttribute('aria-label'), button.textContent].includes(name))
        ?.click(),
    );
  const askInPrivate = (text: string) => {
    render({}, false);
    click('Ask as a question');
    type(text);
    click('Only staff');
  };

  afterEach(() => clearAllDrafts());

  test('a text stays in its field when the call fails, is never posted in the room, and is asked once [PRIV-51]', async () => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (url: string, { method }: RequestInit) => {
      if (method === 'PUT' && asked.push(url) === 1) throw new TypeError('Failed to fetch');
      return Response.json({});
    });
    askInPrivate('Am I failing?');
    expect(container.textContent).toContain(privateNote);

    press('Enter');
    await act(() => wait(1000));
    expect(container.querySelector('[role=alert]')?.textContent).toContain(
      'Your question stays here. Only staff will get it.',
    );
    expect(findField().value).toBe('Am I failing?');
    press('Enter');
    await act(() => wait(1000));
    // What follows does not go to the class by surprise.
    expect(container.textContent).toContain(privateNote);
    expect(findField().value).toBe('');
    press('Enter');
    await act(() => carry(tab));

    expect(asked[0]).toMatch(/^\/api\/classes\/class\/private-questions\/[\w-]+$/);
    expect(asked).toEqual([asked[0], asked[0]]);
    expect(listTexts()).toEqual(['A question']);
  });

  test('the class does not learn that a question is typed, which can still go to staff alone [PRIV-50]', async () => {
    const listTyping = () =>
      tab.wire()?.clientFrames.filter((frame) => frame.type === 'typing') ?? [];
    render({}, false);
    click('Ask as a question');

    type('Am I failing?');
    expect(listTyping()).toEqual([]);
    click('Only staff');
    type('Am I failing this?');
    expect(listTyping()).toEqual([]);
    click('Only staff');
    click('Ask as a question');
    type('Hello');

    expect(listTyping()).toHaveLength(1);
  });

  test('another press moves the text back to the class, as a question [PRIV-50]', async () => {
    askInPrivate('When is the exam?');
    expect(loadDraft('class')).toBe('');

    click('Only staff');

    expect(container.textContent).not.toContain(privateNote);
    press('Enter');
    await act(() => carry(tab));
    expect(server.listMessages('class').at(-1)).toMatchObject({
      text: 'When is the exam?',
      question: { votes: 0 },
    });
  });

  test('a reply, pictures, staff, and a class without staff have no such choice [PRIV-50]', async () => {
    const hasSwitch = () => container.textContent.includes('Only staff');
    render({}, false);
    click('Ask as a question');
    expect(hasSwitch()).toBe(true);

    render({});
    expect(hasSwitch()).toBe(false);
    const staff = { persona: blueFox, maySpeak: true };
    render({ staff, speaker: 'self' }, false);
    expect(hasSwitch()).toBe(false);
    await tab.live.room('class').staging.add([new File(['%PDF-1.7'], 'a.pdf')]);
    render({}, false);
    expect(hasSwitch()).toBe(false);
  });
});
