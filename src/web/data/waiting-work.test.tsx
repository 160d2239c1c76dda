// How often a browser reads what waits for a moderator.
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { expect, test, vi } from 'vitest';
import { refreshModeration } from '#web/features/moderation/moderation.ts';
import { setUpRoot, waitForRender } from '#web/ui/testing/set-up-root.ts';
import { refreshWaitingWork, useWaitingWork } from './waiting-work.ts';

notifyManager.setNotifyFunction((notify) => act(notify));

const { root, container } = setUpRoot();

const Work = () => useWaitingWork();

test('a change of a case is read once, also while the screen of moderators is open [MOD-100]', async () => {
  let requestCount = 0;
  vi.stubGlobal('fetch', () => {
    requestCount += 1;
    const counts = { escalations: 0, appeals: 0, unmaskings: 0, reportsFromOutside: 0 };
    const work = { openCases: requestCount, ...counts };
    return Promise.resolve(Response.json({ ...work, oldestDay: null }));
  });
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(['me'], { account: { roles: [{ classId: null, role: 'operator' }] } });
  await act(async () =>
    root.render(
      <QueryClientProvider client={client}>
        <Work />
      </QueryClientProvider>,
    ),
  );
  await waitForRender(() => expect(container.textContent).toBe('1'));

  // What the connection and the screen do when the server tells of a change.
  await act(async () => {
    void refreshWaitingWork(client);
    void refreshModeration(client);
  });

  await waitForRender(() => expect(container.textContent).toBe('2'));
  expect(requestCount).toBe(2);
});
