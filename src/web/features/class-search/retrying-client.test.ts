import { expect, it, vi } from 'vitest';
import type { Search, SearchResponse } from '#web/data/hosted-search.ts';
import { createRetryingClient } from './retrying-client.ts';

const answer = { results: [] } as SearchResponse;
const requests = [{ indexName: 'classSearch' }];

it('asks again after a failure, and answers the search that failed [SEARCH-110]', async () => {
  const search = vi.fn<Search>().mockRejectedValueOnce(new Error('lost')).mockResolvedValue(answer);
  const waiting = createRetryingClient({ search });
  const found = waiting.client.search(requests);
  await vi.waitFor(() => expect(waiting.getFailure()).toMatchObject({ isRetrying: false }));
  waiting.getFailure()?.retry();
  expect(waiting.getFailure()).toMatchObject({ error: new Error('lost'), isRetrying: true });
  waiting.getFailure()?.retry();
  expect(await found).toBe(answer);
  expect(waiting.getFailure()).toBeNull();
  expect(search).toHaveBeenCalledTimes(2);
});

it('forgets the failure of a search that another has taken the place of [SEARCH-110]', async () => {
  const search = vi.fn<Search>().mockResolvedValue(answer);
  let fail = () => {};
  search.mockReturnValueOnce(new Promise((_, reject) => (fail = () => reject(new Error('late')))));
  const waiting = createRetryingClient({ search });
  const heard = vi.fn<() => void>();
  waiting.subscribe(heard);
  void waiting.client.search(requests);
  expect(await waiting.client.search(requests)).toBe(answer);
  fail();
  await Promise.resolve();
  expect(waiting.getFailure()).toBeNull();
  expect(heard).not.toHaveBeenCalled();
});
