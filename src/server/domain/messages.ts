// Posts, edits and deletes messages, and sets reactions to them.
import { createHmac, type KeyObject } from 'node:crypto';
import type { Emoji } from '#contract/emojis.ts';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { isBlank, isPlainText } from '#contract/text.ts';
import type { UnitOfWork } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { findClass } from '../storage/queries/classes.ts';
import { readSentImage, type ImageRow, type SentImage } from '../storage/queries/images.ts';
import { appendToLog } from '../storage/queries/log.ts';
import {
  emptyMessage,
  findMessage,
  insertMessage,
  toMessage,
  updateText,
  type MessageRow,
} from '../storage/queries/messages.ts';
import { insertPersona } from '../storage/queries/personas.ts';
import { deleteReactions, listReactions, setReaction } from '../storage/queries/reactions.ts';
import { checkedAlt, sendImage, uploadOf, detachImage, type Shape } from './images.ts';
import { memberOf, type Member } from './membership.ts';
import type { ReadMarks } from './read-marks.ts';

/** The account that makes the change, and the class. */
export interface Actor {
  personaKey: KeyObject;
  accountId: string;
  classId: string;
}

export interface NewMessage {
  /** Created by the sender. A post with the same id is a retry of the same message. */
  id: string;
  text: string;
  /** One of the author's uploads. With it the text may be blank. */
  imageId?: string | undefined;
  alt?: string | undefined;
  replyTo?: string | undefined;
}

/**
 * Posts the message to the class's log.
 *
 * @returns the message's seq, the same for each retry
 * @throws {AppError} NOT_FOUND, IMAGE_GONE, MESSAGE_EMPTY, MESSAGE_TOO_LONG, INVALID, ID_CONFLICT
 */
