// The state of the server and its settings.
import { useQuery } from '@tanstack/react-query';
import { call } from '#web/api.ts';
import { adminKey } from '#web/data/admin.ts';

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

export function useSettingsInForce() {
  return useQuery({
    queryKey: [...adminKey, 'settings'],
    queryFn: () => call('readSettingsInForce', {}),
    // A restart of the server can change the settings.
    staleTime: 0,
  });
}
