import type { ShownAnnouncement } from '#contract/announcements.ts';
import type { Emoji } from '#contract/emojis.ts';
import type {
  ClassSettings,
  Message,
  Persona,
  Poll,
  Question,
  Sanction,
  StaffSelf,
} from '#contract/entities.ts';
import { isMentionedIn } from '#contract/mentions.ts';
import type { Preferences, SavedPreferences } from '#contract/preferences.ts';
import type { CurrentQuietTime } from '#contract/quiet-times.ts';
import type { LogItem } from '#contract/socket.ts';
import type { Connection } from '#web/sync/engine/connection-status.ts';
import type { Change, LogReplica } from '#web/sync/engine/log-replica.ts';
import type {
  NewPoll,
  OutboxEntry,
  OutboxPicture,
  PollVote,
  QuestionVote,
} from '#web/sync/outbox/outbox-storage.ts';
import type { Speaker } from './speaker.ts';
import type { Staging } from '#web/sync/uploads/staging.ts';
import type { Store } from '#web/store.ts';

/** `sent`: the message is in the log. `sending`: shown optimistically, not acknowledged yet. */
export interface RoomMessage extends Omit<Message, 'seq' | 'question' | 'poll'> {
  /** The position in the log, or null until acknowledged. */
  seq: number | null;
  delivery: 'sent' | 'sending' | 'failed';
  /** The error message if the server rejected it permanently. */
  failure: string | null;
  /** The viewer's chosen pictures, until the log has the message. */
  unsentPictures: readonly OutboxPicture[];
  /** The uploaded share of each picture, from 0 to 1. Null if its upload is not in progress in this tab. */
  progress: readonly (number | null)[];
  /** The browser had no room to store the pictures: they are lost when this tab closes. */
  pictureOnlyInThisTab: boolean;
  /** When the message, or the one before it, is sent again after the server asked to wait. Null: it does not wait. */
  retryAt: number | null;
  /** The view leaves the content out: a moderator removed it, or reports hid it and the viewer has not asked for it. */
  isConcealed: boolean;
  /** Null if the message is no question, or if it is concealed. */
  question: Question | null;
  /** Null if the message is no poll, or if it is concealed. A poll that is not in the log is as its author wrote it. */
  poll: Poll | NewPoll | null;
}

/** What the viewer did with the questions and polls of the class, as far as the log lacks it. */
export interface OwnMarks {
  /** Question id → the viewer's vote. A vote that changes, or changes back, is a new object. */
  votes: ReadonlyMap<string, SentVote>;
  /** Poll id → what the server has as the viewer's vote. Polls in which no one has voted since this tab opened are missing. */
  choices: ReadonlyMap<string, readonly number[]>;
  /** The votes and marks that are not sent. */
  entries: readonly OutboxEntry[];
}

/** The server has the viewer's vote for a question, or no longer has it. */
export type OwnVote = Pick<QuestionVote, 'messageId' | 'voted'>;
/** What the server has as the viewer's vote in a poll. */
export type OwnChoices = Pick<PollVote, 'messageId' | 'choices'>;

export interface SentVote {
  /** The server has the viewer's vote. */
  voted: boolean;
  /** The published number has the viewer's vote. */
  counted: boolean;
}

/** The unread messages of others in a class. */
export interface Unread {
  /** Counted up to the limit. */
  count: number;
  /** There are or may be more unread messages. */
  hasMore: boolean;
  /** The unread messages that mention the viewer, counted up to the limit. */
  mentions: number;
  /** There are or may be more mentions. */
  hasMoreMentions: boolean;
  /** The viewer has muted the class: only mentions count. */
  muted: boolean;
}

/** What the viewer chose for themselves in the class. */
export interface ShownPreferences {
  /** The members whose messages are collapsed and do not count as unread. */
  ignored: ReadonlySet<string>;
  /** The ids of collapsed messages. */
  hidden: ReadonlySet<string>;
  muted: boolean;
  /** Topics whose messages count only if they mention the viewer. */
  mutedTopics?: ReadonlySet<string>;
}

export interface RoomPreferences extends Store<ShownPreferences> {
  /** The preferences that the server has. */
  saved(): SavedPreferences;
  /** Takes over what the server saved. */
  receive(saved: SavedPreferences): void;
  /** Shows changes that the server does not have yet. Null: there are none. */
  show(changed: Preferences | null): void;
}

