import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import {
  classSchema,
  emojiSchema,
  messageId,
  messageSchema,
  personaSchema,
  randomId,
} from './entities.ts';
import { limits } from './limits.ts';

/** The browser chooses this request id to match answers to frames. */
const rid = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const seq = z.int().min(0);
const ofClass = { classId: randomId };
const ofMessage = { rid, classId: randomId, messageId };
const text = z.string().max(limits.frameBytes);
/** The random id of a log entry. It distinguishes two histories that have the same seqs. */
const entryId = z.string().regex(/^[\w-]{8}$/);

/** Every frame from the browser. The server answers each frame that has a `rid`. */
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
  }),
  z.strictObject({ type: z.literal('unsubscribe'), ...ofClass }),
  z.strictObject({
    type: z.literal('post'),
    rid,
    ...ofClass,
    id: messageId,
    text,
    /**
     * An image that the author uploaded to this class. With an image, the text may be blank. If the
     * browser uploads the same bytes again, a repeated post still counts as the same message.
     */
    imageId: randomId.optional(),
    /** A description of the picture. Only valid with an image. */
    alt: z.string().max(limits.altText).optional(),
    replyTo: messageId.optional(),
  }),
  z.strictObject({ type: z.literal('edit'), ...ofMessage, text }),
  z.strictObject({ type: z.literal('delete'), ...ofMessage }),
  /** Null removes the member's reaction. */
  z.strictObject({ type: z.literal('react'), ...ofMessage, emoji: emojiSchema.nullable() }),
  /** Marks everything up to this seq as read. */
  z.strictObject({ type: z.literal('read'), ...ofClass, seq }),
  z.strictObject({ type: z.literal('typing'), ...ofClass }),
]);
export type ClientFrame = z.infer<typeof clientFrame>;

const entry = { seq, id: entryId };

/** One change to a class, in log order. */
const logItem = z.discriminatedUnion('kind', [
  /** Includes the author's persona, which the browser may not know yet. */
  z.strictObject({
    kind: z.literal('posted'),
    ...entry,
    message: messageSchema,
    persona: personaSchema,
  }),
  z.strictObject({
    kind: z.literal('edited'),
    ...entry,
    messageId,
    text: z.string(),
    editedAt: z.int(),
  }),
  z.strictObject({ kind: z.literal('deleted'), ...entry, messageId }),
  z.strictObject({
    kind: z.literal('reacted'),
    ...entry,
    messageId,
    memberId: randomId,
    emoji: emojiSchema.nullable(),
  }),
  z.strictObject({ kind: z.literal('persona'), ...entry, persona: personaSchema }),
  z.strictObject({ kind: z.literal('class'), ...entry, class: classSchema }),
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
});
export type RoomState = z.infer<typeof roomState>;

/** The part of a snapshot that is specific to one member. */
export const snapshotStart = z.strictObject({
  type: z.literal('snapshot'),
  rid,
  epoch: z.string(),
  me: z.strictObject({ ...personaSchema.shape, readSeq: seq }),
});

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
  /** The replay is complete. Live events follow. */
  z.strictObject({ type: z.literal('live'), rid, ...ofClass, seq }),
  z.strictObject({
    type: z.literal('ack'),
    rid,
    seq,
    /** The message is deleted, but its picture file is not. The server retries that. */
    imageLeft: z.literal(true).optional(),
  }),
  z.strictObject({
    type: z.literal('nack'),
    rid,
    code: errorCode,
    message: z.string(),
    /** The minimum wait before a retry, if the request can be retried. */
    retryAfterMs: z.int().optional(),
  }),
  z.strictObject({
    type: z.literal('reset'),
    ...ofClass,
    reason: z.enum(['left', 'deleted', 'behind']),
  }),
  z.strictObject({ type: z.literal('enrolment'), ...ofClass, joined: z.boolean() }),
  /** Another member of the class is typing. The frame does not say which one. */
  z.strictObject({ type: z.literal('typing'), ...ofClass }),
  z.strictObject({ type: z.literal('bye'), code: z.int(), retryAfterMs: z.int() }),
]);
export type ServerFrame = z.infer<typeof serverFrame>;
