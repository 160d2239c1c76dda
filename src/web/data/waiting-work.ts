// How much waits for the decision of a moderator or operator, as the signs outside of their screen show it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '#web/api.ts';
import { useIsModerator } from '#web/data/session.ts';
import type { LiveClient } from '#web/sync/room/room.ts';

/** Begins with the key of everything that moderators see, so that each decision renews it. */
const workKey = ['moderation', 'work'];

/** @returns 0 for everyone else */
export function useWaitingWork(live: Pick<LiveClient, 'onModerationChanged'>): number {
  const isModerator = useIsModerator();
  const client = useQueryClient();
  useEffect(
    () => live.onModerationChanged(() => void client.invalidateQueries({ queryKey: workKey })),
    [live, client],
  );
  const { data } = useQuery({
    queryKey: workKey,
    queryFn: () => call('readWaitingWork', {}),
    enabled: isModerator,
  });
  if (!isModerator || !data) return 0;
  return data.openCases + data.escalations + data.appeals + data.unmaskings;
}
