// How much waits for the decision of a moderator or operator, as the signs outside of their screen show it.
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { call } from '#web/api.ts';
import { useIsModerator } from '#web/data/session.ts';

/** The key is not below that of the screen of moderators, because each change of a case renews it already. */
const workKey = ['waiting-work'];

/** @returns 0 for everyone else */
export function useWaitingWork(): number {
  const isModerator = useIsModerator();
  const { data } = useQuery({
    queryKey: workKey,
    queryFn: () => call('readWaitingWork', {}),
    enabled: isModerator,
  });
  if (!isModerator || !data) return 0;
  const { openCases, escalations, appeals, unmaskings, reportsFromOutside } = data;
  return openCases + escalations + appeals + unmaskings + reportsFromOutside;
}

/** Reads the numbers again, once for all signs. */
export function refreshWaitingWork(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: workKey });
}
