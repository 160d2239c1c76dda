// Parses the frames of browsers, and encodes each frame of the server once for all its recipients: the
// WebSocket header and the JSON.
import { z } from 'zod';
import { sanctionBytes } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import {
  clientFrame,
  type ClientFrame,
  type LogItem,
  roomState,
  serverFrame,
  snapshotStart,
  type RoomState,
  type ServerFrame,
} from '#contract/socket.ts';
import { listPersonalFields, toPaddedJson } from '#server/base/personal-padding.ts';
import type { Replay } from '#server/chat/messages/catch-up.ts';
import { countJsonBytes } from '#server/chat/messages/history.ts';

/**
 * Complete unmasked text frames as sent over the wire (RFC 6455, section 5.2). Usually it is one frame.
 */
export type EncodedFrame = Buffer;

/** The part of a snapshot that all members share, as JSON without its opening brace. */
export type EncodedRoom = Buffer;

type ParseResult =
  | { isValid: true; frame: ClientFrame }
  /** `rid` is null if the frame has no `rid` that a reply can use. */
  | { isValid: false; rid: number | null };

type FrameOf<Type extends ServerFrame['type']> = Extract<ServerFrame, { type: Type }>;
type EventsFrame = FrameOf<'events'>;

// The allow-lists are compiled, because the compiled check of events takes a third of the time.
const allowedFrame = z.compile(serverFrame, { strict: true });
const allowedClientFrame = z.compile(clientFrame, { strict: true });
const allowedRoom = z.compile(roomState, { strict: true });
const allowedStart = z.compile(snapshotStart, { strict: true });

const finalText = 0x81;

export function parseFrame(text: string): ParseResult {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { isValid: false, rid: null };
  }
  const result = allowedClientFrame.safeParse(value);
  if (result.success) return { isValid: true, frame: result.data };
  const rid = (value as { rid?: unknown } | null)?.rid;
  // A reply can only carry a non-negative safe integer.
  const isAnswerable = Number.isSafeInteger(rid) && (rid as number) >= 0;
  return { isValid: false, rid: isAnswerable ? (rid as number) : null };
}

/** Checks the frame against the contract's allow-list before it is sent, and pads what only its receiver sees. */
export function encodeFrame(frame: ServerFrame): EncodedFrame {
  return toTextFrame(Buffer.from(toFrameJson(frame.type, allowedFrame.parse(frame))));
}

/** The bytes of the personal fields of frames that can hold no reason of a sanction. */
const frameSteps: { readonly [Type in ServerFrame['type']]?: number } = {
  ack: 32,
  activity: 32,
  read: 32,
  chosen: 128,
  enrolment: 128,
  reset: 128,
  unread: 128,
  voted: 128,
  preferences: 1024, // SELF-24
  welcome: 1024,
};
const personalFields = new Map(
  serverFrame.options.map((schema) => {
    const type = schema.shape.type.value;
    return [type, listPersonalFields(`frame ${type}`, schema)];
  }),
);

function toFrameJson(type: ServerFrame['type'], frame: object): string {
  return toPaddedJson(frame, personalFields.get(type) ?? [], frameSteps[type] ?? sanctionBytes);
}

/** Encodes the events of one commit. If they are too large, they are split into consecutive frames. */
export function encodeEvents(frame: EventsFrame): EncodedFrame {
  const wholeFrame = encodeFrame(frame);
  if (wholeFrame.length <= limits.historyFrameBytes || frame.items.length === 1) return wholeFrame;
  return Buffer.concat(splitEvents(frame).map(encodeFrame));
}

/** Consecutive log entries with the frame that carries them. */
export interface EncodedEvents {
  readonly from: number;
  readonly to: number;
  readonly frame: EncodedFrame;
  items(): readonly LogItem[];
}

export function encodeReplay(classId: string, events: Replay): EncodedEvents {
  const frame = encodeEvents({ type: 'events', classId, ...events });
  return { from: events.from, to: events.to, frame, items: () => events.items };
}

/** Reads the items of a frame that `encodeEvents` made, also on another node. */
export function decodeEvents(frame: EncodedFrame): LogItem[] {
  const items: LogItem[] = [];
  for (let offset = 0; offset < frame.length;) {
    const payload = findPayload(frame, offset);
    offset = payload.end;
    const text = frame.toString('utf8', payload.start, payload.end);
    items.push(...(JSON.parse(text) as EventsFrame).items);
  }
  return items;
}

/** Finds the payload of the WebSocket frame that starts at this byte (RFC 6455, section 5.2). */
function findPayload(frame: EncodedFrame, offset: number): { start: number; end: number } {
  const length = frame[offset + 1] ?? 0;
  if (length === 127) {
    return { start: offset + 10, end: offset + 10 + frame.readUIntBE(offset + 4, 6) };
  }
  if (length === 126) {
    return { start: offset + 4, end: offset + 4 + frame.readUInt16BE(offset + 2) };
  }
  return { start: offset + 2, end: offset + 2 + length };
}

function splitEvents({ items, from, to, lastId, ...rest }: EventsFrame): EventsFrame[] {
  const frames: EventsFrame[] = [];
  let start = from;
  let bytes = 0;
  let part: LogItem[] = [];
  for (const item of items) {
    const itemBytes = countJsonBytes(item);
    const last = part.at(-1);
    if (last && bytes + itemBytes > limits.historyFrameBytes) {
      frames.push({ ...rest, from: start, to: last.seq, lastId: last.id, items: part });
      start = last.seq + 1;
      bytes = 0;
      part = [];
    }
    part.push(item);
    bytes += itemBytes;
  }
  return [...frames, { ...rest, from: start, to, lastId, items: part }];
}

export function encodeRoom(room: RoomState): EncodedRoom {
  return Buffer.from(JSON.stringify(allowedRoom.parse(room)).slice(1));
}

/** Returns two parts, so that the shared room is not copied for each member. */
export function encodeSnapshot(
  start: z.input<typeof snapshotStart>,
  room: EncodedRoom,
): [Buffer, EncodedRoom] {
  const json = toFrameJson('snapshot', allowedStart.parse(start));
  const end = json.lastIndexOf('}');
  const head = Buffer.from(`${json.slice(0, end)}${json.slice(end + 1)},`);
  return [Buffer.concat([createHeader(head.length + room.length), head]), room];
}

function toTextFrame(json: Buffer): EncodedFrame {
  return Buffer.concat([createHeader(json.length), json]);
}

function createHeader(length: number): Buffer {
  if (length < 126) return Buffer.from([finalText, length]);
  if (length < 65_536) return Buffer.from([finalText, 126, length >> 8, length & 255]);
  const bytes = Buffer.alloc(10);
  bytes[0] = finalText;
  bytes[1] = 127;
  bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes;
}
