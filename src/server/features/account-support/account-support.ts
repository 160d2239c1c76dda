// What operators may learn of one account and do for it when its owner asks for help. Never its classes, personas or messages.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { AuditAction } from '#contract/moderation.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import { formatDay } from '#server/base/days.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import {
  findAccount,
  findAccountById,
  findCreatedAt,
  insertLink,
  type Address,
  type FoundAccount,
} from '#server/accounts/accounts-queries.ts';
import type { BlockedAddresses } from '#server/accounts/blocked-addresses.ts';
import { checkNewAddress } from '#server/accounts/check-new-address.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import { deleteSessions } from '#server/accounts/sessions-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import {
  createConfirmAddressMail,
  createResetMail,
  createSessionsEndedMail,
  createVerificationMail,
} from '#server/accounts/account-mails.ts';
import { listDevices, type SignedInDevice } from '#server/accounts/devices.ts';
import { createResetLink } from '#server/accounts/passwords.ts';
import { signUpLinkMs, type SignUpLinks } from '#server/accounts/sign-up-links.ts';

export interface SupportedAccount {
  /** The spelling of the account, which can differ from the searched one. */
  email: string;
  verified: boolean;
  /** YYYY-MM-DD */
  createdDay: string;
  signsInWith: ('password' | 'provider')[];
  devices: Pick<SignedInDevice, 'name' | 'signedInDay'>[];
}

interface Dependencies {
  toAddress(email: string): Address;
  mailKey: KeyObject;
  timesKey: KeyObject;
  links: Pick<SignUpLinks, 'seal'>;
  blockedAddresses: Pick<BlockedAddresses, 'isBlocked'>;
  settings: {
    appName: string;
    origin: string;
    emailDomains: readonly string[];
    /** The operator's address or page; null omits it. */
    contact: string | null;
    passwordSignIn: 'on' | 'off';
  };
}

/**
 * Each function acts in one commit, with an entry in the audit log that does not say which account it is about.
 *
 * `by` is the operator's name there.
 */
export class AccountSupport {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Finds the account that would sign in with this address. The entry is written also if there is none.
   *
   * @param act 'export-account' if the operator keeps a copy
   */
  async find(
    unitOfWork: UnitOfWork,
    email: string,
    staffName: string,
    act: 'find-account' | 'export-account' = 'find-account',
  ): Promise<SupportedAccount | null> {
    await this.#audit(unitOfWork, staffName, act);
    return findSupportedAccount(
      unitOfWork.db,
      this.#dependencies.timesKey,
      this.#dependencies.toAddress(email),
    );
  }

