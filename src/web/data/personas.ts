import { useMutation, useQuery } from '@tanstack/react-query';
import type { CallInput } from '#contract/http.ts';
import { call } from '#web/api.ts';

/** The personas of the members who have posted in a class. Fetched on each mount and never cached. */
export function useMembers(classId: string) {
  return useQuery({
    queryKey: ['class', classId, 'members'],
    queryFn: () => call('listMembers', { params: { classId } }),
    staleTime: 0,
    gcTime: 0,
  });
}

export function useChangePersona(classId: string) {
  return useMutation({
    mutationFn: (body: CallInput<'changePersona'>['body']) =>
      call('changePersona', { params: { classId }, body }),
  });
}
