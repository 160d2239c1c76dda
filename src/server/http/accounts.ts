import type { Accounts } from '../accounts/accounts.ts';
import type { ClientAddresses } from '../limits/client-addresses.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { SignInAttempts } from '../limits/sign-in-attempts.ts';
import type { Hub } from '../socket/hub.ts';
import type { Route } from './route.ts';

interface Parts {
  accounts: Accounts;
  hub: Hub;
  /** The account's opaque key, for its own browsers. */
  accountKeyOf(accountId: string): string;
  limiter: Limiter;
  addresses: ClientAddresses;
  signInAttempts: SignInAttempts;
}

export function accountRoutes(route: Route, parts: Parts): void {
  const { accounts, hub, accountKeyOf, limiter, addresses, signInAttempts } = parts;
  /** The same for known and unknown addresses, and however they are written. */
  const keyOfEmail = (email: string) => addresses.keyOfText(email.toLowerCase());

  route('signUp', 'public', async ({ body, setCookies }) => {
    const { cookies, verify } = await accounts.signUp(body);
    setCookies(cookies);
    return { verify };
  });

  route('signIn', 'public', async ({ body, setCookies }) => {
    const succeed = signInAttempts.begin(keyOfEmail(body.email));
    const { cookies } = await accounts.signIn(body);
    succeed();
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
    limiter.take('resetMails', keyOfEmail(body.email));
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
