import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import type { CallReply } from '#contract/http.ts';
import { RejectedError, createRejectedError } from '#web/rejected-error.ts';
import { classesQuery } from './classes-query.ts';
import { refreshClasses, toClassErrorText } from './classes.ts';

test('the alert for a user in too many classes says what to do, and others stay the same [HTTP-51, JOIN-7, CREATE-12, MOD-49]', () => {
  const fallbackText = 'Unable to join class. Please try again.';
  const tooMany = new RejectedError(
    'TOO_MANY_CLASSES',
    'You can be in at most 200 classes. Please leave one that you no longer need, then try again.',
  );
  expect(toClassErrorText(tooMany, fallbackText)).toMatch(/at most 200 classes.*leave one/);
  const sanction = { kind: 'removed', until: null, reason: 'Insult' } as const;
  const rejection = new RejectedError(
    'REMOVED_FROM_CLASS',
    'A moderator removed you from this class.',
    undefined,
    sanction,
  );
  expect(toClassErrorText(rejection, fallbackText)).toMatch(/removed you.*Insult/);
  expect(toClassErrorText(createRejectedError('UNAVAILABLE'), fallbackText)).toBe(fallbackText);
  expect(toClassErrorText(new TypeError('Failed to fetch'), fallbackText)).toBe(fallbackText);
});

test('a class that is joined elsewhere while the list first loads appears in it [LIST-11]', async () => {
  const client = new QueryClient();
  const first = Promise.withResolvers<CallReply<'listClasses'>>();
  const joined = { classes: [{ classId: 'math' }] } as CallReply<'listClasses'>;
  const load = vi.fn<() => Promise<CallReply<'listClasses'>>>().mockResolvedValue(joined);
  const queryFn = load.mockReturnValueOnce(first.promise);
  const stop = new QueryObserver(client, { ...classesQuery, queryFn }).subscribe(() => {});

  const refreshed = refreshClasses(client);
  first.resolve({ classes: [] });
  await refreshed;

  expect(client.getQueryData(classesQuery.queryKey)).toEqual(joined);
  stop();
});
