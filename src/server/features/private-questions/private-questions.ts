// What the asker and the staff of the class do with a private question. Nothing of it is in the log, and no row of a persona or an
// account changes. Nothing stores who of the staff marked it as done.
import { AppError } from '#contract/errors.ts';
import type { CallReply } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import type { PrivateQuestion } from '#contract/private-questions.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { getMember, getSpeaker, type Actor, type Member } from '#server/chat/members/member.ts';
import { takeFitting } from '#server/chat/messages/history.ts';
import { checkMayWrite, checkNotMuted } from '#server/chat/messages/may-post.ts';
import { parseText } from '#server/chat/messages/messages.ts';
import {
  announcePrivate,
  deriveAskerId,
  findPrivateSanction,
  isAskedBy,
  isShownToStaff,
  isWithdrawnPrivate,
  listAskerQuestions,
  toOwnState,
  withdrawQuestion,
} from '#server/chat/private-questions/private-questions.ts';
import {
  findPrivateQuestion,
  findPrivateTurn,
  insertPrivateQuestion,
  insertPrivateTurn,
  listClassPrivateQuestions,
  listPrivateTurns,
  updatePrivateQuestion,
  type PrivateQuestionRow,
  type PrivateTurnRow,
} from '#server/chat/private-questions/private-questions-queries.ts';
import { listSpeakers } from '#server/chat/staff/stored-roles.ts';
import { deriveVoter } from '#server/chat/votes/votes.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';

interface QuestionRef {
  classId: string;
  questionId: string;
}

/** Asks. A retry changes nothing, also after the question was withdrawn. */
export async function askPrivately(
  unitOfWork: UnitOfWork,
  { classId, questionId: id, text: typedText }: QuestionRef & { text: string },
  accountId: string,
): Promise<void> {
  const { db } = unitOfWork;
  const member = await getMember(unitOfWork, accountId, classId);
  const askerId = deriveAskerId(unitOfWork, member, accountId, id);
  const earlier = await findPrivateQuestion(db, { classId, id });
  if (earlier?.askerId === askerId) return;
  if (earlier) throw new AppError('ID_CONFLICT');
  if (await findPrivateTurn(db, { classId, id })) throw new AppError('ID_CONFLICT');
  const text = parseText(typedText, false);
  await checkMayTalk(unitOfWork, member, accountId);
  if ((await findClass(db, classId))?.status !== 'active') throw new AppError('CLASS_ENDED');
  if ((await listSpeakers(unitOfWork, classId)).length === 0) throw new AppError('NO_STAFF');
  const { ownCount, lastPlace } = await checkRoom(unitOfWork, member, accountId);
  if (ownCount >= limits.ownPrivateQuestions) throw new AppError('TOO_MANY_PRIVATE');
  const place = lastPlace + 1;
  const states = { state: 'new', nextState: 'open' } as const;
  await insertPrivateQuestion(db, { classId, id, askerId, place, ...states });
  const turn = { classId, id, questionId: id, position: 0, memberId: '', staffName: '' };
  await insertPrivateTurn(db, { ...turn, text, held: 1 });
  announcePrivate(unitOfWork, { classId, id });
}

/** Otherwise, three conversations of one member could fill the list of staff, so that no one's later question is in it. */
const maxUnansweredTurns = 3;

interface NewTurn extends QuestionRef {
  turnId: string;
  text: string;
  asStaff: boolean;
}

