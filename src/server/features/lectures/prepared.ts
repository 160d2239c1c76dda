// Polls and questions that staff prepared for a lecture. Only who prepared one sees it, because it can be a half-written exam
// question, and because a list that several people write would say who wrote what. They are in a register, so a copy of the
// database without the server key does not tell whose they are. They end with the role (chat/staff/roles.ts).
import { AppError } from '#contract/errors.ts';
import type { PreparedItem } from '#contract/lectures.ts';
import { limits } from '#contract/limits.ts';
import { isBlank } from '#contract/text.ts';
import type { Actor } from '#server/chat/members/member.ts';
import { parsePoll } from '#server/chat/polls/poll-changes.ts';
import { getRegisters } from '#server/store/registers.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Reader } from '#server/store/site.ts';

export async function listPrepared(
  { db, site: { keys } }: Reader,
  { accountId, classId }: Actor,
): Promise<readonly PreparedItem[]> {
  const entries = await getRegisters(keys.personas).read(db, 'prepared', classId);
  return entries.get(accountId) ?? [];
}

/** Stores the poll or question, or its new version. @throws {AppError} INVALID */
export async function savePrepared(
  { db, site: { keys }, contentErased }: UnitOfWork,
  { accountId, classId }: Actor,
  item: PreparedItem,
): Promise<void> {
  if (isBlank(item.text)) throw new AppError('PREPARED_EMPTY');
  const poll = item.poll && parsePoll(item.poll, undefined);
  await getRegisters(keys.personas).change(db, 'prepared', classId, (entries) => {
    const items = entries.get(accountId) ?? [];
    const isKnown = items.some(({ messageId }) => messageId === item.messageId);
    if (!isKnown && items.length >= limits.preparedItems) {
      throw new AppError('TOO_MANY_PREPARED');
    }
    const newItem = { ...item, poll };
    const newItems = isKnown
      ? items.map((other) => (other.messageId === item.messageId ? newItem : other))
      : [...items, newItem];
    entries.set(accountId, newItems);
    return true;
  });
  contentErased();
}

/** Deletes it. If it is gone, nothing changes. */
export async function deletePrepared(
  { db, site: { keys }, contentErased }: UnitOfWork,
  { accountId, classId }: Actor,
  messageId: string,
): Promise<void> {
  await getRegisters(keys.personas).change(db, 'prepared', classId, (entries) => {
    const items = entries.get(accountId) ?? [];
    const remaining = items.filter((item) => item.messageId !== messageId);
    if (remaining.length === items.length) return false;
    if (remaining.length > 0) entries.set(accountId, remaining);
    else entries.delete(accountId);
    return true;
  });
  contentErased();
}
