// Exports the account's own data for its owner, without anything that others wrote.
import type { KeyObject } from 'node:crypto';
import { classLabel } from '#contract/class-label.ts';
import type { Database } from '../storage/database.ts';
import { findCreatedAt } from '../storage/queries/accounts.ts';
import {
  listMessagesOf,
  listReactionsOf,
  spansOf,
  type OwnReaction,
} from '../storage/queries/authored-content.ts';
import { listEnrolments } from '../storage/queries/enrolments.ts';
import type { MessageRow } from '../storage/queries/messages.ts';
import type { PersonaRow } from '../storage/queries/personas.ts';
import { listAuthoredContent } from './authored-content.ts';

export interface OwnClass {
  classId: string;
  label: string;
  /** Days since 1970; null if the account has left the class. */
  joinedDay: number | null;
  persona: PersonaRow | null;
  /** In batches, oldest first. */
  messages: AsyncIterable<MessageRow[]>;
  reactions: AsyncIterable<OwnReaction[]>;
}

/** YYYY-MM-DD; empty if the account was just deleted. */
export async function createdDayOf(db: Database, accountId: string): Promise<string> {
  return (await findCreatedAt(db, accountId))?.toISOString().slice(0, 10) ?? '';
}

/** The classes that the account is in or has written in, one by one. */
export async function* ownClasses(
  db: Database,
  personaKey: KeyObject,
  accountId: string,
): AsyncGenerator<OwnClass> {
  const enrolments = await listEnrolments(db, accountId);
  const joinedDays = new Map(enrolments.map(({ classId, joinedDay }) => [classId, joinedDay]));
  for await (const found of listAuthoredContent(db, personaKey, accountId)) {
    const { classId, seq } = found.class;
    const joinedDay = joinedDays.get(classId) ?? null;
    if (joinedDay === null && !found.persona) continue;
    const head = found.persona ? seq : 0;
    yield {
      classId,
      label: classLabel(found.class),
      joinedDay,
      persona: found.persona,
      messages: inSpans(head, (from, to) => {
        return listMessagesOf(db, classId, found.memberId, from, to);
      }),
      reactions: inSpans(head, (from, to) => {
        return listReactionsOf(db, classId, found.memberId, from, to);
      }),
    };
  }
}

async function* inSpans<Row>(
  head: number,
  list: (from: number, to: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for await (const { from, to } of spansOf(head)) yield await list(from, to);
}
