// Passkeys and recovery codes of operators and moderators, and the proof that a session made with one. The proof, and the challenge
// before it, are in encrypted cookies that are bound to the session; a used challenge leaves a hash without a name.
import { AppError } from '#contract/errors.ts';
import type { Call, CallInput } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import type { Cookies } from '#server/accounts/accounts.ts';
import { SealedCookies } from '#server/accounts/sealed-cookies.ts';
import { getToday } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { listHeldRoles } from '#server/chat/staff/roles.ts';
import type { Config } from '#server/config/config-types.ts';
import type { Server } from '#server/feature.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Account } from '#server/http/caller.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Reader } from '#server/store/site.ts';
import { spendToken } from '#server/store/used-tokens-queries.ts';
import { sendFactorMail, type FactorChange } from './factor-mail.ts';
import { createRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts';
import { changeFactor, getFactor } from './stored-factors.ts';
import { verifyAssertion, verifyRegistration, type Assertion } from './verify-passkey.ts';

/** What an authenticator is asked to sign, for one session. Each purpose has a cookie of its own. */
interface Challenge {
  challenge: string;
  sessionId: string;
}
type Purpose = 'passkey-addition' | 'passkey-proof';

const minuteMs = 60_000;
const challengeMs = 5 * minuteMs; // FACTOR-3
const proofMs = 10 * minuteMs; // FACTOR-1

export class SecondFactor {
  readonly #config: Config;
  readonly #reader: Reader;
  readonly #cookies: SealedCookies;

  constructor({ config, keys, db, site }: Pick<Server, 'config' | 'keys' | 'db' | 'site'>) {
    this.#config = config;
    this.#reader = { db, site };
    this.#cookies = new SealedCookies(keys.factor, config.publicUrl);
  }

  async check(
    account: Account,
    headers: Headers,
    factor: NonNullable<Call['factor']>,
  ): Promise<void> {
    const setting = this.#config.secondFactor;
    if (setting === 'off') return;
    const { passkeys } = await getFactor(this.#reader, account.id);
    if (passkeys.length > 0) {
      if (this.#cookies.read<string>('factor', headers) === account.sessionId) return;
      throw new AppError('FACTOR_NEEDED');
    }
    const isDuty = setting === 'required' && factor === 'duty';
    if (isDuty && (await this.#isOffered(account))) throw new AppError('FACTOR_MISSING');
  }

  checkEnabled(): void {
    if (this.#config.secondFactor === 'off') throw new AppError('NOT_FOUND');
  }

  async checkMayAdd(account: Account): Promise<void> {
    this.checkEnabled();
    if (!(await this.#isOffered(account))) throw new AppError('NOT_ALLOWED');
    checkCount((await getFactor(this.#reader, account.id)).passkeys);
  }

  /** Asks the authenticators for a signature. */
  async start({ id, sessionId }: Account, purpose: Purpose) {
    const { passkeys } = await getFactor(this.#reader, id);
    const content: Challenge = { challenge: createRandomId(32), sessionId };
    return {
      challenge: content.challenge,
      passkeyHost: this.#config.publicUrl.hostname,
      credentialIds: passkeys.map(({ credentialId }) => credentialId),
      cookies: [this.#cookies.write(purpose, content, challengeMs)],
    };
  }

  /**
   * Adds the passkey, which also proves the factor.
   *
   * @returns new recovery codes if it is the first passkey
   */
  async add(
    commits: CallCommits,
    account: Account,
    headers: Headers,
    registration: CallInput<'addPasskey'>['body'],
  ): Promise<Cookies & { recoveryCodes: string[] }> {
    const challenge = this.#getChallenge(account, headers, 'passkey-addition');
    const { credentialId, passkeyName } = registration;
    const { publicKey, counter } = await verifyRegistration(registration, {
      challenge,
      siteUrl: this.#config.publicUrl,
    });
    const recoveryCodes = createRecoveryCodes();
    const isFirst = await this.#change(commits, account, 'added', async (unitOfWork) => {
      await spend(unitOfWork, challenge);
      const { passkeys } = await changeFactor(unitOfWork, account.id, (factor, all) => {
        checkCount(factor.passkeys);
        const others = [...all.values()].flatMap((other) => other.passkeys);
        if (others.some((other) => other.credentialId === credentialId)) {
          throw new AppError('FACTOR_WRONG');
        }
        const passkey = {
          passkeyId: createRandomId(),
          name: passkeyName.trim(),
          addedDay: getToday(),
          credentialId,
          publicKey,
          counter,
        };
        return {
          passkeys: [...factor.passkeys, passkey],
          codeHashes:
            factor.passkeys.length > 0 ? factor.codeHashes : recoveryCodes.map(hashRecoveryCode),
        };
      });
      return passkeys.length === 1;
    });
    return {
      recoveryCodes: isFirst ? recoveryCodes : [],
      cookies: this.#createProofCookies(account),
    };
  }

  /** Removes the passkey, and with the last one the recovery codes. */
  async remove(commits: CallCommits, account: Account, passkeyId: string): Promise<void> {
    await this.#change(commits, account, 'removed', async (unitOfWork) => {
      await changeFactor(unitOfWork, account.id, ({ passkeys, codeHashes }) => {
        const remaining = passkeys.filter((passkey) => passkey.passkeyId !== passkeyId);
        if (remaining.length === passkeys.length) throw new AppError('NOT_FOUND');
        return { passkeys: remaining, codeHashes };
      });
      unitOfWork.contentErased();
    });
  }

  async renewCodes(commits: CallCommits, account: Account): Promise<string[]> {
    const recoveryCodes = createRecoveryCodes();
    await this.#change(commits, account, 'newCodes', (unitOfWork) =>
      changeFactor(unitOfWork, account.id, ({ passkeys }) => {
        if (passkeys.length === 0) throw new AppError('NOT_FOUND');
        return { passkeys, codeHashes: recoveryCodes.map(hashRecoveryCode) };
      }),
    );
    return recoveryCodes;
  }

  /** Proves the factor with a recovery code, which is then used up. */
  async proveByCode(commits: CallCommits, account: Account, code: string): Promise<Cookies> {
    const usedHash = hashRecoveryCode(code);
    await this.#change(commits, account, 'codeUsed', (unitOfWork) =>
      changeFactor(unitOfWork, account.id, ({ passkeys, codeHashes }) => {
        if (!codeHashes.includes(usedHash)) throw new AppError('FACTOR_WRONG');
        return { passkeys, codeHashes: codeHashes.filter((codeHash) => codeHash !== usedHash) };
      }),
    );
    return { cookies: this.#createProofCookies(account) };
  }

  async proveByPasskey(
    commits: CallCommits,
    account: Account,
    headers: Headers,
    assertion: Assertion,
  ): Promise<Cookies> {
    const challenge = this.#getChallenge(account, headers, 'passkey-proof');
    const { credentialId } = assertion;
    const factor = await getFactor(this.#reader, account.id);
    const passkey = factor.passkeys.find((other) => other.credentialId === credentialId);
    if (!passkey) throw new AppError('FACTOR_WRONG');
    const siteUrl = this.#config.publicUrl;
    const counter = await verifyAssertion(assertion, passkey, { challenge, siteUrl });
    await commits.write(
      async (unitOfWork) => {
        await spend(unitOfWork, challenge);
        await changeFactor(unitOfWork, account.id, ({ passkeys, codeHashes }) => {
          const stored = passkeys.find((other) => other.credentialId === credentialId);
          const isCounting = counter > 0 || (stored?.counter ?? 0) > 0;
          // A copy of the authenticator has counted less.
          if (!stored || (isCounting && counter <= stored.counter)) {
            throw new AppError('FACTOR_WRONG');
          }
          const counted = passkeys.map((other) =>
            other === stored ? { ...stored, counter } : other,
          );
          return { passkeys: counted, codeHashes };
        });
      },
      { accountId: account.id },
    );
    return { cookies: this.#createProofCookies(account) };
  }

  /** Only operators and moderators have the powers that it protects. */
  async #isOffered(account: Account): Promise<boolean> {
    const heldRoles = await listHeldRoles(this.#reader, account);
    return heldRoles.some(({ role }) => role !== 'staff');
  }

  /** Commits a change with the mail that tells of it. */
  #change<Result>(
    commits: CallCommits,
    { id: accountId }: Account,
    kind: FactorChange,
    change: (unitOfWork: UnitOfWork) => Promise<Result>,
  ): Promise<Result> {
    return commits.write(
      async (unitOfWork) => {
        const result = await change(unitOfWork);
        await sendFactorMail(unitOfWork, accountId, kind, this.#config);
        return result;
      },
      { accountId },
    );
  }

  /** @throws {AppError} FACTOR_WRONG if this session was not asked for it in the last minutes */
  #getChallenge({ sessionId }: Account, headers: Headers, purpose: Purpose): string {
    const asked = this.#cookies.read<Challenge>(purpose, headers);
    if (asked?.sessionId === sessionId) return asked.challenge;
    throw new AppError('FACTOR_WRONG');
  }

  #createProofCookies({ sessionId }: Account): string[] {
    return [this.#cookies.write('factor', sessionId, proofMs)];
  }
}

function checkCount(passkeys: readonly unknown[]): void {
  if (passkeys.length >= limits.passkeys) throw new AppError('TOO_MANY_PASSKEYS');
}

async function spend({ db }: UnitOfWork, challenge: string): Promise<void> {
  if (!(await spendToken(db, challenge))) throw new AppError('FACTOR_WRONG');
}
