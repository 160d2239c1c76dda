// What operators do for one account on /admin/accounts. The audit log records each search, so the browser never repeats
// a search on its own.
import { useMutation } from '@tanstack/react-query';
import { call } from '#web/api.ts';

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
  | { kind: 'delete'; email: string; repeatedEmail: string; messages: 'keep' | 'delete' };

export function useAccountAction() {
  return useMutation({ mutationFn: performAction, gcTime: 0 });
}

async function performAction(action: AccountAction): Promise<void> {
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
    case 'delete':
      await call('deleteFoundAccount', {
        body: { email, repeatedEmail: action.repeatedEmail, messages: action.messages },
      });
  }
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
