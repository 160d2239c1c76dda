import type { Accounts } from '../accounts/accounts.ts';
import type { Hub } from '../socket/hub.ts';
import type { Route } from './route.ts';

interface Parts {
  accounts: Accounts;
  hub: Hub;
  /** The account's opaque key, for its own browsers. */
  accountKeyOf(accountId: string): string;
}

export function accountRoutes(route: Route, { accounts, hub, accountKeyOf }: Parts): void {
  route('signUp', 'public', async ({ body, setCookies }) => {
    const { cookies, verify } = await accounts.signUp(body);
    setCookies(cookies);
    return { verify };
  });

  route('signIn', 'public', async ({ body, setCookies }) => {
    const { cookies } = await accounts.signIn(body);
    setCookies(cookies);
    return {};
  });

  route('signOut', 'public', async ({ headers, setCookies }) => {
    const account = await accounts.accountOf(headers);
    const { cookies } = await accounts.signOut(headers);
    setCookies(cookies);
    if (account) hub.endSession(account.id, account.sessionId);
    return {};
  });

  route('requestPasswordReset', 'public', async ({ body }) => {
    await accounts.requestPasswordReset(body.email);
    return {};
  });

  route('resetPassword', 'public', async ({ body }) => {
    await accounts.resetPassword(body.token, body.newPassword);
    return {};
  });

  route('verifyEmail', 'public', async ({ body }) => {
    await accounts.verifyEmail(body.token);
    return {};
  });

  route('me', 'public', async ({ headers, setCookies }) => {
    const { account, cookies } = await accounts.refresh(headers);
    setCookies(cookies);
    return { account: account && { email: account.email, key: accountKeyOf(account.id) } };
  });
}
