// A frame is encoded once, whoever gets it: the JSON and the WebSocket header before it.
import type { z } from 'zod';
import {
  roomState,
  serverFrame,
  snapshotStart,
  type RoomState,
  type ServerFrame,
} from '#contract/socket.ts';

/** A whole unmasked text frame, as it goes over the wire (RFC 6455, section 5.2). */
export type EncodedFrame = Buffer;

/** The part of a snapshot that all members share, as JSON without its opening brace. */
export type EncodedRoom = Buffer;

const finalText = 0x81;

/** Every frame passes the allow-list of the contract before it leaves. */
export function encodeFrame(frame: ServerFrame): EncodedFrame {
  return toTextFrame(Buffer.from(JSON.stringify(serverFrame.parse(frame))));
}

export function encodeRoom(room: RoomState): EncodedRoom {
  return Buffer.from(JSON.stringify(roomState.parse(room)).slice(1));
}

/** In two parts: what everybody in the room gets is not copied for each. */
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
