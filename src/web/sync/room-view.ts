import type { Message } from '#contract/entities.ts';
import type { LogReplica } from './log-replica.ts';
import type { OutboxEntry } from './outbox-storage.ts';
import type { PendingReactions } from './pending-reactions.ts';
import type { RoomMessage, RoomView } from './room.ts';

export interface RoomState {
  gone: boolean;
  typing: boolean;
  older: 'idle' | 'loading' | 'failed';
}

export interface RoomContent {
  held: LogReplica | null;
  unsent: readonly OutboxEntry[];
  reactions: Pick<PendingReactions, 'onto'>;
  isAcknowledged(id: string): boolean;
  progressOf(id: string): number | null;
  isPictureOnlyHere(id: string): boolean;
}

/** Caches one view object per message, so that React only renders changed messages. */
const shown = new WeakMap<Message, RoomMessage>();
const nobody: RoomView['personas'] = new Map();

/**
 * Builds the chat view: the log replica, then the unsent messages of this browser.
 *
 * @param before the previous view; unchanged parts of it are reused
 */
export function toRoomView(
  content: RoomContent,
  state: RoomState,
  before: RoomView | null,
): RoomView {
  const { held, unsent, reactions, isAcknowledged, progressOf, isPictureOnlyHere } = content;
  const sent = (held?.messages ?? []).map((message) =>
    reactions.onto(toSent(message), held?.me ?? ''),
  );
  const unsentBefore = before?.messages.filter(({ seq }) => seq === null);
  const pending = unsent.map(({ id, text, picture, replyTo, createdAt, failure }): RoomMessage =>
    kept(
      unsentBefore?.find((message) => message.id === id),
      {
        id,
        seq: null,
        memberId: held?.me ?? '',
        text,
        ...withoutImage,
        unsentPicture: picture,
        progress: progressOf(id),
        onlyHere: isPictureOnlyHere(id),
        replyTo,
        createdAt,
        editedAt: null,
        reactions: none,
        failure,
        delivery: failure ? 'failed' : isAcknowledged(id) ? 'sent' : 'sending',
      },
    ),
  );
  const idle = held?.hasOlder ? 'some' : 'none';
  return kept(before, {
    state: state.gone ? 'gone' : held ? 'ready' : 'loading',
    messages: retainedList(before?.messages, [...sent, ...pending]),
    personas: held?.personas ?? nobody,
    me: held?.me ?? null,
    readSeq: held?.readSeq ?? 0,
    unread: held ? countUnread(held) : 0,
    hasMoreUnread: held !== null && held.hasOlder && held.from > held.readSeq + 1,
    typing: state.typing,
    older: state.older === 'idle' ? idle : state.older,
  });
}

function countUnread({ messages, readSeq, me }: LogReplica): number {
  const firstNew = messages.findIndex(({ seq }) => seq > readSeq);
  if (firstNew < 0) return 0;
  return messages.slice(firstNew).filter(({ memberId }) => memberId !== me).length;
}

const withoutImage = { imageUrl: null, storagePath: null, image: null };
const none: RoomMessage['reactions'] = {};

/** Returns the previous value if all fields are equal. */
function kept<Value extends object>(before: Value | null | undefined, value: Value): Value {
  const old = new Map(Object.entries(before ?? {}));
  const same = Object.entries(value).every(([name, field]) => Object.is(old.get(name), field));
  return before && same ? before : value;
}

function retainedList<Item>(before: readonly Item[] | undefined, list: readonly Item[]) {
  const same = before?.length === list.length && list.every((item, n) => item === before[n]);
  return same ? before : list;
}

function toSent(message: Message): RoomMessage {
  const known = shown.get(message);
  if (known) return known;
  const sent: RoomMessage = {
    ...message,
    delivery: 'sent',
    failure: null,
    unsentPicture: null,
    progress: null,
    onlyHere: false,
  };
  shown.set(message, sent);
  return sent;
}
