import type { RoomMessage } from '#web/sync/room.ts';

const groupMs = 5 * 60_000; // CHAT-10

/** One message and what stands above it: a day, a header, or neither. */
export interface MessageRow {
  message: RoomMessage;
  startsDay: boolean;
  startsGroup: boolean;
}

function sameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}

/** Messages of one persona within five minutes of each other share a header; days are separated. */
export function toMessageRows(messages: readonly RoomMessage[]): MessageRow[] {
  let previous: RoomMessage | undefined;
  return messages.map((message) => {
    const startsDay = !previous || !sameDay(previous.createdAt, message.createdAt);
    const startsGroup =
      startsDay ||
      previous?.memberId !== message.memberId ||
      message.createdAt - previous.createdAt >= groupMs;
    previous = message;
    return { message, startsDay, startsGroup };
  });
}
