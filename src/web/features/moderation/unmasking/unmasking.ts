// Requests of operators to unmask a person. The address itself is in no cache: see the dialog that confirms.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '#web/api.ts';
import { moderationKey, refreshModeration } from '../moderation.ts';

/** Requests expire while they are on screen. */
const refetchInterval = 60_000;

export function useCaseUnmasking(caseId: string) {
  return useQuery({
    queryKey: [...moderationKey, 'unmasking', caseId],
    queryFn: () => call('readUnmasking', { params: { caseId } }),
    staleTime: 0,
    refetchInterval,
  });
}

export function useOpenUnmaskings() {
  return useQuery({
    queryKey: [...moderationKey, 'unmaskings'],
    queryFn: () => call('listUnmaskings', {}),
    staleTime: 0,
    refetchInterval,
  });
}

export function useRequestUnmasking(caseId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { password: string; reason: string }) =>
      call('requestUnmasking', { params: { caseId }, body }),
    // The cached call would keep the password.
    gcTime: 0,
    onSettled: () => void refreshModeration(client),
  });
}

export function useWithdrawUnmasking() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (requestId: string) => call('withdrawUnmasking', { params: { requestId } }),
    onSettled: () => void refreshModeration(client),
  });
}
