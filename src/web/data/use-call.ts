// Calls of the contract in components. The key of a query is the name and the input of its call. What belongs to one class has
// keys that begin with ['class', classId] instead, because leaving a class removes all of it (classes.ts).
import {
  type QueryClient,
  useMutation,
  type UseMutationOptions,
  useQuery,
  useQueryClient,
  type UseQueryOptions,
} from '@tanstack/react-query';
import type { CallInput, CallReply } from '#contract/http.ts';
import type { RouteName } from '#contract/routes.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { useNotify } from '#web/ui/notices.tsx';

/** @param version if it changes, the cached reply is an old one */
export function createCallQuery<N extends RouteName>(
  name: N,
  input: CallInput<N>,
  version: unknown = null,
) {
  return { queryKey: [name, input, version], queryFn: () => call(name, input) };
}

interface QueryOptions<N extends RouteName, Data> extends Omit<
  UseQueryOptions<CallReply<N>, Error, Data>,
  'queryKey' | 'queryFn'
> {
  version?: unknown;
}

/** Reads a call whenever a component that shows it appears. */
export function useCall<N extends RouteName, Data = CallReply<N>>(
  name: N,
  input: CallInput<N>,
  { version, ...options }: QueryOptions<N, Data> = {},
) {
  return useQuery({ staleTime: 0, ...options, ...createCallQuery(name, input, version) });
}

/** Reads calls again, whatever their input. */
export async function refreshCalls(
  client: QueryClient,
  names: readonly RouteName[],
): Promise<void> {
  await Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })));
}

interface CommandOptions<N extends RouteName> extends Omit<
  UseMutationOptions<CallReply<N>, Error, CallInput<N>>,
  'mutationFn' | 'onSettled' | 'gcTime'
> {
  /** The calls that are read again when this one has ended, even if it failed. */
  refreshes?: readonly RouteName[];
}

/** Makes a call that changes something. */
export function useCommand<N extends RouteName>(
  name: N,
  { refreshes = [], ...options }: CommandOptions<N> = {},
) {
  const client = useQueryClient();
  return useMutation({
    ...options,
    mutationFn: (input: CallInput<N>) => call(name, input),
    // Not awaited, so that a form does not wait for the lists.
    onSettled: () => void refreshCalls(client, refreshes),
    // The cached call could keep a password or an email address.
    gcTime: 0,
  });
}

/** Makes a call that changes something. A notice says why it failed. */
export function useNoticedCommand<N extends RouteName>(
  name: N,
  options: Omit<CommandOptions<N>, 'onError'> = {},
) {
  const notify = useNotify();
  return useCommand(name, {
    ...options,
    onError: (error) => notify({ text: toErrorMessage(error) }),
  });
}