/** The state of one class's chat. Every change creates a new object. */
export interface RoomView {
  /** `gone`: the membership ended or the class was deleted. */
  state: 'loading' | 'ready' | 'gone';
  /** The messages that the member reads, oldest first. Unacknowledged messages come last. */
  messages: readonly RoomMessage[];
  /** The newest messages in the log. The member may read older ones. */
  newest: readonly RoomMessage[];
  /** Changes when other messages replace all those that the member reads. */
  jump: Jump;
  personas: ReadonlyMap<string, Persona>;
  /** The viewer's memberId in this class. */
  me: string | null;
  /** Others have seen the viewer's persona: the viewer has posted, reacted or chosen a name here. */
  hasAppeared: boolean;
  /** The viewer has chosen in this browser with which icon to appear. */
  isIconChosen: boolean;
  /** The viewer's staff persona; null if there is none. */
  staff: StaffSelf | null;
  /** The persona as which the viewer writes the next message. */
  speaker: Speaker;
  /** What moderators decided about the viewer's anonymous persona in this class. */
  sanction: Sanction | null;
  /** The server rejected this deletion, vote or mark, so the message is shown as before. `failure` says why. */
  failedAction: Pick<OutboxEntry, 'id' | 'failure'> | null;
  /** The viewer has read everything up to this seq. */
  readSeq: number;
  unread: Unread;
  preferences: ShownPreferences;
  marks: OwnMarks;
  settings: ClassSettings;
  /** The only topic that the member reads, which `messages`, `older`, `newer` and `jump` are about. Null: all messages. */
  topic: ShownTopic | null;
  /** Topic id → how many unread messages of others it has, as far as the room holds them. */
  topicUnread: ReadonlyMap<string, number>;
  /** Topics may have more unread messages than the room holds. */
  hasMoreTopicUnread: boolean;
  /** The topic of the next message, unless it is a reply. Null: none. */
  nextTopicId: string | null;
  /** The quiet time that keeps everyone from writing. Null: there is none at this moment. */
  quietTime: CurrentQuietTime | null;
  /** When this device kept what the view shows. Null: it is from the server. */
  keptAt: number | null;
  /** The time of the newest message, as far as this browser knows it. */
  lastActivityAt: number | null;
  /** The last of `newest` is the newest message of the class, as far as this browser knows. */
  isNewestKnown: boolean;
  /** Another member is typing or has just typed. */
  typing: boolean;
  older: More;
  /** Whether messages are missing between `messages` and the newest one. */
  newer: More;
}

export interface ShownTopic {
  topicId: string;
  /** The viewer has read the topic up to this seq, on its own or with all messages. */
  readSeq: number;
}

/** Whether the message is among those that the member reads. */
export function isInTopic(
  { topic }: Pick<RoomView, 'topic'>,
  { topicId }: Pick<RoomMessage, 'topicId'>,
): boolean {
  return !topic || topic.topicId === topicId;
}

export function findTopicName(
  { settings }: Pick<RoomView, 'settings'>,
  { topicId }: Pick<RoomMessage, 'topicId'>,
): string | undefined {
  return settings.topics?.find((topic) => topic.topicId === topicId)?.name;
}

/** Whether the memberId is one of the viewer's personas. */
export function isOwnPersona(
  { me, staff }: Pick<RoomView, 'me' | 'staff'>,
  memberId: string,
): boolean {
  return memberId === me || memberId === staff?.persona.memberId;
}

/** Whether no one can write, and everyone can read. A class that has ended is read-only, too, but the view does not know. */
export function isReadOnly({
  settings,
  quietTime,
}: Pick<RoomView, 'settings' | 'quietTime'>): boolean {
  return settings.readOnly || quietTime !== null;
}

/** Lists the messages of other members after `seq`, except those of ignored ones. */
export function listMessagesOfOthers(
  messages: readonly RoomMessage[],
  seq: number,
  view: Pick<RoomView, 'me' | 'staff' | 'preferences'>,
): RoomMessage[] {
  const start = messages.findLastIndex((message) => (message.seq ?? Infinity) <= seq) + 1;
  return messages
    .slice(start)
    .filter(({ memberId }) => !isOwnPersona(view, memberId))
    .filter(({ memberId }) => !view.preferences.ignored.has(memberId));
}

/** The sanction that forbids the viewer's next message. */
export function findSpeakerSanction({ sanction, staff, speaker }: RoomView): Sanction | null {
  return speaker === 'staff' ? (staff?.sanction ?? null) : sanction;
}

export function isViewerMentioned(
  { me, staff }: Pick<RoomView, 'me' | 'staff'>,
  text: string,
): boolean {
  const isIn = (memberId: string | null | undefined) => !!memberId && isMentionedIn(text, memberId);
  return isIn(me) || isIn(staff?.persona.memberId);
}

