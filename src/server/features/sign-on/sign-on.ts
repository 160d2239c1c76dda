// Sign-in through the university's OpenID Connect provider. The server stores one keyed hash per account, and nothing
// else of the provider. What a sign-in needs on the way is in sealed cookies of the browser.
import { createHmac, type KeyObject } from 'node:crypto';
import { stringifySetCookie } from 'cookie';
import { AppError } from '#contract/errors.ts';
import type { EnqueuePublicMail } from '#server/mail/mail-queue.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import {
  addAccount,
  clearPassword,
  findAccount,
  findAccountById,
  findAccountBySignOn,
  markVerified,
  revokeLinks,
  setSignOnKey,
  type SignOnAccount,
} from '#server/accounts/accounts-queries.ts';
import { deleteSessions } from '#server/accounts/sessions-queries.ts';
import { createSignOnLinkMail } from '#server/accounts/account-mails.ts';
import type { Account } from '#server/http/caller.ts';
import type { Accounts, Cookies } from '#server/accounts/accounts.ts';
import { toCookieName, findCookie } from '#server/accounts/cookies.ts';
import type { Sessions } from '#server/accounts/sessions.ts';
import type { SignOnProvider, StartedSignOn } from './sign-on-provider.ts';

interface Join {
  accountId: string;
  signOnKey: string;
  /** A hash of the account's key and address. It changes when the account is joined, so each link works once. */
  state: string;
}

interface Dependencies {
  sessions: Sessions;
  provider: SignOnProvider;
  db: Database;
  commits: CommitQueue;
  timesKey: KeyObject;
  accounts: Pick<Accounts, 'checkDomain' | 'checkNewAddress' | 'authenticate'>;
  keys: { hashes: KeyObject; seals: KeyObject };
  https: boolean;
  settings: { appName: string; origin: string; label: string };
  toMailboxKey(email: string): string;
  enqueueMail: EnqueuePublicMail;
  /** Called after each sign-in. */
  onSessionUsed(accountId: string): Promise<void>;
}

const minuteMs = 60_000;
const startMs = 15 * minuteMs; // OIDC-3
const joinMs = 60 * minuteMs; // OIDC-7
const freshMs = 10 * minuteMs; // OIDC-12
const dayMs = 1440 * minuteMs;

