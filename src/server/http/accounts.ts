import type { Accounts } from '../accounts/accounts.ts';
import type { Mailboxes } from '../accounts/mailboxes.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { SignInGuard } from '../accounts/sign-in-guard.ts';
import type { ClientAddresses } from '../limits/client-addresses.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Route } from './route.ts';

interface Parts {
  accounts: Accounts;
  passwords: Passwords;
  /** Returns the account's opaque key, which only its own browsers receive. */
  accountKeyOf(accountId: string): string;
  limiter: Limiter;
  addresses: ClientAddresses;
  mailboxes: Mailboxes;
  signInGuard: SignInGuard;
}

export function accountRoutes(route: Route, parts: Parts): void {
  const { accounts, passwords, accountKeyOf, limiter, addresses, mailboxes, signInGuard } = parts;

  route('signUp', 'public', async ({ body, headers, caller, setCookies }) => {
    const turn = { network: caller[0].key, priority: 'ordinary' } as const;
    const { cookies, verify } = await accounts.signUp(body, userAgentOf(headers), turn);
    setCookies(cookies);
    if (!verify) setCookies([signInGuard.remember(body.email, headers)]);
    return { verify };
  });

  route('signIn', 'public', async ({ body, headers, caller, setCookies }) => {
    accounts.checkDomain(body.email);
    const { cookies } = await signInGuard.attempt(body.email, headers, caller, (turn) =>
      accounts.signIn(body, userAgentOf(headers), turn),
    );
    setCookies([...cookies, signInGuard.remember(body.email, headers)]);
    return {};
  });

  route('signOut', 'public', async ({ headers, setCookies }) => {
    const { cookies } = await accounts.signOut(headers);
    setCookies(cookies);
    return {};
  });

  route('requestPasswordReset', 'public', async ({ body }) => {
    accounts.checkDomain(body.email);
    limiter.take('resetMails', addresses.keyOfEmail(mailboxes.mailboxOf(body.email)));
    await passwords.requestReset(body.email);
    return {};
  });

  route('resetPassword', 'public', async ({ body, headers, caller, setCookies }) => {
    const turn = { network: caller[0].key, priority: 'ordinary' } as const;
    const { email } = await passwords.reset(body.token, body.newPassword, turn);
    // Following the link proves access to the mailbox. Failed attempts by strangers must not lock this
    // browser out.
    setCookies([signInGuard.remember(email, headers)]);
    return {};
  });

  route('verifyEmail', 'public', async ({ body, headers, caller, setCookies }) => {
    const signUp = accounts.readSignUpLink(body.token);
    const { cookies } = await signInGuard.attempt(signUp.email, headers, caller, (turn) =>
      accounts.verifyEmail(signUp, body.password, userAgentOf(headers), turn),
    );
    setCookies([...cookies, signInGuard.remember(signUp.email, headers)]);
    return {};
  });

  route('me', 'public', async ({ headers, setCookies }) => {
    const { account, cookies } = await accounts.refresh(headers);
    setCookies(cookies);
    if (account && !signInGuard.isKnown(account.email, headers)) {
      setCookies([signInGuard.remember(account.email, headers)]);
    }
    return { account: account && { email: account.email, key: accountKeyOf(account.id) } };
  });
}

function userAgentOf(headers: Headers): string {
  return headers.get('user-agent') ?? '';
}
