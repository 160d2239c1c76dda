// Posts, edits and deletes messages, and sets reactions to them.
import { createHmac, type KeyObject } from 'node:crypto';
import type { Emoji } from '#contract/emojis.ts';
import type { Persona, Quote } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { toPersonaIcon } from '#contract/persona-figure.ts';
import { isBlank, isPlainText, trimMessageText } from '#contract/text.ts';
import type { Database } from '#server/store/tables.ts';
import { hasEvidence } from './evidence-queries.ts';
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import {
  retireImages,
  parseSentImages,
  type SentImage,
} from '#server/chat/attachments/attachment-queries.ts';
import { appendToLog } from './log-queries.ts';
import {
  emptyMessage,
  findMessage,
  insertMessage,
  toMessage,
  toQuote,
  updateText,
  type MessageRow,
} from './messages-queries.ts';
import { deleteMentions } from '#server/chat/mentions/mentions-queries.ts';
import {
  findPersona,
  insertPersona,
  isNameKeyTaken,
  savePersona,
  toPersona,
} from '#server/chat/members/personas-queries.ts';
import { deleteReactions, findReaction, hasReactions, setReaction } from './reactions-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import {
  attachImages,
  findOwnImages,
  type DescribedImage,
  type PostedImage,
  type PictureProperties,
} from '#server/chat/attachments/attachments.ts';
import { forgetErased } from '#server/chat/classes/class-settings.ts';
import { removeMarks } from '#server/chat/questions/question-changes.ts';
import { deleteVotesFor } from '#server/chat/votes/votes-queries.ts';
import { checkMayPost, checkMayWrite, checkNotMuted } from './may-post.ts';
import {
  checkOpenPolls,
  parsePoll,
  toPollColumns,
  type NewPoll,
} from '#server/chat/polls/poll-changes.ts';
import {
  hasMemberId,
  getMember,
  getSpeaker,
  type Actor,
  type Member,
} from '#server/chat/members/member.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { addEdit } from './evidence.ts';
import { chooseInitialIcon } from '#server/chat/members/initial-icon.ts';
import { toPersonaNameKey } from '#server/chat/members/persona-name-key.ts';
import {
  checkMentions,
  listMentioned,
  replaceMentions,
  saveMentions,
} from '#server/chat/mentions/mentions.ts';
import { checkMayChangeText, holdQuestion } from '#server/chat/questions/hold-question.ts';
import {
  findWaitingQuestion,
  isWithdrawn,
} from '#server/chat/questions/waiting-questions-queries.ts';

export interface NewMessage {
  /** Created by the sender. A post with the same id is a retry of the same message. */
  id: string;
  text: string;
  /** Uploads of the author. With a picture the text may be blank. */
  images?: readonly PostedImage[] | undefined;
  replyTo?: string | undefined;
  question?: true | undefined;
  poll?: NewPoll | undefined;
  topicId?: string | undefined;
  /** Set if the author is the account's staff persona. */
  staff?: true | undefined;
  /** The number of the icon that the author chose before the persona appears. */
  icon?: number | undefined;
}

export interface PostResult {
  /** The message's seq, the same for each retry. The log's head for a question that waits. */
  seq: number;
  /** The question waits until staff release it, or its asker has withdrawn it. */
  waits?: true;
}

/**
 * Posts the message to the class's log, or keeps a question that must wait for release.
 *
 * @throws {AppError} NOT_FOUND, NOT_ALLOWED, MUTED, READ_ONLY, PICTURES_OFF, SLOW_MODE, IMAGE_GONE, TOO_MANY_IMAGES,
 *   MESSAGE_EMPTY, MESSAGE_TOO_LONG, TOO_MANY_MENTIONS, NO_QUESTION, TOO_MANY_POLLS, INVALID, ID_CONFLICT,
 *   QUESTION_NOT_PLAIN, TOO_MANY_WAITING
 */
