// The member's own reports in one class.
import { type QueryClient, useQuery } from '@tanstack/react-query';
import type { Persona } from '#contract/entities.ts';
import { call } from '#web/api.ts';

/** A message or a person that the member is about to report. */
export interface ReportTarget {
  /** Null: the person is reported. */
  messageId: string | null;
  persona: Persona;
  /** The beginning of the message. */
  summary: string;
}

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
