// What a room shows, from the log replica and the unsent messages of this browser. The content of a message that reports
// hid or a moderator removed is left out here, so that no part of the interface has it.
import { defaultClassSettings } from '#contract/class-settings.ts';
import type { Message, Sanction, StaffSelf } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import type { CurrentQuietTime } from '#contract/quiet-times.ts';
import { type LogReplica, getShownRun } from '#web/sync/engine/log-replica.ts';
import type { OutboxSender } from '#web/sync/outbox/outbox-sender.ts';
import type { OutboxEntry } from '#web/sync/outbox/outbox-storage.ts';
import type { Outbox } from '#web/sync/outbox/outbox.ts';
import type { UnsentQuotes } from '#web/sync/outbox/unsent-quotes.ts';
import type { PictureUploads } from '#web/sync/uploads/picture-uploads.ts';
import { topicCode } from './class-log.ts';
import type { OwnMarkStore } from './own-marks.ts';
import type { PendingReactions } from './pending-reactions.ts';
import {
  isInTopic,
  isOwnPersona,
  isViewerMentioned,
  type Jump,
  type RoomMessage,
  type RoomView,
} from './room.ts';
import type { ShownPreferences, Unread } from './room.ts';
import type { Speaker } from './speaker.ts';
import { findNextTopic, findStartSeq, type TopicChoice } from './topic-choice.ts';
import type { TopicLog } from './topic-log.ts';
import type { UnreadCounts } from './unread-counter.ts';

export interface RoomState {
  gone: boolean;
  typing: boolean;
  older: Loading;
  newer: Loading;
  jump: Jump;
  /** The counts of a light subscription. Null: the replica is current and counts. */
  counted: UnreadCounts | null;
  sanction: Sanction | null;
  quietTime: CurrentQuietTime | null;
  staff: StaffSelf | null;
  speaker: Speaker;
  isIconChosen: boolean;
  keptAt: number | null;
  lastActivityAt: number | null;
  isNewestKnown: boolean;
}

type Loading = 'idle' | 'loading' | 'failed';

export interface RoomContent {
  classId: string;
  replica: LogReplica | null;
  topic: Pick<TopicLog, 'topicId' | 'replica' | 'toShown'> | null;
  topicChoice: Pick<TopicChoice, 'chosenId' | 'getPlace' | 'visit'>;
  personas: RoomView['personas'];
  outbox: Pick<
    Outbox,
    | 'listMessageEntries'
    | 'listDeletionEntries'
    | 'listMarkEntries'
    | 'findFailedAction'
    | 'isPictureOnlyInThisTab'
  >;
  sender: Pick<OutboxSender, 'isAcknowledged' | 'retryAt'>;
  uploads: Pick<PictureUploads, 'findProgress'>;
  quotes: Pick<UnsentQuotes, 'find'>;
  reactions: Pick<PendingReactions, 'applyTo'>;
  marks: Pick<OwnMarkStore, 'getMarks'>;
  preferences: ShownPreferences;
  /** The hidden messages whose content the viewer asked for. */
  revealed: ReadonlySet<string>;
}

/** Caches one view object per message, so that React only renders changed messages. */
const sentCache = new WeakMap<Message, RoomMessage>();
const concealedCache = new WeakMap<Message, RoomMessage>();

/**
 * Builds the chat view: the log replica, then the unsent messages of this browser.
 *
 * @param previousView the previous view; unchanged parts of it are reused
 */
