// What a class notifies of, in the panel of the class.
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { MemoryRouter } from 'react-router';
import { beforeEach, expect, test, vi } from 'vitest';
import { setUpRoot, waitForRender } from '#web/ui/testing/set-up-root.ts';
import { NotificationChoice } from './notification-choice.tsx';

const settings = {
  publicKey: 'key' as string | null,
  subscribed: false,
  notifications: { showText: false, quietHours: null, snoozedUntil: null, waitingWork: false },
  choices: [{ classId: 'class', notify: 'none' }],
  digest: false,
  digestUnavailable: 'noMail' as string | null,
};

notifyManager.setNotifyFunction((notify) => act(notify));

const { root, container } = setUpRoot();
let requests: { method: string | undefined; url: string; body: unknown }[];

beforeEach(() => void (requests = []));

/** @param hasChoice whether the choice appears */
async function render(reply: typeof settings, hasChoice: boolean): Promise<void> {
  vi.stubGlobal('fetch', (url: string, { method, body }: RequestInit) => {
    requests.push({ method, url, body: body === undefined ? undefined : String(body).trimEnd() });
    return Promise.resolve(Response.json(method === 'GET' ? reply : {}));
  });
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(['me'], { account: { email: 'mary-ann.smith@university.edu' } });
  await act(async () =>
    root.render(
      <MemoryRouter>
        <QueryClientProvider client={client}>
          <NotificationChoice classId="class" />
        </QueryClientProvider>
      </MemoryRouter>,
    ),
  );
  await waitForRender(() => {
    expect(client.getQueryData(['readNotifications', {}, null])).toBeTruthy();
    expect(findSelect() !== null).toBe(hasChoice);
  });
}

const findSelect = () => container.querySelector('select');

test('a member chooses in the panel of a class what the class notifies of [PWA-21, PUSH-8]', async () => {
  await render(settings, true);
  expect(findSelect()?.value).toBe('none');
  expect(container.querySelector('a')?.getAttribute('href')).toBe('/profile/notifications');

  const select = findSelect()!;
  await act(async () => {
    select.value = 'all';
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });

  expect(requests.at(-1)).toEqual({
    method: 'PUT',
    url: '/api/classes/class/notifications',
    body: '{"notify":"all"}',
  });
  await waitForRender(() => expect(findSelect()?.value).toBe('all'));
});

test('a server without notifications and emails offers no choice [PWA-21]', async () => {
  await render({ ...settings, publicKey: null }, false);

  expect(container.textContent).toBe('');
});

test('a server with a daily email offers the choice without notifications [PWA-21]', async () => {
  await render({ ...settings, publicKey: null, digestUnavailable: null }, true);

  expect(container.querySelector('a')).toBe(null);
});
