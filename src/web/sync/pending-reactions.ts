// My reactions that the log does not show yet: shown at once, and taken back where they are refused.
import type { Emoji } from '#contract/emojis.ts';
import type { RoomMessage } from './room.ts';

export interface PendingReaction {
  /** Acknowledged: the log has it at this seq. */
  done(seq: number): void;
  /** Refused or lost: what the log says is shown again. */
  undo(): void;
}

export interface PendingReactions {
  /** Takes the place of an earlier one to the same message. */
  add(messageId: string, emoji: Emoji | null): PendingReaction;
  /** Everything up to this seq is held: what the log shows need not be pending. */
  settle(replicaSeq: number): void;
  clear(): void;
  /** The message as I am to see it; the same object as long as nothing changes. */
  onto(message: RoomMessage, me: string): RoomMessage;
}

interface Pending {
  emoji: Emoji | null;
  /** Null until acknowledged. */
  seq: number | null;
  shown: WeakMap<RoomMessage, RoomMessage>;
}

export function createPendingReactions(): PendingReactions {
  const pending = new Map<string, Pending>();
  return {
    add(messageId, emoji) {
      const mine: Pending = { emoji, seq: null, shown: new WeakMap() };
      pending.set(messageId, mine);
      return {
        done(seq) {
          mine.seq = seq;
        },
        undo() {
          // A later pick of the same person stays.
          if (pending.get(messageId) === mine) pending.delete(messageId);
        },
      };
    },
    settle(replicaSeq) {
      for (const [messageId, { seq }] of pending) {
        if (seq !== null && seq <= replicaSeq) pending.delete(messageId);
      }
    },
    clear: () => pending.clear(),
    onto(message, me) {
      const mine = pending.get(message.id);
      if (!mine) return message;
      const known = mine.shown.get(message);
      if (known) return known;
      const { [me]: _, ...others } = message.reactions;
      const reactions = mine.emoji ? { ...others, [me]: mine.emoji } : others;
      const shown = { ...message, reactions };
      mine.shown.set(message, shown);
      return shown;
    },
  };
}
