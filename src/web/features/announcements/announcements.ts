// The calls with which operators list, make and withdraw announcements.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CallInput } from '#contract/http.ts';
import { call } from '#web/api.ts';
import { adminKey } from '#web/data/admin.ts';

const key = [...adminKey, 'announcements'];
/** The list changes without this operator: announcements end, and other operators add or withdraw some. */
const refetchMs = 60_000;

export function useAnnouncements() {
  return useQuery({
    queryKey: key,
    queryFn: () => call('listAnnouncements', {}),
    staleTime: 0,
    refetchInterval: refetchMs,
  });
}

export function useAnnounce() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallInput<'announce'>['body']) => call('announce', { body }),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}

export function useWithdrawal() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (announcementId: string) =>
      call('withdrawAnnouncement', { params: { announcementId } }),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}
