import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import {
  classSchema,
  classSettingsSchema,
  emojiSchema,
  messageId,
  messageSchema,
  personaSchema,
  pollChoices,
  pollOptionsSchema,
  pollSchema,
  questionSchema,
  randomId,
  sanctionSchema,
  staffSelfSchema,
} from './entities.ts';
import { shownAnnouncements } from './announcements.ts';
import { limits, pollLimits } from './limits.ts';
import { savedPreferencesSchema } from './preferences.ts';

/** The browser chooses this request id, to match replies to frames. */
const rid = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const seq = z.int().min(0);
const ofClass = { classId: randomId };
const ofMessage = { rid, classId: randomId, messageId };
const text = z.string().max(limits.frameBytes);
/** The random id of a log entry. It distinguishes two histories that have the same seqs. */
const entryId = z.string().regex(/^[\w-]{8}$/);

const postedImage = z.strictObject({
  imageId: randomId,
  /** The description of the picture. */
  alt: z.string().max(limits.altText).optional(),
  spoiler: z.literal(true).optional(),
});

/**
 * Which of the member's icons a persona appears with. No one but the member sees the choice before. Ignored for a persona
 * that others have seen.
 */
const newcomerIcon = z
  .int()
  .min(0)
  .max(limits.personaIcons - 1)
  .optional();

/** Every frame from the browser. The server replies to each frame that has a `rid`. */
export const clientFrame = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('subscribe'),
    rid,
    ...ofClass,
    /**
     * The browser's position in the log: the history's epoch, the last seq that it holds, and that
     * entry's id.
     */
    epoch: z.string().max(64).optional(),
    after: seq.optional(),
    afterId: entryId.optional(),
    /** Only for the unread count: `unread` and `activity` frames instead of the class's messages. */
    light: z.literal(true).optional(),
  }),
  z.strictObject({ type: z.literal('unsubscribe'), ...ofClass }),
  z.strictObject({
    type: z.literal('post'),
    rid,
    ...ofClass,
    id: messageId,
    text,
    /**
     * Pictures that the author uploaded to this class, in their order. With a picture, the text may be blank.
     * If the browser uploads the same bytes again, a repeated post still counts as the same message.
     */
    images: z.array(postedImage).optional(),
    replyTo: messageId.optional(),
    /** Without effect on a reply, which has the topic of its source. */
    topicId: randomId.optional(),
    /** The author asks the message as a question. */
    question: z.literal(true).optional(),
    /** The author asks the message as a poll, which is no question. */
    poll: pollOptionsSchema
      .extend({
        /** The time until it closes. The browser's own clock stays in the browser. 0: it closes with the lecture. */
        minutes: z.int().min(0).max(pollLimits.minutes),
      })
      .optional(),
    /** The author is the account's staff persona. */
    staff: z.literal(true).optional(),
    icon: newcomerIcon,
  }),
  z.strictObject({ type: z.literal('edit'), ...ofMessage, text }),
  z.strictObject({ type: z.literal('delete'), ...ofMessage }),
  /** Null removes the member's reaction. */
  z.strictObject({
    type: z.literal('react'),
    ...ofMessage,
    emoji: emojiSchema.nullable(),
    icon: newcomerIcon,
  }),
  /** Whether the member has this question, too. No one else learns who voted. */
  z.strictObject({ type: z.literal('vote'), ...ofMessage, voted: z.boolean() }),
  /** Votes in a poll, or changes the vote. No option: takes it back. No one else learns who voted. */
  z.strictObject({ type: z.literal('choose'), ...ofMessage, choices: pollChoices }),
  /** Marks a reply as the answer to the question `messageId`; null takes the mark back. */
  z.strictObject({
    type: z.literal('answer'),
    ...ofMessage,
    answerId: messageId.nullable(),
    /** Sets the mark of staff instead. */
    endorsed: z.literal(true).optional(),
  }),
  /** Marks that staff answered the question aloud, or takes the mark back. */
  z.strictObject({ type: z.literal('done'), ...ofMessage, done: z.boolean() }),
  /** Marks everything up to this seq as read. With `back`, what follows counts as unread again. */
  z.strictObject({ type: z.literal('read'), ...ofClass, seq, back: z.literal(true).optional() }),
  z.strictObject({ type: z.literal('typing'), ...ofClass }),
  /**
   * Whether the class is in view: its room is on screen, in a visible window. No one else learns of it; it only prevents
   * notifications. Of several classes, the last one counts. It ends with the subscription.
   */
  z.strictObject({ type: z.literal('viewing'), ...ofClass, inView: z.boolean() }),
]);
export type ClientFrame = z.infer<typeof clientFrame>;

