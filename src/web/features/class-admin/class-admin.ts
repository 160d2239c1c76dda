// What operators do with one class.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CallInput } from '#contract/http.ts';
import { call } from '#web/api.ts';
import { adminKey } from '#web/data/admin.ts';

export type EditedClass = CallInput<'editClass'>['body'];

/** Acts on one class. */
export type ClassAct =
  | { kind: 'end' | 'reopen' | 'delete' | 'restore'; classId: string }
  | { kind: 'edit'; classId: string; body: EditedClass };

export function useClassAction() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (act: ClassAct): Promise<void> => {
      const params = { classId: act.classId };
      if (act.kind === 'edit') await call('editClass', { params, body: act.body });
      else if (act.kind === 'end') await call('endClass', { params });
      else if (act.kind === 'reopen') await call('reopenClass', { params });
      else if (act.kind === 'delete') await call('deleteClass', { params });
      else await call('restoreClass', { params });
    },
    onSettled: () => client.invalidateQueries({ queryKey: [...adminKey, 'classes'] }),
  });
}

/** @param keptClassId null until it is chosen */
export function useMergePreview(classId: string, keptClassId: string | null) {
  return useQuery({
    queryKey: [...adminKey, 'merge', classId, keptClassId],
    queryFn: () =>
      call('previewMerge', { params: { classId }, query: { keptClassId: keptClassId ?? '' } }),
    enabled: keptClassId !== null,
    staleTime: 0,
  });
}
