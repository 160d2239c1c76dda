// Questions that only staff see. The id of the asker is different for each question, so that without the server key no one can link
// two questions of one person, or a question to an account or a persona. What one side does, the other learns at the random moment
// at which the votes of the class are published (decision 97): staff who read the list all the time would otherwise see when someone
// asks, and compare it with the room.
import type { Sanction } from '#contract/entities.ts';
import { findSalt } from '#server/chat/classes/classes-queries.ts';
import {
  computeAskerId,
  computeId,
  isCaseAskerId,
  caseAskerName,
  toCaseAskerId,
  toCaseAskerNonce,
} from '#server/chat/members/member-ids.ts';
import type { Member } from '#server/chat/members/member.ts';
import { listMembers } from '#server/chat/members/memberships.ts';
import { findCurrentSanction, toMute } from '#server/chat/members/sanctions.ts';
import { listSpeakers } from '#server/chat/staff/stored-roles.ts';
import { deriveVoter } from '#server/chat/votes/votes.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Reader } from '#server/store/site.ts';
import {
  deletePrivateTurns,
  findPrivateQuestion,
  findPrivateTurn,
  listClassPrivateQuestions,
  listPrivateTurns,
  listSanctionedAskers,
  releasePrivateTurns,
  updatePrivateQuestion,
  type PrivateQuestionRow,
  type PrivateTurnRow,
} from './private-questions-queries.ts';

export function deriveAskerId(
  reader: Pick<Reader, 'site'>,
  member: Pick<Member, 'classId' | 'classSalt'>,
  accountId: string,
  questionId: string,
): string {
  const voter = deriveVoter(reader, member, accountId);
  return computeAskerId(reader.site.keys.questionVotes, voter, toCaseAskerNonce(questionId));
}

/** @param voter of the asker */
export function isAskedBy({ site }: Pick<Reader, 'site'>, voter: string) {
  return ({ id, askerId }: PrivateQuestionRow): boolean =>
    computeAskerId(site.keys.questionVotes, voter, toCaseAskerNonce(id)) === askerId;
}

/** Lists the questions of one asker in the order in which they were asked, with those that are withdrawn. */
export async function listAskerQuestions(
  reader: Reader,
  { classId, voter }: { classId: string; voter: string },
): Promise<PrivateQuestionRow[]> {
  const rows = await listClassPrivateQuestions(reader.db, classId);
  return rows.filter(isAskedBy(reader, voter));
}

/** Lists what the asker wrote. */
export async function listPrivateTexts(
  reader: Reader,
  { classId, voter }: { classId: string; voter: string },
): Promise<string[]> {
  const questions = await listAskerQuestions(reader, { classId, voter });
  const ids = questions.map(({ id }) => id);
  const turns = await listPrivateTurns(reader.db, classId, ids);
  return ids.flatMap((id) =>
    (turns.get(id) ?? []).filter(({ memberId }) => memberId === '').map(({ text }) => text),
  );
}

/** What the asker sees. */
export const toOwnState = ({ state, nextState }: PrivateQuestionRow) => nextState ?? state;

export const isWithdrawnPrivate = (question: PrivateQuestionRow): boolean =>
  toOwnState(question) === 'withdrawn';

/** A turn of the asker waits until staff see it. The asker sees those of staff immediately. */
export const isShownToStaff = ({ memberId, held }: PrivateTurnRow): boolean =>
  memberId !== '' || held === 0;

/** Lets the other side learn of a change, at a random time. */
export function announcePrivate(
  { addEffect }: UnitOfWork,
  { classId, id }: Pick<PrivateQuestionRow, 'classId' | 'id'>,
): void {
  addEffect({ kind: 'unpublished', classId, messageId: id });
}

/** Withdraws the question. Its texts are erased when staff no longer see it. */
export async function withdrawQuestion(
  unitOfWork: UnitOfWork,
  question: PrivateQuestionRow,
): Promise<void> {
  if (isWithdrawnPrivate(question)) return;
  await updatePrivateQuestion(unitOfWork.db, question, { nextState: 'withdrawn' });
  announcePrivate(unitOfWork, question);
}