export async function postMessage(
  unitOfWork: UnitOfWork,
  { accountId, classId }: Actor,
  {
    id,
    text: typedText,
    images: postedImages = [],
    replyTo = '',
    question,
    topicId,
    icon,
    ...rest
  }: NewMessage,
): Promise<PostResult> {
  const { db, site } = unitOfWork;
  const asStaff = rest.staff === true;
  const poll = rest.poll && parsePoll(rest.poll, question);
  const member = await getMember(unitOfWork, accountId, classId);
  const existing = await findMessage(db, classId, id);
  const memberId = (asStaff ? member.staff : member)?.persona.memberId;
  const waiting = question && !existing ? await findWaitingQuestion(db, classId, id) : null;
  if (waiting && isWithdrawn(waiting)) return { seq: member.head, waits: true };
  const earlier = existing ?? waiting;
  if (earlier && earlier.memberId !== memberId) throw new AppError('ID_CONFLICT');
  // After an edit or a deletion the digest is empty, so every post of the author with this id counts as a retry.
  if (existing?.digest === '') return { seq: existing.seq };
  // A retry gets the same reply as the first post, even if the role was revoked in the meantime.
  const author = existing
    ? { ...member, persona: { ...member.persona, memberId: existing.memberId } }
    : getSpeaker(member, asStaff);
  const hasPictures = postedImages.length > 0;
  const text = parseText(typedText, hasPictures);
  const isRetry = existing !== null || waiting?.text === text;
  if (!isRetry) await checkMayPost(db, author, hasPictures);
  const images = hasPictures ? await findOwnImages(unitOfWork, author, postedImages) : [];
  const content: MessageContent = { id, text, images, replyTo, question, poll, topicId, icon };
  if (existing) {
    const digest = computeDigest(site.keys.personas, content);
    if (existing.digest === digest) return { seq: existing.seq };
    throw new AppError('ID_CONFLICT');
  }
  if (question && !asStaff) {
    const isPlain = images.length === 0 && replyTo === '';
    const asker = author.persona.memberId;
    const heldQuestion = { classId, id, memberId: asker, text, topicId: topicId ?? null, isPlain };
    if (await holdQuestion(unitOfWork, heldQuestion, waiting)) {
      return { seq: member.head, waits: true };
    }
  }
  return { seq: await appendMessage(unitOfWork, author, content) };
}

/** What an author writes, after the checks. */
interface MessageContent extends Pick<
  NewMessage,
  'id' | 'text' | 'question' | 'poll' | 'topicId' | 'icon'
> {
  images: readonly DescribedImage[];
  /** '' if the message is no reply. */
  replyTo: string;
}

/**
 * Appends the message to the log of the class.
 *
 * @returns its seq
 * @throws {AppError} NOT_FOUND if the message that it replies to is missing; CLASS_ENDED
 */
export async function appendMessage(
  unitOfWork: UnitOfWork,
  author: Author,
  content: MessageContent,
): Promise<number> {
  const { db, site } = unitOfWork;
  const { classId } = author;
  const { id, text, images, replyTo, question, poll } = content;
  // A member can reply to a message that was deleted in the meantime.
  const source = replyTo ? await findMessage(db, classId, replyTo) : null;
  if (replyTo && !source) throw new AppError('NOT_FOUND');
  if (poll) await checkOpenPolls(db, classId, author.persona.memberId);
  await attachImages(unitOfWork, images);

  const topicId = await findTopicOfPost(db, classId, source, content.topicId);
  const persona = await ensurePersona(unitOfWork, author, content.icon);
  const { seq, id: entryId, ordinal } = await appendToLog(db, classId, 'posted', id);
  const createdAt = Date.now();
  const row: MessageRow = {
    classId,
    seq,
    ordinal,
    id,
    memberId: author.persona.memberId,
    text,
    images: images.length > 0 ? JSON.stringify(images.map(toSentImage)) : null,
    digest: computeDigest(site.keys.personas, content),
    createdAt,
    editedAt: null,
    replyTo: replyTo || null,
    deleted: 0,
    moderation: null,
    votes: question ? 0 : null,
    answerId: null,
    endorsedId: null,
    ...(await toPollColumns(db, classId, poll, createdAt)),
    done: 0,
    topicId,
  };
  await insertMessage(db, row);
  const mentionedPersonas = await saveMentions(db, row, text);
  const { quote, quotedPersonas } = await createQuote(db, source);
  const message = toMessage(row, {}, quote, question && { votes: 0, answer: null, endorsed: null });
  const personas = [...mentionedPersonas, ...quotedPersonas];
  const entry = { seq, id: entryId, ...(personas.length > 0 && { personas }) };
  unitOfWork.publish(classId, { kind: 'posted', ...entry, message, persona });
  return seq;
}