export class SignOn {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * @param origin of the page, where the provider sends the browser back to
   * @param mustEnterAgain the person must enter the credentials at the provider again
   */
  async start(
    origin: string,
    headers: Headers,
    mustEnterAgain: boolean,
  ): Promise<Cookies & { url: string }> {
    const mustEnter = mustEnterAgain || this.#openCookie<true>('signed-out', headers) === true;
    const { url, startedSignOn } = await this.#dependencies.provider.start(
      `${origin}/sign-on`,
      mustEnter,
    );
    return { url, cookies: [this.#createCookie('sign-on', startedSignOn, startMs)] };
  }

  /**
   * Signs in. An existing account that the provider's identity does not belong to yet must be joined first.
   *
   * @throws {AppError} SIGN_ON_UNAVAILABLE, SIGN_ON_CANCELLED, SIGN_ON_EXPIRED, SIGN_ON_EMAIL, WRONG_EMAIL_DOMAIN,
   *   EMAIL_CHARACTERS
   */
  async finish(query: string, headers: Headers): Promise<Cookies & { email: string | null }> {
    const startedSignOn = this.#openCookie<StartedSignOn>('sign-on', headers);
    if (!startedSignOn) throw new AppError('SIGN_ON_EXPIRED');
    const { issuer, subject, email, isFresh } = await this.#dependencies.provider.finish(
      startedSignOn,
      query,
    );
    if (email === null) throw new AppError('SIGN_ON_EMAIL');
    this.#dependencies.accounts.checkDomain(email);
    const signOnKey = this.#hashValues([issuer, subject]);
    const address = {
      email: email.toLowerCase(),
      mailboxKey: this.#dependencies.toMailboxKey(email),
    };
    const { id, join } = await this.#dependencies.commits.write(async (unitOfWork) => {
      const linkedAccount = await findAccountBySignOn(unitOfWork.db, signOnKey);
      if (linkedAccount) return { id: linkedAccount.id, join: null };
      const foundAccount = await findAccount(unitOfWork.db, address);
      const unlinkedAccount =
        foundAccount && (await findAccountById(unitOfWork.db, foundAccount.id));
      if (unlinkedAccount) return { id: unlinkedAccount.id, join: unlinkedAccount };
      this.#dependencies.accounts.checkNewAddress(email);
      const account = { ...address, passwordHash: null, emailVerified: true };
      const addedId = await addAccount(unitOfWork.db, this.#dependencies.timesKey, account);
      await setSignOnKey(unitOfWork.db, addedId, signOnKey);
      return { id: addedId, join: null };
    }, 'allAccounts');
    if (!join) return { email: null, cookies: await this.#signIn(id, headers, isFresh) };
    const joining = { accountId: id, signOnKey, state: this.#hashAccount(join), isFresh };
    const cookies = [
      this.#createCookie('sign-on', null, 0),
      this.#createCookie('join', joining, joinMs),
    ];
    return { email: join.email, cookies };
  }

  /** The account that this browser may join. @throws {AppError} SIGN_ON_EXPIRED */
  async accountToJoin(headers: Headers): Promise<{ id: string; email: string }> {
    return (await this.#getJoin(headers)).account;
  }

  /** Mails a link that joins, to the address of the account. @throws {AppError} SIGN_ON_EXPIRED */
  async mailLink(headers: Headers): Promise<void> {
    const { join, account } = await this.#getJoin(headers);
    const { accountId, signOnKey, state } = join;
    const token = this.#sealUntil('link', { accountId, signOnKey, state } satisfies Join, joinMs);
    const mail = createSignOnLinkMail(account.email, this.#dependencies.settings, token);
    // The provider has told who the caller is.
    await this.#dependencies.enqueueMail(null, mail, Date.now() + joinMs);
  }

  /**
   * Joins the account of this browser's sign-in, and signs in.
   *
   * @param link the mailed one, or null if the caller has checked the account's password
   * @throws {AppError} SIGN_ON_EXPIRED, INVALID_LINK
   */
  async join(link: string | null, headers: Headers): Promise<Cookies & { email: string }> {
    const { join, account } = await this.#getJoin(headers);
    if (link !== null) {
      // A link of another browser's sign-in would give that person this account.
      const linked = this.#open<Join>('link', link);
      const isSame = linked?.accountId === join.accountId && linked.signOnKey === join.signOnKey;
      if (!isSame || linked.state !== join.state) throw new AppError('INVALID_LINK');
    }
    await this.#dependencies.commits.write(async (unitOfWork) => {
      const current = await findAccountById(unitOfWork.db, account.id);
      if (!current || this.#hashAccount(current) !== join.state) {
        throw new AppError('SIGN_ON_EXPIRED');
      }
      await setSignOnKey(unitOfWork.db, account.id, join.signOnKey);
      if (current.emailVerified) return;
      // The provider has confirmed the address.
      await markVerified(unitOfWork.db, account.id);
      if (link === null) return;
      // Another person may have signed up with this address and a password of their own.
      await clearPassword(unitOfWork.db, account.id);
      await revokeLinks(unitOfWork.db, account.id);
      await deleteSessions(unitOfWork, account.id, 'all');
    }, 'allAccounts');
    return { email: account.email, cookies: await this.#signIn(account.id, headers, join.isFresh) };
  }

  /** Whether this session began with credentials at the provider, at most ten minutes ago. */
  isFresh({ sessionId }: Account, headers: Headers): boolean {
    return this.#openCookie<string>('fresh', headers) === sessionId;
  }

  /** A cookie for a browser that signs out: its next sign-in must enter the credentials again. */
  createSignedOutCookie(): string {
    return this.#createCookie('signed-out', true, dayMs);
  }

  #toName(name: string) {
    return toCookieName(name, this.#dependencies.https);
  }

  /** The purpose binds a value to its cookie, so that none can take the place of another. */
  #sealUntil(purpose: string, value: unknown, maxAgeMs: number): string {
    const text = JSON.stringify({ value, expiresAt: Date.now() + maxAgeMs });
    // The length must not tell which kind of account it is.
    return seal(this.#dependencies.keys.seals, text, { context: purpose, padTo: 128 });
  }

  #open<Value>(purpose: string, sealed: string | null): Value | null {
    try {
      const { value, expiresAt } = JSON.parse(
        unseal(this.#dependencies.keys.seals, sealed ?? '', purpose),
      ) as {
        value: Value;
        expiresAt: number;
      };
      return expiresAt > Date.now() ? value : null;
    } catch {
      return null;
    }
  }

  #createCookie(purpose: string, value: unknown, maxAgeMs: number): string {
    const content = maxAgeMs === 0 ? '' : this.#sealUntil(purpose, value, maxAgeMs);
    return stringifySetCookie({
      name: this.#toName(purpose),
      value: content,
      maxAge: maxAgeMs / 1000,
      path: '/',
      httpOnly: true,
      secure: this.#dependencies.https,
      // The page that the provider opens sends the cookie itself, from this origin.
      sameSite: 'strict',
    });
  }

  #openCookie<Value>(purpose: string, headers: Headers): Value | null {
    return this.#open<Value>(purpose, findCookie(headers.get('cookie'), this.#toName(purpose)));
  }

  #hashValues(values: readonly (string | null)[]) {
    return createHmac('sha256', this.#dependencies.keys.hashes)
      .update(JSON.stringify(values))
      .digest('base64url');
  }

  #hashAccount({ email, signOnKey }: SignOnAccount) {
    return this.#hashValues(['account', email, signOnKey]);
  }

  async #signIn(accountId: string, headers: Headers, isFresh: boolean): Promise<string[]> {
    const previous = await this.#dependencies.accounts.authenticate(headers.get('cookie'));
    const userAgent = headers.get('user-agent') ?? '';
    const session = await this.#dependencies.commits.write(
      async (unitOfWork) => {
        // The account may have been deleted meanwhile.
        const account = await findAccountById(unitOfWork.db, accountId);
        if (!account) throw new AppError('SIGN_ON_EXPIRED');
        return this.#dependencies.sessions.begin(unitOfWork, accountId, userAgent);
      },
      { accountId },
    );
    await this.#dependencies.onSessionUsed(accountId);
    // The new session takes the place of the one that this browser had.
    if (previous) {
      await this.#dependencies.commits.write(
        (unitOfWork) => deleteSessions(unitOfWork, previous.id, { id: previous.sessionId }),
        { accountId: previous.id },
      );
    }
    return [
      session.cookie,
      this.#createCookie('sign-on', null, 0),
      this.#createCookie('join', null, 0),
      this.#createCookie('signed-out', null, 0),
      isFresh
        ? this.#createCookie('fresh', session.id, freshMs)
        : this.#createCookie('fresh', null, 0),
    ];
  }

  async #getJoin(headers: Headers) {
    const join = this.#openCookie<Join & { isFresh: boolean }>('join', headers);
    const account = join && (await findAccountById(this.#dependencies.db, join.accountId));
    if (!account || this.#hashAccount(account) !== join.state) {
      throw new AppError('SIGN_ON_EXPIRED');
    }
    return { join, account };
  }
}
