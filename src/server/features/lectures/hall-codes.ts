// Codes of six digits: staff read one from their phone and type it on the computer of the hall, where nobody could type a presenter
// link. The first use exchanges it for one.
import { createHmac, randomInt, type KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { CallReply } from '#contract/http.ts';
import { isLectureOn } from '#contract/lecture-times.ts';
import { limits } from '#contract/limits.ts';
import type { Network } from '#server/base/client-addresses.ts';
import { type Limiter, takeFromNetworks } from '#server/base/limiter.ts';
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import {
  deleteHallCode,
  listLinksWithToken,
  turnCodeIntoLink,
} from '#server/chat/classes/presenter-links-queries.ts';
import type { Server } from '#server/feature.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import type { ClassLetters } from './class-letters.ts';
import { createToken, hashPresenterToken, savePresenterLink } from './presenter-links.ts';

const minuteMs = 60_000;
const codeCount = 10 ** limits.hallCodeDigits;

export class HallCodes {
  readonly #db: Database;
  readonly #commits: Commits;
  readonly #limiter: Limiter;
  readonly #key: KeyObject;
  readonly #letters: ClassLetters;

  constructor(
    { db, site, commits, limiter }: Pick<Server, 'db' | 'site' | 'commits' | 'limiter'>,
    letters: ClassLetters,
  ) {
    this.#db = db;
    this.#letters = letters;
    this.#commits = commits;
    this.#limiter = limiter;
    this.#key = site.keys.hallCodes;
  }

  /**
   * Makes a code for the lecture that is on, instead of an earlier one.
   *
   * @throws {AppError} NO_LECTURE, TOO_MANY_LINKS
   */
  async create(
    { db }: Pick<UnitOfWork, 'db'>,
    classId: string,
  ): Promise<CallReply<'createHallCode'>> {
    const now = Date.now();
    await deleteHallCode(db, classId);
    const hallCode = await this.#createUnusedCode(db, now);
    // An exact time would be the time at which a member of the staff acted.
    const endMinute = Math.ceil(now / minuteMs) + limits.hallCodeMinutes;
    const expiresAt = endMinute * minuteMs;
    const link = { classId, token: this.#hash(hallCode), expiresAt };
    await savePresenterLink(db, this.#letters, link);
    return { hallCode, hallCodeEndsAt: expiresAt };
  }

  /**
   * Exchanges the code for the token of a presenter link.
   *
   * @throws {AppError} TOO_MANY, or NOT_FOUND for every code that is not valid, so that the reply does not tell why
   */
  async exchange(hallCode: string, networks: readonly Network[]): Promise<string> {
    // Before the lookup, so that concurrent guesses count, too.
    const refund = takeFromNetworks(this.#limiter, 'hallCodes', networks);
    this.#limiter.take('allHallCodes', allNetworks);
    const code = this.#hash(hallCode);
    const [classId, otherClassId] = await this.#listClasses(this.#db, code, Date.now());
    // Two servers can make the same code at the same time.
    if (classId === undefined || otherClassId !== undefined) throw new AppError('NOT_FOUND');
    const token = createToken(classId);
    await this.#commits.write(
      async ({ db }) => {
        const now = Date.now();
        const { lecture } = await findSettings(db, classId);
        const isUsed =
          isLectureOn(lecture, now) &&
          (await turnCodeIntoLink(db, { classId, code, token: hashPresenterToken(token), now }));
        if (!isUsed) throw new AppError('NOT_FOUND');
      },
      { classId },
    );
    refund();
    this.#limiter.refund('allHallCodes', allNetworks);
    return token;
  }

  async #createUnusedCode(db: Database, now: number): Promise<string> {
    const code = String(randomInt(codeCount)).padStart(limits.hallCodeDigits, '0');
    const classIds = await this.#listClasses(db, this.#hash(code), now);
    return classIds.length === 0 ? code : this.#createUnusedCode(db, now);
  }

  async #listClasses(db: Database, code: string, now: number): Promise<string[]> {
    const rows = await listLinksWithToken(db, code);
    return rows
      .filter(({ expiresAt }) => expiresAt !== null && expiresAt > now)
      .map(({ classId }) => classId);
  }

  #hash(code: string): string {
    return createHmac('sha256', this.#key).update(code).digest('base64url');
  }
}

const allNetworks = 'all';
