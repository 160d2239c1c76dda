// What several parts of /admin/classes share.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '#web/api.ts';
import type { ClassQuery } from '#web/data/admin.ts';
import { refreshCalls } from '#web/data/use-call.ts';

export type ClassAction = 'endClass' | 'reopenClass' | 'deleteClass' | 'restoreClass';

export function useClassAction(classId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (action: ClassAction) => call(action, { params: { classId } }),
    onSettled: () => refreshCalls(client, ['listAllClasses']),
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
