// How far the member has read in one class, in this tab and on other devices, and how much is unread.
import type { ServerFrame } from '#contract/socket.ts';
import type { LogReplica } from '#web/sync/engine/log-replica.ts';
import { createReadReceiptSender } from './ephemeral-events.ts';
import type { Room } from './room.ts';
import { createUnreadCounter, type UnreadCounts } from './unread-counter.ts';

type Frame<Type extends ServerFrame['type']> = Extract<ServerFrame, { type: Type }>;

export interface ReadPosition extends Pick<
  Room,
  'markRead' | 'markSeen' | 'markUnreadFrom' | 'markAllRead'
> {
  /** What the server counted. Null: the replica is current, so the browser counts. */
  counts(): UnreadCounts | null;
  /** The position to show: the server's, unless this tab has a newer one that the server may lack. */
  merge(serverSeq: number): number;
  onSubscribe(): void;
  onLive(serverSeq: number): void;
  onUnread(frame: Frame<'unread'>): void;
  onActivity(frame: Frame<'activity'>): void;
  onReadElsewhere(seq: number): void;
  onDisconnect(): void;
  /** Call when the tab becomes visible again. */
  onVisible(): void;
  /** Call when the tab is hidden or closes. */
  onHide(): void;
  /** Another log replaced this one, so unsent positions mean nothing any more. */
  onNewLog(): void;
  stop(): void;
}

interface Dependencies {
  send: Parameters<typeof createReadReceiptSender>[1];
  isVisible(): boolean;
  replica(): LogReplica | null;
  /** Keeps the position in the replica, if there is one, and refreshes the view. */
  setReadSeq(readSeq: number): void;
  /** The count is unknown: the server must be asked for it. */
  onStale(): void;
}

export function createReadPosition(classId: string, dependencies: Dependencies): ReadPosition {
  const { replica, setReadSeq } = dependencies;
  const receipts = createReadReceiptSender(classId, dependencies.send);
  const counter = createUnreadCounter(dependencies.onStale);
  let isReadPending = false;
  /** The member marked messages as unread. They stay unread until the class is opened again. */
  let isKeptUnread = false;

  function markSeen(): void {
    const log = replica();
    const newest = log?.messages.at(-1)?.seq;
    if (!log || isKeptUnread || newest === undefined || newest <= log.readSeq) return;
    isReadPending = !dependencies.isVisible();
    if (isReadPending) return;
    receipts.markRead(newest, false);
    setReadSeq(newest);
  }

  return {
    markSeen,
    markRead() {
      isKeptUnread = false;
      markSeen();
    },
    markAllRead() {
      const counts = counter.counts();
      isKeptUnread = false;
      if (!counts) {
        markSeen();
        return true;
      }
      const isSent = dependencies.send({ type: 'read', classId, seq: counts.seq });
      if (isSent) {
        counter.onReadElsewhere(counts.seq);
        setReadSeq(counts.seq);
      }
      return isSent;
    },
    markUnreadFrom(messageId) {
      const log = replica();
      const message = log?.messages.find(({ id }) => id === messageId);
      if (!log || !message) return;
      isKeptUnread = true;
      // A message of a topic that is read on its own can be above what is read of the class.
      const readSeq = Math.min(log.readSeq, message.seq - 1);
      receipts.markRead(readSeq, true);
      setReadSeq(readSeq);
    },
    counts: counter.counts,
    merge: receipts.merge,
    onSubscribe: receipts.onSubscribe,
    onLive(serverSeq) {
      counter.stop();
      receipts.onLive();
      setReadSeq(receipts.merge(serverSeq));
    },
    onUnread(frame) {
      receipts.onCounted();
      counter.start(frame);
      setReadSeq(frame.readSeq);
    },
    onActivity: counter.onActivity,
    onReadElsewhere(seq) {
      counter.onReadElsewhere(seq);
      const readSeq = receipts.onReadElsewhere(seq);
      const log = replica();
      if (log && readSeq < log.readSeq) isKeptUnread = true;
      setReadSeq(readSeq);
    },
    onDisconnect: receipts.onDisconnect,
    onVisible() {
      if (isReadPending) markSeen();
    },
    onHide: receipts.onHide,
    onNewLog: receipts.stop,
    stop() {
      isKeptUnread = false;
      counter.stop();
      receipts.stop();
    },
  };
}
