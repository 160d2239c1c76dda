import { useCallback } from 'react';
import { useNavigate } from 'react-router';
import { type ReportReason, reportReasons } from '#contract/report-reasons.ts';
import type { CaseFilter } from './moderation.ts';
import { useSearchParams } from '#web/ui/navigation.tsx';

export const states = ['open', 'escalated', 'appeals', 'decided'] as const;

export interface DeskFilter extends CaseFilter {
  /** Null: cases with any reason. */
  reason: ReportReason | null;
}

/** The filter is in the URL, so that Back, a reload and a link keep it. */
export function useCaseFilter(selectedId: string | null) {
  const params = useSearchParams();
  const navigate = useNavigate();
  const filter: DeskFilter = {
    state: states.find((state) => state === params.get('state')) ?? 'open',
    classId: params.get('class'),
    reason: reportReasons.find((reason) => reason === params.get('reason')) ?? null,
  };
  const search = params.size > 0 ? `?${params.toString()}` : '';
  const setFilter = (change: Partial<DeskFilter>) => {
    const { state, classId, reason } = { ...filter, ...change };
    const next = new URLSearchParams({
      ...(state !== 'open' && { state }),
      ...(classId !== null && { class: classId }),
      ...(reason !== null && { reason }),
    });
    void navigate({ pathname: '/moderation', search: next.toString() }, { replace: true });
  };
  const select = useCallback(
    (caseId: string | null, replace: boolean) => {
      const pathname = caseId === null ? '/moderation' : `/moderation/${caseId}`;
      void navigate({ pathname, search }, { replace });
    },
    [navigate, search],
  );
  return { filter, setFilter, search, selectedId, select };
}
