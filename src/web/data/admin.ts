// What operators see and do on /admin.
import { useQuery } from '@tanstack/react-query';
import { call } from '#web/api.ts';

export const adminKey = ['admin'];

/** The server counts once a minute. */
const refetchMs = 60_000;

export function useOverview() {
  return useQuery({
    queryKey: [...adminKey, 'overview'],
    queryFn: () => call('readOverview', {}),
    staleTime: 0,
    refetchInterval: refetchMs,
  });
}
