// Exports the data of an account for its owner, without anything that other members wrote.
import { toClassLabel } from '#contract/class-label.ts';
import type { OwnSanction } from '#contract/moderation.ts';
import type { PreparedItem } from '#contract/lectures.ts';
import { listMentionedIds, replaceMentionsWithNames } from '#contract/mentions.ts';
import type { NotifyChoice } from '#contract/notifications.ts';
import type { Preferences } from '#contract/preferences.ts';
import { listTopicNames } from '#server/chat/classes/class-settings-queries.ts';
import type { Database } from '#server/store/tables.ts';
import {
  listAuthoredMessages,
  listAuthoredReactions,
  listSpans,
  type AuthoredReaction,
} from '#server/chat/messages/authored-content-queries.ts';
import type { MessageRow } from '#server/chat/messages/messages-queries.ts';
import { listPersonas, type PersonaRow } from '#server/chat/members/personas-queries.ts';
import type { Server } from '#server/feature.ts';
import { createTurns } from '#server/base/turns.ts';
import { listOwnChoices } from '#server/chat/polls/polls.ts';
import { listQuestionRefs } from '#server/chat/questions/questions-queries.ts';
import { listPrivateTexts } from '#server/chat/private-questions/private-questions.ts';
import { listMemberQuestions } from '#server/chat/questions/waiting-questions-queries.ts';
import { deriveVoter, listVoted } from '#server/chat/votes/votes.ts';
import { listClassesWithPersona } from '#server/chat/members/member.ts';
import { listRoles } from '#server/chat/staff/stored-roles.ts';
import {
  listOwnReports,
  type ReportWithText,
} from '#server/features/moderation/reports/reports.ts';
import { listPrepared } from '#server/features/lectures/prepared.ts';
import { defaultNotify } from '#server/features/notifications/settings.ts';

export interface ExportedClass {
  classId: string;
  label: string;
  /** Days since 1970; null if the account has left the class. */
  joinedDay: number | null;
  notify: NotifyChoice;
  persona: PersonaRow | null;
  staffPersona: PersonaRow | null;
  preferences: Preferences;
  /** Batches of messages, oldest first. */
  messages: AsyncIterable<OwnMessage[]>;
  reactions: AsyncIterable<AuthoredReaction[]>;
  /** The ids of the questions for which the account voted. */
  votedQuestions: readonly string[];
  /** The votes of the account in open polls. */
  pollVotes: readonly { messageId: string; choices: readonly number[] }[];
  /** The texts of questions that wait for release, or came back. */
  waitingTexts: readonly string[];
  /** What the account wrote in private questions. */
  privateTexts: readonly string[];
  preparedItems: readonly PreparedItem[];
  reports: readonly ReportWithText[];
  sanctions: readonly OwnSanction[];
}

/** A message of the account. `staff` is set if it was written as staff, `topic` is the name of its topic. */
export type OwnMessage = MessageRow & { staff?: true; topic?: string | undefined };

/** The classes that the account is in or has written in, one by one. */
export async function* listExportedClasses(
  server: Server,
  accountId: string,
  sanctions: readonly OwnSanction[],
): AsyncGenerator<ExportedClass> {
  const { db, memberships, preferences: store } = server;
  const takeTurn = createTurns();
  const enrollments = await memberships.list(db, accountId);
  const roles = await listRoles(server, accountId);
  for await (const membership of listClassesWithPersona(server, accountId)) {
    await takeTurn();
    const { classId, seq } = membership.class;
    const { joinedDay = null, notify = defaultNotify } = enrollments.get(classId) ?? {};
    const classRef = { classId, classSalt: membership.class.salt };
    const reports = await listOwnReports(server, classRef, accountId);
    const ownVoter = { classId, voter: deriveVoter(server, classRef, accountId) };
    const { persona, staffPersona } = membership;
    const isStaff = roles.some((held) => held.classId === classId && held.role === 'staff');
    const privateTexts = await listPrivateTexts(server, ownVoter);
    const hasNothing =
      !persona && !staffPersona && reports.length === 0 && privateTexts.length === 0;
    if (hasNothing && !enrollments.has(classId) && !isStaff) continue;
    const waitingQuestions = await listMemberQuestions(db, classId, membership.memberId);
    const head = persona || staffPersona ? seq : 0;
    const { version: _, ...preferences } = await store.get({ classId, accountId });
    let topicNames: ReadonlyMap<string | null, string> | null = null;
    yield {
      classId,
      label: toClassLabel(membership.class),
      joinedDay,
      notify,
      persona,
      staffPersona,
      reports,
      sanctions: sanctions.filter(
        (sanction) => sanction.classId === classId && sanction.kind !== 'suspension',
      ),
      preferences,
      votedQuestions: [...(await listVoted(server, ownVoter, await listQuestionRefs(db, classId)))],
      waitingTexts: (await addNames(db, classId, waitingQuestions)).map(({ text }) => text),
      privateTexts,
      pollVotes: await listOwnChoices(server, ownVoter),
      preparedItems: isStaff ? await listPrepared(server, { accountId, classId }) : [],
      messages: listBySpan(head, async (from, to) => {
        const anonymousMessages = await listAuthoredMessages(
          db,
          classId,
          membership.memberId,
          from,
          to,
        );
        const staffMessages = staffPersona
          ? await listAuthoredMessages(db, classId, staffPersona.memberId, from, to)
          : [];
        const messages = [
          ...anonymousMessages,
          ...staffMessages.map((row) => ({ ...row, staff: true as const })),
        ].toSorted((first, second) => first.seq - second.seq);
        const named = await addNames(db, classId, messages);
        const hasTopics = named.some(({ topicId }) => topicId !== null);
        if (hasTopics) topicNames ??= await listTopicNames(db, classId);
        return named.map((row) => ({ ...row, topic: topicNames?.get(row.topicId) }));
      }),
      reactions: listBySpan(head, (from, to) => {
        return listAuthoredReactions(db, classId, membership.memberId, from, to);
      }),
    };
  }
}

async function* listBySpan<Row>(
  head: number,
  list: (from: number, to: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for await (const { from, to } of listSpans(head)) yield await list(from, to);
}

/** Replaces mentions by the current names of the mentioned members, as the owner sees them. */
async function addNames<Written extends { text: string }>(
  db: Database,
  classId: string,
  messages: readonly Written[],
): Promise<Written[]> {
  const memberIds = messages.flatMap(({ text }) => listMentionedIds(text));
  const personas = memberIds.length > 0 ? await listPersonas(db, classId, memberIds) : [];
  const names = new Map(personas.map((persona) => [persona.memberId, persona]));
  return messages.map((message) => ({
    ...message,
    text: replaceMentionsWithNames(message.text, names),
  }));
}
