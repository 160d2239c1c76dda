import type { HeldLog } from './held-log.ts';
import type { OutboxEntry } from './outbox.ts';
import type { RoomMessage, RoomView } from './room.ts';

/** What the chat shows: the log as held, and after it what this browser has still to send. */
export function toRoomView(
  held: HeldLog | null,
  unsent: readonly OutboxEntry[],
  state: { gone: boolean; older: 'idle' | 'loading' | 'failed' },
): RoomView {
  const sent = (held?.messages ?? []).map((message): RoomMessage => ({
    ...message,
    delivery: 'sent',
    failure: null,
  }));
  const pending = unsent.map(({ id, text, createdAt, failure, ...entry }): RoomMessage => ({
    id,
    seq: null,
    memberId: held?.me ?? '',
    text,
    createdAt,
    delivery: deliveries[entry.state],
    failure,
  }));
  const idle = held?.hasOlder ? 'some' : 'none';
  return {
    state: state.gone ? 'gone' : held ? 'ready' : 'loading',
    messages: [...sent, ...pending],
    personas: held?.personas ?? new Map(),
    me: held?.me ?? null,
    older: state.older === 'idle' ? idle : state.older,
  };
}

const deliveries = {
  waiting: 'sending',
  inFlight: 'sending',
  acknowledged: 'sent',
  failed: 'failed',
} as const;
