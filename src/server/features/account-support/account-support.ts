// What operators may learn of one account and do for it when its owner asks for help. Never its classes, personas or messages.
import { AppError } from '#contract/errors.ts';
import type { AuditAction } from '#contract/moderation.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import { formatDay, toDate } from '#server/base/days.ts';
import type { Server } from '#server/feature.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import type { AccountRecord } from '#server/accounts/account-records.ts';
import { checkNewAddress } from '#server/accounts/check-new-address.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import {
  createConfirmAddressMail,
  createResetMail,
  createSessionsEndedMail,
  createVerificationMail,
} from '#server/accounts/account-mails.ts';
import { listDevices, type SignedInDevice } from '#server/accounts/devices.ts';
import type { ResetLinks } from '#server/accounts/reset-links.ts';
import { signUpLinkMs, type SignUpLinks } from '#server/accounts/sign-up-links.ts';
import { toRecipient } from '#server/mail/recipient.ts';

export interface SupportedAccount {
  /** The spelling of the account, which can differ from the searched one. */
  email: string;
  verified: boolean;
  /** YYYY-MM-DD */
  createdDay: string;
  signsInWith: ('password' | 'provider')[];
  devices: Pick<SignedInDevice, 'name' | 'signedInDay'>[];
}

type SupportedServer = Pick<
  Server,
  'config' | 'site' | 'accountRecords' | 'sessionRecords' | 'blockedAddresses'
>;

/**
 * Each function acts in one commit, with an entry in the audit log that does not say which account it is about.
 *
 * `by` is the operator's name there.
 */
export class AccountSupport {
  readonly #server: SupportedServer;
  readonly #resetLinks: ResetLinks;
  readonly #signUpLinks: SignUpLinks;

  constructor(server: SupportedServer, resetLinks: ResetLinks, signUpLinks: SignUpLinks) {
    this.#server = server;
    this.#resetLinks = resetLinks;
    this.#signUpLinks = signUpLinks;
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
    const { accountRecords, sessionRecords } = this.#server;
    const account = await accountRecords.find(unitOfWork.db, email);
    if (!account) return null;
    const devices = await listDevices(unitOfWork.db, sessionRecords, account.id);
    return {
      email: account.email,
      verified: account.emailVerified,
      createdDay: formatDay(toDate(account.createdDay)),
      signsInWith: [
        ...(account.passwordHash === null ? [] : (['password'] as const)),
        ...(account.signOnKey === null ? [] : (['provider'] as const)),
      ],
      devices: devices.map(({ name, signedInDay }) => ({ name, signedInDay })),
    };
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
    this.#requirePassword(account);
    const { email: to, passwordHash } = account;
    if (passwordHash === null) throw new AppError('ACCOUNT_WITHOUT_PASSWORD');
    const mail = createVerificationMail(
      toRecipient(to, account, this.#server.config),
      this.#server.config.appName,
      this.#server.config.publicUrl.origin,
      this.#signUpLinks.seal({ email: to, passwordHash }),
    );
    await insertMail(db, this.#server.site.keys.mails, mail, Date.now() + signUpLinkMs);
    await this.#audit(unitOfWork, staffName, 'resend-verification');
    return to;
  }

  /** @throws {AppError} NO_SUCH_ACCOUNT, ACCOUNT_WITHOUT_PASSWORD */
  async sendResetLink(unitOfWork: UnitOfWork, email: string, staffName: string): Promise<string> {
    const { db } = unitOfWork;
    const account = await this.#getAccount(db, email);
    this.#requirePassword(account);
    const { token, expiresAt } = this.#resetLinks.create(account);
    await insertMail(
      db,
      this.#server.site.keys.mails,
      createResetMail(
        toRecipient(account.email, account, this.#server.config),
        this.#server.config.appName,
        this.#server.config.publicUrl.origin,
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
    checkNewAddress(to, this.#server.config.emailDomains);
    const account = await this.#getAccount(db, from);
    const email = to.toLowerCase();
    if (account.email === email) throw new AppError('SAME_ADDRESS');
    if (await this.#server.blockedAddresses.isBlocked(db, email)) {
      throw new AppError('ADDRESS_STILL_BLOCKED');
    }
    const other = await this.#server.accountRecords.find(db, email);
    if (other && other.id !== account.id) {
      throw new AppError('ADDRESS_TAKEN');
    }
    this.#requirePassword(account);
    const { passwordHash } = account;
    if (passwordHash === null) throw new AppError('ACCOUNT_WITHOUT_PASSWORD');
    const link = this.#signUpLinks.seal({ email, passwordHash, movesFrom: account.email });
    const mail = createConfirmAddressMail(
      toRecipient(email, account, this.#server.config),
      this.#server.config.appName,
      this.#server.config.publicUrl.origin,
      link,
    );
    await insertMail(db, this.#server.site.keys.mails, mail, Date.now() + signUpLinkMs);
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
    await this.#server.sessionRecords.end(unitOfWork, account.id, 'all');
    await appendChangeEvent(unitOfWork, 'sessions-ended');
    await insertMail(
      db,
      this.#server.site.keys.mails,
      createSessionsEndedMail(
        toRecipient(account.email, account, this.#server.config),
        this.#server.config.appName,
        this.#server.config.supportContact,
      ),
    );
    await this.#audit(unitOfWork, staffName, 'end-sessions');
    return account.email;
  }

  #audit(unitOfWork: UnitOfWork, staffName: string, act: AuditAction) {
    return appendAudit(unitOfWork, { staffName, act, reason: '' });
  }

  async #getAccount(db: DatabaseTransaction, email: string): Promise<AccountRecord> {
    const account = await this.#server.accountRecords.find(db, email);
    if (!account) throw new AppError('NO_SUCH_ACCOUNT');
    return account;
  }

  /** An older account that has neither a password nor the provider can still set one. */
  #requirePassword({ passwordHash, signOnKey }: AccountRecord): void {
    if (this.#server.config.passwordSignIn === 'off') {
      throw new AppError('SITE_WITHOUT_PASSWORDS');
    }
    if (passwordHash === null && signOnKey !== null) {
      throw new AppError('ACCOUNT_WITHOUT_PASSWORD');
    }
  }
}