export function toRoomView(
  content: RoomContent,
  state: RoomState,
  previousView: RoomView | null,
): RoomView {
  const { classId, replica, preferences, outbox, sender } = content;
  const { gone, older, newer, counted: _, ...shownState } = state;
  const deletions = outbox.listDeletionEntries(classId).filter(({ failure }) => failure === null);
  const marks = content.marks.getMarks(outbox.listMarkEntries(classId));
  const deletedIds = new Set(deletions.map(({ deletes }) => deletes));
  const unsentEntries = outbox.listMessageEntries(classId).filter(({ id }) => !deletedIds.has(id));
  // The log may have the message with the text from before an edit that is not sent.
  const editedIds = new Set(unsentEntries.filter(({ edited }) => edited).map(({ id }) => id));
  const isShown = ({ id }: { id: string }) => !deletedIds.has(id) && !editedIds.has(id);
  const toShown = (message: Message) => toShownMessage(message, content);
  const newest = (replica?.messages ?? []).filter(isShown).map(toShown);
  const topic = replica && (content.topic?.toShown({ ...content, replica }) ?? null);
  const shownReplica = content.topic?.replica() ?? replica;
  const isAtNewest = !shownReplica?.window;
  const shownRun = shownReplica && getShownRun(shownReplica);
  const isListed = (message: Message) => isShown(message) && isInTopic({ topic }, message);
  const isWhole = isAtNewest && topic === null;
  const sentMessages = isWhole ? newest : shownRun?.messages.filter(isListed).map(toShown);
  const previousUnsent = previousView?.messages.filter(({ seq }) => seq === null);
  const toPending = (entry: OutboxEntry): RoomMessage => {
    const { id, text, pictures, replyTo, createdAt, failure } = entry;
    const previousEntry = previousUnsent?.find((message) => message.id === id);
    const deliveryOnItsWay = sender.isAcknowledged(id) ? 'sent' : 'sending';
    const progress = pictures.map((picture) => content.uploads.findProgress(picture.id));
    return reuseIfEqual(previousEntry, {
      id,
      seq: null,
      memberId: entry.staffId ?? replica?.me ?? '',
      text,
      ...withoutImages,
      unsentPictures: pictures,
      progress: reuseListIfEqual(previousEntry?.progress, progress),
      pictureOnlyInThisTab: outbox.isPictureOnlyInThisTab(id),
      retryAt: sender.retryAt(id),
      isConcealed: false,
      replyTo,
      quote: content.quotes.find(entry),
      createdAt,
      editedAt: null,
      reactions: noReactions,
      moderation: null,
      question: entry.question ? newQuestion : null,
      poll: entry.poll ?? null,
      ...(entry.topicId && { topicId: entry.topicId }),
      failure,
      delivery: failure ? 'failed' : deliveryOnItsWay,
    });
  };
  // Unsent messages follow the newest one.
  const pending = isAtNewest
    ? unsentEntries.map(toPending).filter((message) => isInTopic({ topic }, message))
    : [];
  return reuseIfEqual(previousView, {
    ...shownState,
    state: toLoadState(replica, gone),
    messages: reuseListIfEqual(previousView?.messages, [...(sentMessages ?? []), ...pending]),
    newest: reuseListIfEqual(previousView?.newest, newest),
    personas: content.personas,
    me: replica?.me ?? null,
    hasAppeared: replica?.hasAppeared ?? true,
    failedAction: outbox.findFailedAction(classId) ?? null,
    readSeq: replica?.readSeq ?? 0,
    unread: reuseIfEqual(previousView?.unread, countUnread(replica, preferences, state)),
    preferences,
    marks,
    settings: replica?.settings ?? defaultClassSettings,
    topic: topic && reuseIfEqual(previousView?.topic, topic),
    ...toTopicFields(content, state, previousView),
    // A room that has nothing yet does not know where the conversation begins.
    older: toMore(older, shownRun?.hasOlder ?? true),
    newer: isAtNewest ? 'none' : toMore(newer, true),
  });
}

/** Whether the message counts, if the viewer has not read it. */
export function isUnread(
  { memberId, moderation, topicId, text }: Message,
  viewer: Pick<RoomView, 'me' | 'staff'>,
  { ignored, mutedTopics }: ShownPreferences,
): boolean {
  if (isOwnPersona(viewer, memberId) || ignored.has(memberId) || moderation === 'removed') {
    return false;
  }
  return !mutedTopics?.has(topicId ?? '') || isViewerMentioned(viewer, text);
}

function toShownMessage(message: Message, content: RoomContent): RoomMessage {
  const { id, moderation } = message;
  const isConcealed = moderation === 'removed' || (moderation && !content.revealed.has(id));
  if (isConcealed) return toConcealed(message);
  return content.reactions.applyTo(toSent(message), content.replica?.me ?? '');
}

