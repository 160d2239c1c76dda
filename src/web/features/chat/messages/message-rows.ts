import type { RoomMessage } from '#web/sync/room.ts';

const groupMs = 5 * 60_000; // CHAT-10

/** One message and what stands above it: a day, a header, or neither. */
export interface MessageRow {
  message: RoomMessage;
  startsDay: boolean;
  startsGroup: boolean;
  /** What it answers, where it does. */
  quoted: Quoted | null;
}

/** The message that is quoted; one from before what is loaded; or one that is no more. */
export type Quoted = RoomMessage | 'earlier' | 'deleted';

function sameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}

/**
 * Messages of one persona within five minutes of each other share a header; days are separated.
 *
 * @param whole nothing is older than these messages
 */
export function toMessageRows(messages: readonly RoomMessage[], whole: boolean): MessageRow[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const unknown = whole ? 'deleted' : 'earlier';
  let previous: RoomMessage | undefined;
  return messages.map((message) => {
    const startsDay = !previous || !sameDay(previous.createdAt, message.createdAt);
    const startsGroup =
      startsDay ||
      message.replyTo !== null ||
      previous?.memberId !== message.memberId ||
      message.createdAt - previous.createdAt >= groupMs;
    previous = message;
    const quoted = message.replyTo === null ? null : (byId.get(message.replyTo) ?? unknown);
    return { message, startsDay, startsGroup, quoted };
  });
}
