// Keeps the results of searches in the messages of a class current.
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { CallReply } from '#contract/http.ts';
import { applyToAll } from '#web/sync/engine/log-replica.ts';
import type { MessageChange } from '#web/sync/room/room.ts';

export type FoundPage = CallReply<'searchMessages'>;
type Hit = FoundPage['hits'][number];

export const toFoundMessagesKey = (classId: string) => ['class', classId, 'search'];

/** Applies a change of a message to all results, also to those of a closed panel. */
export function updateFoundMessages(
  client: QueryClient,
  classId: string,
  change: MessageChange,
): void {
  const filter = { queryKey: toFoundMessagesKey(classId) };
  if (change.kind === 'posted' || change.kind === 'resumed') return;
  // A response that is on its way may be older than the change.
  let isStale = change.kind === 'unknown' || client.isFetching(filter) > 0;
  if (change.kind !== 'unknown') {
    const update = (hit: Hit): Hit[] => {
      const [message] = applyToAll([hit.message], change);
      if (message === hit.message) return [hit];
      if (!message || message.moderation === 'removed') return [];
      if (change.kind !== 'edited' || change.messageId !== message.id) return [{ ...hit, message }];
      // The server finds the matches in the new text.
      isStale = true;
      return [{ message, marks: [] }];
    };
    client.setQueriesData<InfiniteData<FoundPage>>(filter, (data) => {
      if (!data?.pages.some(({ hits }) => hits.some((hit) => update(hit)[0] !== hit))) return data;
      const pages = data.pages.map((page) => ({ ...page, hits: page.hits.flatMap(update) }));
      return { ...data, pages };
    });
  }
  if (isStale) void client.invalidateQueries(filter);
}
