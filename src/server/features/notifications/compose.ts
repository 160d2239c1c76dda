// Checks a moment before it is sent whether a member still wants a notification, and writes it. Rights, preferences and
// texts may have changed since the messages were posted.
import { toClassLabel } from '#contract/class-label.ts';
import { getText } from '#server/base/get-text.ts';
import { replaceMentionsWithNames, listMentionedIds } from '#contract/mentions.ts';
import type { PushPayload } from '#contract/notifications.ts';
import { getShownName } from '#contract/persona-name.ts';
import { replaceSpoilers, toQuoteText } from '#contract/spoilers.ts';
import type { Database } from '#server/store/tables.ts';
import type { Server } from '#server/feature.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { findMessage, type MessageRow } from '#server/chat/messages/messages-queries.ts';
import { listPersonas } from '#server/chat/members/personas-queries.ts';
import { findMember, type Member } from '#server/chat/members/member.ts';
import { listMembers } from '#server/chat/members/memberships.ts';
import { listOperatorIds } from '#server/chat/staff/roles.ts';
import { listRoles } from '#server/chat/staff/stored-roles.ts';
import { countAllUnread } from '#server/chat/messages/unread-counts.ts';
import {
  hasToNotify,
  isMentioned,
  deriveRecipientIds,
  type NewMessage,
} from '#server/chat/messages/new-messages.ts';
import { chooseLanguageFor } from '#server/mail/recipient.ts';
import { isQuiet } from './quiet-hours.ts';
import { defaultNotify, type NotificationChoices } from './settings.ts';

export type NotificationServer = Pick<
  Server,
  | 'config'
  | 'db'
  | 'accountCommits'
  | 'site'
  | 'accountRecords'
  | 'sessionRecords'
  | 'hub'
  | 'nodes'
  | 'memberships'
  | 'readMarks'
  | 'preferences'
  | 'suspendedAccounts'
  | 'metrics'
  | 'log'
>;

export interface Addressee {
  accountId: string;
  classId: string;
}

/** Bytes of the text as JSON. With the rest, it fits into a notification of constant size. */
const maxTextBytes = 800;

/** What the server adds when it knows the device. */
export type Composed = Omit<PushPayload, 'close'>;

/** @returns null if the account needs no notification of these messages (any more) */
export async function composeNotification(
  server: NotificationServer,
  choices: NotificationChoices,
  to: Addressee,
  messages: readonly NewMessage[],
): Promise<Composed | null> {
  const { db, hub, suspendedAccounts } = server;
  const { accountId, classId } = to;
  if (suspendedAccounts.isIdSuspended(accountId) || hub.isViewing(accountId, classId)) return null;
  const settings = await choices.getSettings(accountId);
  if (isQuiet(settings, Date.now())) return null;
  // What was posted in quiet hours does not notify when they are over.
  const audible = messages.filter(
    ({ createdAt, asker }) =>
      !isQuiet(settings, createdAt) && (asker === undefined || settings.answers),
  );
  const member = await findMember(server, accountId, classId);
  const foundClass = member && (await findClass(db, classId));
  if (!foundClass) return null;
  const wantedMessages = await listWanted(server, to, member, audible);
  const latest = await findLatestPresent(db, classId, wantedMessages);
  if (!latest) return null;
  const className = toClassLabel(foundClass);
  const language = await findLanguage(server, accountId);
  const notification = {
    classId,
    title: getText(language, 'push.newMessages', { className }),
    unread: await countAllUnread(server, accountId),
  };
  // A private question says no more, because others may see the screen.
  if (!settings.showText || latest.message === null) return notification;
  // Without texts, the title does not say it either: someone who sees the screen could find the question.
  const title = latest.isAnswer
    ? getText(language, 'push.answered', { className })
    : notification.title;
  return { ...notification, title, text: await composeText(db, latest.message, language) };
}

async function findLanguage(
  { config, db, accountRecords }: NotificationServer,
  accountId: string,
): Promise<string> {
  return chooseLanguageFor(await accountRecords.findById(db, accountId), config);
}

/** What moderators and operators are notified of: a reported threat, or more waiting work. */
export type ModeratorNews = 'threat' | 'work';

