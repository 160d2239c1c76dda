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
  toMove,
} from '#web/sync/engine/log-replica.ts';
import { createPreloadedModule } from '#web/lazy-module.ts';
import { createListeners } from '#web/store.ts';
import { createReadPosition, type ReadPosition } from './read-position.ts';
import { type PageActions, RoomPages } from './room-pages.ts';
import type { MessageChange } from './room.ts';
import type { TopicLog } from './topic-log.ts';

/** Loads if a class has topics. */
export const topicCode = createPreloadedModule(() => import('./topic-log.ts'));

export interface LogDependencies {
  send(frame: ClientFrame): boolean;
  readHistory(classId: string, query: HistoryQuery): Promise<HistoryPage>;
  isVisible(): boolean;
  now(): number;
}

interface LogEvents {
  /** Nothing of the former log counts any more. */
  onNewLog(): void;
  onSettingsChanged(): void;
  onChange(): void;
  /** The replica has a gap, or the unread count is unknown: the server must be asked. */
  onStale(): void;
  /** Class data outside the log may be stale. */
  onClassChanged(): void;
}

type Frame<Type extends ServerFrame['type']> = Extract<ServerFrame, { type: Type }>;

const noActivity = { seq: 0, at: 0 };

export class ClassLog {
  readonly #pages: RoomPages;
  readonly position: ReadPosition;
  readonly #events: LogEvents;
  readonly #readHistory: (query: HistoryQuery) => Promise<HistoryPage>;
  #topic: TopicLog | null = null;
  /** It is shown when its code has loaded. */
  #wantedTopicId: string | null = null;
  #replica: LogReplica | null = null;
  /** When this device kept the replica. Null: it is of this page load. */
  #keptAt: number | null = null;
  /** Content may have been taken away since this tab had the whole log. */
  #isBehind = true;
  /** The connection ended after this tab had the whole log. */
  #wasInterrupted = false;
  /**
   * When a light subscription, at this seq, last announced new messages. Null: there can be messages of which this
   * browser knows no time.
   */
  #activity: { seq: number; at: number | null } = noActivity;
  readonly #now: () => number;
  readonly #messageChanges = createListeners<[change: MessageChange]>();
  /** Reports changes of messages that the replica may not hold. */
  readonly onMessageChanged = this.#messageChanges.add;

