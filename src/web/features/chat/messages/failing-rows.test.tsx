// The messages in a room of a fake server, while the code that shows one of them throws.
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MessageText } from '#web/ui/message-text.tsx';
import type { FakeBrowser, FakeTab } from '#web/sync/testing/fake-browser.ts';
import type { FakeServer } from '#web/sync/testing/fake-server.ts';
import { carry, openTabIn, startBrowser, stopBrowser } from '#web/sync/testing/one-browser.ts';
import { DialogsProvider } from '#web/ui/dialogs.tsx';
import { NoticesProvider } from '#web/ui/notices.tsx';
import { MessageList } from './message-list.tsx';
import type { summarizeMessage } from './message-summary.ts';

const state = vi.hoisted(() => {
  const failure = { part: '' };
  /** Throws for the text 'unshowable' while its part fails. */
  const throwIf = (part: string, text: string) => {
    if (failure.part === part && text === 'unshowable') throw new Error('This row is broken.');
  };
  return { failure, throwIf };
});

vi.mock('#web/ui/message-text.tsx', async (load) => {
  const original = await load<{ MessageText: typeof MessageText }>();
  return {
    MessageText(props: Parameters<typeof MessageText>[0]) {
      state.throwIf('text', props.text);
      return original.MessageText(props);
    },
  };
});
vi.mock('./message-summary.ts', async (load) => {
  const original = await load<{ summarizeMessage: typeof summarizeMessage }>();
  return {
    ...original,
    summarizeMessage(...args: Parameters<typeof summarizeMessage>) {
      state.throwIf('summary', args[0].text);
      return original.summarizeMessage(...args);
    },
  };
});

let server: FakeServer;
let browser: FakeBrowser;
let tab: FakeTab;
let root: Root;
let container: HTMLElement;
const reported = vi.fn<(error: unknown) => void>();

beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  ({ server, browser } = startBrowser());
  tab = await openTabIn(browser);
  container = document.createElement('div');
  document.body.append(container);
  root = createRoot(container, { onCaughtError: reported });
});

afterEach(() => {
  state.failure.part = '';
  act(() => root.unmount());
  container.remove();
  stopBrowser(browser);
  reported.mockReset();
  vi.unstubAllGlobals();
});

function render(): void {
  const room = tab.live.room('class');
  act(() =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <NoticesProvider>
          <DialogsProvider>
            <MessageList
              handle={null}
              classId="class"
              room={room}
              view={room.getSnapshot()}
              ended={false}
              mayPin={false}
              offline={false}
              newMessages={{
                range: null,
                clear: () => undefined,
                place: null,
                onPlace: () => undefined,
              }}
              editingId={null}
              onReport={() => undefined}
              onMove={() => undefined}
              setReplyTo={() => undefined}
              onEdit={() => undefined}
              onMention={() => undefined}
              onEnlarge={() => undefined}
              onType={() => undefined}
            />
          </DialogsProvider>
        </NoticesProvider>
      </QueryClientProvider>,
    ),
  );
}

const findRows = () => [...container.querySelectorAll<HTMLElement>('article')];

function findRetry(): HTMLButtonElement {
  const buttons = [...container.querySelectorAll('button')];
  const retry = buttons.find(({ textContent }) => textContent === 'Retry');
  if (!retry) throw new Error("There is no button 'Retry'.");
  return retry;
}

const sentence = 'This message could not be shown.';

test.each(['text', 'summary'])(
  'if the %s of a message throws, a sentence replaces that message, and Retry shows it [CHAT-64]',
  async (part) => {
    for (const text of ['Good morning', 'unshowable', 'See you']) {
      server.say('class', text, 'ben', text);
    }
    await carry(tab);
    state.failure.part = part;

    render();

    const [first, failed, last] = findRows();
    expect(first?.textContent).toContain('Good morning');
    expect(failed?.textContent).toContain(sentence);
    expect(failed?.getAttribute('aria-label')).toContain(sentence);
    expect(failed?.textContent).not.toContain('unshowable');
    expect(last?.textContent).toContain('See you');
    expect(reported).toHaveBeenCalledTimes(1);

    act(() => findRetry().click());

    expect(findRows()[1]?.textContent).toContain(sentence);

    state.failure.part = '';
    act(() => findRetry().click());

    expect(findRows()[1]?.textContent).toContain('unshowable');
    expect(document.activeElement).toBe(findRows()[1]);
  },
);
