// For tests: one browser with storage, locks, a channel and tabs.
import type { LeadershipListener, Tabs } from '../browser-tabs.ts';
import { createLive } from '../live.ts';
import { createMemoryStorage, type OutboxStorage } from '../outbox-storage.ts';
import type { ReadMarks } from '../read-marks.ts';
import type { Live } from '../room.ts';
import type { FakeServer, Wire } from './fake-server.ts';

interface Candidate {
  name: string;
  on: LeadershipListener;
}

export interface FakeTab {
  readonly live: Live;
  /** The current connection or connection attempt. */
  wire(): Wire | undefined;
  isVisible: boolean;
  wake(): void;
  /** Suspends the tab, as the system does in the background. The tab keeps its lock. */
  freeze(): void;
  close(): void;
}

export class FakeBrowser {
  account: string;
  /** The HTTP session check result while no socket opens. */
  session: 'signed-in' | 'signed-out' | 'unreachable' = 'unreachable';
  readonly storage: OutboxStorage;
  readonly tabs: FakeTab[] = [];
  private readonly hasLocks: boolean;
  private readonly server: FakeServer;
  private readonly listeners = new Set<() => void>();
  private readonly readMarks = new FakeReadMarks();
  /** The first candidate of each name holds the lock. */
  private candidates: Candidate[] = [];

  constructor(server: FakeServer, account: string, { hasLocks = true, shared = true } = {}) {
    this.server = server;
    this.account = account;
    this.hasLocks = hasLocks;
    this.storage = createMemoryStorage(shared);
  }

  openTab(): FakeTab {
    let wire: Wire | undefined;
    let isFrozen = false;
    const own = new Set<() => void>();
    const wakers = new Set<() => void>();
    const open = this.server.opener(() => this.account);
    const tabs: Tabs = {
      tell: () => {
        for (const listener of this.listeners) if (!own.has(listener)) queueMicrotask(listener);
      },
      onChanged: (listener) => {
        const heard = () => {
          if (!isFrozen) listener();
        };
        own.add(heard);
        this.listeners.add(heard);
        return () => this.listeners.delete(heard);
      },
      elect: (name, on, steal) => this.elect(name, on, steal),
    };
    const tab: FakeTab = {
      live: createLive({
        openSocket: (on) => {
          const raw = open(on);
          wire = this.server.wires.at(-1);
          return raw;
        },
        storage: Promise.resolve(this.storage),
        tabs,
        page: {
          isVisible: () => tab.isVisible,
          onWake: (listener) => {
            wakers.add(listener);
            return () => wakers.delete(listener);
          },
        },
        readMarks: this.readMarks,
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
        },
        now: () => Date.now(),
        readOlder: (...asked) => Promise.resolve(this.server.readOlder(...asked)),
        checkSession: () => Promise.resolve(this.session),
      }),
      wire: () => (isFrozen ? undefined : this.server.wires.find((one) => one === wire)),
      isVisible: true,
      wake: () => {
        for (const listener of wakers) listener();
      },
      freeze: () => {
        isFrozen = true;
        tab.isVisible = false;
      },
      close: () => {
        this.tabs.splice(this.tabs.indexOf(tab), 1);
        tab.live.close();
      },
    };
    this.tabs.push(tab);
    return tab;
  }

  private elect(name: string, on: LeadershipListener, steal = false): () => void {
    if (!this.hasLocks) {
      on.won();
      return () => {};
    }
    const candidate = { name, on };
    const holder = this.holder(name);
    if (steal && holder) {
      this.leave(holder, false);
      queueMicrotask(() => holder.on.lost());
    }
    this.candidates = steal ? [candidate, ...this.candidates] : [...this.candidates, candidate];
    if (this.holder(name) === candidate) queueMicrotask(() => on.won());
    return () => this.leave(candidate, true);
  }

  private holder(name: string): Candidate | undefined {
    return this.candidates.find((one) => one.name === name);
  }

  private leave(candidate: Candidate, handOver: boolean): void {
    const had = this.holder(candidate.name) === candidate;
    this.candidates = this.candidates.filter((one) => one !== candidate);
    const next = this.holder(candidate.name);
    if (had && handOver && next) queueMicrotask(() => next.on.won());
  }
}

/** Shared by the browser's tabs. Unlike a browser, it also notifies the tab that made the change. */
class FakeReadMarks implements ReadMarks {
  private readonly marks = new Map<string, number>();
  private readonly listeners = new Set<(classId: string) => void>();

  of(classId: string, epoch: string): number | null {
    return this.marks.get(`${epoch} ${classId}`) ?? null;
  }

  keep(classId: string, epoch: string, seq: number): void {
    this.marks.set(`${epoch} ${classId}`, seq);
    for (const listener of this.listeners) queueMicrotask(() => listener(classId));
  }

  forget(classId: string): void {
    for (const key of this.marks.keys()) if (key.endsWith(` ${classId}`)) this.marks.delete(key);
  }

  onChange(listener: (classId: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