/** A reply has the topic of its source. A topic that was archived meanwhile counts, because the message may have waited. */
async function findTopicOfPost(
  db: Database,
  classId: string,
  source: MessageRow | null,
  topicId: string | undefined,
): Promise<string | null> {
  if (source) return source.topicId;
  if (topicId === undefined) return null;
  const { topics = [] } = await findSettings(db, classId);
  // The browser can have chosen it in a class of an earlier backup.
  return topics.some((topic) => topic.topicId === topicId) ? topicId : null;
}

/**
 * @returns the seq of the change, or of the log's head if the text is unchanged
 * @throws {AppError} NOT_FOUND, NOT_YOURS_TO_EDIT, NOT_ALLOWED, MESSAGE_EMPTY, MESSAGE_TOO_LONG, TOO_MANY_MENTIONS,
 *   INVALID, READ_ONLY
 */
export async function editMessage(
  unitOfWork: UnitOfWork,
  { accountId, classId }: Actor,
  messageId: string,
  typedText: string,
): Promise<number> {
  const { db, site } = unitOfWork;
  const member = await getMember(unitOfWork, accountId, classId);
  const message = await findPresentMessage(unitOfWork, classId, messageId);
  const text = parseText(typedText, message.images !== null);
  if (!hasMemberId(member, message.memberId)) throw new AppError('NOT_YOURS_TO_EDIT');
  const asStaff = message.memberId !== member.persona.memberId;
  const author = getSpeaker(member, asStaff);
  checkNotMuted(author);
  if (message.text === text) return author.head;
  checkMayWrite(author);
  if (message.votes !== null && !asStaff) await checkMayChangeText(db, message);

  const editedAt = Date.now();
  const { seq, id } = await appendToLog(db, classId, 'edited', messageId);
  await updateText(db, message, text, editedAt);
  await addEdit(db, deriveModerationKeys(site.keys.personas).evidence, message, { text, editedAt });
  const personas = await replaceMentions(db, message, text);
  const entry = { seq, id, ...(personas && { personas }) };
  unitOfWork.contentErased();
  unitOfWork.publish(classId, { kind: 'edited', ...entry, messageId, text, editedAt });
  return seq;
}

/**
 * Erases the message's content. Deleting a missing message has no effect.
 *
 * @returns the seq of the change, or of the log's head if there was nothing to delete; and the ids of the pictures whose files
 *   the
 *   caller deletes after the commit
 * @throws {AppError} NOT_FOUND if the account is not a member, NOT_YOUR_MESSAGE
 */
export async function deleteMessage(
  unitOfWork: UnitOfWork,
  { accountId, classId }: Actor,
  messageId: string,
): Promise<{ seq: number; imageIds: string[] }> {
  const author = await getMember(unitOfWork, accountId, classId);
  const message = await findMessage(unitOfWork.db, classId, messageId);
  if (!message || message.deleted) return { seq: author.head, imageIds: [] };
  if (!hasMemberId(author, message.memberId)) throw new AppError('NOT_YOUR_MESSAGE');
  return appendDeletion(unitOfWork, message);
}

/**
 * Removes a message of an author who is no longer a member, unless it is deleted already. In a deleted class nothing is
 * published. The next image collection deletes the files of its pictures.
 */
export async function removeMessage(
  unitOfWork: UnitOfWork,
  { classId, id }: Pick<MessageRow, 'classId' | 'id'>,
): Promise<void> {
  const message = await findMessage(unitOfWork.db, classId, id);
  if (!message || message.deleted) return;
  const exists = await findClass(unitOfWork.db, message.classId);
  if (exists) await appendDeletion(unitOfWork, message, true);
  else await eraseMessage(unitOfWork, message);
}

async function appendDeletion(unitOfWork: UnitOfWork, message: MessageRow, allowEnded = false) {
  const { classId, id: messageId } = message;
  const { seq, id } = await appendToLog(unitOfWork.db, classId, 'deleted', messageId, {
    allowEnded,
  });
  const imageIds = await eraseMessage(unitOfWork, message);
  unitOfWork.publish(classId, { kind: 'deleted', seq, id, messageId });
  await forgetErased(unitOfWork, classId, messageId);
  await removeMarks(unitOfWork, message);
  return { seq, imageIds };
}

