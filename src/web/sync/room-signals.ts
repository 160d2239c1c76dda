// Low-priority room signals that may be lost: read positions and typing.
import type { ClientFrame } from '#contract/socket.ts';

type Timer = ReturnType<typeof setTimeout>;
type Send = (frame: ClientFrame) => boolean;

const readEveryMs = 1000;
const typingEveryMs = 3000;
const typingLastsMs = 5000;

export interface ReadSignal {
  /** The member has read everything up to this seq. */
  seen(seq: number): void;
  /** Sends the last position again, because the previous connection may have lost it. */
  repeat(): void;
  stop(): void;
}

/** Sends at most one frame a second, and always the last position. */
export function createReadSignal(classId: string, send: Send): ReadSignal {
  let newest = 0;
  let told = 0;
  let timer: Timer | null = null;

  function tell(): void {
    timer = null;
    if (newest <= told || !send({ type: 'read', classId, seq: newest })) return;
    told = newest;
    timer = setTimeout(tell, readEveryMs);
  }

  return {
    seen(seq) {
      newest = Math.max(newest, seq);
      if (!timer) tell();
    },
    repeat() {
      told = 0;
      if (!timer) tell();
    },
    stop() {
      if (timer) clearTimeout(timer);
      timer = null;
      newest = 0;
      told = 0;
    },
  };
}

/** @returns a function to call on each key press; it sends at most one frame in three seconds */
export function createTypingSignal(classId: string, send: Send, now: () => number): () => void {
  let last = -Infinity;
  return () => {
    if (now() - last < typingEveryMs) return;
    if (send({ type: 'typing', classId })) last = now();
  };
}

export interface TypingIndicator {
  isOn(): boolean;
  /** Call when a typing frame arrives. */
  see(): void;
  off(): void;
}

export function createTypingIndicator(onChange: () => void): TypingIndicator {
  let timer: Timer | null = null;
  const off = () => {
    if (!timer) return;
    clearTimeout(timer);
    timer = null;
    onChange();
  };
  return {
    isOn: () => timer !== null,
    see() {
      const wasOn = timer !== null;
      if (timer) clearTimeout(timer);
      timer = setTimeout(off, typingLastsMs);
      if (!wasOn) onChange();
    },
    off,
  };
}
