// What several parts of /admin/classes share.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ListedClass } from '#contract/class-admin.ts';
import { formatTerm } from '#web/data/class-details.ts';
import { call } from '#web/api.ts';
import type { ClassQuery } from '#web/data/admin.ts';
import { refreshCalls } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';

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

/** Older classes can lack the term. */
export function formatTermAndMembers(listedClass: ListedClass): string {
  const term = formatTerm(listedClass);
  const count = listedClass.memberCount;
  return term
    ? getText('classAdmin.row.termAndMembers', { term, count })
    : getText('classAdmin.row.members', { count });
}