  constructor(classId: string, dependencies: LogDependencies, events: LogEvents) {
    const { send, readHistory, isVisible, now } = dependencies;
    const { onChange, onStale } = events;
    this.#events = events;
    this.#now = now;
    this.#readHistory = (query) => readHistory(classId, query);
    this.#pages = new RoomPages(
      this.#readHistory,
      () => this.#replica,
      (next) => this.#setReplica(next),
      onChange,
    );
    this.position = createReadPosition(classId, {
      send,
      isVisible,
      replica: () => this.#replica,
      setReadSeq: (readSeq) => this.#setReadSeq(readSeq),
      onStale,
    });
  }

  replica(): LogReplica | null {
    return this.#replica;
  }

  /** The only topic that the member reads. */
  topic(): TopicLog | null {
    return this.#topic;
  }

  /** Null shows the whole log. */
  showTopic(topicId: string | null): void {
    this.#wantedTopicId = topicId;
    if (!this.#replica || topicId === (this.#topic?.topicId ?? null)) return;
    const code = topicCode.getSnapshot();
    this.#topic =
      topicId === null || !code
        ? null
        : new code.TopicLog(topicId, this.#replica, this.#readHistory, ({ personas }) =>
            this.#addPersonas(personas),
          );
    this.#events.onChange();
    this.#topic?.fill();
  }

  /** Where the member reads: in the topic, or in the whole log. */
  pages(): RoomPages {
    return this.#topic?.pages ?? this.#pages;
  }

  /** The whole log is shown if the list of the topic does not hold the message to open. */
  readonly pageActions: PageActions = {
    loadOlder: () => this.pages().loadOlder(),
    loadNewer: () => this.pages().loadNewer(),
    openMessage: (id) => {
      if (!this.#topic?.holds(id)) this.showTopic(null);
      return this.pages().openMessage(id);
    },
    openTime: (time) => this.pages().openTime(time),
    showNewest: () => this.pages().showNewest(),
    setSeen: (seq) => this.pages().setSeen(seq),
    forgetDistant: () => this.pages().forgetDistant(),
  };

  keptAt(): number | null {
    return this.#keptAt;
  }

  isBehind(): boolean {
    return this.#isBehind;
  }

  /** The time of the newest message, or when this browser learned of it. Null: unknown, or there is none. */
  lastActivityAt(): number | null {
    const { at } = this.#activity;
    return at === null
      ? null
      : Math.max(at, this.#replica?.messages.at(-1)?.createdAt ?? 0) || null;
  }

  /** Whether the replica has the newest message, and nothing in it has changed, as far as this browser knows. */
  isNewestKnown(): boolean {
    const { seq } = this.#activity;
    return this.#replica !== null && (seq === noActivity.seq || seq === this.#replica.seq);
  }

  onSnapshot(frame: SnapshotFrame): void {
    const next = createReplica(frame);
    // The changes between the two snapshots are unknown.
    if (this.#replica) {
      this.#events.onClassChanged();
      this.#messageChanges.notify({ kind: 'unknown' });
    }
    const replicaInUse = this.#findReplicaInUse(next.epoch);
    this.#pages.cancel();
    if (this.#replica && this.#replica.epoch !== next.epoch) this.position.onNewLog();
    const log = replicaInUse ? keepWindow(next, replicaInUse) : next;
    this.#topic?.restart(log);
    this.#setReplica({ ...log, readSeq: this.position.merge(next.readSeq) });
  }

  /** @returns the entries that the replica did not have */
  onEvents(frame: EventsFrame): readonly LogItem[] {
    if (!this.#replica) return [];
    const { seq } = this.#replica;
    const next = applyEvents(this.#replica, frame);
    if (next === 'gap') {
      this.#events.onStale();
      return [];
    }
    // A list on screen forgets earlier, where the member does not see it.
    this.#topic?.apply(frame);
    const isUnattended = next.messages.length > 2 * maxHeld;
    this.#setReplica(isUnattended ? forgetDistant(next, null) : next);
    const items = frame.items.filter((item) => item.seq > seq);
    this.#reportChanges(items);
    return items;
  }

  /** Others see the viewer's persona from now on. */
  appear(personas: LogReplica['personas']): void {
    if (!this.#replica || this.#replica.hasAppeared) return;
    this.#setReplica({ ...this.#replica, personas, hasAppeared: true });
  }

  /** The subscription is complete. */
  onLive({ readSeq }: Frame<'live'>): void {
    this.#keptAt = null;
    this.#isBehind = false;
    this.#activity = noActivity;
    this.position.onLive(readSeq);
    this.#pages.refreshIfStale();
    if (!this.#wasInterrupted) return;
    this.#wasInterrupted = false;
    this.#messageChanges.notify({ kind: 'resumed' });
  }

  /** A light subscription has started. */
  onUnread(frame: Frame<'unread'>): void {
    const { seq } = frame;
    const isCurrent = seq === this.#replica?.seq;
    if (!isCurrent) this.#isBehind = true;
    if (seq !== this.#activity.seq) this.#activity = { seq, at: isCurrent ? 0 : null };
    this.position.onUnread(frame);
  }

  onActivity(frame: Frame<'activity'>): void {
    const { seq, posted } = frame;
    this.#activity = { seq, at: posted > 0 ? this.#now() : this.#activity.at };
    if (frame.recount) this.#isBehind = true;
    this.position.onActivity(frame);
    this.#events.onChange();
    if (frame.classChanged) this.#events.onClassChanged();
  }

  onDisconnect(): void {
    if (!this.#isBehind) this.#wasInterrupted = true;
    this.#isBehind = true;
    this.position.onDisconnect();
  }

  addPersona(persona: Persona): void {
    if (this.#replica) this.#setReplica(addPersona(this.#replica, persona));
  }

  /** Shows what this device kept, until the server has brought it up to date. */
  restore(keptReplica: LogReplica, keptAt: number): void {
    this.#keptAt = keptAt;
    this.#setReplica(keptReplica);
  }

  clear(): void {
    this.#replica = null;
    this.#keptAt = null;
    this.#topic = null;
    this.#activity = noActivity;
    this.#pages.cancel();
    this.position.stop();
  }

  #setReplica(next: LogReplica): void {
    if (next === this.#replica) return;
    if (next.epoch !== this.#replica?.epoch) this.#events.onNewLog();
    if (next.settings !== this.#replica?.settings) this.#events.onSettingsChanged();
    this.#replica = next;
    if (next.settings.topics && !topicCode.getSnapshot()) {
      void topicCode.load().then(() => {
        this.#events.onChange();
        this.showTopic(this.#wantedTopicId);
      });
    }
    this.#events.onChange();
  }

  /** The personas of the whole log are newer. A change of the topic's list also renders the room. */
  #addPersonas(personas: LogReplica['personas']): void {
    const log = this.#replica;
    if (!log) return;
    const hasNew = [...personas.keys()].some((id) => !log.personas.has(id));
    if (hasNew) this.#replica = { ...log, personas: new Map([...personas, ...log.personas]) };
    this.#events.onChange();
  }

  #setReadSeq(readSeq: number): void {
    if (this.#replica) this.#replica = { ...this.#replica, readSeq };
    this.#events.onChange();
  }

  /** Finds the replica in which the member reads, if it is of the history of the new snapshot. */
  #findReplicaInUse(epoch: string): LogReplica | null {
    const replica = this.#replica;
    if (replica?.epoch !== epoch || this.#keptAt !== null) return null;
    return this.#pages.isReadingIn(replica) ? replica : null;
  }

  #reportChanges(items: readonly LogItem[]): void {
    if (items.some(({ kind }) => kind === 'class')) this.#events.onClassChanged();
    for (const item of items) {
      const isAsked = item.kind === 'posted' && item.message.question !== undefined;
      if (item.kind === 'moved') this.#messageChanges.notify(toMove(item));
      if (isAsked || ('messageId' in item && item.kind !== 'reacted')) {
        this.#messageChanges.notify(item);
      }
    }
  }
}
