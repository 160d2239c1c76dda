import { useMutation, useQuery } from '@tanstack/react-query';
import type { CallInput } from '#contract/http.ts';
import { call } from '#web/api.ts';

/** Who has appeared in a class of mine; asked anew each time, and kept no longer than it is shown. */
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
