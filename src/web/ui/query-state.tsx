import type { ReactNode } from 'react';
import { toErrorMessage } from '#web/api.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';

interface Props {
  query: {
    readonly data: unknown;
    readonly error: Error | null;
    refetch(): Promise<unknown>;
  };
  /** What stands there while the query loads. */
  skeleton?: ReactNode;
}

/** Says that a query loads, or that it failed, with a button that tries again. Empty once the query has data. */
export function QueryState({ query, skeleton = <Skeleton width="80%" /> }: Props) {
  const { data, error, refetch } = query;
  if (error) {
    return (
      <div role="alert">
        <EmptyState text={toErrorMessage(error)}>
          <Button onClick={() => void refetch()}>{getText('common.retry')}</Button>
        </EmptyState>
      </div>
    );
  }
  if (data !== undefined) return null;
  return (
    <div role="status" aria-label={getText('common.loadingStatus')}>
      {skeleton}
    </div>
  );
}
