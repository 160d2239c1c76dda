// Posting to a class, and reading what was posted.
import { createHash } from 'node:crypto';
import type { Message, Persona } from '#contract/entities.ts';
import { Refusal } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { isPlainText } from '#contract/text.ts';
import type { Write } from '../storage/commit-queue.ts';
import type { Reader } from '../storage/database.ts';
import { appendToLog } from '../storage/queries/log.ts';
import {
  findMessage,
  insertMessage,
  listMessages,
  toMessage,
} from '../storage/queries/messages.ts';
import { listPersonas, markAppeared, toPersona } from '../storage/queries/personas.ts';
import { memberOf } from './membership.ts';

export interface NewMessage {
  accountId: string;
  classId: string;
  /** Made by the sender: the same id again is the same message. */
  id: string;
  text: string;
}

/**
 * Enters the message into the class's log; its author appears to the others with the first one.
 *
 * @returns the message's seq, the same each time that it is sent again
 * @throws {Refusal} NOT_FOUND, MESSAGE_EMPTY, MESSAGE_TOO_LONG, INVALID, ID_CONFLICT
 */
export async function postMessage(
  write: Write,
  personaKey: Buffer,
  { accountId, classId, id, text: typed }: NewMessage,
): Promise<{ seq: number }> {
  const { db } = write;
  const author = await memberOf(db, personaKey, accountId, classId);
  const text = checkedText(typed);
  const digest = createHash('sha256').update(text).digest('base64url');

  const before = await findMessage(db, classId, id);
  if (before) {
    if (before.memberId === author.memberId && before.digest === digest) return { seq: before.seq };
    throw new Refusal('ID_CONFLICT');
  }

  const { memberId } = author;
  if (!author.appeared) {
    await markAppeared(db, classId, memberId);
    const { seq } = await appendToLog(db, classId, 'persona', memberId);
    write.publish(classId, { kind: 'persona', seq, persona: toPersona(author) });
  }
  const { seq, ordinal } = await appendToLog(db, classId, 'posted', id);
  const row = { classId, seq, ordinal, id, memberId, text, digest, createdAt: Date.now() };
  await insertMessage(db, row);
  write.publish(classId, { kind: 'posted', seq, message: toMessage(row) });
  return { seq };
}

function checkedText(typed: string): string {
  const text = typed.trim();
  if (text === '') throw new Refusal('MESSAGE_EMPTY');
  if (text.length > limits.messageText) throw new Refusal('MESSAGE_TOO_LONG');
  if (!isPlainText(text)) {
    throw new Refusal('INVALID', 'The message holds a character that cannot be used here.');
  }
  return text;
}

export interface HistoryPage {
  messages: Message[];
  /** Of those who wrote them. */
  personas: Persona[];
}

/** The newest `limit` messages with `seq < before`, oldest first. Who asks must be a member. */
export async function readHistory(
  db: Reader,
  classId: string,
  before: number,
  limit: number,
): Promise<HistoryPage> {
  const messages = await listMessages(db, classId, before, limit);
  const authors = messages.map((message) => message.memberId);
  return { messages, personas: await listPersonas(db, classId, authors) };
}
