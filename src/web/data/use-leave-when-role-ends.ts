import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { RejectedError } from '#web/rejected-error.ts';
import { refreshMe } from '#web/data/session.ts';

/** Refetches the session when the server rejects a query because a role was revoked. The screen disappears with the role. */
export function useLeaveWhenRoleEnds(): void {
  const client = useQueryClient();
  useEffect(
    () =>
      client.getQueryCache().subscribe(({ query }) => {
        const { error } = query.state;
        const isRejected = error instanceof RejectedError && error.code === 'NOT_ALLOWED';
        if (isRejected) void refreshMe(client);
      }),
    [client],
  );
}
