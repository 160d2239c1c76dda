// Ephemeral events of a room: read receipts and typing. The outbox does not keep them, so they can be lost.
import type { ClientFrame } from '#contract/socket.ts';

type Timer = ReturnType<typeof setTimeout>;
type Send = (frame: ClientFrame) => boolean;

const readIntervalMs = 1000;
const typingIntervalMs = 3000;
const typingTimeoutMs = 5000;

export interface ReadReceiptSender {
  /** The member has read up to this seq. If `isBackward`, what follows counts as unread again. */
  markRead(seq: number, isBackward: boolean): void;
  /** The position to show: the server's, unless this tab has a newer one that the server may lack. */
  merge(serverSeq: number): number;
  /** The server has reported a position that another device set. @returns the position to show */
  onReadElsewhere(seq: number): number;
  /** The class is being subscribed to. Until `onLive`, the server ignores positions. */
  onSubscribe(): void;
  /** The subscription is complete: the server has every position that this connection has sent. */
  onLive(): void;
  /** A light subscription has started: the server has every position that this connection has sent. */
  onCounted(): void;
  /** The page may be about to close: sends the last position before its second is over. */
  onHide(): void;
  /** The connection may have lost the last position, so it is sent again. */
  onDisconnect(): void;
  stop(): void;
}

/** Sends at most one frame a second, and always the last position. */
export function createReadReceiptSender(classId: string, send: Send): ReadReceiptSender {
  /** The last position of this tab. Null if the server has it. */
  let unconfirmed: { seq: number; isBackward: boolean } | null = null;
  let isSent = false;
  let isLive = false;
  let timer: Timer | null = null;

  function flush(): void {
    if (timer || !isLive || !unconfirmed || isSent) return;
    const { seq, isBackward } = unconfirmed;
    isSent = send({ type: 'read', classId, seq, ...(isBackward && { back: true }) });
    if (!isSent) return;
    timer = setTimeout(() => {
      timer = null;
      flush();
    }, readIntervalMs);
  }

  function endInterval(): void {
    if (timer) clearTimeout(timer);
    timer = null;
  }

  function confirmIfSent(): void {
    if (isSent) unconfirmed = null;
    isSent = false;
  }

  function merge(serverSeq: number): number {
    if (!unconfirmed) return serverSeq;
    return unconfirmed.isBackward ? unconfirmed.seq : Math.max(unconfirmed.seq, serverSeq);
  }

  return {
    markRead(seq, isBackward) {
      unconfirmed = { seq, isBackward };
      isSent = false;
      flush();
    },
    merge,
    onReadElsewhere(seq) {
      // If the server gets the sent position after that one, it replies with the result.
      confirmIfSent();
      return merge(seq);
    },
    onSubscribe: () => void (isLive = false),
    onLive() {
      isLive = true;
      confirmIfSent();
      flush();
    },
    onCounted: confirmIfSent,
    onHide() {
      endInterval();
      flush();
    },
    onDisconnect() {
      isLive = false;
      isSent = false;
    },
    stop() {
      endInterval();
      unconfirmed = null;
      isSent = false;
    },
  };
}

/** @returns a function to call on each key press; it sends at most one frame in three seconds */
export function createTypingNotifier(classId: string, send: Send, now: () => number): () => void {
  let last = -Infinity;
  return () => {
    if (now() - last < typingIntervalMs) return;
    if (send({ type: 'typing', classId })) last = now();
  };
}

export interface TypingIndicator {
  isVisible(): boolean;
  /** Call when a typing frame arrives. */
  show(): void;
  hide(): void;
}

export function createTypingIndicator(onChange: () => void): TypingIndicator {
  let timer: Timer | null = null;
  const hide = () => {
    if (!timer) return;
    clearTimeout(timer);
    timer = null;
    onChange();
  };
  return {
    isVisible: () => timer !== null,
    show() {
      const wasVisible = timer !== null;
      if (timer) clearTimeout(timer);
      timer = setTimeout(hide, typingTimeoutMs);
      if (!wasVisible) onChange();
    },
    hide,
  };
}