/** Erases the content of a message for a moderator. The message keeps its place, and its pictures stay as evidence. */
export async function removeByModerator(
  unitOfWork: UnitOfWork,
  message: MessageRow,
): Promise<void> {
  await eraseMessage(unitOfWork, message, 'moderator');
  await publishModeration(unitOfWork, message, 'removed');
  await forgetErased(unitOfWork, message.classId, message.id);
  await removeMarks(unitOfWork, message);
}

/** Publishes a decision of moderators, also in an ended class. In a deleted class nothing is published. */
export async function publishModeration(
  unitOfWork: UnitOfWork,
  { classId, id: messageId }: Pick<MessageRow, 'classId' | 'id'>,
  moderation: MessageRow['moderation'],
): Promise<void> {
  const { db } = unitOfWork;
  if (!(await findClass(db, classId))) return;
  const entry = await appendToLog(db, classId, 'moderated', messageId, {
    allowEnded: true,
  });
  const { seq, id } = entry;
  unitOfWork.publish(classId, { kind: 'moderated', seq, id, messageId, moderation });
}

/** @returns the ids of the pictures whose files the caller deletes after the commit: none if they are evidence */
async function eraseMessage(
  unitOfWork: UnitOfWork,
  message: MessageRow,
  actor: 'author' | 'moderator' = 'author',
): Promise<string[]> {
  const isEvidence = await hasEvidence(unitOfWork.db, message.classId, message.id);
  const imageIds = parseSentImages(message.images).map(({ imageId }) => imageId);
  await retireImages(unitOfWork.db, imageIds, isEvidence ? 'evidence' : 'deleted');
  await emptyMessage(unitOfWork.db, message, actor);
  await deleteMentions(unitOfWork.db, message);
  unitOfWork.contentErased();
  await deleteReactions(unitOfWork.db, message.classId, message.seq);
  if (message.votes !== null || message.poll !== null) await deleteVotesFor(unitOfWork.db, message);
  return isEvidence ? [] : imageIds;
}

/**
 * Sets the member's reaction to the message; null removes it.
 *
 * @returns the seq of the change, or of the log's head if nothing changed
 * @throws {AppError} NOT_FOUND, OWN_REACTION, TOO_MANY_REACTIONS, READ_ONLY
 */
export async function react(
  unitOfWork: UnitOfWork,
  { accountId, classId }: Actor,
  messageId: string,
  emoji: Emoji | null,
  icon?: number,
): Promise<number> {
  const { db } = unitOfWork;
  const member = await getMember(unitOfWork, accountId, classId);
  const { memberId } = member.persona;
  const message = await findPresentMessage(unitOfWork, classId, messageId);
  if (hasMemberId(member, message.memberId)) throw new AppError('OWN_REACTION');
  // A muted member can still take back a reaction.
  if (emoji !== null) checkNotMuted(member);
  const currentEmoji = await findReaction(db, message, memberId);
  if (currentEmoji === emoji) return member.head;
  if (emoji !== null) checkMayWrite(member);
  if (currentEmoji === null && (await hasReactions(db, message, limits.messageReactions))) {
    throw new AppError('TOO_MANY_REACTIONS');
  }

  await ensurePersona(unitOfWork, member, icon);
  return appendReaction(unitOfWork, message, memberId, emoji);
}

/** Removes a reaction of an author who is no longer a member, also in a deleted class, like `removeMessage`. */
export async function removeReaction(
  unitOfWork: UnitOfWork,
  message: ReactedMessage,
  memberId: string,
): Promise<void> {
  const exists = await findClass(unitOfWork.db, message.classId);
  if (exists) await appendReaction(unitOfWork, message, memberId, null, true);
  else await setReaction(unitOfWork.db, message.classId, message.seq, memberId, null);
}

type ReactedMessage = Pick<MessageRow, 'classId' | 'seq' | 'id'>;

async function appendReaction(
  unitOfWork: UnitOfWork,
  message: ReactedMessage,
  memberId: string,
  emoji: Emoji | null,
  allowEnded = false,
): Promise<number> {
  const { classId, id: messageId } = message;
  const { seq, id } = await appendToLog(unitOfWork.db, classId, 'reacted', messageId, {
    memberId,
    allowEnded,
  });
  await setReaction(unitOfWork.db, classId, message.seq, memberId, emoji);
  unitOfWork.publish(classId, { kind: 'reacted', seq, id, messageId, memberId, emoji });
  return seq;
}

