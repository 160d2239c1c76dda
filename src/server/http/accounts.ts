import type { Accounts } from '../accounts/accounts.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { ClientAddresses } from '../limits/client-addresses.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Route } from './route.ts';

interface Parts {
  accounts: Accounts;
  passwords: Passwords;
  /** The account's opaque key, for its own browsers. */
  accountKeyOf(accountId: string): string;
  limiter: Limiter;
  addresses: ClientAddresses;
  /** @see SignInAttempts.begin */
  beginAttempt(email: string): () => void;
}

export function accountRoutes(route: Route, parts: Parts): void {
  const { accounts, passwords, accountKeyOf, limiter, addresses, beginAttempt } = parts;

  route('signUp', 'public', async ({ body, headers, setCookies }) => {
    const { cookies, verify } = await accounts.signUp(body, userAgentOf(headers));
    setCookies(cookies);
    return { verify };
  });

  route('signIn', 'public', async ({ body, headers, setCookies }) => {
    const succeed = beginAttempt(body.email);
    const { cookies } = await accounts.signIn(body, userAgentOf(headers));
    succeed();
    setCookies(cookies);
    return {};
  });

  route('signOut', 'public', async ({ headers, setCookies }) => {
    const { cookies } = await accounts.signOut(headers);
    setCookies(cookies);
    return {};
  });

  route('requestPasswordReset', 'public', async ({ body }) => {
    accounts.checkDomain(body.email);
    limiter.take('resetMails', addresses.keyOfEmail(body.email));
    await passwords.requestReset(body.email);
    return {};
  });

  route('resetPassword', 'public', async ({ body }) => {
    await passwords.reset(body.token, body.newPassword);
    return {};
  });

  route('verifyEmail', 'public', async ({ body, headers, setCookies }) => {
    const { token, password } = body;
    const { cookies } = await accounts.verifyEmail(token, password, userAgentOf(headers));
    setCookies(cookies);
    return {};
  });

  route('me', 'public', async ({ headers, setCookies }) => {
    const { account, cookies } = await accounts.refresh(headers);
    setCookies(cookies);
    return { account: account && { email: account.email, key: accountKeyOf(account.id) } };
  });
}

function userAgentOf(headers: Headers): string {
  return headers.get('user-agent') ?? '';
}
