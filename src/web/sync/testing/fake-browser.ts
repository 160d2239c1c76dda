// For tests: one browser with storage, locks, a channel and tabs.
import type { LeadershipListener, Tabs } from '#web/sync/engine/browser-tabs.ts';
import { OfflineRooms } from '#web/sync/offline/offline-rooms.ts';
import { SocketLiveClient } from '../live-client.ts';
import { createMemoryStorage, type OutboxStorage } from '#web/sync/outbox/outbox-storage.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import type { TabStorage } from '#web/sync/engine/tab-storage.ts';
import type { PictureCalls } from '#web/sync/uploads/browser-pictures.ts';
import { createListeners } from '#web/store.ts';
import { createFakeOfflineStorage } from './fake-offline-storage.ts';
import type { FakeServer, Wire } from './fake-server.ts';

interface Candidate {
  name: string;
  listener: LeadershipListener;
}

export class FakeBrowser {
  account: string;
  /** The HTTP session check result while no socket opens. */
  session: 'signed-in' | 'signed-out' | 'unreachable' = 'unreachable';
  readonly server: FakeServer;
  readonly storage: OutboxStorage;
  readonly sharedTexts = new Map<string, string>();
  /** What all tabs keep on the device. */
  readonly kept = createFakeOfflineStorage();
  readonly tabs: FakeTab[] = [];
  /** What this browser makes of a HEIC or AVIF picture. */
  converted: Blob | null = null;
  /** The smaller copy that this browser makes of each picture. */
  smallerCopy: Blob | null = null;
  readonly outboxListeners = new Set<() => void>();
  readonly locks: FakeLocks;

  constructor(server: FakeServer, account: string, { hasLocks = true, shared = true } = {}) {
    this.server = server;
    this.account = account;
    this.locks = new FakeLocks(hasLocks);
    this.storage = createMemoryStorage(shared);
  }

  /** @param reloaded the tab that this page load replaces */
  openTab(reloaded?: FakeTab): FakeTab {
    const tab = new FakeTab(this, reloaded?.texts);
    this.tabs.push(tab);
    return tab;
  }

  /** Keeps rooms as the app does when the code for that has loaded. */
  keepRooms(tab: FakeTab, classIds: readonly string[]): OfflineRooms {
    const { connection, offline } = tab.live;
    const getTime = () => Date.now();
    const { account, kept: storage } = this;
    const rooms = new OfflineRooms({ live: offline, connection, storage, account, now: getTime });
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
}

export class FakeTab {
  isVisible = true;
  /** Null unless the tab keeps rooms on the device. */
  kept: OfflineRooms | null = null;
  /** What the browser keeps for this tab over a reload. */
  readonly texts: Map<string, string>;
  readonly live: LiveClient;
  readonly #browser: FakeBrowser;
  readonly #outboxListeners = new Set<() => void>();
  readonly #wakeListeners = createListeners();
  readonly #hideListeners = createListeners();
  #wire: Wire | undefined;
  #isFrozen = false;

  constructor(browser: FakeBrowser, texts: ReadonlyMap<string, string> = new Map()) {
    const { server } = browser;
    const open = server.opener(() => browser.account);
    this.#browser = browser;
    this.texts = new Map(texts);
    this.live = new SocketLiveClient({
      openSocket: (handlers) => {
        const raw = open(handlers);
        this.#wire = server.wires.at(-1);
        return raw;
      },
      storage: Promise.resolve(browser.storage),
      tabStorage: createTextStorage(this.texts),
      sharedStorage: createTextStorage(this.#browser.sharedTexts),
      tabs: this.#createTabs(),
      page: {
        isVisible: () => this.isVisible,
        onWake: this.#wakeListeners.add,
        onHide: this.#hideListeners.add,
      },
      pictures: this.#createPictureCalls(),
      now: () => Date.now(),
      readHistory: async (...query) => server.readHistory(...query),
      checkSession: () => Promise.resolve(browser.session),
    });
  }

  /** The current connection or connection attempt. */
  wire(): Wire | undefined {
    if (this.#isFrozen) return undefined;
    return this.#browser.server.wires.find((wire) => wire === this.#wire);
  }

  wake(): void {
    this.#wakeListeners.notify();
  }

  hide(): void {
    this.isVisible = false;
    this.#hideListeners.notify();
  }

  /** Suspends the tab, as the system does in the background. The tab keeps its lock. */
  freeze(): void {
    this.#isFrozen = true;
    this.isVisible = false;
  }

  close(): void {
    const { tabs } = this.#browser;
    tabs.splice(tabs.indexOf(this), 1);
    this.kept?.stop();
    this.live.close();
  }

  #createTabs(): Tabs {
    const { outboxListeners, locks } = this.#browser;
    return {
      publishOutboxChange: () => {
        for (const listener of outboxListeners) {
          if (!this.#outboxListeners.has(listener)) queueMicrotask(listener);
        }
      },
      onOutboxChange: (listener) => {
        const onChange = () => {
          if (!this.#isFrozen) listener();
        };
        this.#outboxListeners.add(onChange);
        outboxListeners.add(onChange);
        return () => outboxListeners.delete(onChange);
      },
      acquireLeadership: (name, listener, steal) => locks.acquire(name, listener, steal),
    };
  }

  #createPictureCalls(): PictureCalls {
    const browser = this.#browser;
    const { server } = browser;
    return {
      upload: (classId, bytes, onProgress, signal) =>
        server.upload({
          account: browser.account,
          classId,
          bytes,
          onProgress,
          signal,
          isReachable: () => !this.#isFrozen,
        }),
      remove: (_, imageId) => Promise.resolve(server.removeImage(imageId)),
      measure: () => Promise.resolve(server.size),
      convert: () => Promise.resolve(browser.converted),
      shrink: () => Promise.resolve(browser.smallerCopy),
    };
  }
}

/** The locks with which the tabs elect a leader. */
class FakeLocks {
  readonly #areSupported: boolean;
  /** The first candidate of each name holds the lock. */
  #candidates: Candidate[] = [];

  constructor(areSupported: boolean) {
    this.#areSupported = areSupported;
  }

  acquire(name: string, listener: LeadershipListener, steal = false): () => void {
    if (!this.#areSupported) {
      listener.onAcquired();
      return () => {};
    }
    const candidate = { name, listener };
    const holder = this.#findHolder(name);
    if (steal && holder) {
      this.#release(holder, false);
      queueMicrotask(() => holder.listener.onLost());
    }
    this.#candidates = steal ? [candidate, ...this.#candidates] : [...this.#candidates, candidate];
    if (this.#findHolder(name) === candidate) queueMicrotask(() => listener.onAcquired());
    return () => this.#release(candidate, true);
  }

  #findHolder(name: string): Candidate | undefined {
    return this.#candidates.find((candidate) => candidate.name === name);
  }

  #release(candidate: Candidate, handOver: boolean): void {
    const wasHolder = this.#findHolder(candidate.name) === candidate;
    this.#candidates = this.#candidates.filter((other) => other !== candidate);
    const next = this.#findHolder(candidate.name);
    if (wasHolder && handOver && next) queueMicrotask(() => next.listener.onAcquired());
  }
}

function createTextStorage(texts: Map<string, string>): TabStorage {
  return {
    read: (key) => texts.get(key) ?? null,
    write: (key, text) => (text === null ? texts.delete(key) : texts.set(key, text)),
  };
}
