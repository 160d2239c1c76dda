// What moderators see: the queue of cases, the context of a case, a member's history and the audit log.
import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import type { CallInput } from '#contract/http.ts';
import type { Case } from '#contract/moderation.ts';
import type { RouteName } from '#contract/routes.ts';
import { call } from '#web/api.ts';

export interface CaseFilter {
  state: NonNullable<CallInput<'listCases'>['query']['state']>;
  classId: string | null;
}

export const moderationKey = ['moderation'];

/** Refetches what moderators see, after a case appeared or changed. */
export function refreshModeration(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: moderationKey });
}

export function useCases({ state, classId }: CaseFilter, enabled = true) {
  return useInfiniteQuery({
    queryKey: [...moderationKey, 'cases', state, classId],
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

/** The reply to a call, until something changes for moderators. */
export const createModerationQuery = <N extends RouteName>(name: N, input: CallInput<N>) =>
  queryOptions({
    queryKey: [...moderationKey, name, input],
    queryFn: () => call(name, input),
    staleTime: 0,
  });

/** One case, wherever it is in the queue. */
export function useCase(caseId: string | null, enabled: boolean) {
  return useQuery({
    ...createModerationQuery('listCases', { query: { caseId: caseId ?? '' } }),
    select: ({ cases }) => cases[0] ?? null,
    enabled,
  });
}

const createContextQuery = ({ caseId, version }: Pick<Case, 'caseId' | 'version'>) =>
  queryOptions({
    queryKey: [...moderationKey, 'context', caseId, version],
    queryFn: () => call('readCaseContext', { params: { caseId } }),
  });

export function useCaseContext(caseDetails: Pick<Case, 'caseId' | 'version'>) {
  return useQuery(createContextQuery(caseDetails));
}

export const createMemberQuery = ({ classId, persona }: Pick<Case, 'classId' | 'persona'>) =>
  createModerationQuery('readModeratedMember', {
    params: { classId, memberId: persona.memberId },
  });

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
    queryKey: [...moderationKey, 'audit', filter],
    queryFn: ({ pageParam }) => call('listAuditLog', { query: { ...filter, before: pageParam } }),
    placeholderData: keepPreviousData,
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ entries, hasOlder }) => (hasOlder ? entries.at(-1)?.number : undefined),
    staleTime: 0,
  });
}

/** A call of a moderator that changes something. What moderators see is then loaded again. */
export function useModerationCommand<N extends RouteName>(name: N) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: CallInput<N>) => call(name, input),
    // The cached call could keep a password or an email address.
    gcTime: 0,
    // Not awaited, so that the form does not wait for the lists.
    onSettled: () => void refreshModeration(client),
  });
}
