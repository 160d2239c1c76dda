// One class as a browser stores it: a snapshot, then each change once and in order. It does not tolerate
// errors: a change that is applied twice appears twice, so that the checker can find it.
import type { Message } from '#contract/entities.ts';
import type { LogItem, ServerFrame } from '#contract/socket.ts';
import type { Held, Step } from './history.ts';

type Snapshot = Extract<ServerFrame, { type: 'snapshot' }>;
type Events = Extract<ServerFrame, { type: 'events' }>;

export interface RoomList {
  readonly classId: string;
  /** The client's memberId in this class, after the first snapshot. */
  readonly memberId: string | null;
  readonly seq: number;
  readonly messages: readonly Held[];
  readonly hasOlder: boolean;
  readonly steps: Step[];
  /** The position that a subscription sends. */
  held(): { epoch?: string; after?: number; afterId?: string };
  start(snapshot: Snapshot): void;
  /** `hole`: an earlier entry is missing, so this one was not applied and must be requested. */
  apply(events: Events): 'applied' | 'had' | 'hole';
  /** A page of history before the first message. */
  prepend(older: readonly Message[]): void;
  /** Clears everything, as after a reset. */
  clear(): void;
}

export function createRoomList(classId: string): RoomList {
  const steps: Step[] = [];
  let epoch: string | null = null;
  let lastId: string | null = null;
  let memberId: string | null = null;
  let seq = 0;
  let hasOlder = false;
  let messages: Held[] = [];

  function applyItem(item: LogItem): void {
    const changed = 'messageId' in item ? messages.find((one) => one.id === item.messageId) : null;
    switch (item.kind) {
      case 'posted':
        messages.push(toReplica(item.message));
        return;
      case 'edited':
        if (changed) changed.text = item.text;
        return;
      case 'deleted':
        messages = messages.filter((one) => one.id !== item.messageId);
        return;
      case 'reacted': {
        if (!changed) return;
        const { [item.memberId]: _, ...others } = changed.reactions;
        changed.reactions = item.emoji ? { ...others, [item.memberId]: item.emoji } : others;
        return;
      }
      case 'persona':
      case 'class':
        return;
    }
  }

  return {
    classId,
    steps,
    get memberId() {
      return memberId;
    },
    get seq() {
      return seq;
    },
    get messages() {
      return messages;
    },
    get hasOlder() {
      return hasOlder;
    },
    held() {
      if (epoch === null) return {};
      return { epoch, after: seq, ...(lastId ? { afterId: lastId } : {}) };
    },
    start(snapshot) {
      ({ epoch, lastId, seq, hasOlder } = snapshot);
      memberId = snapshot.me.memberId;
      messages = snapshot.messages.map(toReplica);
      steps.push({ kind: 'snapshot', at: performance.now(), seq });
    },
    apply({ from, to, lastId: id, items }) {
      if (to <= seq) return 'had';
      if (epoch === null || from !== seq + 1) return 'hole';
      for (const item of items) applyItem(item);
      seq = to;
      lastId = id;
      const applied = items.map((item) => ({
        seq: item.seq,
        kind: item.kind,
        messageId: messageOf(item),
      }));
      steps.push({ kind: 'events', at: performance.now(), from, to, items: applied });
      return 'applied';
    },
    prepend(older) {
      const known = new Set(messages.map((message) => message.id));
      messages.unshift(...older.filter((one) => !known.has(one.id)).map(toReplica));
      hasOlder = older.length > 0;
    },
    clear() {
      epoch = null;
      seq = 0;
      messages = [];
    },
  };
}

function messageOf(item: LogItem): string | null {
  if (item.kind === 'posted') return item.message.id;
  return 'messageId' in item ? item.messageId : null;
}

function toReplica({ id, seq, memberId, text, reactions }: Message): Held {
  return { id, seq, memberId, text, reactions };
}
