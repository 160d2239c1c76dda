// Where the mailed link of a sign-up leads.
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { MemoryRouter, useLocation } from 'react-router';
import { expect, test, vi } from 'vitest';
import { setUpRoot, waitForRender } from '#web/ui/testing/set-up-root.ts';
import { VerifyEmailScreen } from './verify-email-screen.tsx';

notifyManager.setNotifyFunction((notify) => act(notify));

const { root, container } = setUpRoot();

const course = {
  courseId: 'B'.repeat(16),
  ...{ courseTitle: 'Algorithms', courseLabel: 'CS 146', isInstructor: false, isCopy: false },
  ...{ grantsStaff: false, linkedClass: null, picking: null, staffState: 'none' },
};

function Place() {
  return <output>{useLocation().pathname}</output>;
}

async function verify(openedCourse: object | null): Promise<void> {
  const replies: Record<string, object> = {
    '/api/me': { account: null },
    '/api/course': { course: openedCourse },
  };
  vi.stubGlobal('fetch', async (url: string) => Response.json(replies[url] ?? {}));
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <MemoryRouter initialEntries={['/verify-email#token=x']}>
          <VerifyEmailScreen />
          <Place />
        </MemoryRouter>
      </QueryClientProvider>,
    ),
  );
  const field = container.querySelector<HTMLInputElement>('input[type=password]')!;
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!;
  await act(async () => {
    setValue.call(field, 'correct horse battery');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await act(async () => container.querySelector<HTMLButtonElement>('[type=submit]')?.click());
}

test.each([
  { openedCourse: course, place: '/course' },
  { openedCourse: null, place: '/home' },
])('the mailed link of a sign-up leads to $place [LTI-8]', async ({ openedCourse, place }) => {
  await verify(openedCourse);

  await waitForRender(() => expect(container.querySelector('output')?.textContent).toBe(place));
});
