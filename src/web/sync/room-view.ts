import type { Message } from '#contract/entities.ts';
import type { HeldLog } from './held-log.ts';
import type { OutboxEntry } from './outbox-storage.ts';
import type { RoomMessage, RoomView } from './room.ts';

export interface RoomState {
  gone: boolean;
  typing: boolean;
  older: 'idle' | 'loading' | 'failed';
}

/** The same message is the same object in each view, so that React draws again only what changed. */
const shown = new WeakMap<Message, RoomMessage>();

/** What the chat shows: the log as held, and after it what this browser has still to send. */
export function toRoomView(
  held: HeldLog | null,
  unsent: readonly OutboxEntry[],
  isAcknowledged: (id: string) => boolean,
  state: RoomState,
): RoomView {
  const pending = unsent.map(({ id, text, replyTo, createdAt, failure }): RoomMessage => ({
    id,
    seq: null,
    memberId: held?.me ?? '',
    text,
    replyTo,
    createdAt,
    editedAt: null,
    reactions: {},
    failure,
    delivery: failure ? 'failed' : isAcknowledged(id) ? 'sent' : 'sending',
  }));
  const idle = held?.hasOlder ? 'some' : 'none';
  return {
    state: state.gone ? 'gone' : held ? 'ready' : 'loading',
    messages: [...(held?.messages ?? []).map(toSent), ...pending],
    personas: held?.personas ?? new Map(),
    me: held?.me ?? null,
    readSeq: held?.readSeq ?? 0,
    typing: state.typing,
    older: state.older === 'idle' ? idle : state.older,
  };
}

function toSent(message: Message): RoomMessage {
  const known = shown.get(message);
  if (known) return known;
  const sent: RoomMessage = { ...message, delivery: 'sent', failure: null };
  shown.set(message, sent);
  return sent;
}
