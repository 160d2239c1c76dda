import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import { classSchema, messageId, messageSchema, personaSchema, randomId } from './entities.ts';
import { limits } from './limits.ts';

/** Chosen by the browser, to tell answers apart. */
const rid = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const seq = z.int().min(0);

/** Every frame from the browser. */
export const clientFrame = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('subscribe'),
    rid,
    classId: randomId,
    /** What the browser holds already: the history's epoch and the last seq of it. */
    epoch: z.string().max(64).optional(),
    after: seq.optional(),
  }),
  z.strictObject({ type: z.literal('unsubscribe'), classId: randomId }),
  z.strictObject({
    type: z.literal('post'),
    rid,
    classId: randomId,
    id: messageId,
    text: z.string().max(limits.frameBytes),
  }),
]);
export type ClientFrame = z.infer<typeof clientFrame>;

/** One change to a class, in the order of its log. */
export const logItem = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('posted'), seq, message: messageSchema }),
  z.strictObject({ kind: z.literal('persona'), seq, persona: personaSchema }),
  z.strictObject({ kind: z.literal('class'), seq, class: classSchema }),
]);
export type LogItem = z.infer<typeof logItem>;

const errorCode = z.custom<ErrorCode>((value) => typeof value === 'string');

/** Every frame from the server. */
export const serverFrame = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('welcome'), epoch: z.string(), maxFrameBytes: z.int() }),
  /** The room as it is at `seq`; later changes follow as events. `hasOlder`: history goes further back. */
  z.strictObject({
    type: z.literal('snapshot'),
    rid,
    classId: randomId,
    epoch: z.string(),
    seq,
    messages: z.array(messageSchema),
    personas: z.array(personaSchema),
    hasOlder: z.boolean(),
    me: z.strictObject({ memberId: randomId }),
  }),
  /** Every change with `from <= seq <= to`. Apply only when `from` is the last held seq + 1. */
  z.strictObject({
    type: z.literal('events'),
    classId: randomId,
    from: seq,
    to: seq,
    items: z.array(logItem),
  }),
  /** The replay is over: what follows is live. */
  z.strictObject({ type: z.literal('live'), rid, classId: randomId, seq }),
  z.strictObject({ type: z.literal('ack'), rid, seq }),
  z.strictObject({ type: z.literal('nack'), rid, code: errorCode, message: z.string() }),
  z.strictObject({
    type: z.literal('reset'),
    classId: randomId,
    reason: z.enum(['left', 'deleted', 'behind']),
  }),
  z.strictObject({ type: z.literal('enrolment'), classId: randomId, joined: z.boolean() }),
  z.strictObject({ type: z.literal('bye'), code: z.int(), retryAfterMs: z.int() }),
]);
export type ServerFrame = z.infer<typeof serverFrame>;
