import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { RejectedError } from '#web/rejected-error.ts';
import { refreshMe } from '#web/data/session.ts';

/**
 * Refetches the session when the server rejects a query of the screen because its role was revoked. The screen
 * disappears with the role.
 *
 * @param key the start of the keys of the screen's queries
 */
export function useLeaveWhenRoleEnds([keyStart]: QueryKey): void {
  const client = useQueryClient();
  useEffect(
    () =>
      client.getQueryCache().subscribe(({ query }) => {
        const { error } = query.state;
        const isRejected = error instanceof RejectedError && error.code === 'NOT_ALLOWED';
        if (isRejected && query.queryKey[0] === keyStart) void refreshMe(client);
      }),
    [client, keyStart],
  );
}
