// One class as a browser stores it: a snapshot, then each change once and in order. It does not tolerate
// errors: a change that is applied twice appears twice, so that the checker can find it.
import type { Message } from '#contract/entities.ts';
import type { LogItem, ServerFrame } from '#contract/socket.ts';
import type { ReplicaMessage, Step } from './history.ts';

type Snapshot = Extract<ServerFrame, { type: 'snapshot' }>;
type Events = Extract<ServerFrame, { type: 'events' }>;

export interface LogReplica {
  readonly classId: string;
  /** The client's memberId in this class, after the first snapshot. */
  readonly memberId: string | null;
  readonly seq: number;
  readonly messages: readonly ReplicaMessage[];
  readonly hasOlder: boolean;
  readonly steps: Step[];
  /** The position that a subscription sends. */
  position(): { epoch?: string; after?: number; afterId?: string };
  applySnapshot(snapshot: Snapshot): void;
  /** `gap`: an earlier entry is missing, so this one was not applied and must be requested. */
  applyEvents(events: Events): 'applied' | 'duplicate' | 'gap';
  /** A page of history before the first message. */
  prepend(older: readonly Message[]): void;
  /** Clears everything, as after a reset. */
  clear(): void;
}

export function createLogReplica(classId: string): LogReplica {
  const steps: Step[] = [];
  let epoch: string | null = null;
  let lastId: string | null = null;
  let memberId: string | null = null;
  let seq = 0;
  let hasOlder = false;
  let messages: ReplicaMessage[] = [];

  function applyItem(item: LogItem): void {
    const changedMessage =
      'messageId' in item ? messages.find((message) => message.id === item.messageId) : null;
    switch (item.kind) {
      case 'posted':
        messages.push(toReplica(item.message));
        return;
      case 'edited':
        if (changedMessage) changedMessage.text = item.text;
        return;
      case 'deleted':
        messages = messages.filter((message) => message.id !== item.messageId);
        return;
      case 'reacted': {
        if (!changedMessage) return;
        const { [item.memberId]: _, ...otherReactions } = changedMessage.reactions;
        changedMessage.reactions = item.emoji
          ? { ...otherReactions, [item.memberId]: item.emoji }
          : otherReactions;
        return;
      }
      case 'moderated':
        if (changedMessage && item.moderation === 'removed') {
          Object.assign(changedMessage, { text: '', reactions: {} });
        }
        return;
      case 'moved':
      case 'question':
      case 'poll':
      case 'persona':
      case 'class':
      case 'settings':
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
    position() {
      if (epoch === null) return {};
      return { epoch, after: seq, ...(lastId ? { afterId: lastId } : {}) };
    },
    applySnapshot(snapshot) {
      ({ epoch, lastId, seq, hasOlder } = snapshot);
      memberId = snapshot.me.memberId;
      messages = snapshot.messages.map(toReplica);
      steps.push({ kind: 'snapshot', time: performance.now(), seq });
    },
    applyEvents({ from, to, lastId: id, items }) {
      if (to <= seq) return 'duplicate';
      if (epoch === null || from !== seq + 1) return 'gap';
      for (const item of items) applyItem(item);
      seq = to;
      lastId = id;
      const applied = items.map((item) => ({
        seq: item.seq,
        kind: item.kind,
        messageId: findMessageId(item),
      }));
      steps.push({ kind: 'events', time: performance.now(), from, to, items: applied });
      return 'applied';
    },
    prepend(older) {
      const knownIds = new Set(messages.map((message) => message.id));
      messages.unshift(...older.filter((message) => !knownIds.has(message.id)).map(toReplica));
      hasOlder = older.length > 0;
    },
    clear() {
      epoch = null;
      seq = 0;
      messages = [];
    },
  };
}

function findMessageId(item: LogItem): string | null {
  if (item.kind === 'posted') return item.message.id;
  return 'messageId' in item ? item.messageId : null;
}

function toReplica({ id, seq, memberId, text, reactions }: Message): ReplicaMessage {
  return { id, seq, memberId, text, reactions };
}
