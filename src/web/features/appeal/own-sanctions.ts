// The sanctions against the viewer, and appeals against them.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '#web/api.ts';
import { ownSanctionsKey } from '#web/data/query-keys.ts';

export function useOwnSanctions() {
  return useQuery({
    queryKey: ownSanctionsKey,
    queryFn: () => call('listOwnSanctions', {}),
    staleTime: 0,
  });
}

export function useAppeal(sanctionId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (text: string) => call('appeal', { params: { sanctionId }, body: { text } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ownSanctionsKey }),
  });
}
