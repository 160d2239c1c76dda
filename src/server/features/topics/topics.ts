// Changes the list of topics of a class, and moves messages between them. An entry of the log does not say who did it.
import type { ClassSettings } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { CallInput } from '#contract/http.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import { publishSettings } from '#server/chat/classes/class-settings.ts';
import { getMember, getSpeaker, hasMemberId, type Actor } from '#server/chat/members/member.ts';
import { appendToLog } from '#server/chat/messages/log-queries.ts';
import { checkMayWrite, checkNotMuted } from '#server/chat/messages/may-post.ts';
import { updateMessage } from '#server/chat/messages/messages-queries.ts';
import { findPresentMessage } from '#server/chat/messages/messages.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import { findRoleWith } from '#server/chat/staff/rights.ts';
import type { UnitOfWork } from '#server/store/changes.ts';

/** @throws {AppError} NOT_FOUND, CLASS_ENDED, SETTINGS_CHANGED also if a topic is missing, which another person has added */
export async function changeTopics(
  unitOfWork: UnitOfWork,
  classId: string,
  { version, topics }: CallInput<'changeTopics'>['body'],
  staffName: string,
): Promise<ClassSettings> {
  const settings = await findSettings(unitOfWork.db, classId);
  const knownIds = new Set(settings.topics?.map(({ topicId }) => topicId));
  const keptIds = topics.flatMap(({ topicId }) => topicId ?? []);
  const isSame =
    keptIds.length === knownIds.size && knownIds.symmetricDifference(new Set(keptIds)).size === 0;
  if (settings.version !== version || !isSame) throw new AppError('SETTINGS_CHANGED');
  const newSettings = {
    ...settings,
    version: version + 1,
    topics: topics.map(({ topicId = createRandomId(), name, archived }) => ({
      topicId,
      name: name.trim(),
      ...(archived && { archived }),
    })),
  };
  await publishSettings(unitOfWork, classId, newSettings);
  await appendAudit(unitOfWork, { staffName, act: 'settings', classId, reason: 'topics' });
  return newSettings;
}

/**
 * Moves the message to a topic, or out of its topic. If staff do it, the audit log says so, and not whose message it was.
 *
 * @throws {AppError} NOT_FOUND, NOT_ALLOWED, MUTED, READ_ONLY, CLASS_ENDED
 */
export async function moveMessage(
  unitOfWork: UnitOfWork,
  { accountId, classId, email }: Actor & { email: string },
  { messageId, topicId }: { messageId: string; topicId: string | null },
): Promise<void> {
  const { db } = unitOfWork;
  const member = await getMember(unitOfWork, accountId, classId);
  const message = await findPresentMessage(unitOfWork, classId, messageId);
  const { topics = [] } = await findSettings(db, classId);
  const isAuthor = hasMemberId(member, message.memberId);
  const role = isAuthor
    ? null
    : await findRoleWith(unitOfWork, { id: accountId, email }, classId, 'leadClass');
  if (!isAuthor && !role) throw new AppError('MOVE_NOT_YOURS');
  if (isAuthor) checkNotMuted(getSpeaker(member, message.memberId !== member.persona.memberId));
  if (topicId !== null && !topics.some((topic) => topic.topicId === topicId)) {
    throw new AppError('NO_SUCH_TOPIC');
  }
  if (message.topicId === topicId) return;
  checkMayWrite(member);
  const { seq, id } = await appendToLog(db, classId, 'moved', messageId);
  await updateMessage(db, message, { topicId });
  unitOfWork.publish(classId, { kind: 'moved', seq, id, movedId: messageId, topicId });
  if (!role) return;
  const { staffName } = role;
  await appendAudit(unitOfWork, { staffName, act: 'settings', classId, reason: 'topicMove' });
}