/** Adds a turn of the asker, or as staff. A retry changes nothing. */
export async function addPrivateTurn(
  unitOfWork: UnitOfWork,
  { classId, questionId, turnId: id, text: typedText, asStaff }: NewTurn,
  accountId: string,
): Promise<void> {
  const { db } = unitOfWork;
  const member = await getMember(unitOfWork, accountId, classId);
  const author = getSpeaker(member, asStaff);
  const question = asStaff
    ? await getShownQuestion(db, { classId, questionId })
    : await getOwnQuestion(unitOfWork, member, accountId, questionId);
  const { memberId, anonymousName: staffName } = asStaff
    ? author.persona
    : { memberId: '', anonymousName: '' };
  const earlier = await findPrivateTurn(db, { classId, id });
  if (earlier?.questionId === questionId && earlier.memberId === memberId) return;
  if (earlier) throw new AppError('ID_CONFLICT');
  const text = parseText(typedText, false);
  await checkMayTalk(unitOfWork, author, asStaff ? null : accountId);
  const turns = (await listPrivateTurns(db, classId, [questionId])).get(questionId) ?? [];
  if (turns.length >= limits.privateTurns) throw new AppError('TOO_MANY_TURNS');
  const isUnanswered = turns.slice(-maxUnansweredTurns).every((turn) => turn.memberId === '');
  if (!asStaff && turns.length >= maxUnansweredTurns && isUnanswered) {
    throw new AppError('TOO_MANY_UNANSWERED');
  }
  const state = asStaff ? question.state : toOwnState(question);
  if (state === 'done' && !asStaff) await checkRoom(unitOfWork, member, accountId);
  const position = turns.length;
  const turn = { classId, id, questionId, position, memberId, staffName, text };
  await insertPrivateTurn(db, { ...turn, held: 1 });
  if (state === 'done') {
    await updatePrivateQuestion(db, question, { [asStaff ? 'state' : 'nextState']: 'open' });
  }
  announcePrivate(unitOfWork, question);
}

/** @param askerAccountId null for staff */
async function checkMayTalk(
  unitOfWork: UnitOfWork,
  member: Member,
  askerAccountId: string | null,
): Promise<void> {
  checkNotMuted(member);
  if (askerAccountId !== null) {
    const sanction = await findPrivateSanction(unitOfWork, member, askerAccountId);
    if (sanction) throw new AppError('MUTED_IN_PRIVATE', undefined, undefined, sanction);
  }
  checkMayWrite(member);
}

const isOpen = (question: PrivateQuestionRow) =>
  !['done', 'withdrawn'].includes(toOwnState(question));

/** Checks that one more question can be open. */
async function checkRoom(
  unitOfWork: UnitOfWork,
  member: Member,
  accountId: string,
): Promise<{ ownCount: number; lastPlace: number }> {
  const { classId } = member;
  const voter = deriveVoter(unitOfWork, member, accountId);
  const all = await listClassPrivateQuestions(unitOfWork.db, classId);
  const own = all.filter(isAskedBy(unitOfWork, voter));
  if (own.filter(isOpen).length >= limits.openPrivateQuestions) {
    throw new AppError('TOO_MANY_PRIVATE');
  }
  const openCount = all.filter(isOpen).length;
  if (openCount >= limits.privateQuestions) throw new AppError('CLASS_PRIVATE_FULL');
  return { ownCount: own.length, lastPlace: all.at(-1)?.place ?? 0 };
}

async function getOwnQuestion(
  reader: Reader,
  member: Member,
  accountId: string,
  questionId: string,
): Promise<PrivateQuestionRow> {
  const { classId } = member;
  const question = await findPrivateQuestion(reader.db, { classId, id: questionId });
  const askerId = deriveAskerId(reader, member, accountId, questionId);
  if (question?.askerId !== askerId || isWithdrawnPrivate(question)) {
    throw new AppError('NOT_FOUND');
  }
  return question;
}

const isShown = ({ state }: PrivateQuestionRow): boolean =>
  state !== 'new' && state !== 'withdrawn';

async function getShownQuestion(
  db: Database,
  { classId, questionId }: QuestionRef,
): Promise<PrivateQuestionRow> {
  const question = await findPrivateQuestion(db, { classId, id: questionId });
  if (!question || !isShown(question)) throw new AppError('NOT_FOUND');
  return question;
}

export async function setPrivateState(
  unitOfWork: UnitOfWork,
  { state, ...ref }: QuestionRef & { state: 'open' | 'asked' | 'done' },
): Promise<void> {
  const question = await getShownQuestion(unitOfWork.db, ref);
  const isAgreed = state === 'asked' && question.state === 'agreed';
  if (isAgreed || question.state === state) return;
  await updatePrivateQuestion(unitOfWork.db, question, { state });
  announcePrivate(unitOfWork, question);
}