/** The member as the author of a message. */
export type Author = Pick<Member, 'classId' | 'persona' | 'hasAppeared' | 'staff'>;

/**
 * Inserts the persona with its first message or reaction, when others first see it.
 *
 * @returns the persona, with the icon that others see
 */
async function ensurePersona(
  unitOfWork: UnitOfWork,
  { classId, persona, hasAppeared, staff }: Author,
  chosenIcon?: number,
): Promise<Persona> {
  if (hasAppeared) return persona;
  const { db } = unitOfWork;
  const { memberId, anonymousName } = persona;
  if (!persona.staff) {
    const icon =
      chosenIcon === undefined
        ? await chooseInitialIcon(db, classId, memberId)
        : toPersonaIcon(memberId, chosenIcon);
    await insertPersona(db, { classId, memberId, anonymousName, icon });
    return { memberId, anonymousName, icon };
  }
  const nameKey = toPersonaNameKey(anonymousName);
  // Only an earlier staff persona can have the same name, such as the one that was derived from a lost server key.
  const isTaken = await isNameKeyTaken(db, classId, nameKey, memberId);
  await savePersona(db, classId, persona, isTaken ? null : nameKey);
  if (staff?.shownName === null) return persona;
  unitOfWork.contentErased();
  const { seq, id } = await appendToLog(db, classId, 'persona', memberId);
  unitOfWork.publish(classId, { kind: 'persona', seq, id, persona });
  return persona;
}

/** Quotes a message, with the personas of its author and of the members whom the quote mentions. */
async function createQuote(
  db: Database,
  source: MessageRow | null,
): Promise<{ quote: Quote | null; quotedPersonas: Persona[] }> {
  if (!source || !isPresent(source)) return { quote: null, quotedPersonas: [] };
  const { classId, memberId } = source;
  const row = await findPersona(db, classId, memberId);
  const author = row ? [toPersona(row)] : [];
  const quote = toQuote(source, author[0]);
  return { quote, quotedPersonas: [...author, ...(await listMentioned(db, classId, quote.text))] };
}

/** @throws {AppError} NOT_FOUND if the message is missing, deleted or removed by a moderator */
export async function findPresentMessage(
  { db }: { db: Database },
  classId: string,
  id: string,
): Promise<MessageRow> {
  const message = await findMessage(db, classId, id);
  if (!message || !isPresent(message)) throw new AppError('NOT_FOUND');
  return message;
}

function isPresent({ deleted, moderation }: MessageRow): boolean {
  return !deleted && moderation !== 'removed';
}

/** A message with a picture may have no text. */
export function parseText(typedText: string, hasPicture: boolean): string {
  const text = hasPicture && isBlank(typedText) ? '' : trimMessageText(typedText);
  if (isBlank(text) && !hasPicture) throw new AppError('MESSAGE_EMPTY');
  if (text.length > limits.messageText) throw new AppError('MESSAGE_TOO_LONG');
  checkMentions(text);
  if (!isPlainText(text)) {
    throw new AppError('MESSAGE_CHARACTERS');
  }
  return text;
}

/**
 * Computes a keyed digest, so that a stolen database cannot confirm a guessed text. The digest includes the digests of the
 * pictures instead of their ids, because a client uploads a removed picture again under another id.
 */
function computeDigest(
  personaKey: KeyObject,
  { id, text, replyTo, images, question, poll }: MessageContent,
): string {
  const marks = [...(question ? ['question'] : []), ...(poll ? [JSON.stringify(poll)] : [])];
  const body = [text, replyTo, ...listImageDigests(images), ...marks];
  return createHmac('sha256', personaKey)
    .update(JSON.stringify(['message', id, ...body]))
    .digest('base64url');
}

/** Lists the digests and the descriptions, each in one string. Neither contains a line break or a tab. */
function listImageDigests(images: readonly DescribedImage[]): string[] {
  return [
    images.map(({ image }) => image.digest).join('\n'),
    images.map(({ alt, spoiler }) => (spoiler ? `${alt}\t` : alt)).join('\n'),
  ];
}

function toSentImage({ image, alt, spoiler }: DescribedImage): SentImage {
  const shape = JSON.parse(image.shape) as PictureProperties;
  return { imageId: image.imageId, ...shape, alt, ...(spoiler && { spoiler }) };
}
