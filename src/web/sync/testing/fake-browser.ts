// For tests: one browser with storage, locks, a channel and tabs.
import type { LeadershipListener, Tabs } from '#web/sync/engine/browser-tabs.ts';
import { type OfflineRooms, startOfflineRooms } from '#web/sync/offline/offline-rooms.ts';
import { SocketLiveClient } from '../live-client.ts';
import { createMemoryStorage, type OutboxStorage } from '#web/sync/outbox/outbox-storage.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import type { TabStorage } from '#web/sync/engine/tab-storage.ts';
import { createFakeOfflineStorage } from './fake-offline-storage.ts';
import type { FakeServer, Wire } from './fake-server.ts';

interface Candidate {
  name: string;
  listener: LeadershipListener;
}

export interface FakeTab {
  readonly live: LiveClient;
  /** The current connection or connection attempt. */
  wire(): Wire | undefined;
  isVisible: boolean;
  /** Null unless the tab keeps rooms on the device. */
  kept: OfflineRooms | null;
  /** What the browser keeps for this tab over a reload. */
  readonly texts: ReadonlyMap<string, string>;
  wake(): void;
  hide(): void;
  /** Suspends the tab, as the system does in the background. The tab keeps its lock. */
  freeze(): void;
  close(): void;
}

export class FakeBrowser {
  account: string;
  /** The HTTP session check result while no socket opens. */
  session: 'signed-in' | 'signed-out' | 'unreachable' = 'unreachable';
  readonly storage: OutboxStorage;
  /** What all tabs keep on the device. */
  readonly kept = createFakeOfflineStorage();
  readonly tabs: FakeTab[] = [];
  /** What this browser makes of a HEIC picture. */
  jpeg: Blob | null = null;
  private readonly hasLocks: boolean;
  private readonly server: FakeServer;
  private readonly listeners = new Set<() => void>();
  /** The first candidate of each name holds the lock. */
  private candidates: Candidate[] = [];

  constructor(server: FakeServer, account: string, { hasLocks = true, shared = true } = {}) {
    this.server = server;
    this.account = account;
    this.hasLocks = hasLocks;
    this.storage = createMemoryStorage(shared);
  }

  /** @param reloaded the tab that this page load replaces */
  openTab(reloaded?: FakeTab): FakeTab {
    let wire: Wire | undefined;
    let isFrozen = false;
    const releases = new Set<() => void>();
    const texts = new Map(reloaded?.texts);
    const tabStorage: TabStorage = {
      read: (key) => texts.get(key) ?? null,
      write: (key, text) => (text === null ? texts.delete(key) : texts.set(key, text)),
    };
    const wakers = new Set<() => void>();
    const hiders = new Set<() => void>();
    const open = this.server.opener(() => this.account);
    const tabs: Tabs = {
      publishOutboxChange: () => {
        for (const listener of this.listeners) {
          if (!releases.has(listener)) queueMicrotask(listener);
        }
      },
      onOutboxChange: (listener) => {
        const onChange = () => {
          if (!isFrozen) listener();
        };
        releases.add(onChange);
        this.listeners.add(onChange);
        return () => this.listeners.delete(onChange);
      },
      acquireLeadership: (name, listener, steal) => this.acquireLeadership(name, listener, steal),
    };
    const tab: FakeTab = {
      live: new SocketLiveClient({
        openSocket: (handlers) => {
          const raw = open(handlers);
          wire = this.server.wires.at(-1);
          return raw;
        },
        storage: Promise.resolve(this.storage),
        tabStorage,
        tabs,
        page: {
          isVisible: () => tab.isVisible,
          onWake: (listener) => {
            wakers.add(listener);
            return () => wakers.delete(listener);
          },
          onHide: (listener) => {
            hiders.add(listener);
            return () => hiders.delete(listener);
          },
        },
        pictures: {
          upload: (classId, bytes, onProgress, signal) =>
            this.server.upload({
              account: this.account,
              classId,
              bytes,
              onProgress,
              signal,
              isReachable: () => !isFrozen,
            }),
          remove: (_, imageId) => Promise.resolve(this.server.removeImage(imageId)),
          measure: () => Promise.resolve(this.server.size),
          toJpeg: () => Promise.resolve(this.jpeg),
        },
        now: () => Date.now(),
        readHistory: async (...query) => this.server.readHistory(...query),
        checkSession: () => Promise.resolve(this.session),
      }),
      wire: () =>
        isFrozen ? undefined : this.server.wires.find((candidate) => candidate === wire),
      isVisible: true,
      kept: null,
      texts,
      wake: () => {
        for (const listener of wakers) listener();
      },
      hide: () => {
        tab.isVisible = false;
        for (const listener of hiders) listener();
      },
      freeze: () => {
        isFrozen = true;
        tab.isVisible = false;
      },
      close: () => {
        this.tabs.splice(this.tabs.indexOf(tab), 1);
        tab.kept?.stop();
        tab.live.close();
      },
    };
    this.tabs.push(tab);
    return tab;
  }

  /** Keeps rooms as the app does when the code for that has loaded. */
  keepRooms(tab: FakeTab, classIds: readonly string[]): OfflineRooms {
    const { connection, offline } = tab.live;
    const getTime = () => Date.now();
    const { account, kept: storage } = this;
    const rooms = startOfflineRooms({ live: offline, connection, storage, account, now: getTime });
    tab.kept = rooms;
    const onConnection = () => {
      if (connection.getSnapshot() !== 'online') return;
      void storage.putAnswers({ account, keptAt: getTime() });
      const openClassIds = classIds.filter((classId) => !this.server.closed.has(classId));
      rooms.setClasses(
        openClassIds.map((classId) => ({ classId, ended: this.server.ended.has(classId) })),
      );
    };
    connection.subscribe(onConnection);
    onConnection();
    return rooms;
  }

  private acquireLeadership(name: string, listener: LeadershipListener, steal = false): () => void {
    if (!this.hasLocks) {
      listener.onAcquired();
      return () => {};
    }
    const candidate = { name, listener };
    const holder = this.holder(name);
    if (steal && holder) {
      this.release(holder, false);
      queueMicrotask(() => holder.listener.onLost());
    }
    this.candidates = steal ? [candidate, ...this.candidates] : [...this.candidates, candidate];
    if (this.holder(name) === candidate) queueMicrotask(() => listener.onAcquired());
    return () => this.release(candidate, true);
  }

  private holder(name: string): Candidate | undefined {
    return this.candidates.find((candidate) => candidate.name === name);
  }

  private release(candidate: Candidate, handOver: boolean): void {
    const had = this.holder(candidate.name) === candidate;
    this.candidates = this.candidates.filter((other) => other !== candidate);
    const next = this.holder(candidate.name);
    if (had && handOver && next) queueMicrotask(() => next.listener.onAcquired());
  }
}