const entry = { seq, id: entryId };

/** The mentioned members' personas, which the browser may not know yet. */
const mentioned = z.array(personaSchema);

/** One change to a class, in log order. */
const logItem = z.discriminatedUnion('kind', [
  /** Includes the author's persona, which the browser may not know yet. */
  z.strictObject({
    kind: z.literal('posted'),
    ...entry,
    message: messageSchema,
    persona: personaSchema,
    /** The personas that the message and its quote mention, if any. */
    personas: mentioned.optional(),
  }),
  z.strictObject({
    kind: z.literal('edited'),
    ...entry,
    messageId,
    text: z.string(),
    editedAt: z.int(),
    /** Absent if the message mentions no one, before and after the edit. */
    personas: mentioned.optional(),
  }),
  z.strictObject({ kind: z.literal('deleted'), ...entry, messageId }),
  /** Null makes a hidden message visible again. 'removed' erases its content, as in `messageSchema`. */
  z.strictObject({
    kind: z.literal('moderated'),
    ...entry,
    messageId,
    moderation: messageSchema.shape.moderation,
  }),
  z.strictObject({
    kind: z.literal('reacted'),
    ...entry,
    messageId,
    memberId: randomId,
    emoji: emojiSchema.nullable(),
  }),
  /** The new number of votes, or another answer. It has the whole state of the question. */
  z.strictObject({
    kind: z.literal('question'),
    ...entry,
    messageId,
    question: questionSchema,
    /** The personas that the question and its answers mention, if any. */
    personas: mentioned.optional(),
  }),
  /** The poll has closed, or has other counts, which `readPoll` tells those who may see them. */
  z.strictObject({ kind: z.literal('poll'), ...entry, messageId, poll: pollSchema }),
  /**
   * The message has another topic, or none. The field is not `messageId`: browsers of earlier versions know no `moved`, and would
   * pass the item to the code of all changes with that field.
   */
  z.strictObject({
    kind: z.literal('moved'),
    ...entry,
    movedId: messageId,
    topicId: randomId.nullable(),
  }),
  z.strictObject({ kind: z.literal('persona'), ...entry, persona: personaSchema }),
  z.strictObject({ kind: z.literal('class'), ...entry, class: classSchema }),
  z.strictObject({ kind: z.literal('settings'), ...entry, settings: classSettingsSchema }),
]);
export type LogItem = z.infer<typeof logItem>;

/** The state of a room at `seq`, which is the same for every member. */
export const roomState = z.strictObject({
  ...ofClass,
  seq,
  /** The id of the entry at `seq`; null if the log is empty. */
  lastId: entryId.nullable(),
  messages: z.array(messageSchema),
  personas: z.array(personaSchema),
  /** Whether the history has older messages. */
  hasOlder: z.boolean(),
  /** Absent if no one has changed the settings, or started a lecture. */
  settings: classSettingsSchema.optional(),
});
export type RoomState = z.infer<typeof roomState>;

/** The part of a snapshot that is specific to one member. */
export const snapshotStart = z.strictObject({
  type: z.literal('snapshot'),
  rid,
  epoch: z.string(),
  /** `sanction` is absent if there is none. */
  me: z.strictObject({
    ...personaSchema.shape,
    readSeq: seq,
    hasAppeared: z.boolean(),
    sanction: sanctionSchema.optional(),
  }),
});

/** Counted up to a limit. */
const unreadCount = z.int().min(0).max(limits.maxUnreadCount);

const errorCode = z.custom<ErrorCode>((value) => typeof value === 'string');

