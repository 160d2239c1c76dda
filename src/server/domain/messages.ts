// Writing to a class: posting, editing and deleting messages, and reacting to them.
import { hash, type KeyObject } from 'node:crypto';
import type { Emoji } from '#contract/emojis.ts';
import { Refusal } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { isBlank, isPlainText } from '#contract/text.ts';
import type { Write } from '../storage/commit-queue.ts';
import { appendToLog } from '../storage/queries/log.ts';
import {
  emptyMessage,
  findMessage,
  insertMessage,
  toMessage,
  updateText,
  type MessageRow,
} from '../storage/queries/messages.ts';
import { insertPersona, markRead } from '../storage/queries/personas.ts';
import { deleteReactions, listReactions, setReaction } from '../storage/queries/reactions.ts';
import { memberOf, type Member } from './membership.ts';

/** Whose write it is: the account that the socket belongs to. */
export interface Writing {
  personaKey: KeyObject;
  accountId: string;
  classId: string;
}

export interface NewMessage {
  /** Made by the sender: the same id again is the same message. */
  id: string;
  text: string;
  replyTo?: string | undefined;
}

/**
 * Enters the message into the class's log.
 *
 * @returns the message's seq, the same each time that it is sent again
 * @throws {Refusal} NOT_FOUND, MESSAGE_EMPTY, MESSAGE_TOO_LONG, INVALID, ID_CONFLICT
 */
export async function postMessage(
  write: Write,
  { personaKey, accountId, classId }: Writing,
  { id, text: typed, replyTo = '' }: NewMessage,
): Promise<number> {
  const { db } = write;
  const author = await memberOf(db, personaKey, accountId, classId);
  const text = checkedText(typed);
  const digest = digestOf(text, replyTo);
  const { memberId } = author.persona;

  const before = await findMessage(db, classId, id);
  if (before) {
    if (before.memberId === memberId && before.digest === digest) return before.seq;
    throw new Refusal('ID_CONFLICT');
  }
  if (replyTo) await presentMessage(write, classId, replyTo);

  await appear(write, author);
  const { seq, id: entry, ordinal } = await appendToLog(db, classId, 'posted', id);
  const row: MessageRow = {
    classId,
    seq,
    ordinal,
    id,
    memberId,
    text,
    digest,
    createdAt: Date.now(),
    editedAt: null,
    replyTo: replyTo || null,
    deleted: 0,
  };
  await insertMessage(db, row);
  const { persona } = author;
  write.publish(classId, { kind: 'posted', seq, id: entry, message: toMessage(row), persona });
  return seq;
}

/**
 * @returns the seq of the change; of the log's head where the text is the same already
 * @throws {Refusal} NOT_FOUND, NOT_YOURS_TO_EDIT, MESSAGE_EMPTY, MESSAGE_TOO_LONG, INVALID
 */
export async function editMessage(
  write: Write,
  { personaKey, accountId, classId }: Writing,
  messageId: string,
  typed: string,
): Promise<number> {
  const author = await memberOf(write.db, personaKey, accountId, classId);
  const text = checkedText(typed);
  const message = await presentMessage(write, classId, messageId);
  if (message.memberId !== author.persona.memberId) throw new Refusal('NOT_YOURS_TO_EDIT');
  if (message.text === text) return author.head;

  const editedAt = Date.now();
  const { seq, id } = await appendToLog(write.db, classId, 'edited', messageId);
  await updateText(write.db, message, text, editedAt);
  write.erases();
  write.publish(classId, { kind: 'edited', seq, id, messageId, text, editedAt });
  return seq;
}

/**
 * Leaves nothing of the text. Deleting what is not there is skipped.
 *
 * @returns the seq of the change; of the log's head where there was nothing to delete
 * @throws {Refusal} NOT_FOUND for who is not a member, NOT_YOUR_MESSAGE
 */
export async function deleteMessage(
  write: Write,
  { personaKey, accountId, classId }: Writing,
  messageId: string,
): Promise<number> {
  const author = await memberOf(write.db, personaKey, accountId, classId);
  const message = await findMessage(write.db, classId, messageId);
  if (!message || message.deleted) return author.head;
  if (message.memberId !== author.persona.memberId) throw new Refusal('NOT_YOUR_MESSAGE');

  const { seq, id } = await appendToLog(write.db, classId, 'deleted', messageId);
  await emptyMessage(write.db, message);
  write.erases();
  await deleteReactions(write.db, classId, message.seq);
  write.publish(classId, { kind: 'deleted', seq, id, messageId });
  return seq;
}

/**
 * Sets the member's one reaction to the message; null takes it away.
 *
 * @returns the seq of the change; of the log's head where it is so already
 * @throws {Refusal} NOT_FOUND, OWN_REACTION
 */
export async function react(
  write: Write,
  { personaKey, accountId, classId }: Writing,
  messageId: string,
  emoji: Emoji | null,
): Promise<number> {
  const { db } = write;
  const member = await memberOf(db, personaKey, accountId, classId);
  const { memberId } = member.persona;
  const message = await presentMessage(write, classId, messageId);
  if (message.memberId === memberId) throw new Refusal('OWN_REACTION');
  const reactions = await listReactions(db, classId, message.seq, message.seq);
  if ((reactions.get(message.seq)?.[memberId] ?? null) === emoji) return member.head;

  await appear(write, member);
  const { seq, id } = await appendToLog(db, classId, 'reacted', messageId, memberId);
  await setReaction(db, classId, message.seq, memberId, emoji);
  write.publish(classId, { kind: 'reacted', seq, id, messageId, memberId, emoji });
  return seq;
}

/** A persona is written down with its first message or reaction, when others see it. */
async function appear({ db }: Write, { classId, persona, appeared, head }: Member): Promise<void> {
  if (!appeared) await insertPersona(db, { classId, ...persona, readSeq: head });
}

/** Remembers what the member has seen. @throws {Refusal} NOT_FOUND */
export async function read(
  write: Write,
  { personaKey, accountId, classId }: Writing,
  seq: number,
): Promise<void> {
  const { persona, head } = await memberOf(write.db, personaKey, accountId, classId);
  await markRead(write.db, classId, persona.memberId, Math.min(seq, head));
}

/** @throws {Refusal} NOT_FOUND where it is not, or not any more */
async function presentMessage({ db }: Write, classId: string, id: string): Promise<MessageRow> {
  const message = await findMessage(db, classId, id);
  if (!message || message.deleted) throw new Refusal('NOT_FOUND');
  return message;
}

function checkedText(typed: string): string {
  const text = typed.trim();
  if (isBlank(text)) throw new Refusal('MESSAGE_EMPTY');
  if (text.length > limits.messageText) throw new Refusal('MESSAGE_TOO_LONG');
  if (!isPlainText(text)) {
    throw new Refusal('INVALID', 'The message holds a character that cannot be used here.');
  }
  return text;
}

function digestOf(text: string, replyTo: string): string {
  return hash('sha256', `${replyTo}\n${text}`, 'base64url');
}
