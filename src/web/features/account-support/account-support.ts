// What operators do for one account on /admin/accounts. The audit log records each search, so the browser never repeats
// a search on its own.
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CallInput } from '#contract/http.ts';
import { call } from '#web/api.ts';
import { adminKey } from '#web/data/admin.ts';

export function useAccountSearch() {
  return useMutation({
    mutationFn: async (email: string) => (await call('findAccount', { body: { email } })).supported,
    // The browser keeps nothing of another person's account.
    gcTime: 0,
  });
}

/** An action on the account that has exactly this address. */
export type AccountAction =
  | { kind: 'verification' | 'reset-link' | 'end-sessions' | 'save'; email: string }
  | { kind: 'correct'; email: string; newEmail: string }
  | ({ kind: 'delete' } & CallInput<'deleteFoundAccount'>['body']);

export function useAccountAction() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (action: AccountAction) => performAction(client, action),
    gcTime: 0,
  });
}

async function performAction(client: QueryClient, action: AccountAction): Promise<void> {
  const { email } = action;
  switch (action.kind) {
    case 'verification':
      await call('resendVerification', { body: { email } });
      break;
    case 'reset-link':
      await call('sendResetLink', { body: { email } });
      break;
    case 'end-sessions':
      await call('endAccountSessions', { body: { email } });
      break;
    case 'save':
      await saveFile(email);
      break;
    case 'correct':
      await call('correctAddress', { body: { email, newEmail: action.newEmail } });
      break;
    case 'delete': {
      const { kind: _, ...body } = action;
      await call('deleteFoundAccount', { body });
      void client.invalidateQueries({ queryKey: blocksKey });
    }
  }
}

const blocksKey = [...adminKey, 'blocked-addresses'];

export function useBlockedAddresses() {
  return useQuery({
    queryKey: blocksKey,
    queryFn: () => call('listBlockedAddresses', {}),
    staleTime: 0,
  });
}

export function useBlockAddress() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallInput<'blockAddress'>['body']) => call('blockAddress', { body }),
    // The cached call would keep an email address.
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: blocksKey }),
  });
}

export function useUnblockAddress() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (blockId: string) => call('unblockAddress', { params: { blockId } }),
    onSettled: () => client.invalidateQueries({ queryKey: blocksKey }),
  });
}

/** The file has what the screen shows. */
async function saveFile(email: string): Promise<void> {
  const { supported } = await call('exportFoundAccount', { body: { email } });
  const json = `${JSON.stringify(supported, null, 2)}\n`;
  const url = URL.createObjectURL(new Blob([json], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'account.json';
  link.click();
  URL.revokeObjectURL(url);
}