/**
 * Composes a notification for a moderator or operator. Like the mail, it says nothing about reports. That of a threat also comes
 * in quiet hours.
 *
 * @returns null if the account does not want it (any more), or no longer has the role
 */
export async function composeModeratorNews(
  server: NotificationServer,
  choices: NotificationChoices,
  accountId: string,
  news: ModeratorNews,
): Promise<Composed | null> {
  if (server.suspendedAccounts.isIdSuspended(accountId)) return null;
  const isOperator = (await listOperatorIds(server)).includes(accountId);
  const isWanted =
    news === 'threat' ? isOperator : await isWorkWanted(server, choices, accountId, isOperator);
  if (!isWanted) return null;
  const unread = await countAllUnread(server, accountId);
  const language = await findLanguage(server, accountId);
  return news === 'threat'
    ? { classId: null, title: getText(language, 'push.threat'), unread }
    : { classId: null, work: true, title: getText(language, 'push.work'), unread };
}

async function isWorkWanted(
  server: NotificationServer,
  choices: NotificationChoices,
  accountId: string,
  isOperator: boolean,
): Promise<boolean> {
  const isModerator = (await listRoles(server, accountId)).some(({ role }) => role === 'moderator');
  if (!isOperator && !isModerator) return false;
  const settings = await choices.getSettings(accountId);
  return settings.waitingWork && !isQuiet(settings, Date.now());
}

/** The unread ones that the member's choice for the class and preferences leave. */
async function listWanted(
  server: NotificationServer,
  { accountId, classId }: Addressee,
  { classSalt }: Member,
  messages: readonly NewMessage[],
): Promise<NewMessage[]> {
  const { site, preferences, readMarks } = server;
  const members = await listMembers(server, classId);
  const notify = members.get(accountId)?.notify ?? defaultNotify;
  const memberPreferences = await preferences.get({ accountId, classId });
  const readSeq = (await readMarks.find({ accountId, classId })) ?? 0;
  const recipientIds = deriveRecipientIds(site.keys.personas, classSalt, accountId, classId);
  return messages.filter(
    (message) =>
      message.seq > readSeq &&
      hasToNotify(message, recipientIds, notify) &&
      // As in the class list: in a muted class or topic, only mentions count.
      ((!memberPreferences.muted &&
        !memberPreferences.mutedTopics?.includes(message.topicId ?? '')) ||
        isMentioned(message, recipientIds)) &&
      !memberPreferences.ignored.includes(message.author) &&
      !memberPreferences.hidden.includes(message.id),
  );
}

/** Leaves out deleted messages, and those that reports hid or moderators removed. What is new in a private question is no message. */
async function findLatestPresent(
  db: Database,
  classId: string,
  messages: readonly NewMessage[],
): Promise<{ message: MessageRow | null; isAnswer: boolean } | null> {
  for (const { id, asker, isPrivate } of messages.toReversed()) {
    if (isPrivate) return { message: null, isAnswer: true };
    const message = await findMessage(db, classId, id);
    if (message?.deleted === 0 && message.moderation === null) {
      return { message, isAnswer: asker !== undefined };
    }
  }
  return null;
}

async function composeText(
  db: Database,
  { classId, memberId, text: messageText }: MessageRow,
  language: string,
): Promise<string> {
  const personas = await listPersonas(db, classId, [memberId, ...listMentionedIds(messageText)]);
  const byId = new Map(personas.map((persona) => [persona.memberId, persona]));
  const name = getShownName(byId, memberId);
  const spoilerText = `[${getText(language, 'common.spoiler')}]`;
  const shownText = replaceSpoilers(toQuoteText(messageText), spoilerText);
  const text = replaceMentionsWithNames(
    shownText,
    byId,
    getText(language, 'markup.deletedMember'),
  ).trim();
  return shorten(
    text
      ? getText(language, 'push.text', { name, text })
      : getText(language, 'push.file', { name }),
  );
}

const segmenter = new Intl.Segmenter('en');

function shorten(text: string): string {
  const characters = [...segmenter.segment(text)].map(({ segment }) => segment);
  while (Buffer.byteLength(JSON.stringify(characters.join(''))) > maxTextBytes) characters.pop();
  return characters.join('');
}
