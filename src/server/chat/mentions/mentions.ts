// Saves rows of mentions for counting, and keeps them equal to the mentions in the texts. A mention of anyone without a persona
// has no effect.
import type { Persona } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { listMentionedIds } from '#contract/mentions.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { deleteMentions, insertMentions } from './mentions-queries.ts';
import type { MessageRow } from '#server/chat/messages/messages-queries.ts';
import { listPersonas } from '#server/chat/members/personas-queries.ts';

/** @throws {AppError} TOO_MANY_MENTIONS */
export function checkMentions(text: string): void {
  if (listMentionedIds(text).length > limits.mentions) throw new AppError('TOO_MANY_MENTIONS');
}

export async function listMentioned(
  db: Database,
  classId: string,
  text: string,
): Promise<Persona[]> {
  const memberIds = listMentionedIds(text);
  return memberIds.length === 0 ? [] : listPersonas(db, classId, memberIds);
}

type MentioningMessage = Pick<MessageRow, 'classId' | 'seq' | 'memberId'>;

/**
 * Saves the mentions of a message that has no rows yet. Authors who mention themselves get no row.
 *
 * @returns the mentioned members' personas
 */
export async function saveMentions(
  db: DatabaseTransaction,
  message: MentioningMessage,
  text: string,
): Promise<Persona[]> {
  const personas = await listMentioned(db, message.classId, text);
  const memberIds = personas.map(({ memberId }) => memberId);
  const otherIds = memberIds.filter((memberId) => memberId !== message.memberId);
  await insertMentions(db, message, otherIds);
  return personas;
}

/**
 * Replaces the mentions of an edited message.
 *
 * @param previousMessage the message with its old text
 * @returns the mentioned members' personas; null if neither text mentions anyone
 */
export async function replaceMentions(
  db: DatabaseTransaction,
  previousMessage: MessageRow,
  text: string,
): Promise<Persona[] | null> {
  if (listMentionedIds(previousMessage.text).length === 0 && listMentionedIds(text).length === 0) {
    return null;
  }
  await deleteMentions(db, previousMessage);
  return saveMentions(db, previousMessage, text);
}
