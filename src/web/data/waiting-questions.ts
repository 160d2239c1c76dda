// The questions that wait for release in a lecture, as staff see them. No frame tells staff of them, because only few accounts
// may learn of them, so the list is read every few seconds while the lecture is on.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '#web/api.ts';

/** How often the list of staff is read, and that of an asker whose questions wait. */
export const pollMs = 5000; // LECT-62
const toQueryKey = (classId: string) => ['class', classId, 'releasable'];

/** @param enabled the lecture is on, and the viewer may release questions */
export function useReleasable(classId: string, enabled: boolean) {
  const { data } = useQuery({
    queryKey: toQueryKey(classId),
    queryFn: () => call('listWaitingQuestions', { params: { classId } }),
    enabled,
    gcTime: 0,
    staleTime: pollMs,
    refetchInterval: pollMs,
  });
  const personas = useMemo(
    () => new Map(data?.personas.map((persona) => [persona.memberId, persona])),
    [data],
  );
  return { questions: (enabled && data?.waitingQuestions) || [], personas };
}

/** @returns a function that reads the list again */
export function useRefreshReleasable(classId: string): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: toQueryKey(classId) });
}
