import { toErrorMessage } from '#web/api.ts';
import { getText } from '#web/get-text.ts';
import { Button } from './button.tsx';

interface Props {
  query: {
    readonly error: Error | null;
    refetch(): Promise<unknown>;
  };
  className?: string;
}

/** Says inside a list, a panel or a dialog that a query failed, with a button that tries again. */
export function QueryFailure({ query, className }: Props) {
  return (
    <div className={className} role="alert">
      <p>{toErrorMessage(query.error)}</p>
      <Button onClick={() => void query.refetch()}>{getText('common.retry')}</Button>
    </div>
  );
}
