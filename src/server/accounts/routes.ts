import type { Role } from '#contract/moderation.ts';
import { chooseLanguage, forgottenLanguage } from '#server/http/choose-language.ts';
import type { Account } from '#server/http/caller.ts';
import type { ConnectedAccounts } from './connect-accounts.ts';
import type { ServerCore } from './server-core.ts';
import { findWidestNetwork } from '#server/base/client-addresses.ts';
import { takeForMailbox } from '#server/base/limiter.ts';
import type { Route } from '#server/http/route.ts';

export function registerSignUpRoutes(
  route: Route,
  { accounts, signInGuard, checkPasswordsAllowed }: ConnectedAccounts,
  { config, mailboxes }: Pick<ServerCore, 'config' | 'mailboxes'>,
): void {
  route('signUp', async ({ body, request, caller, setCookies }) => {
    checkPasswordsAllowed();
    const requester = {
      network: caller[0].key,
      networks: caller,
      account: mailboxes.toKey(body.email),
      priority: 'normal',
    } as const;
    const language = chooseLanguage(request.headers, config.languages);
    const { cookies, verify } = await accounts.signUp(
      { ...body, language },
      getUserAgent(request.headers),
      requester,
    );
    setCookies(cookies);
    if (!verify) setCookies([signInGuard.remember(body.email, request.headers)]);
    return { verify };
  });

  route('verifyEmail', async ({ body, request, caller, setCookies }) => {
    checkPasswordsAllowed();
    const signUp = accounts.openSignUpLink(body.token);
    const { password } = body;
    const language = chooseLanguage(request.headers, config.languages);
    const userAgent = getUserAgent(request.headers);
    const { cookies } = await signInGuard.attempt(
      // Links to many new addresses give no more tries at the password of one account.
      signUp.movesFrom ?? signUp.email,
      request.headers,
      caller,
      (requester) => accounts.verifyEmail(signUp, { password, language }, userAgent, requester),
    );
    setCookies([...cookies, signInGuard.remember(signUp.email, request.headers)]);
    return {};
  });
}

/**
 * @param deriveAccountKey returns the account's opaque key, which only its own browsers receive
 * @param asked what features and the chat know: `createSignedOutCookies` for each browser that signs out
 */
export function registerSessionRoutes(
  route: Route,
  { accounts, signInGuard, checkPasswordsAllowed }: ConnectedAccounts,
  deriveAccountKey: (accountId: string) => string,
  asked: {
    listRoles(account: Account): Promise<Role[]>;
    isSuspended(account: Account): boolean;
    createSignedOutCookies(): string[];
  },
): void {
  route('signIn', async ({ body, request, caller, setCookies }) => {
    checkPasswordsAllowed();
    accounts.checkDomain(body.email);
    const { cookies } = await signInGuard.attempt(
      body.email,
      request.headers,
      caller,
      (requester) => accounts.signIn(body, getUserAgent(request.headers), requester),
    );
    setCookies([...cookies, signInGuard.remember(body.email, request.headers)]);
    return {};
  });

  route('signOut', async ({ request, setCookies }) => {
    const { cookies } = await accounts.signOut(request.headers);
    // The next person at this device may read another language.
    setCookies([...cookies, ...asked.createSignedOutCookies(), forgottenLanguage]);
    return {};
  });

  route('me', async ({ request, setCookies }) => {
    const current = await accounts.authenticate(request.headers.get('cookie'));
    if (current && asked.isSuspended(current)) {
      // It renews no session: browsers ask immediately after a suspension, and a row that changes then would pair the
      // account with the persona.
      const { id, email } = current;
      return { account: { email, key: deriveAccountKey(id), roles: [], suspended: true } };
    }
    const { account, cookies } = await accounts.refresh(request.headers);
    setCookies(cookies);
    if (account && !signInGuard.isKnown(account.email, request.headers)) {
      setCookies([signInGuard.remember(account.email, request.headers)]);
    }
    if (!account) return { account };
    const { id, email } = account;
    return {
      account: {
        email,
        key: deriveAccountKey(id),
        roles: await asked.listRoles(account),
        suspended: false,
      },
    };
  });
}

export function registerPasswordResetRoutes(
  route: Route,
  { accounts, passwords, signInGuard, checkPasswordsAllowed }: ConnectedAccounts,
  { limiter, addresses, mailboxes }: ServerCore,
): void {
  route('requestPasswordReset', async ({ body, request, caller }) => {
    checkPasswordsAllowed();
    accounts.checkDomain(body.email);
    const mailbox = addresses.hashEmail(mailboxes.toMailbox(body.email));
    // Strangers can use up the mails of their own networks, but not those of the owner's browsers. LIMIT-35
    const isKnown = signInGuard.isKnown(body.email, request.headers);
    const networks = isKnown ? [{ key: 'known', limitMultiplier: 1 }] : caller;
    takeForMailbox(limiter, 'resetMails', mailbox, networks);
    await passwords.requestReset(body.email, isKnown ? null : findWidestNetwork(caller));
    return {};
  });

  route('resetPassword', async ({ body, request, caller, setCookies }) => {
    checkPasswordsAllowed();
    const requester = {
      network: caller[0].key,
      account: body.token,
      priority: 'normal',
    } as const;
    const { email } = await passwords.reset(body.token, body.newPassword, requester);
    // Following the link proves access to the mailbox. Failed attempts by strangers must not lock this
    // browser out.
    setCookies([signInGuard.remember(email, request.headers)]);
    return {};
  });
}

function getUserAgent(headers: Headers): string {
  return headers.get('user-agent') ?? '';
}
