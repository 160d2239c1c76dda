import { getText } from '#web/get-text.ts';
import type { RoomMessage, ShownPreferences } from '#web/sync/room/room.ts';

const groupMs = 5 * 60_000; // CHAT-10

/** One message and the separator above it: a day, an author header, or neither. */
export interface MessageRow {
  message: RoomMessage;
  startsDay: boolean;
  startsGroup: boolean;
  /** The message that this one replies to. Null: it is no reply, or that message is right above it. */
  quoted: Quoted | null;
  /** Set if the message is collapsed. `inside`: the line of an earlier row stands for this message, too. */
  collapsed?: CollapsedMessages | 'inside';
}

/** Consecutive messages that one line stands for. */
export interface CollapsedMessages {
  reason: 'ignored' | 'hiddenByViewer';
  ids: string[];
}

/** The start of the quoted message. `unknown`: the server has not yet sent it to this browser. */
export type Quoted = (NonNullable<RoomMessage['quote']> & { id: string }) | 'deleted' | 'unknown';

/** Caches one row per message, so that a new message costs no more in a long list. */
const rowCache = new WeakMap<RoomMessage, { previous: RoomMessage | undefined; row: MessageRow }>();

/** Groups messages of one persona within five minutes under one header and adds day separators. */
export function toMessageRows(messages: readonly RoomMessage[]): MessageRow[] {
  return messages.map((message, index) => {
    const previous = messages[index - 1];
    const cached = rowCache.get(message);
    if (cached && cached.previous === previous) return cached.row;
    const row = toRow(message, previous);
    rowCache.set(message, { previous, row });
    return row;
  });
}

function toRow(message: RoomMessage, previous: RoomMessage | undefined): MessageRow {
  const startsDay = !previous || !isSameDay(previous.createdAt, message.createdAt);
  const startsGroup =
    startsDay ||
    message.replyTo !== null ||
    previous.memberId !== message.memberId ||
    previous.topicId !== message.topicId ||
    message.createdAt - previous.createdAt >= groupMs;
  const quoted = previous && previous.id === message.replyTo ? null : findQuoted(message);
  return { message, startsDay, startsGroup, quoted };
}

/** @returns null if the viewer neither ignores the author nor hides the message */
export function findCollapseReason(
  { id, memberId }: Pick<RoomMessage, 'id' | 'memberId'>,
  { ignored, hidden }: Pick<ShownPreferences, 'ignored' | 'hidden'>,
): CollapsedMessages['reason'] | null {
  if (ignored.has(memberId)) return 'ignored';
  return hidden.has(id) ? 'hiddenByViewer' : null;
}

export function toCollapsedLabel({ reason, ids: { length: count } }: CollapsedMessages): string {
  return reason === 'hiddenByViewer'
    ? getText('chat.list.hidden', { count })
    : getText('chat.list.ignored', { count });
}

/**
 * Collapses the messages of ignored members and hidden messages. Each message keeps its row, so that rows and messages
 * have the same indexes.
 *
 * @param revealed the ids of messages that are shown in any case
 * @param firstNewId the first new message, which has a line above it
 */
export function collapseRows(
  rows: readonly MessageRow[],
  { ignored, hidden }: ShownPreferences,
  revealed: ReadonlySet<string>,
  firstNewId: string | null,
): readonly MessageRow[] {
  if (ignored.size + hidden.size === 0) return rows;
  let line: CollapsedMessages | null = null;
  return rows.map((row) => {
    const { id } = row.message;
    const reason = revealed.has(id) ? null : findCollapseReason(row.message, { ignored, hidden });
    if (reason === null) {
      const startsGroup = row.startsGroup || line !== null;
      line = null;
      return { ...row, startsGroup };
    }
    if (line?.reason === reason && !row.startsDay && id !== firstNewId) {
      line.ids.push(id);
      return { ...row, collapsed: 'inside' };
    }
    line = { reason, ids: [id] };
    return { ...row, collapsed: line };
  });
}

function findQuoted({ replyTo, quote, seq }: RoomMessage): Quoted | null {
  if (replyTo === null) return null;
  if (quote) return { ...quote, id: replyTo };
  return seq === null ? 'unknown' : 'deleted';
}

function isSameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}
