import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Class } from '#contract/entities.ts';
import type { CallReply } from '#contract/http.ts';
import { call } from '#web/api.ts';
import { callWithOfflineFallback } from '#web/data/offline-answers.ts';
import { classesKey } from '#web/data/query-keys.ts';

export const classesQuery = queryOptions({
  queryKey: classesKey,
  queryFn: () => callWithOfflineFallback('classes', call('listClasses', {})),
});

/** In list order, as the server sorts them. */
export const getClasses = ({ classes }: CallReply<'listClasses'>) => classes;

/** @throws {RejectedError | NetworkError} */
export async function fetchClasses(client: QueryClient): Promise<Class[]> {
  return getClasses(await client.fetchQuery(classesQuery));
}