/** The asker decides whether staff may publish the question. */
export async function decidePublication(
  unitOfWork: UnitOfWork,
  { classId, questionId, agreed }: QuestionRef & { agreed: boolean },
  accountId: string,
): Promise<void> {
  const member = await getMember(unitOfWork, accountId, classId);
  const question = await getOwnQuestion(unitOfWork, member, accountId, questionId);
  const state = toOwnState(question);
  const nextState = agreed ? 'agreed' : 'refused';
  if (!['asked', 'agreed', 'refused'].includes(state)) throw new AppError('QUESTION_CHANGED');
  if (state === nextState) return;
  await updatePrivateQuestion(unitOfWork.db, question, { nextState });
  announcePrivate(unitOfWork, question);
}

export async function withdrawPrivate(
  unitOfWork: UnitOfWork,
  { classId, questionId: id }: QuestionRef,
  accountId: string,
): Promise<void> {
  const member = await getMember(unitOfWork, accountId, classId);
  const question = await findPrivateQuestion(unitOfWork.db, { classId, id });
  if (question?.askerId !== deriveAskerId(unitOfWork, member, accountId, id)) return;
  await withdrawQuestion(unitOfWork, question);
}

export async function listOwnPrivate(
  reader: Reader,
  { accountId, classId }: Actor,
): Promise<CallReply<'listOwnPrivate'>> {
  const member = await getMember(reader, accountId, classId);
  const voter = deriveVoter(reader, member, accountId);
  const questions = await listAskerQuestions(reader, { classId, voter });
  const shown = questions.filter((question) => !isWithdrawnPrivate(question)).toReversed();
  const ownPrivate = await addTurns(reader.db, classId, shown, (question, turns) =>
    toQuestion(question.id, toOwnState(question), turns),
  );
  return { ownPrivate, hasStaff: (await listSpeakers(reader, classId)).length > 0 };
}

export async function listPrivateQuestions(
  db: Database,
  classId: string,
): Promise<CallReply<'listPrivateQuestions'>> {
  const questions = (await listClassPrivateQuestions(db, classId)).filter(isShown);
  const done = questions.filter(({ state }) => state === 'done');
  const others = questions.filter(({ state }) => state !== 'done');
  const sorted = [...others, ...done.toReversed()].slice(0, limits.privateQuestions);
  const privateQuestions = await addTurns(db, classId, sorted, ({ id, state }, turns) =>
    toQuestion(id, state, turns.filter(isShownToStaff)),
  );
  return { privateQuestions };
}

/** All turns of so many questions can have a few megabytes, of which the reply has a part. */
const questionsPerRead = 20;

/** Reads the turns of the first questions that fit into a reply. Without questions, it reads, too, so that its time tells less. */
async function addTurns(
  db: Database,
  classId: string,
  questions: readonly PrivateQuestionRow[],
  toItem: (question: PrivateQuestionRow, turns: PrivateTurnRow[]) => PrivateQuestion,
): Promise<PrivateQuestion[]> {
  const items: PrivateQuestion[] = [];
  for (let start = 0; start === 0 || start < questions.length; start += questionsPerRead) {
    const batch = questions.slice(start, start + questionsPerRead);
    const turns = await listPrivateTurns(
      db,
      classId,
      batch.map(({ id }) => id),
    );
    items.push(...batch.map((question) => toItem(question, turns.get(question.id) ?? [])));
    const fitting = takeFitting(items);
    if (fitting.length < items.length) return fitting;
  }
  return items;
}

function toQuestion(
  questionId: string,
  state: PrivateQuestionRow['state'],
  turns: readonly PrivateTurnRow[],
): PrivateQuestion {
  return {
    questionId,
    // The contract has no other states, and its schema checks it.
    state: state as PrivateQuestion['state'],
    turns: turns.map(({ id, memberId, staffName, text }) => ({
      turnId: id,
      turnPersona: memberId
        ? { memberId, anonymousName: staffName, icon: memberId, staff: true }
        : null,
      text,
    })),
  };
}
