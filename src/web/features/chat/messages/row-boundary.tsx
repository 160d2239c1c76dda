import type { ReactNode } from 'react';
import { ErrorBoundary } from '#web/error-boundary.tsx';
import type { RoomMessage } from '#web/sync/room/room.ts';

interface Props {
  message: RoomMessage;
  /** Renders the row. After that has thrown, it renders the row without its content, and gets the function that retries. */
  render: (retry: (() => void) | null) => ReactNode;
}

/** Keeps the failure of one row from the other rows. */
export function RowBoundary({ message, render }: Props) {
  return (
    <ErrorBoundary resetKey={message} renderFallback={render}>
      <Row render={render} />
    </ErrorBoundary>
  );
}

/** A component of its own, because a boundary does not catch what throws outside its children. */
function Row({ render }: Pick<Props, 'render'>) {
  return render(null);
}
