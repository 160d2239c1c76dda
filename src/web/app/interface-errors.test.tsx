// What a member sees, and what the server gets, when code of the page throws.
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRejectedError } from '#web/rejected-error.ts';
import { NoticesProvider } from '#web/ui/notices.tsx';
import { ErrorBoundary, Optional, reportCaughtError } from '#web/error-boundary.tsx';
import { PageErrorBoundary } from './page-error-boundary.tsx';
import { InterfaceErrors } from './interface-errors.ts';

const sentence =
  'Something went wrong on this page. What you wrote is still here. If it happens again, reload the page.';

let root: Root;
let container: HTMLElement;
const requests: Request[] = [];

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.useFakeTimers();
  requests.length = 0;
  vi.stubGlobal('fetch', (...args: ConstructorParameters<typeof Request>) => {
    requests.push(new Request(new URL(String(args[0]), 'http://localhost'), args[1]));
    return Promise.resolve(Response.json({}));
  });
  vi.stubGlobal('reportError', (error: unknown) => dispatchEvent(createErrorEvent(error)));
  container = document.createElement('div');
  document.body.append(container);
  root = createRoot(container, { onCaughtError: reportCaughtError });
});

afterEach(() => {
  act(() => root.unmount());
  container.remove();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function createErrorEvent(error: unknown): ErrorEvent {
  return new ErrorEvent('error', { error });
}

function createRejection(reason: unknown): Event {
  return Object.assign(new Event('unhandledrejection'), { reason });
}

function render(children?: ReactNode): void {
  act(() =>
    root.render(
      <NoticesProvider>
        <InterfaceErrors />
        <Optional>{children}</Optional>
      </NoticesProvider>,
    ),
  );
}

/** The text of a notice follows its element. */
function getNotice(): string | undefined {
  act(() => void vi.advanceTimersByTime(100));
  return container.querySelector('[role=status]')?.textContent;
}

const secret = new Error('mary-ann.smith@university.edu wrote this');

test.each([
  ['an event handler throws', () => dispatchEvent(createErrorEvent(secret))],
  ['a promise rejects', () => dispatchEvent(createRejection(secret))],
])(
  'the member reads a sentence when %s, and the server gets a call without text [LAYOUT-59, METRIC-14]',
  async (_, fail) => {
    render();

    act(() => void fail());

    expect(getNotice()).toBe(sentence);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.url).toBe('http://localhost/api/interface-errors');
    expect(requests[0]?.method).toBe('POST');
    expect(await requests[0]?.text()).toBe('');
  },
);

test('the member reads a sentence when a component cannot be shown [LAYOUT-59, METRIC-14]', async () => {
  const Broken = () => {
    throw secret;
  };

  render(<Broken />);

  expect(getNotice()).toBe(sentence);
  expect(requests).toHaveLength(1);
});

test('a text in place of a component that cannot be shown needs no notice [LAYOUT-59, METRIC-14]', () => {
  const Broken = () => {
    throw new Error('This component is broken.');
  };

  render(
    <ErrorBoundary renderFallback={() => 'This could not be shown.'}>
      <Broken />
    </ErrorBoundary>,
  );

  expect(container.textContent).toContain('This could not be shown.');
  expect(getNotice()).toBe('');
  expect(requests).toHaveLength(1);
});

test.each([
  ['Failed to fetch dynamically imported module: /a.js', 'Please check your connection'],
  ['error loading dynamically imported module: /a.js', 'Please check your connection'],
  ['Importing a module script failed.', 'Please check your connection'],
  ['Unable to preload CSS for /a.css', 'Please check your connection'],
  ["Failed to execute 'removeChild' on 'Node'", 'because of an error in the app'],
])('a screen that fails with %j says the reason: %s [LAYOUT-59]', (message, reason) => {
  const Broken = () => {
    throw new TypeError(message);
  };

  render(
    <PageErrorBoundary>
      <Broken />
    </PageErrorBoundary>,
  );

  expect(container.textContent).toContain('This page could not be shown');
  expect(container.textContent).toContain(reason);
});

test('a page with a thousand exceptions reports one a minute [METRIC-14]', async () => {
  render();
  const failOften = () => {
    for (let n = 0; n < 1000; n++) dispatchEvent(createErrorEvent(secret));
  };

  act(failOften);
  expect(requests).toHaveLength(1);
  act(() => void vi.advanceTimersByTime(59_000));
  act(failOften);
  expect(requests).toHaveLength(1);
  act(() => void vi.advanceTimersByTime(1000));
  act(failOften);

  expect(requests).toHaveLength(2);
});

test('what the server has answered is shown as it is, and does not count as an exception [LAYOUT-59]', async () => {
  render();

  act(() => void dispatchEvent(createRejection(createRejectedError('CLASS_ENDED'))));

  expect(getNotice()).toBe('This class has ended. You can still read it.');
  expect(requests).toEqual([]);
});

test('what the browser cancels or only mentions is no exception [LAYOUT-59]', async () => {
  render();

  act(() => {
    dispatchEvent(createRejection(new DOMException('Aborted.', 'AbortError')));
    dispatchEvent(new ErrorEvent('error', { message: 'ResizeObserver loop' }));
  });

  expect(getNotice()).toBe('');
  expect(requests).toEqual([]);
});
