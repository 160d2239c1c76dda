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

/** Chosen by the browser, to tell answers apart. */
const rid = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const seq = z.int().min(0);
const ofClass = { classId: randomId };
const ofMessage = { rid, classId: randomId, messageId };
const text = z.string().max(limits.frameBytes);
/** Of one entry of a log, random: tells two histories with the same seqs apart. */
const entryId = z.string().regex(/^[\w-]{8}$/);

/** Every frame from the browser. What has a `rid` is answered by an ack, a nack, or its snapshot. */
export const clientFrame = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('subscribe'),
    rid,
    ...ofClass,
    /** What the browser holds already: the history's epoch, the last seq of it, and that entry's id. */
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
     * An upload of the author's in this class; then the text may be blank. The same bytes uploaded
     * again make the same message.
     */
    imageId: randomId.optional(),
    /** What the picture shows; only with one. */
    alt: z.string().max(limits.altText).optional(),
    replyTo: messageId.optional(),
  }),
  z.strictObject({ type: z.literal('edit'), ...ofMessage, text }),
  z.strictObject({ type: z.literal('delete'), ...ofMessage }),
  /** Null takes one's reaction away. */
  z.strictObject({ type: z.literal('react'), ...ofMessage, emoji: emojiSchema.nullable() }),
  /** Everything up to this seq was seen. */
  z.strictObject({ type: z.literal('read'), ...ofClass, seq }),
  z.strictObject({ type: z.literal('typing'), ...ofClass }),
]);
export type ClientFrame = z.infer<typeof clientFrame>;

const entry = { seq, id: entryId };

/** One change to a class, in the order of its log. */
const logItem = z.discriminatedUnion('kind', [
  /** With its author, whom the browser may not have met yet. */
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

/** A room at `seq`: the same for each of its members. */
export const roomState = z.strictObject({
  ...ofClass,
  seq,
  /** Of the entry at `seq`; null while the log is empty. */
  lastId: entryId.nullable(),
  messages: z.array(messageSchema),
  personas: z.array(personaSchema),
  /** The history goes further back than these messages. */
  hasOlder: z.boolean(),
});
export type RoomState = z.infer<typeof roomState>;

/** What of a snapshot is one member's own. */
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
    /** Opaque, the same for each of the account's own sockets: what waits to be sent belongs to it. */
    account: z.string(),
    maxFrameBytes: z.int(),
  }),
  /** The room as it is at `seq`; later changes follow as events. */
  z.strictObject({ ...snapshotStart.shape, ...roomState.shape }),
  /**
   * Every change with `from <= seq <= to`, and `lastId` of the entry at `to`. Apply only when `from`
   * is the last held seq + 1. Items of what was deleted since are left out.
   */
  z.strictObject({
    type: z.literal('events'),
    ...ofClass,
    from: seq,
    to: seq,
    lastId: entryId,
    items: z.array(logItem),
  }),
  /** The replay is over: what follows is live. */
  z.strictObject({ type: z.literal('live'), rid, ...ofClass, seq }),
  z.strictObject({
    type: z.literal('ack'),
    rid,
    seq,
    /** The message is deleted, its picture's file could not be yet: that is tried again. */
    imageLeft: z.literal(true).optional(),
  }),
  z.strictObject({
    type: z.literal('nack'),
    rid,
    code: errorCode,
    message: z.string(),
    /** Where the same may be tried again: not before this. */
    retryAfterMs: z.int().optional(),
  }),
  z.strictObject({
    type: z.literal('reset'),
    ...ofClass,
    reason: z.enum(['left', 'deleted', 'behind']),
  }),
  z.strictObject({ type: z.literal('enrolment'), ...ofClass, joined: z.boolean() }),
  /** Somebody else in the class is typing; nobody is told who. */
  z.strictObject({ type: z.literal('typing'), ...ofClass }),
  z.strictObject({ type: z.literal('bye'), code: z.int(), retryAfterMs: z.int() }),
]);
export type ServerFrame = z.infer<typeof serverFrame>;
