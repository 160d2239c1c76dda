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
import type { Case, DecisionBody, ReviewBody } from '#contract/moderation.ts';
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

/** One case, wherever it is in the queue. */
export function useCase(caseId: string | null, enabled: boolean) {
  return useQuery({
    queryKey: [...moderationKey, 'case', caseId],
    queryFn: async () => {
      const { cases } = await call('listCases', { query: { caseId: caseId ?? '' } });
      return cases[0] ?? null;
    },
    enabled,
    staleTime: 0,
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

const createMemberQuery = (classId: string, memberId: string) =>
  queryOptions({
    queryKey: [...moderationKey, 'member', classId, memberId],
    queryFn: () => call('readModeratedMember', { params: { classId, memberId } }),
    staleTime: 0,
  });

export function useModeratedMember(classId: string, memberId: string) {
  return useQuery(createMemberQuery(classId, memberId));
}

/** Loads what the case shows, so that it is there when the moderator reaches it. */
export function usePrefetchCase(caseDetails: Case | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!caseDetails) return;
    void client.prefetchQuery(createContextQuery(caseDetails));
    void client.prefetchQuery(createMemberQuery(caseDetails.classId, caseDetails.persona.memberId));
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

export function useDecide() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ caseId, body }: { caseId: string; body: DecisionBody }) =>
      call('decideCase', { params: { caseId }, body }),
    // Not awaited, so that the form does not wait for the lists.
    onSettled: () => void refreshModeration(client),
  });
}

export function useUndoDecision() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (caseId: string) => call('undoDecision', { params: { caseId } }),
    onSettled: () => void refreshModeration(client),
  });
}

export function useDecideReview() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ reviewId, body }: { reviewId: string; body: ReviewBody }) =>
      call('decideReview', { params: { reviewId }, body }),
    onSettled: () => void refreshModeration(client),
  });
}

export function useUndoReview() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (reviewId: string) => call('undoReview', { params: { reviewId } }),
    onSettled: () => void refreshModeration(client),
  });
}

export function useLiftSuspension() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ suspensionId, reason }: { suspensionId: string; reason: string }) =>
      call('liftSuspension', { params: { suspensionId }, body: { reason } }),
    onSettled: () => void refreshModeration(client),
  });
}

interface LiftInput {
  classId: string;
  memberId: string;
  sanctionId: string;
  reason: string;
}

export function useLiftSanction() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ reason, ...params }: LiftInput) =>
      call('liftSanction', { params, body: { reason } }),
    onSettled: () => void refreshModeration(client),
  });
}
