// The member's own reports in one class.
import { type QueryClient, useQuery } from '@tanstack/react-query';
import type { Persona } from '#contract/entities.ts';
import { call } from '#web/api.ts';

/** A message or a person that the member is about to report. */
export type ReportTarget = {
  /** The beginning of the message. */
  summary: string;
} & (
  | { messageId: null; persona: Persona }
  /** A message without a persona is of someone who asked privately. */
  | { messageId: string; persona: Persona | null }
);

const toReportsKey = (classId: string) => ['class', classId, 'reports'];

export function useOwnReports(classId: string) {
  return useQuery({
    queryKey: toReportsKey(classId),
    queryFn: () => call('listOwnReports', { params: { classId } }),
    staleTime: 0,
  });
}

export function refreshOwnReports(client: QueryClient, classId: string): Promise<void> {
  return client.invalidateQueries({ queryKey: toReportsKey(classId) });
}
