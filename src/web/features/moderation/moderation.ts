// What moderators see: the queue of cases, the context of a case, a member's history and the audit log.
import {
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import type { CallInput } from '#contract/http.ts';
import type { Case } from '#contract/moderation.ts';
import type { RouteName } from '#contract/routes.ts';
import { call } from '#web/api.ts';
import { createCallQuery, refreshCalls, useCall } from '#web/data/use-call.ts';

export interface CaseFilter {
  state: NonNullable<CallInput<'listCases'>['query']['state']>;
  classId: string | null;
}

/** What moderators see. The number of waiting cases is not among it, because each change of a case renews it already. */
export const moderationCalls: readonly RouteName[] = [
  'listCases',
  'readCaseContext',
  'readModeratedMember',
  'listAuditLog',
  'listGrantedRoles',
  'listOutsideReports',
  'listUnmaskings',
  'readUnmasking',
];

/** Refetches what moderators see, after a case appeared or changed. */
export function refreshModeration(client: QueryClient): Promise<void> {
  return refreshCalls(client, moderationCalls);
}

export function useCases({ state, classId }: CaseFilter, enabled = true) {
  return useInfiniteQuery({
    queryKey: ['listCases', 'pages', state, classId],
    queryFn: ({ pageParam }) =>
      call('listCases', {
        query: { state, classId: classId ?? undefined, before: pageParam },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    enabled,
    staleTime: 0,
  });
}

/** One case, wherever it is in the queue. */
export function useCase(caseId: string | null, enabled: boolean) {
  return useCall(
    'listCases',
    { query: { caseId: caseId ?? '' } },
    { select: ({ cases }) => cases[0] ?? null, enabled },
  );
}

const createContextQuery = ({ caseId, version }: Pick<Case, 'caseId' | 'version'>) =>
  createCallQuery('readCaseContext', { params: { caseId } }, version);

export function useCaseContext(caseDetails: Pick<Case, 'caseId' | 'version'>) {
  return useQuery(createContextQuery(caseDetails));
}

const createMemberQuery = ({ classId, persona }: Pick<Case, 'classId' | 'persona'>) =>
  createCallQuery('readModeratedMember', { params: { classId, memberId: persona.memberId } });

export function useModeratedMember(caseDetails: Pick<Case, 'classId' | 'persona'>) {
  return useQuery({ ...createMemberQuery(caseDetails), staleTime: 0 });
}

/** Loads what the case shows, so that it is there when the moderator reaches it. */
export function usePrefetchCase(caseDetails: Case | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!caseDetails) return;
    void client.prefetchQuery(createContextQuery(caseDetails));
    void client.prefetchQuery(createMemberQuery(caseDetails));
  }, [client, caseDetails]);
}

export type AuditFilter = Omit<CallInput<'listAuditLog'>['query'], 'before'>;

export function useAuditLog(filter: AuditFilter) {
  return useInfiniteQuery({
    queryKey: ['listAuditLog', 'pages', filter],
    queryFn: ({ pageParam }) => call('listAuditLog', { query: { ...filter, before: pageParam } }),
    placeholderData: keepPreviousData,
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ entries, hasOlder }) => (hasOlder ? entries.at(-1)?.number : undefined),
    staleTime: 0,
  });
}