/** Whether another member mentions the viewer. */
export function hasMentionOfViewer(
  { text, memberId }: Pick<RoomMessage, 'text' | 'memberId'>,
  viewer: Pick<RoomView, 'me' | 'staff'>,
): boolean {
  return !isOwnPersona(viewer, memberId) && isViewerMentioned(viewer, text);
}

type More = 'none' | 'some' | 'loading' | 'failed';

export interface Jump {
  count: number;
  /** The message to show, or null for the newest one. */
  messageId: string | null;
}

/** A poll or a question that staff prepared. */
export interface PreparedPost {
  messageId: string;
  text: string;
  poll?: NewPoll;
  question?: true;
}

/**
 * `edit` and `react` reject with a RejectedError. They also reject without a connection: they are not queued. The edit of
 * an unsent message needs no connection.
 */
export interface Room extends Store<RoomView> {
  /** Reports changes of messages that the room may not hold. @returns unsubscribe */
  onMessageChanged(listener: (change: MessageChange) => void): () => void;
  /** Reports that questions that only staff see may have changed, whoever asked them. @returns unsubscribe */
  onPrivateChanged(listener: () => void): () => void;
  preferences: RoomPreferences;
  /** The pictures for the next message. */
  staging: Omit<Staging, 'take' | 'open'>;
  /** Chooses the speaker. Does nothing while pictures are staged, because each is uploaded for one persona. */
  speakAs(speaker: Exclude<Speaker, 'unset'>): void;
  /** Shows the message immediately and sends it when a connection exists. The speaker must be chosen. */
  post(text: string, replyTo?: string, isQuestion?: boolean): void;
  /** Posts a poll, as `post` does. It takes no pictures. */
  postPoll(text: string, poll: NewPoll): void;
  /** Posts as staff what was prepared, under the id that it has, so that it is posted once. */
  postPrepared(item: PreparedPost): void;
  /** Sends a failed message again under the same id. */
  retry(id: string): void;
  /** Stops an unsent message and its uploads. It stays as a failed message. */
  cancel(id: string): void;
  /** Takes a failed message, deletion, vote or mark out of the outbox. */
  discard(id: string): void;
  edit(id: string, text: string): Promise<void>;
  /** Shows only the messages of this topic. Null: all messages. */
  showTopic(topicId: string | null): void;
  /** Chooses the topic of the next messages, until the tab closes. */
  chooseTopic(topicId: string | null): void;
  /** Hides the message immediately and sends its deletion when a connection exists. */
  remove(message: Pick<RoomMessage, 'id' | 'memberId'>): void;
  /** Reports that the server could not delete the files of a deleted message yet. @returns unsubscribe */
  onImageLeft(listener: () => void): () => void;
  /** Null removes the viewer's reaction. The change is optimistic and reverts if the server rejects it. */
  react(id: string, emoji: Emoji | null): Promise<void>;
  /** Votes for the question, or takes the vote back. Waits for a connection, like a deletion. */
  vote(id: string, voted: boolean): void;
  /** Votes in the poll, or takes the vote back without an option. Waits for a connection, like a deletion. */
  choose(id: string, choices: number[]): void;
  /**
   * Marks a reply as the answer to the question, or sets the mark of staff. Null takes the mark back. Waits for a
   * connection, like a deletion.
   */
  markAnswer(id: string, answerId: string | null, isEndorsed?: boolean): void;
  /** Marks that staff answered the question aloud, or takes the mark back. Waits for a connection, like a deletion. */
  markDone(id: string, done: boolean): void;
  /**
   * Takes over which votes of the viewer the server has, according to a reply.
   *
   * @param votesBefore the `votes` of the view when the reply was requested
   */
  receiveVotes(votes: readonly OwnVote[], votesBefore: OwnMarks['votes']): void;
  /** Shows the content of a message that reports hid, or conceals it again. In this tab only. */
  reveal(id: string, isRevealed: boolean): void;
  /** The chat is on screen. @returns a function to call when it no longer is */
  show(): () => void;
  /** Marks everything as read if the tab is visible. Call when the member opens the class. */
  markRead(): void;
  /** Marks a class as read that need not be open. @returns false if there is no connection */
  markAllRead(): boolean;
  /** Marks as read, but keeps what the member marked as unread. Call when messages are shown. */
  markSeen(): void;
  /** Marks this message and all later ones as unread, until the member opens the class again. */
  markUnreadFrom(id: string): void;
  /** Chooses the icon with which the viewer will appear. Only this browser knows it until then. */
  chooseIcon(icon: string): void;
  /** Names a member whom the viewer mentions and whose persona the room may not hold. */
  addPersona(persona: Persona): void;
  /** The time of the server, in milliseconds since 1970. The clock of the device can be wrong. */
  serverNow(): number;
  /** Call on each key press. The other members are notified at intervals. */
  notifyTyping(): void;
  loadOlder(): Promise<void>;
  loadNewer(): Promise<void>;
  /**
   * Shows this message with those around it. `missing`: the server does not have it, most likely because it
   * was deleted.
   */
  openMessage(id: string): Promise<'shown' | 'missing' | 'failed'>;
  /** Shows the first message since this time, in milliseconds. */
  openTime(time: number): Promise<'shown' | 'failed'>;
  showNewest(): void;
  /** Sets the seq of a message on screen, or null if the member follows the newest one. */
  setSeen(seq: number | null): void;
  /** Forgets messages that are far from what the member sees. Call after each change that the list has shown. */
  forgetDistant(): void;
}

