// The log of one class in this tab: its replica, what each frame makes of it, where the member reads in it
// (`room-pages.ts`), and how far they have read (`read-position.ts`).
import type { Persona } from '#contract/entities.ts';
import type { ClientFrame, LogItem, ServerFrame } from '#contract/socket.ts';
import {
  addPersona,
  applyEvents,
  type EventsFrame,
  forgetDistant,
  createReplica,
  type HistoryPage,
  type HistoryQuery,
  keepWindow,
  type LogReplica,
  maxHeld,
  type SnapshotFrame,
} from '#web/sync/engine/log-replica.ts';
import { createListeners } from '#web/store.ts';
import { createReadPosition } from './read-position.ts';
import { createRoomPages } from './room-pages.ts';
import type { MessageChange } from './room.ts';

interface Dependencies {
  send(frame: ClientFrame): boolean;
  readHistory(classId: string, query: HistoryQuery): Promise<HistoryPage>;
  isVisible(): boolean;
  /** Nothing of the former log counts any more. */
  onNewLog(): void;
  onSettingsChanged(): void;
  onChange(): void;
  /** The replica has a gap, or the unread count is unknown: the server must be asked. */
  onStale(): void;
  /** Class data outside the log may be stale. */
  onClassChanged(): void;
}

export function createClassLog(classId: string, dependencies: Dependencies) {
  const { onChange, onStale, onClassChanged } = dependencies;
  let replica: LogReplica | null = null;
  /** When this device kept the replica. Null: it is of this page load. */
  let keptAt: number | null = null;
  /** Content may have been taken away since this tab had the whole log. */
  let isBehind = true;
  const messageChanges = createListeners<[change: MessageChange]>();
  const pages = createRoomPages({
    replica: () => replica,
    setReplica,
    refreshView: onChange,
    readHistory: (query) => dependencies.readHistory(classId, query),
  });
  const position = createReadPosition(classId, {
    ...dependencies,
    replica: () => replica,
    setReadSeq(readSeq) {
      if (replica) replica = { ...replica, readSeq };
      onChange();
    },
  });

  function setReplica(next: LogReplica): void {
    if (next === replica) return;
    if (next.epoch !== replica?.epoch) dependencies.onNewLog();
    if (next.settings !== replica?.settings) dependencies.onSettingsChanged();
    replica = next;
    onChange();
  }

  return {
    pages,
    position,
    replica: () => replica,
    keptAt: () => keptAt,
    isBehind: () => isBehind,
    /** Reports changes of messages that the replica may not hold. */
    onMessageChanged: messageChanges.add,

    onSnapshot(frame: SnapshotFrame): void {
      const next = createReplica(frame);
      // The changes between the two snapshots are unknown.
      if (replica) {
        onClassChanged();
        messageChanges.notify({ kind: 'unknown' });
      }
      const isSameLog = replica?.epoch === next.epoch && keptAt === null;
      const previousReplica = replica && isSameLog && pages.isReadingIn(replica) ? replica : null;
      pages.cancel();
      if (replica && replica.epoch !== next.epoch) position.onNewLog();
      const log = previousReplica ? keepWindow(next, previousReplica) : next;
      setReplica({ ...log, readSeq: position.merge(next.readSeq) });
    },

    /** @returns the entries that the replica did not have */
    onEvents(frame: EventsFrame): readonly LogItem[] {
      if (!replica) return [];
      const { seq } = replica;
      const next = applyEvents(replica, frame);
      if (next === 'gap') {
        onStale();
        return [];
      }
      // A list on screen forgets earlier, where the member does not see it.
      const isUnattended = next.messages.length > 2 * maxHeld;
      setReplica(isUnattended ? forgetDistant(next, null) : next);
      const items = frame.items.filter((item) => item.seq > seq);
      if (items.some(({ kind }) => kind === 'class')) onClassChanged();
      for (const item of items) {
        if (item.kind === 'edited' || item.kind === 'deleted' || item.kind === 'moderated') {
          messageChanges.notify(item);
        }
      }
      return items;
    },

    /** The subscription is complete. */
    onLive({ readSeq }: Extract<ServerFrame, { type: 'live' }>): void {
      keptAt = null;
      isBehind = false;
      position.onLive(readSeq);
      pages.refreshIfStale();
    },

    /** A light subscription has started. */
    onUnread(frame: Extract<ServerFrame, { type: 'unread' }>): void {
      if (frame.seq !== replica?.seq) isBehind = true;
      position.onUnread(frame);
    },

    onActivity(frame: Extract<ServerFrame, { type: 'activity' }>): void {
      if (frame.recount) isBehind = true;
      position.onActivity(frame);
      onChange();
      if (frame.classChanged) onClassChanged();
    },

    onDisconnect(): void {
      isBehind = true;
      position.onDisconnect();
    },

    addPersona(persona: Persona): void {
      if (replica) setReplica(addPersona(replica, persona));
    },

    /** Shows what this device kept, until the server has brought it up to date. */
    restore(keptReplica: LogReplica, keptSince: number): void {
      keptAt = keptSince;
      setReplica(keptReplica);
    },

    clear(): void {
      replica = null;
      keptAt = null;
      pages.cancel();
      position.stop();
    },
  };
}
