// Encodes each frame once for all its recipients: the WebSocket header and the JSON.
import type { z } from 'zod';
import { limits } from '#contract/limits.ts';
import {
  type LogItem,
  roomState,
  serverFrame,
  snapshotStart,
  type RoomState,
  type ServerFrame,
} from '#contract/socket.ts';
import { jsonBytes } from '../domain/history.ts';

/**
 * Complete unmasked text frames as sent over the wire (RFC 6455, section 5.2). Usually it is one frame.
 */
export type EncodedFrame = Buffer;

/** The part of a snapshot that all members share, as JSON without its opening brace. */
export type EncodedRoom = Buffer;

type EventsFrame = Extract<ServerFrame, { type: 'events' }>;

const finalText = 0x81;

/** Checks the frame against the contract's allow-list before it is sent. */
export function encodeFrame(frame: ServerFrame): EncodedFrame {
  return toTextFrame(Buffer.from(JSON.stringify(serverFrame.parse(frame))));
}

/** Encodes the events of one commit. If they are too large, they are split into consecutive frames. */
export function encodeEvents(frame: EventsFrame): EncodedFrame {
  const whole = encodeFrame(frame);
  if (whole.length <= limits.historyFrameBytes || frame.items.length === 1) return whole;
  return Buffer.concat(splitEvents(frame).map(encodeFrame));
}

function splitEvents({ items, from, to, lastId, ...rest }: EventsFrame): EventsFrame[] {
  const frames: EventsFrame[] = [];
  let [start, bytes] = [from, 0];
  let part: LogItem[] = [];
  for (const item of items) {
    const itemBytes = jsonBytes(item);
    const last = part.at(-1);
    if (last && bytes + itemBytes > limits.historyFrameBytes) {
      frames.push({ ...rest, from: start, to: last.seq, lastId: last.id, items: part });
      [start, bytes, part] = [last.seq + 1, 0, []];
    }
    part.push(item);
    bytes += itemBytes;
  }
  return [...frames, { ...rest, from: start, to, lastId, items: part }];
}

export function encodeRoom(room: RoomState): EncodedRoom {
  return Buffer.from(JSON.stringify(roomState.parse(room)).slice(1));
}

/** Returns two parts, so that the shared room is not copied for each member. */
export function encodeSnapshot(
  start: z.input<typeof snapshotStart>,
  room: EncodedRoom,
): [Buffer, EncodedRoom] {
  const own = Buffer.from(`${JSON.stringify(snapshotStart.parse(start)).slice(0, -1)},`);
  return [Buffer.concat([header(own.length + room.length), own]), room];
}

function toTextFrame(json: Buffer): EncodedFrame {
  return Buffer.concat([header(json.length), json]);
}

function header(length: number): Buffer {
  if (length < 126) return Buffer.from([finalText, length]);
  if (length < 65_536) return Buffer.from([finalText, 126, length >> 8, length & 255]);
  const bytes = Buffer.alloc(10);
  bytes[0] = finalText;
  bytes[1] = 127;
  bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes;
}