/**
 * `posted`: a new question. `unknown`: a snapshot skipped changes. `resumed`: the room is live again after a disconnection,
 * so it has the whole log, but may lack votes of the viewer's other devices.
 */
export type MessageChange =
  | Exclude<Change, { kind: 'reacted' }>
  | NewQuestion
  | { kind: 'unknown' }
  | { kind: 'resumed' };
type NewQuestion = Omit<Extract<LogItem, { kind: 'posted' }>, 'seq' | 'id'>;

/** The announcements for everyone (under '') and for each open class, newest first. */
export type Announcements = Readonly<
  Record<string, readonly (ShownAnnouncement & { endsAt: number })[] | undefined>
>;

/** What a room without a connection shows. */
export interface StorableRoom {
  replica: LogReplica;
  preferences: SavedPreferences;
  sanction: Sanction | null;
  staff: StaffSelf | null;
  /** The questions for which the viewer votes. Rooms that an earlier version kept have none. */
  votedIds?: readonly string[];
}

export interface RestorableRoom {
  isGone(): boolean;
  /** What this device can keep of the class. Null: nothing, or only what it has kept before. */
  toStorable(): StorableRoom | null;
  /** Shows what this device kept at that time, until the server has brought it up to date. */
  restore(kept: StorableRoom, keptAt: number): void;
  /** Content may have been taken away since this tab had the whole log. */
  isBehind(): boolean;
}

/** What the code that keeps rooms on this device needs. It loads later (offline-rooms.ts). */
export interface OfflineAccess {
  getRoom(classId: string): RestorableRoom;
  /** The classes that were on screen. The listener takes out those that it has kept. */
  openedIds: Set<string>;
  /** Subscribes fully to this class too, whether it is on screen or not. Null ends that. */
  refresh(classId: string | null): void;
  /** Called after each change of a room. @returns unsubscribe */
  onChange(listener: (classId: string) => void): () => void;
}

/** The `/live` client: one per signed-in tab, for one account. */
export interface LiveClient {
  connection: Store<Connection>;
  announcements: Store<Announcements>;
  offline: OfflineAccess;
  /** Sets the account key as soon as it is known. From then on unsent messages are stored. */
  setAccount(account: string): void;
  /** The room of one class. Returns the same object for the same class. */
  room(classId: string): Room;
  unread(classId: string): Store<Unread>;
  /** What this browser knows of a class, which need not be open. */
  view(classId: string): Store<RoomView>;
  /** Marks everything in the class as read. @returns false if there is no connection */
  markAllRead(classId: string): boolean;
  preferences(classId: string): RoomPreferences;
  /** Subscribes to exactly these classes and those on screen. */
  follow(classIds: readonly string[]): void;
  /** The number of the member's unsent messages in all classes and tabs. */
  unsentCount(): number;
  /** Deletes the unsent messages at sign-out. */
  clearUnsent(): Promise<void>;
  /**
   * Resolves when the server has answered the deletions in flight: false if a message may stay. Call before the member
   * signs out, or leaves this class, whose waiting deletions are sent now.
   */
  finishDeletions(classId?: string): Promise<boolean>;
  /**
   * Reports when the account joins or leaves a class in any tab or device. All members leave a deleted class.
   */
  onEnrollment(listener: (classId: string, joined: boolean) => void): () => void;
  /** Class data may be stale, for example because a class has ended, or the connection is new. */
  onClassChanged(listener: () => void): () => void;
  /** A case of a moderator's queue or the account's roles changed, maybe before this connection. */
  onModerationChanged(listener: () => void): () => void;
  /** The session ended, or another account is signed in. The client waits for `resume`. */
  onSignedOut(listener: () => void): () => void;
  /** The session has ended: disconnects, and removes staged pictures from this browser's storage. */
  pause(): void;
  /** The same account has signed in again: connects, with all rooms and staged pictures as they were. */
  resume(): void;
  /** Called before the client closes. @returns unsubscribe */
  onClose(listener: () => void): () => void;
  close(): void;
}
