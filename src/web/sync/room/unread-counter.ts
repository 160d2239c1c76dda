// The unread counts of a class that is not on screen. The server counts once; its notices then change the count.
import { limits } from '#contract/limits.ts';
import type { ServerFrame } from '#contract/socket.ts';

type UnreadFrame = Extract<ServerFrame, { type: 'unread' }>;
type ActivityFrame = Extract<ServerFrame, { type: 'activity' }>;

/** Each up to the limit. */
export interface UnreadCounts {
  unread: number;
  /** The unread messages that mention the member. */
  mentions: number;
}

export interface UnreadCounter {
  /** Null if the class has no light subscription. */
  counts(): (UnreadCounts & { seq: number }) | null;
  start(frame: UnreadFrame): void;
  onActivity(frame: ActivityFrame): void;
  /** The member has read up to this seq on another device, or marked what follows as unread. */
  onReadElsewhere(seq: number): void;
  stop(): void;
}

/** Spreads the requests after a deletion, so that the browsers of a class do not all ask together. */
const maxRecountDelayMs = 2000; // WIRE-42

/** @param recount asks the server for the count, which arrives as an `unread` frame */
export function createUnreadCounter(recount: () => void): UnreadCounter {
  let serverCount: (UnreadCounts & { seq: number; readSeq: number }) | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function recountLater(): void {
    clearTimeout(timer);
    timer = setTimeout(recount, Math.random() * maxRecountDelayMs);
  }

  return {
    counts: () => serverCount,
    start({ seq, readSeq, unread, mentions }) {
      clearTimeout(timer);
      serverCount = { seq, readSeq, unread, mentions };
    },
    onActivity({ seq, posted, mentions: mentioning, recount: isStale }) {
      if (!serverCount || seq <= serverCount.seq) return;
      const unread = Math.min(limits.maxUnreadCount, serverCount.unread + posted);
      const mentions = Math.min(limits.maxUnreadCount, serverCount.mentions + mentioning);
      serverCount = { ...serverCount, seq, unread, mentions };
      if (isStale && unread > 0) recountLater();
    },
    onReadElsewhere(readSeq) {
      if (!serverCount) return;
      if (readSeq >= serverCount.seq) {
        serverCount = { ...serverCount, readSeq, unread: 0, mentions: 0 };
      } else if (readSeq < serverCount.readSeq || serverCount.unread > 0) recountLater();
      serverCount = { ...serverCount, readSeq };
    },
    stop() {
      clearTimeout(timer);
      serverCount = null;
    },
  };
}
