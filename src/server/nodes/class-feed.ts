// Publishes every class's log on this server in order, no matter who committed the entries: this server, a command or another
// node. Commits and other nodes offer events, which is only a fast path. If events do not continue the published log, they wait
// for their predecessors, and if these do not arrive, the feed reads the log.
import type { Replay } from '#server/chat/messages/catch-up.ts';
import type { Log } from '#server/base/log.ts';
import type { EncodedEvents } from '#server/live/frames.ts';

export interface ClassFeedDependencies {
  /** The head of each of these classes. */
  listHeads(classIds: readonly string[]): Promise<Map<string, number>>;
  /** The next entries of the log after a seq; null if there are none. */
  findEntriesAfter(classId: string, seq: number): Promise<Replay | null>;
  encode(classId: string, events: Replay): EncodedEvents;
  publish(classId: string, events: EncodedEvents): void;
  /** Whether other nodes commit, too. Redis may lose their events. */
  hasNodes: boolean;
  /** Called for the first listener; resolves when events of other nodes arrive. */
  onFirstListener?(classId: string): Promise<void>;
  onNoListener?(classId: string): void;
  /** Called if a read of the log found entries that no one had offered. */
  onRepaired?(): void;
  log: Pick<Log, 'warn'>;
}

interface ClassState {
  readonly listeners: Set<object>;
  ready: Promise<void>;
  /** The last published seq; null until the head was read. */
  publishedSeq: number | null;
  /** Events after a gap, by their first seq. */
  readonly waiting: Map<number, EncodedEvents>;
  timer: NodeJS.Timeout | null;
  /** The read of the log that is in progress. */
  currentRead: Promise<void> | null;
  /** Whether the log must be read again after the current read. */
  isBehind: boolean;
}

const checkIntervalMs = 1_500; // NODE-4
/** The time that events wait for their predecessors from another node before the log is read. */
const maxGapMs = 30;
const maxWaiting = 64;
const classesPerRead = 500;

export class ClassFeed {
  readonly #dependencies: ClassFeedDependencies;
  readonly #states = new Map<string, ClassState>();
  readonly #reads = new Set<Promise<void>>();
  readonly #checkTimer: NodeJS.Timeout | null;
  #currentCheck: Promise<void> | null = null;
  #isFailing = false;
  #isStopped = false;

  constructor(dependencies: ClassFeedDependencies) {
    this.#dependencies = dependencies;
    this.#checkTimer = dependencies.hasNodes
      ? setInterval(() => void this.checkAll(), checkIntervalMs)
      : null;
  }

  /**
   * Publishes the class for this listener. The caller waits for the promise before it reads the log, so that everything that is
   * committed after that read is published.
   */
  listen(classId: string, listener: object): Promise<void> {
    const existingState = this.#states.get(classId);
    if (existingState) {
      existingState.listeners.add(listener);
      return existingState.ready;
    }
    const state: ClassState = {
      listeners: new Set([listener]),
      ready: Promise.resolve(),
      publishedSeq: null,
      waiting: new Map(),
      timer: null,
      currentRead: null,
      isBehind: false,
    };
    this.#states.set(classId, state);
    state.ready = this.#start(classId, state);
    return state.ready;
  }

  unlisten(classId: string, listener: object): void {
    const state = this.#states.get(classId);
    if (!state?.listeners.delete(listener) || state.listeners.size > 0) return;
    if (state.timer) clearTimeout(state.timer);
    this.#states.delete(classId);
    this.#dependencies.onNoListener?.(classId);
  }

  isListenedTo(classId: string): boolean {
    return this.#states.has(classId);
  }

  /** Takes events of this node or another node. They may arrive in any order, and more than once. */
  offer(classId: string, events: EncodedEvents): void {
    const state = this.#states.get(classId);
    if (!state) return;
    if (state.publishedSeq === null) {
      state.isBehind = true;
    } else if (events.from === state.publishedSeq + 1) {
      this.#publish(classId, state, events);
      this.#publishWaiting(classId, state);
    } else if (events.from > state.publishedSeq + 1) {
      if (state.waiting.size < maxWaiting) state.waiting.set(events.from, events);
      this.#scheduleCatchUp(classId, state);
    } else if (events.to > state.publishedSeq) {
      void this.#catchUp(classId, state);
    }
  }