/** Publishes to the other side what has changed of those of these that are private questions. */
export async function publishPrivateQuestions(
  unitOfWork: UnitOfWork,
  classId: string,
  ids: readonly string[],
): Promise<void> {
  const { db } = unitOfWork;
  const notifiedIds = new Set<string>();
  const answered: PrivateQuestionRow[] = [];
  let hasAny = false;
  let hasAsked = false;
  for (const id of ids) {
    const question = await findPrivateQuestion(db, { classId, id });
    if (!question) continue;
    hasAny = true;
    if (question.nextState === 'withdrawn') {
      await deletePrivateTurns(db, question);
      unitOfWork.contentErased();
    }
    const turns = await releasePrivateTurns(db, question);
    const state = toOwnState(question);
    // Staff marked it as done before they saw a turn of the asker.
    const isFromAsker = turns.some(({ memberId }) => memberId === '');
    await updatePrivateQuestion(db, question, {
      state: isFromAsker && state === 'done' ? 'open' : state,
      nextState: null,
    });
    hasAsked ||= isFromAsker;
    if (turns.some(({ memberId }) => memberId !== '')) answered.push(question);
  }
  if (hasAsked) {
    for (const accountId of await listSpeakers(unitOfWork, classId)) notifiedIds.add(accountId);
  }
  if (answered.length > 0) {
    const members = await listMembers(unitOfWork, classId);
    for (const question of answered) {
      const accountId = await findAskerAccount(unitOfWork, question, members.keys());
      if (accountId !== null) notifiedIds.add(accountId);
    }
  }
  if (hasAny) unitOfWork.addEffect({ kind: 'privateQuestions', classId, notifiedIds });
}

/** Finds the account of the asker among these. Nothing stores it, and the time does not tell its place. */
async function findAskerAccount(
  reader: Reader,
  question: PrivateQuestionRow,
  accountIds: Iterable<string>,
): Promise<string | null> {
  const { questionVotes } = reader.site.keys;
  const salt = (await findSalt(reader.db, question.classId)) ?? '';
  const [askerAccountId] = [...accountIds].filter((accountId) =>
    isAskedBy(reader, computeId(questionVotes, salt, accountId))(question),
  );
  return askerAccountId ?? null;
}

/** A turn that is reported, as a case names it. */
interface ReportedTurn {
  memberId: string;
  /** The id of the turn. */
  messageId: string;
  /** The whole conversation. */
  text: string;
}

/** Finds the turn if the member sees it, as its asker or as staff. */
export async function findReportedTurn(
  unitOfWork: UnitOfWork,
  member: Member,
  accountId: string,
  turnId: string,
): Promise<ReportedTurn | null> {
  const { db, site } = unitOfWork;
  const { classId } = member;
  const turn = await findPrivateTurn(db, { classId, id: turnId });
  const question = turn && (await findPrivateQuestion(db, { classId, id: turn.questionId }));
  if (!question) return null;
  const isAsker = question.askerId === deriveAskerId(unitOfWork, member, accountId, question.id);
  if (!isAsker && !(member.staff?.maySpeak && isShownToStaff(turn))) return null;
  const turns = (await listPrivateTurns(db, classId, [question.id])).get(question.id) ?? [];
  const nonce = toCaseAskerNonce(question.id);
  return {
    memberId: turn.memberId || toCaseAskerId(site.keys.questionVotes, question.askerId, nonce),
    messageId: turnId,
    text: turns
      .filter((shown) => isAsker || isShownToStaff(shown))
      .map(
        ({ memberId, staffName, text }) =>
          `${memberId ? `🎓 ${staffName}` : caseAskerName}: ${text}`,
      )
      .join('\n\n'),
  };
}

/**
 * Finds the sanction that a case about a private question led to. It holds for all private questions of the account, and not in the
 * room: if both fell silent, the class would know who asked.
 */
export async function findPrivateSanction(
  { db, site }: Reader,
  { classId, classSalt }: Pick<Member, 'classId' | 'classSalt'>,
  accountId: string,
): Promise<Sanction | null> {
  for (const caseAskerId of await listSanctionedAskers(db, classId)) {
    if (!isCaseAskerId(site.keys.questionVotes, classSalt, accountId, caseAskerId)) continue;
    const sanction = await findCurrentSanction(db, classId, caseAskerId);
    if (sanction) return toMute(sanction);
  }
  return null;
}

/** Withdraws the question with this turn, because moderators remove it. */
export async function removePrivateQuestion(
  unitOfWork: UnitOfWork,
  classId: string,
  turnId: string,
): Promise<void> {
  const turn = await findPrivateTurn(unitOfWork.db, { classId, id: turnId });
  const question =
    turn && (await findPrivateQuestion(unitOfWork.db, { classId, id: turn.questionId }));
  if (question) await withdrawQuestion(unitOfWork, question);
}
