import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { Poll, PollResult } from '#contract/entities.ts';
import { call } from '#web/api.ts';
import { pollWhileUnreachable } from '#web/data/query-client.ts';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { useStore } from '#web/use-store.ts';

/**
 * The viewer's own vote, with one that is not sent, and the result as far as the viewer may see it.
 *
 * @param isOwn the viewer asked it as staff, and may see the result without a vote
 */
export function usePoll(
  classId: string,
  room: Room,
  message: Pick<RoomMessage, 'id' | 'delivery'>,
  poll: Poll,
  isOwn: boolean,
): {
  choices: readonly number[];
  result: PollResult | null;
} {
  const { id, delivery } = message;
  const { choices: sentChoices, entries } = useStore(room, (snapshot) => snapshot.marks);
  const savedChoices = sentChoices.get(id);
  const isRead = delivery === 'sent' && poll.closesAt !== null;
  const query = useQuery({
    // A vote can change which result the viewer may see.
    queryKey: ['class', classId, 'poll', id, savedChoices ?? null],
    queryFn: () => call('readPoll', { params: { classId, messageId: id } }),
    enabled: isRead,
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: pollWhileUnreachable,
  });
  const { refetch } = query;

  // An entry of the log says that the counts have changed, and brings the same poll again.
  const lastPoll = useRef(poll);
  const readAgain = useEffectEvent(() => {
    const seesCounts = isOwn || Boolean(query.data?.choices.length);
    if (poll.closesAt !== null && seesCounts) void query.refetch();
  });
  useEffect(() => {
    if (lastPoll.current !== poll) readAgain();
    lastPoll.current = poll;
  }, [poll]);

  // Without a connection, the room does not learn of a vote on another device.
  useEffect(() => {
    if (!isRead) return;
    return room.onMessageChanged(({ kind }) => {
      if (kind === 'resumed') void refetch();
    });
  }, [room, isRead, refetch]);

  const unsentChoices = entries
    .filter(({ mark, failure }) => mark?.messageId === id && failure === null)
    .flatMap(({ mark }) => (mark?.type === 'choose' ? [mark.choices] : []))
    .at(-1);
  const readChoices = query.isPlaceholderData ? undefined : query.data?.choices;
  return {
    choices: unsentChoices ?? readChoices ?? savedChoices ?? [],
    result: poll.result ?? query.data?.result ?? null,
  };
}