  /** Reads the log of the class to its head, and publishes what is missing. */
  async check(classId: string): Promise<void> {
    const state = this.#states.get(classId);
    if (state) await this.#catchUp(classId, state);
  }

  /** Reads the heads of all classes that have listeners, and publishes what is missing. */
  checkAll(): Promise<void> {
    this.#currentCheck ??= this.#checkHeads()
      .catch((error: unknown) => this.#reportFailure(error))
      .finally(() => {
        this.#currentCheck = null;
      });
    return this.#currentCheck;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#checkTimer) clearInterval(this.#checkTimer);
    for (const { timer } of this.#states.values()) if (timer) clearTimeout(timer);
    await this.#currentCheck;
    await Promise.all(this.#reads);
  }

  async #start(classId: string, state: ClassState): Promise<void> {
    const subscribed = this.#dependencies.onFirstListener?.(classId);
    const head = (await this.#dependencies.listHeads([classId])).get(classId) ?? 0;
    state.publishedSeq ??= head;
    if (state.isBehind) void this.#catchUp(classId, state);
    // Events that other nodes sent between the read of the head and the subscription did not arrive.
    void subscribed?.then(() => {
      if (this.#states.get(classId) === state) void this.#catchUp(classId, state);
    });
  }

  async #checkHeads(): Promise<void> {
    const classIds = [...this.#states].flatMap(([classId, { publishedSeq }]) =>
      publishedSeq === null ? [] : [classId],
    );
    for (let start = 0; start < classIds.length && !this.#isStopped; start += classesPerRead) {
      const heads = await this.#dependencies.listHeads(
        classIds.slice(start, start + classesPerRead),
      );
      for (const [classId, head] of heads) {
        const state = this.#states.get(classId);
        if (state && state.publishedSeq !== null && head > state.publishedSeq) {
          void this.#catchUp(classId, state);
        }
      }
    }
  }

  #publish(classId: string, state: ClassState, events: EncodedEvents): void {
    this.#dependencies.publish(classId, events);
    state.publishedSeq = events.to;
  }

  /** Publishes the waiting events that now continue the log. */
  #publishWaiting(classId: string, state: ClassState): void {
    for (;;) {
      const nextEvents = state.waiting.get((state.publishedSeq ?? 0) + 1);
      if (!nextEvents) break;
      state.waiting.delete(nextEvents.from);
      this.#publish(classId, state, nextEvents);
    }
    for (const [from, { to }] of state.waiting) {
      if (to <= (state.publishedSeq ?? 0)) state.waiting.delete(from);
    }
    if (state.waiting.size > 0) this.#scheduleCatchUp(classId, state);
  }

  #scheduleCatchUp(classId: string, state: ClassState): void {
    state.timer ??= setTimeout(() => {
      state.timer = null;
      if (state.waiting.size > 0) void this.#catchUp(classId, state);
    }, maxGapMs);
  }

  async #catchUp(classId: string, state: ClassState): Promise<void> {
    state.isBehind = true;
    if (this.#isStopped) return;
    state.currentRead ??= this.#startRead(classId, state);
    await state.currentRead;
  }

  #startRead(classId: string, state: ClassState): Promise<void> {
    const read = this.#publishToHead(classId, state)
      .then(() => {
        this.#isFailing = false;
      })
      // If the read fails, the next check reads again.
      .catch((error: unknown) => this.#reportFailure(error))
      .finally(() => {
        state.currentRead = null;
        this.#reads.delete(read);
      });
    this.#reads.add(read);
    return read;
  }

  async #publishToHead(classId: string, state: ClassState): Promise<void> {
    const { findEntriesAfter, encode, onRepaired } = this.#dependencies;
    while (state.isBehind && this.#states.get(classId) === state && !this.#isStopped) {
      state.isBehind = false;
      const lastSeq = state.publishedSeq;
      if (lastSeq === null) return;
      const page = await findEntriesAfter(classId, lastSeq);
      if (this.#states.get(classId) !== state) return;
      if (!page) continue;
      state.isBehind = true;
      // If events arrived during the read, the page may be published already, so the log is read again.
      if (state.publishedSeq !== lastSeq) continue;
      onRepaired?.();
      this.#publish(classId, state, encode(classId, page));
      this.#publishWaiting(classId, state);
    }
  }

  #reportFailure(error: unknown): void {
    if (!this.#isFailing) this.#dependencies.log.warn('publish.failed', { error });
    this.#isFailing = true;
  }
}
