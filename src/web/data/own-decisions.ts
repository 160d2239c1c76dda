// What moderators decided about the member's reports, personas and appeals, and which of it is new to this browser.
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { OwnDecision } from '#contract/moderation.ts';
import { call } from '#web/api.ts';
import { useStore } from '#web/use-store.ts';
import { createStoredIds } from './stored-ids.ts';

const decisionsKey = ['own-decisions'];
/** All members ask at the same rate: a frame at the moment of a decision would tell an observer of the network who reported. */
const pollMs = 10 * 60_000;

const seenIds = createStoredIds('seen-decisions');

export function useNewDecisions(): readonly OwnDecision[] {
  const { data } = useQuery({
    queryKey: decisionsKey,
    queryFn: fetchDecisions,
    staleTime: pollMs,
    refetchInterval: pollMs,
  });
  const ids = useStore(seenIds);
  return data?.decisions.filter(({ decisionId }) => !ids.includes(decisionId)) ?? [];
}

/**
 * What was decided before this browser signed in is not new: signing out forgets what it has shown (PROFILE-6). The exception is
 * the reason for a removed message, which stands nowhere else.
 */
async function fetchDecisions() {
  const reply = await call('listOwnDecisions', {});
  if (!seenIds.isStored()) {
    const oldDecisions = reply.decisions.filter(({ kind }) => kind !== 'message-removed');
    seenIds.add(oldDecisions.map(({ decisionId }) => decisionId));
  }
  return reply;
}

export function markDecisionsSeen(decisions: readonly OwnDecision[]): void {
  if (decisions.length > 0) seenIds.add(decisions.map(({ decisionId }) => decisionId));
}

export function refreshOwnDecisions(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: decisionsKey });
}

/** Marks the decisions of the class as seen while the component shows what they say. */
export function useShownDecisions(
  classId: string,
  isShown: (kind: OwnDecision['kind']) => boolean,
): void {
  const client = useQueryClient();
  const newDecisions = useNewDecisions();
  useEffect(() => {
    void refreshOwnDecisions(client);
    // A sanction that is no longer shown may have been lifted after an appeal.
    return () => void refreshOwnDecisions(client);
  }, [client]);
  useEffect(() =>
    markDecisionsSeen(
      newDecisions.filter((decision) => decision.classId === classId && isShown(decision.kind)),
    ),
  );
}
