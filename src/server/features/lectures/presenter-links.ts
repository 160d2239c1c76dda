// Presenter links: staff make one for a lecture and open it on the computer of the hall, which needs no account. Who has the link
// reads the questions of this lecture, their votes and the poll that staff show, and no persona. The link ends with the lecture.
import { hash } from 'node:crypto';
import { toClassLabel } from '#contract/class-label.ts';
import type { Lecture } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { http, type CallReply } from '#contract/http.ts';
import { isLectureOn } from '#contract/lecture-times.ts';
import { limits } from '#contract/limits.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { countPresenterLinks } from '#server/chat/classes/presenter-links-queries.ts';
import type { ClassRow } from '#server/chat/messages/authored-content-queries.ts';
import { takeFitting } from '#server/chat/messages/history.ts';
import { serializeReply } from '#server/http/route.ts';
import { createEtag } from '#server/http/static-file.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Database } from '#server/store/tables.ts';
import type { ClassLetters } from './class-letters.ts';
import { findLecture } from './find-lecture.ts';
import { removeNames } from './lecture-questions.ts';
import { listAskedQuestions } from './lecture-questions-queries.ts';
import { findPresentedPoll } from './presented-poll.ts';

const secretBytes = 24;
/** The id of the class, then the secret. */
const tokenPattern = /^(?<classId>[\w-]{16})[\w-]{32}$/;

export const hashPresenterToken = (token: string) =>
  hash('sha256', `presenter link:${token}`, 'base64url');

export const createToken = (classId: string) => classId + createRandomId(secretBytes);

/**
 * Makes a link for the lecture that is on.
 *
 * @returns its token. Only a hash of it is stored
 * @throws {AppError} NO_LECTURE, TOO_MANY_LINKS
 */
export async function createPresenterLink(
  { db }: Pick<UnitOfWork, 'db'>,
  letters: ClassLetters,
  classId: string,
): Promise<string> {
  const token = createToken(classId);
  await savePresenterLink(db, letters, {
    classId,
    token: hashPresenterToken(token),
    expiresAt: null,
  });
  return token;
}

/**
 * Saves a link or a code for the lecture that is on, and the letters that the screen shows.
 *
 * @throws {AppError} NO_LECTURE, TOO_MANY_LINKS
 */
export async function savePresenterLink(
  db: UnitOfWork['db'],
  letters: ClassLetters,
  link: { classId: string; token: string; expiresAt: number | null },
): Promise<void> {
  const { classId } = link;
  const { lecture } = await findSettings(db, classId);
  if (!isLectureOn(lecture, Date.now())) throw new AppError('NO_LECTURE');
  const { lectureId } = lecture;
  const lettersRow = letters.toRow({ classId, lectureId });
  if ((await countPresenterLinks(db, classId, lettersRow.token)) >= limits.presenterLinks) {
    throw new AppError('TOO_MANY_LINKS');
  }
  await db
    .insertInto('presenterLinks')
    .values([{ ...link, lectureId }, lettersRow])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

interface EncodedPresentation {
  json: string;
  etag: string;
}

/** A link needs no account, so its requests share the cost of one reply, however many there are. */
const sharedMs = 1000; // LECT-8

/** What the screens of the halls show. */
export class Presentations {
  readonly #db: Database;
  readonly #letters: ClassLetters;
  readonly #recent = new Map<string, Promise<EncodedPresentation>>();

  constructor(db: Database, letters: ClassLetters) {
    this.#db = db;
    this.#letters = letters;
  }

  /**
   * @param knownEtag of the last reply that the screen got
   * @throws {AppError} NOT_FOUND for every link that is not valid, so that the reply does not tell why
   */
  async respond(token: string | null, knownEtag: string | null): Promise<Response> {
    const { classId } = tokenPattern.exec(token ?? '')?.groups ?? {};
    if (token === null || classId === undefined) throw new AppError('NOT_FOUND');
    const lecture = await findLecture(this.#db, { classId, token: hashPresenterToken(token) });
    const listedClass = await findClass(this.#db, classId);
    if (!lecture || listedClass?.status !== 'active') throw new AppError('NOT_FOUND');
    const { json, etag } = await this.#share(listedClass, lecture);
    if (knownEtag === etag) return new Response(null, { status: 304, headers: { etag } });
    return new Response(json, { headers: { etag, 'content-type': 'application/json' } });
  }

  #share(listedClass: ClassRow, lecture: Lecture): Promise<EncodedPresentation> {
    const { lectureId } = lecture;
    const recent = this.#recent.get(lectureId);
    if (recent) return recent;
    const presentation = encodePresentation(this.#db, this.#letters, listedClass, lecture);
    this.#recent.set(lectureId, presentation);
    const forgetPresentation = () => this.#recent.delete(lectureId);
    setTimeout(forgetPresentation, sharedMs);
    return presentation;
  }
}

async function encodePresentation(
  db: Database,
  letters: ClassLetters,
  listedClass: ClassRow,
  lecture: Lecture,
): Promise<EncodedPresentation> {
  const presentation = await getPresentation(db, letters, listedClass, lecture);
  const json = serializeReply('readPresentation', http.readPresentation.reply, presentation);
  return { json, etag: createEtag(json) };
}

async function getPresentation(
  db: Database,
  letters: ClassLetters,
  listedClass: ClassRow,
  lecture: Lecture,
): Promise<CallReply<'readPresentation'>> {
  const { classId } = listedClass;
  const questions = await listAskedQuestions(db, classId, lecture, limits.presentedQuestions);
  // The ids of messages stay in the class.
  const toKey = (id: string) =>
    hash('sha256', `question:${lecture.lectureId}:${id}`, 'base64url').slice(0, 16);
  return {
    className: toClassLabel(listedClass),
    courseTitle: listedClass.courseName,
    classLetters: letters.derive(lecture.lectureId),
    presentedQuestions: takeFitting(
      questions.map((question) => ({
        questionKey: toKey(question.id),
        questionText: removeNames(question.text),
        questionTopic: question.topic,
        voteCount: question.votes,
        answered: question.answered === 1,
        answeredAloud: question.done === 1,
      })),
    ),
    presentedPoll: await findPresentedPoll(db, classId, lecture, toKey),
  };
}