export async function postMessage(
  write: UnitOfWork,
  { personaKey, accountId, classId }: Actor,
  { id, text: typed, imageId, alt: typedAlt = '', replyTo = '' }: NewMessage,
): Promise<number> {
  const { db } = write;
  const author = await memberOf(db, personaKey, accountId, classId);
  const { memberId } = author.persona;
  const before = await findMessage(db, classId, id);
  if (before && before.memberId !== memberId) throw new AppError('ID_CONFLICT');
  // The digest is empty after an edit or a deletion: a retry by the author counts as the same message.
  if (before?.digest === '') return before.seq;
  const image = imageId === undefined ? null : await uploadOf(write, author, imageId);
  const text = checkedText(typed, image !== null);
  const alt = checkedAlt(typedAlt, image);
  const digest = digestOf(personaKey, id, [text, replyTo, image?.digest ?? '', alt]);
  if (before) {
    if (before.digest === digest) return before.seq;
    throw new AppError('ID_CONFLICT');
  }
  // A member can reply to a message that was deleted in the meantime.
  if (replyTo && !(await findMessage(db, classId, replyTo))) throw new AppError('NOT_FOUND');
  if (image) await sendImage(write, image);

  await appear(write, author);
  const { seq, id: entry, ordinal } = await appendToLog(db, classId, 'posted', id);
  const row: MessageRow = {
    classId,
    seq,
    ordinal,
    id,
    memberId,
    text,
    image: image && sentImage(image, alt),
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
 * @returns the seq of the change, or of the log's head if the text is unchanged
 * @throws {AppError} NOT_FOUND, NOT_YOURS_TO_EDIT, MESSAGE_EMPTY, MESSAGE_TOO_LONG, INVALID
 */
export async function editMessage(
  write: UnitOfWork,
  { personaKey, accountId, classId }: Actor,
  messageId: string,
  typed: string,
): Promise<number> {
  const author = await memberOf(write.db, personaKey, accountId, classId);
  const message = await presentMessage(write, classId, messageId);
  const text = checkedText(typed, message.image !== null);
  if (message.memberId !== author.persona.memberId) throw new AppError('NOT_YOURS_TO_EDIT');
  if (message.text === text) return author.head;

  const editedAt = Date.now();
  const { seq, id } = await appendToLog(write.db, classId, 'edited', messageId);
  await updateText(write.db, message, text, editedAt);
  write.erases();
  write.publish(classId, { kind: 'edited', seq, id, messageId, text, editedAt });
  return seq;
}

/**
 * Erases the message's content. Deleting a missing message has no effect.
 *
 * @returns the seq of the change, or of the log's head if there was nothing to delete; and the picture whose
 *   files to delete after the commit
 * @throws {AppError} NOT_FOUND if the account is not a member, NOT_YOUR_MESSAGE
 */
export async function deleteMessage(
  write: UnitOfWork,
  { personaKey, accountId, classId }: Actor,
  messageId: string,
): Promise<{ seq: number; imageId: string | null }> {
  const author = await memberOf(write.db, personaKey, accountId, classId);
  const message = await findMessage(write.db, classId, messageId);
  if (!message || message.deleted) return { seq: author.head, imageId: null };
  if (message.memberId !== author.persona.memberId) throw new AppError('NOT_YOUR_MESSAGE');
  return enterDeletion(write, message);
}

/**
 * For an author who is no longer a member. In a deleted class nothing is published. The next image collection
 * deletes the picture's files.
 */
export async function removeMessage(write: UnitOfWork, message: MessageRow): Promise<void> {
  const exists = await findClass(write.db, message.classId);
  if (exists) await enterDeletion(write, message, true);
  else await eraseMessage(write, message);
}

async function enterDeletion(write: UnitOfWork, message: MessageRow, allowEnded = false) {
  const { classId, id: messageId } = message;
  const { seq, id } = await appendToLog(write.db, classId, 'deleted', messageId, null, allowEnded);
  const imageId = await eraseMessage(write, message);
  write.publish(classId, { kind: 'deleted', seq, id, messageId });
  return { seq, imageId };
}

/** @returns the picture whose files to delete after the commit */
async function eraseMessage(write: UnitOfWork, message: MessageRow): Promise<string | null> {
  const imageId = readSentImage(message.image)?.imageId ?? null;
  if (imageId) await detachImage(write, imageId);
  await emptyMessage(write.db, message);
  write.erases();
  await deleteReactions(write.db, message.classId, message.seq);
  return imageId;
}

/**
 * Sets the member's reaction to the message; null removes it.
 *
 * @returns the seq of the change, or of the log's head if nothing changed
 * @throws {AppError} NOT_FOUND, OWN_REACTION
 */
export async function react(
  write: UnitOfWork,
  { personaKey, accountId, classId }: Actor,
  messageId: string,
  emoji: Emoji | null,
): Promise<number> {
  const { db } = write;
  const member = await memberOf(db, personaKey, accountId, classId);
  const { memberId } = member.persona;
  const message = await presentMessage(write, classId, messageId);
  if (message.memberId === memberId) throw new AppError('OWN_REACTION');
  const reactions = await listReactions(db, classId, message.seq, message.seq);
  if ((reactions.get(message.seq)?.[memberId] ?? null) === emoji) return member.head;

  await appear(write, member);
  return enterReaction(write, message, memberId, emoji);
}

/** Like `removeMessage`: for an author who is no longer a member, also in a deleted class. */
export async function removeReaction(
  write: UnitOfWork,
  message: ReactedTo,
  memberId: string,
): Promise<void> {
  const exists = await findClass(write.db, message.classId);
  if (exists) await enterReaction(write, message, memberId, null, true);
  else await setReaction(write.db, message.classId, message.seq, memberId, null);
}

type ReactedTo = Pick<MessageRow, 'classId' | 'seq' | 'id'>;

async function enterReaction(
  write: UnitOfWork,
  message: ReactedTo,
  memberId: string,
  emoji: Emoji | null,
  allowEnded = false,
): Promise<number> {
  const { classId, id: messageId } = message;
  const { seq, id } = await appendToLog(
    write.db,
    classId,
    'reacted',
    messageId,
    memberId,
    allowEnded,
  );
  await setReaction(write.db, classId, message.seq, memberId, emoji);
  write.publish(classId, { kind: 'reacted', seq, id, messageId, memberId, emoji });
  return seq;
}

/** The persona is inserted with its first message or reaction, when others see it. */
async function appear(
  { db }: UnitOfWork,
  { classId, persona, appeared, head }: Member,
): Promise<void> {
  if (!appeared) await insertPersona(db, { classId, ...persona, readSeq: head });
}

/**
 * Records how far the member has read. Nothing is stored before the member has appeared.
 *
 * @throws {AppError} NOT_FOUND
 */
export async function read(
  { db, readMarks }: { db: Database; readMarks: ReadMarks },
  { personaKey, accountId, classId }: Actor,
  seq: number,
): Promise<void> {
  const { persona, appeared, readSeq, head } = await memberOf(db, personaKey, accountId, classId);
  const { memberId } = persona;
  const seen = Math.min(seq, head);
  if (appeared && seen > readSeq) readMarks.note({ classId, memberId, readSeq: seen });
}

/** @throws {AppError} NOT_FOUND if the message is missing or deleted */
async function presentMessage(
  { db }: UnitOfWork,
  classId: string,
  id: string,
): Promise<MessageRow> {
  const message = await findMessage(db, classId, id);
  if (!message || message.deleted) throw new AppError('NOT_FOUND');
  return message;
}

/** A message with a picture may have no text. */
function checkedText(typed: string, hasPicture: boolean): string {
  const text = hasPicture && isBlank(typed) ? '' : typed.trim();
  if (isBlank(text) && !hasPicture) throw new AppError('MESSAGE_EMPTY');
  if (text.length > limits.messageText) throw new AppError('MESSAGE_TOO_LONG');
  if (!isPlainText(text)) {
    throw new AppError('INVALID', 'The message holds a character that cannot be used here.');
  }
  return text;
}

/**
 * Keyed, so that a stolen database cannot confirm a guessed text. It includes the picture's digest instead of
 * its id, because a client uploads a removed picture again under another id.
 */
function digestOf(personaKey: KeyObject, id: string, body: readonly string[]): string {
  return createHmac('sha256', personaKey)
    .update(JSON.stringify(['message', id, ...body]))
    .digest('base64url');
}

function sentImage({ imageId, shape }: ImageRow, alt: string): string {
  const sent: SentImage = { imageId, ...(JSON.parse(shape) as Shape), alt };
  return JSON.stringify(sent);
}
