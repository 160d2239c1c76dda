import type { RoomMessage } from '#web/sync/room.ts';

const groupMs = 5 * 60_000; // CHAT-10

/** One message and the separator above it: a day, an author header, or neither. */
export interface MessageRow {
  message: RoomMessage;
  startsDay: boolean;
  startsGroup: boolean;
  /** The message that it replies to, if any. */
  quoted: Quoted | null;
}

/** The quoted message, `earlier` if it is not loaded, or `deleted`. */
export type Quoted = RoomMessage | 'earlier' | 'deleted';

function sameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}

/**
 * Groups messages of one persona within five minutes under one header and adds day separators.
 *
 * @param whole whether the list starts at the first message of the class
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
