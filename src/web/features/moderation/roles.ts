// The roles that operators grant in classes.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CallInput } from '#contract/http.ts';
import { call } from '#web/api.ts';
import { moderationKey, refreshModeration } from './moderation.ts';

export type Grant = CallInput<'grantRole'>['body'];

export function useGrantedRoles() {
  return useQuery({
    queryKey: [...moderationKey, 'roles'],
    queryFn: () => call('listGrantedRoles', {}),
    staleTime: 0,
  });
}

export function useGrantRole() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Grant) => call('grantRole', { body }),
    // The cached call would keep an email address.
    gcTime: 0,
    onSettled: () => void refreshModeration(client),
  });
}

export function useRevokeRole() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (roleId: string) => call('revokeRole', { params: { roleId } }),
    onSettled: () => void refreshModeration(client),
  });
}
