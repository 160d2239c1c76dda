// The calls with which operators change one class.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CallInput } from '#contract/http.ts';
import { useEffect, useState } from 'react';
import { call } from '#web/api.ts';
import { adminKey, type ClassQuery } from '#web/data/admin.ts';

export type EditedClass = CallInput<'editClass'>['body'];

/** An action on one class. */
export type ClassAction =
  | { kind: 'end' | 'reopen' | 'delete' | 'restore'; classId: string }
  | { kind: 'edit'; classId: string; body: EditedClass };

export function useClassAction() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (action: ClassAction): Promise<void> => {
      const params = { classId: action.classId };
      if (action.kind === 'edit') await call('editClass', { params, body: action.body });
      else if (action.kind === 'end') await call('endClass', { params });
      else if (action.kind === 'reopen') await call('reopenClass', { params });
      else if (action.kind === 'delete') await call('deleteClass', { params });
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

/** The query after typing has paused. */
export function useDelayedQuery(query: ClassQuery): ClassQuery {
  const [delayedQuery, setDelayedQuery] = useState(query);
  const next = JSON.stringify(query);
  useEffect(() => {
    const timer = setTimeout(() => setDelayedQuery(JSON.parse(next) as ClassQuery), 250);
    return () => clearTimeout(timer);
  }, [next]);
  return delayedQuery;
}