function toTopicFields(
  content: RoomContent,
  { staff }: RoomState,
  previousView: RoomView | null,
): Pick<RoomView, 'topicUnread' | 'hasMoreTopicUnread' | 'nextTopicId'> {
  const code = topicCode.getSnapshot();
  const { replica, preferences, topic, topicChoice } = content;
  if (!replica?.settings.topics) return noTopics;
  const nextTopicId = findNextTopic(replica, topic, topicChoice);
  if (!code) return { ...noTopics, nextTopicId };
  const isUnreadMessage = (message: Message) =>
    isUnread(message, { me: replica.me, staff }, preferences);
  return {
    topicUnread: code.countTopicUnread(content, isUnreadMessage, previousView?.topicUnread),
    hasMoreTopicUnread:
      replica.hasOlder && replica.from > findStartSeq(replica, topicChoice.visit()) + 1,
    nextTopicId,
  };
}

function toLoadState(replica: LogReplica | null, gone: boolean): RoomView['state'] {
  if (gone) return 'gone';
  return replica ? 'ready' : 'loading';
}

function toMore(request: Loading, hasMore: boolean): RoomView['older'] {
  if (request !== 'idle') return request;
  return hasMore ? 'some' : 'none';
}

function countUnread(
  replica: LogReplica | null,
  preferences: ShownPreferences,
  { counted, staff }: Pick<RoomState, 'counted' | 'staff'>,
): Unread {
  const max = limits.maxUnreadCount;
  const { muted } = preferences;
  if (counted !== null) {
    const { unread, mentions } = counted;
    const hasMoreMentions = mentions === max;
    return { count: unread, hasMore: unread === max, mentions, hasMoreMentions, muted };
  }
  if (!replica) return { count: 0, hasMore: false, mentions: 0, hasMoreMentions: false, muted };
  const { messages, readSeq, me, hasOlder, from } = replica;
  const firstNew = messages.findLastIndex(({ seq }) => seq <= readSeq) + 1;
  const unread = messages
    .slice(firstNew)
    .filter((message) => isUnread(message, { me, staff }, preferences));
  const count = unread.length;
  const mentions = unread.filter(({ text }) => isViewerMentioned({ me, staff }, text)).length;
  const isPartial = hasOlder && from > readSeq + 1;
  const hasMore = isPartial || count >= max;
  return {
    count: Math.min(max, count),
    hasMore,
    mentions: Math.min(max, mentions),
    hasMoreMentions: isPartial || mentions >= max,
    muted,
  };
}

const noTopics = {
  topicUnread: new Map<string, number>(),
  hasMoreTopicUnread: false,
  nextTopicId: null,
};
const withoutImages = { imageUrl: null, storagePath: null, images: [] };
const noProgress: RoomMessage['progress'] = [];
const noUnsentPictures: RoomMessage['unsentPictures'] = [];
const noReactions: RoomMessage['reactions'] = {};
const newQuestion: RoomMessage['question'] = { votes: 0, answer: null, endorsed: null };

/** Returns the previous value if all fields are equal. */
function reuseIfEqual<Value extends object>(
  previousValue: Value | null | undefined,
  value: Value,
): Value {
  const previousFields = new Map(Object.entries(previousValue ?? {}));
  const isEqual = Object.entries(value).every(([name, field]) =>
    Object.is(previousFields.get(name), field),
  );
  return previousValue && isEqual ? previousValue : value;
}

function reuseListIfEqual<Item>(previousList: readonly Item[] | undefined, list: readonly Item[]) {
  const isSame =
    previousList?.length === list.length && list.every((item, n) => item === previousList[n]);
  return isSame ? previousList : list;
}

function toSent(message: Message): RoomMessage {
  const cachedMessage = sentCache.get(message);
  if (cachedMessage) return cachedMessage;
  const sentMessage: RoomMessage = {
    ...message,
    question: message.question ?? null,
    poll: message.poll ?? null,
    delivery: 'sent',
    failure: null,
    unsentPictures: noUnsentPictures,
    progress: noProgress,
    pictureOnlyInThisTab: false,
    retryAt: null,
    isConcealed: false,
  };
  sentCache.set(message, sentMessage);
  return sentMessage;
}

/** The message with its author and time, and without its content. */
function toConcealed(message: Message): RoomMessage {
  const cachedMessage = concealedCache.get(message);
  if (cachedMessage) return cachedMessage;
  const emptyContent = { text: '', ...withoutImages, editedAt: null, replyTo: null, quote: null };
  const concealedMessage = {
    ...toSent(message),
    ...emptyContent,
    reactions: noReactions,
    question: null,
    poll: null,
    isConcealed: true,
  };
  concealedCache.set(message, concealedMessage);
  return concealedMessage;
}
