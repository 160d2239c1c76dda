// Optimistic reactions: shown before the log has them, and reverted if the server rejects them.
import type { Emoji } from '#contract/emojis.ts';
import type { RoomMessage } from './room.ts';

export interface PendingReaction {
  /** The server acknowledged the reaction: the log has it at this seq. */
  confirm(seq: number): void;
  /** The request was rejected or lost: reverts to the log. */
  revert(): void;
}

export interface PendingReactions {
  /** Replaces an earlier pending reaction to the same message. */
  add(messageId: string, emoji: Emoji | null): PendingReaction;
  /** Drops the reactions that the replica includes up to this seq. */
  removeConfirmed(replicaSeq: number): void;
  clear(): void;
  /** Applies the viewer's pending reaction. Returns the same object if nothing changed. */
  applyTo(message: RoomMessage, me: string): RoomMessage;
}

interface Pending {
  emoji: Emoji | null;
  /** Null until acknowledged. */
  seq: number | null;
  cache: WeakMap<RoomMessage, RoomMessage>;
}

export function createPendingReactions(): PendingReactions {
  const pending = new Map<string, Pending>();
  return {
    add(messageId, emoji) {
      const ownReaction: Pending = { emoji, seq: null, cache: new WeakMap() };
      pending.set(messageId, ownReaction);
      return {
        confirm(seq) {
          ownReaction.seq = seq;
        },
        revert() {
          // Keeps a later pick of the same member.
          if (pending.get(messageId) === ownReaction) pending.delete(messageId);
        },
      };
    },
    removeConfirmed(replicaSeq) {
      for (const [messageId, { seq }] of pending) {
        if (seq !== null && seq <= replicaSeq) pending.delete(messageId);
      }
    },
    clear: () => pending.clear(),
    applyTo(message, me) {
      const ownReaction = pending.get(message.id);
      if (!ownReaction) return message;
      const cachedMessage = ownReaction.cache.get(message);
      if (cachedMessage) return cachedMessage;
      const { [me]: _, ...otherReactions } = message.reactions;
      const reactions = ownReaction.emoji
        ? { ...otherReactions, [me]: ownReaction.emoji }
        : otherReactions;
      const shownMessage = { ...message, reactions };
      ownReaction.cache.set(message, shownMessage);
      return shownMessage;
    },
  };
}