  /** @throws {AppError} NO_SUCH_ACCOUNT, ALREADY_VERIFIED, ACCOUNT_WITHOUT_PASSWORD */
  async resendVerification(
    unitOfWork: UnitOfWork,
    email: string,
    staffName: string,
  ): Promise<string> {
    const { db } = unitOfWork;
    const account = await this.#getAccount(db, email);
    if (account.emailVerified) throw new AppError('ALREADY_VERIFIED');
    await this.#requirePassword(db, account);
    const { email: to, passwordHash } = account;
    if (passwordHash === null) throw new AppError('ACCOUNT_WITHOUT_PASSWORD');
    const mail = createVerificationMail(
      to,
      this.#dependencies.settings.appName,
      this.#dependencies.settings.origin,
      this.#dependencies.links.seal({ email: to, passwordHash }),
    );
    await insertMail(db, this.#dependencies.mailKey, mail, Date.now() + signUpLinkMs);
    await this.#audit(unitOfWork, staffName, 'resend-verification');
    return to;
  }

  /** @throws {AppError} NO_SUCH_ACCOUNT, ACCOUNT_WITHOUT_PASSWORD */
  async sendResetLink(unitOfWork: UnitOfWork, email: string, staffName: string): Promise<string> {
    const { db } = unitOfWork;
    const account = await this.#getAccount(db, email);
    await this.#requirePassword(db, account);
    const { token, expiresAt } = createResetLink();
    await insertLink(db, this.#dependencies.timesKey, { token, accountId: account.id, expiresAt });
    await insertMail(
      db,
      this.#dependencies.mailKey,
      createResetMail(
        account.email,
        this.#dependencies.settings.appName,
        this.#dependencies.settings.origin,
        token,
      ),
      expiresAt,
    );
    await this.#audit(unitOfWork, staffName, 'send-reset-link');
    return account.email;
  }

  /**
   * Mails the new address a link. It changes nothing until someone opens it and enters the account's password: an operator
   * who moved the account to a mailbox of their own could otherwise sign in and see its personas.
   *
   * @throws {AppError} NO_SUCH_ACCOUNT, WRONG_EMAIL_DOMAIN, EMAIL_CHARACTERS, EMAIL_TAKEN, ADDRESS_BLOCKED, ACCOUNT_WITHOUT_PASSWORD,
   *   INVALID
   */
  async mailNewAddress(
    unitOfWork: UnitOfWork,
    { from, to }: { from: string; to: string },
    staffName: string,
  ): Promise<void> {
    const { db } = unitOfWork;
    checkNewAddress(to, this.#dependencies.settings.emailDomains);
    const account = await this.#getAccount(db, from);
    const email = to.toLowerCase();
    if (account.email === email) throw new AppError('INVALID', 'This is the address already.');
    if (await this.#dependencies.blockedAddresses.isBlocked(db, email)) {
      throw new AppError('ADDRESS_BLOCKED', 'This address is blocked. Take the block back first.');
    }
    const other = await findAccount(db, this.#dependencies.toAddress(email));
    if (other && other.id !== account.id) {
      throw new AppError('EMAIL_TAKEN', 'Another account has this address, or its mailbox.');
    }
    await this.#requirePassword(db, account);
    const { passwordHash } = account;
    if (passwordHash === null) throw new AppError('ACCOUNT_WITHOUT_PASSWORD');
    const link = this.#dependencies.links.seal({ email, passwordHash, movesFrom: account.email });
    const mail = createConfirmAddressMail(
      email,
      this.#dependencies.settings.appName,
      this.#dependencies.settings.origin,
      link,
    );
    await insertMail(db, this.#dependencies.mailKey, mail, Date.now() + signUpLinkMs);
    await this.#audit(unitOfWork, staffName, 'correct-address');
  }

  /**
   * Running servers close the sockets within two seconds. The password stays. The owner is told by mail.
   *
   * @returns the address of the account
   * @throws {AppError} NO_SUCH_ACCOUNT
   */
  async endSessions(unitOfWork: UnitOfWork, email: string, staffName: string): Promise<string> {
    const { db } = unitOfWork;
    const account = await this.#getAccount(db, email);
    await deleteSessions(unitOfWork, account.id, 'all');
    await appendChangeEvent(unitOfWork, 'sessions-ended');
    await insertMail(
      db,
      this.#dependencies.mailKey,
      createSessionsEndedMail(
        account.email,
        this.#dependencies.settings.appName,
        this.#dependencies.settings.contact,
      ),
    );
    await this.#audit(unitOfWork, staffName, 'end-sessions');
    return account.email;
  }

  #audit(unitOfWork: UnitOfWork, staffName: string, act: AuditAction) {
    return appendAudit(unitOfWork, { staffName, act, reason: '' });
  }

  async #getAccount(db: DatabaseTransaction, email: string): Promise<FoundAccount> {
    const account = await findAccount(db, this.#dependencies.toAddress(email));
    if (!account) throw new AppError('NO_SUCH_ACCOUNT');
    return account;
  }

  /** An older account that has neither a password nor the provider can still set one. */
  async #requirePassword(db: DatabaseTransaction, account: FoundAccount): Promise<void> {
    if (this.#dependencies.settings.passwordSignIn === 'off') {
      throw new AppError(
        'ACCOUNT_WITHOUT_PASSWORD',
        'This site has no passwords (PASSWORD_SIGN_IN=off). Everyone signs in at the university.',
      );
    }
    if (account.passwordHash !== null) return;
    if ((await findAccountById(db, account.id))?.signOnKey) {
      throw new AppError('ACCOUNT_WITHOUT_PASSWORD');
    }
  }
}

async function findSupportedAccount(
  db: DatabaseTransaction,
  timesKey: KeyObject,
  address: Address,
): Promise<SupportedAccount | null> {
  const account = await findAccount(db, address);
  if (!account) return null;
  const createdAt = await findCreatedAt(db, timesKey, account.id);
  const hasProvider = Boolean((await findAccountById(db, account.id))?.signOnKey);
  const devices = await listDevices(db, timesKey, account.id);
  return {
    email: account.email,
    verified: account.emailVerified,
    createdDay: createdAt ? formatDay(createdAt) : '',
    signsInWith: [
      ...(account.passwordHash === null ? [] : (['password'] as const)),
      ...(hasProvider ? (['provider'] as const) : []),
    ],
    devices: devices.map(({ name, signedInDay }) => ({ name, signedInDay })),
  };
}
