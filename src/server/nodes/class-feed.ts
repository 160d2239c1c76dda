// Publishes every class's log on this server in order, no matter who committed it: this server, a command or another node. What
// commits and other nodes offer is only a fast path: if it does not continue what was published, it waits for its predecessor,
// and then the log is read.
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
  /** Other nodes commit, too, and Redis may lose their frames. Commands store a change event. */
  hasNodes: boolean;
  /** Called for the first listener; resolves when events of other nodes arrive. */
  onFirstListener?(classId: string): Promise<void>;
  onNoListener?(classId: string): void;
  /** Called when the log had what no frame had brought. */
  onRepaired?(): void;
  log: Pick<Log, 'warn'>;
}

interface State {
  readonly listeners: Set<object>;
  ready: Promise<void>;
  /** The last published seq; null until the head was read. */
  publishedSeq: number | null;
  /** Events after a gap, by their first seq. */
  readonly waiting: Map<number, EncodedEvents>;
  timer: NodeJS.Timeout | null;
  /** The read of the log that is in progress. */
  currentRead: Promise<void> | null;
  /** Something was offered that must be read when the current read is done. */
  isBehind: boolean;
}

const checkIntervalMs = 1_500; // NODE-4
/** How long events wait for their predecessors from another node before the log is read. */
const patienceMs = 30;
const maxWaiting = 64;
const classesPerRead = 500;

export class ClassFeed {
  readonly #dependencies: ClassFeedDependencies;
  readonly #states = new Map<string, State>();
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
   * Publishes the class for this listener. Wait for the result before you read the log: everything that is committed
   * after that read is then published.
   */
  listen(classId: string, listener: object): Promise<void> {
    const existingState = this.#states.get(classId);
    if (existingState) {
      existingState.listeners.add(listener);
      return existingState.ready;
    }
    const state: State = {
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

  /** Takes events of this node or another one, in any order and as often as they come. */
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

  async #start(classId: string, state: State): Promise<void> {
    const listening = this.#dependencies.onFirstListener?.(classId);
    const head = (await this.#dependencies.listHeads([classId])).get(classId) ?? 0;
    state.publishedSeq ??= head;
    if (state.isBehind) void this.#catchUp(classId, state);
    // Events between the read and the subscription reached no one.
    void listening?.then(() => {
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

  #publish(classId: string, state: State, events: EncodedEvents): void {
    this.#dependencies.publish(classId, events);
    state.publishedSeq = events.to;
  }

  /** Publishes the waiting events that now continue the log. */
  #publishWaiting(classId: string, state: State): void {
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

  #scheduleCatchUp(classId: string, state: State): void {
    state.timer ??= setTimeout(() => {
      state.timer = null;
      if (state.waiting.size > 0) void this.#catchUp(classId, state);
    }, patienceMs);
  }

  async #catchUp(classId: string, state: State): Promise<void> {
    state.isBehind = true;
    if (this.#isStopped) return;
    state.currentRead ??= this.#startRead(classId, state);
    await state.currentRead;
  }

  #startRead(classId: string, state: State): Promise<void> {
    const read = this.#publishToHead(classId, state)
      .then(() => {
        this.#isFailing = false;
      })
      // The next check reads again.
      .catch((error: unknown) => this.#reportFailure(error))
      .finally(() => {
        state.currentRead = null;
        this.#reads.delete(read);
      });
    this.#reads.add(read);
    return read;
  }

  async #publishToHead(classId: string, state: State): Promise<void> {
    const { findEntriesAfter, encode, onRepaired } = this.#dependencies;
    while (state.isBehind && this.#states.get(classId) === state && !this.#isStopped) {
      state.isBehind = false;
      const lastSeq = state.publishedSeq;
      if (lastSeq === null) return;
      const page = await findEntriesAfter(classId, lastSeq);
      if (this.#states.get(classId) !== state) return;
      if (!page) continue;
      state.isBehind = true;
      // Events arrived during the read: what they did not bring is read again.
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