/** Every frame from the server. */
export const serverFrame = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('welcome'),
    epoch: z.string(),
    /**
     * An opaque key, equal on all sockets of the account. The browser stores unsent messages under it.
     */
    account: z.string(),
    maxFrameBytes: z.int(),
    /** The time in milliseconds since 1970. Browsers have wrong clocks. */
    serverTime: z.int(),
    /** The announcements for everyone; absent if there are none. */
    announcements: shownAnnouncements.optional(),
  }),
  /** The state of the room at `seq`. Later changes follow as events. */
  z.strictObject({ ...snapshotStart.shape, ...roomState.shape }),
  /**
   * Every change with `from <= seq <= to`; `lastId` is the id of the entry at `to`. Apply the frame
   * only if `from` is the last held seq + 1. Items about deleted messages are omitted.
   */
  z.strictObject({
    type: z.literal('events'),
    ...ofClass,
    from: seq,
    to: seq,
    lastId: entryId,
    items: z.array(logItem),
  }),
  /** The replay is complete. Live events follow. `readSeq` is how far the member has read. */
  z.strictObject({
    type: z.literal('live'),
    rid,
    ...ofClass,
    seq,
    readSeq: seq,
    /** The sanction of the member; absent if there is none. */
    sanction: sanctionSchema.optional(),
    /** Present only if the member speaks or spoke as staff. */
    staff: staffSelfSchema.optional(),
    /** The announcements for the class; absent if there are none. */
    announcements: shownAnnouncements.optional(),
  }),
  /** The member has read up to this seq on another device, or marked what follows as unread. */
  z.strictObject({ type: z.literal('read'), ...ofClass, seq }),
  /**
   * Starts a light subscription: `unread` messages of others up to `seq`, and those of them that mention the member,
   * each counted up to a limit.
   */
  z.strictObject({
    type: z.literal('unread'),
    rid,
    ...ofClass,
    seq,
    readSeq: seq,
    unread: unreadCount,
    mentions: unreadCount,
  }),
  /** What a light subscription receives of a commit. `seq` is the commit's last entry. */
  z.strictObject({
    type: z.literal('activity'),
    ...ofClass,
    seq,
    /** The number of new messages from other members. */
    posted: z.int().min(0),
    /** The number of them that mention the member. */
    mentions: unreadCount,
    /**
     * Messages were deleted, or an edit changed whom a message mentions. If there are unread messages, the browser
     * subscribes again to count them.
     */
    recount: z.literal(true).optional(),
    /** The data of the class changed. */
    classChanged: z.literal(true).optional(),
  }),
  z.strictObject({
    type: z.literal('ack'),
    rid,
    seq,
    /** The message is deleted, but a file of its pictures is not. The server retries that. */
    imageLeft: z.literal(true).optional(),
    /** The question waits until staff release it, so it is not in the log. */
    waits: z.literal(true).optional(),
  }),
  z.strictObject({
    type: z.literal('nack'),
    rid,
    code: errorCode,
    message: z.string(),
    /** What to translate instead of the sentence, and what it names. */
    reason: z.string().optional(),
    values: z.record(z.string(), z.string()).optional(),
    /** The minimum wait before a retry, if the request can be retried. */
    retryAfterMs: z.int().optional(),
    /** Present with MUTED and REMOVED_FROM_CLASS. */
    sanction: sanctionSchema.optional(),
  }),
  z.strictObject({
    type: z.literal('reset'),
    ...ofClass,
    reason: z.enum(['left', 'deleted', 'behind', 'removed']),
  }),
  z.strictObject({ type: z.literal('enrolment'), ...ofClass, joined: z.boolean() }),
  /** The member was sanctioned; null: a moderator lifted the sanction. It is not sent when the time of a mute has passed. */
  z.strictObject({
    type: z.literal('sanction'),
    ...ofClass,
    sanction: sanctionSchema.nullable(),
  }),
  /** The member's own role of staff, or a sanction of the staff persona, changed. Null: there is no staff persona. */
  z.strictObject({ type: z.literal('staff'), ...ofClass, staff: staffSelfSchema.nullable() }),
  /** A case appeared or changed, for accounts with a role, or the account's roles changed. It names none. */
  z.strictObject({ type: z.literal('moderationChanged') }),
  /**
   * The member's own preferences: before the `snapshot`, `live` or `unread` frame of a subscription if any are saved,
   * and after a change on any device.
   */
  z.strictObject({ type: z.literal('preferences'), ...ofClass, ...savedPreferencesSchema.shape }),
  /** The member voted for a question, or took the vote back, on any device of the account. */
  z.strictObject({ type: z.literal('voted'), ...ofClass, messageId, voted: z.boolean() }),
  /** The member voted in a poll, changed the vote or took it back, on any device of the account. */
  z.strictObject({ type: z.literal('chosen'), ...ofClass, messageId, choices: pollChoices }),
  /** Another member of the class is typing. The frame does not say which one. */
  z.strictObject({ type: z.literal('typing'), ...ofClass }),
  /** Questions that only staff see may have changed: `private-questions.ts` says what each browser reads again, after a few random seconds. */
  z.strictObject({ type: z.literal('privateChanged'), ...ofClass }),
  /** All announcements in force for everyone (null) or for the class, after one was made, withdrawn or has ended. */
  z.strictObject({
    type: z.literal('announcements'),
    classId: randomId.nullable(),
    announcements: shownAnnouncements,
  }),
  z.strictObject({ type: z.literal('bye'), code: z.int(), retryAfterMs: z.int() }),
]);
export type ServerFrame = z.infer<typeof serverFrame>;
