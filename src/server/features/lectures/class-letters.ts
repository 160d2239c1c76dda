// Four letters on the screen of the hall lead to its class while the lecture is on, for those who cannot scan the QR code. They hide
// nothing, because the search lists every class.
import { createHmac } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { listLinksWithToken } from '#server/chat/classes/presenter-links-queries.ts';
import type { Reader } from '#server/store/site.ts';
import { findLecture } from './find-lecture.ts';

/** Without vowels, so that no words result, and without what looks alike. */
const alphabet = 'BCDFGHJKMNPQRTVWXZ2346789';

export class ClassLetters {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Derives the letters of a lecture, so that they are stored nowhere. */
  derive(lectureId: string): string {
    const bytes = [...this.#hash(`letters of ${lectureId}`).subarray(0, limits.classLetters)];
    return bytes.map((byte) => alphabet[byte % alphabet.length]).join('');
  }

  /** The row that finds the class by its letters. It ends with the presenter links. */
  toRow({ classId, lectureId }: { classId: string; lectureId: string }) {
    return { classId, lectureId, token: this.#toToken(this.derive(lectureId)), expiresAt: null };
  }

  /** @throws {AppError} NOT_FOUND, also in the rare case that two lectures have the same letters */
  async getClassId(letters: string): Promise<string> {
    const { db } = this.#reader;
    const token = this.#toToken(letters);
    const classIds: string[] = [];
    for (const { classId } of await listLinksWithToken(db, token)) {
      if (await findLecture(db, { classId, token })) classIds.push(classId);
    }
    const [classId, otherClassId] = classIds;
    if (classId === undefined || otherClassId !== undefined) {
      throw new AppError('NO_SUCH_LETTERS');
    }
    return classId;
  }

  #toToken(letters: string): string {
    return this.#hash(`letters ${letters}`).toString('base64url');
  }

  #hash(text: string): Buffer {
    return createHmac('sha256', this.#reader.site.keys.hallCodes).update(text).digest();
  }
}
