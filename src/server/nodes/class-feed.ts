// Publishes every class's log on this server in order, no matter who committed it: this server, a command or another node. What
// commits and other nodes offer is only a fast path: if it does not continue what was published, it waits for its predecessor,
// and then the log is read.
import type { Replay } from '#server/chat/messages/catch-up.ts';
import type { Log } from '#server/base/log.ts';
import type { EncodedEvents } from '#server/live/frames.ts';

export interface ClassFeed {
  /**
   * Publishes the class for this listener. Wait for the result before you read the log: everything that is committed
   * after that read is then published.
   */
  listen(classId: string, listener: object): Promise<void>;
  unlisten(classId: string, listener: object): void;
  isListenedTo(classId: string): boolean;
  /** Events of this node or another one, in any order and as often as they come. */
  offer(classId: string, events: EncodedEvents): void;
  /** Reads the log of the class to its head, and publishes what is missing. */
  check(classId: string): Promise<void>;
  /** Reads the heads of all classes that have listeners, and publishes what is missing. */
  checkAll(): Promise<void>;
  stop(): Promise<void>;
}

export interface ClassFeedDependencies {
  /** The head of each of these classes. */
  listHeads(classIds: readonly string[]): Promise<Map<string, number>>;
  /** The next entries of the log after a seq; null if there are none. */
  readAfter(classId: string, seq: number): Promise<Replay | null>;
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
  at: number | null;
  /** Events after a gap, by their first seq. */
  readonly waiting: Map<number, EncodedEvents>;
  timer: NodeJS.Timeout | null;
  reading: Promise<void> | null;
  /** Something was offered that must be read when the current read is done. */
  isBehind: boolean;
}

const checkIntervalMs = 1_500; // NODE-4
/** How long events wait for their predecessors from another node before the log is read. */
const patienceMs = 30;
const maxWaiting = 64;
const classesPerRead = 500;

export function createClassFeed(dependencies: ClassFeedDependencies): ClassFeed {
  const { listHeads, readAfter, publish, log } = dependencies;
  const states = new Map<string, State>();
  const reads = new Set<Promise<void>>();
  let isFailing = false;
  let isStopped = false;
  let checking: Promise<void> | null = null;

  function deliver(classId: string, state: State, events: EncodedEvents): void {
    publish(classId, events);
    state.at = events.to;
  }

  /** Publishes the waiting events that now continue the log. */
  function deliverWaiting(classId: string, state: State): void {
    for (;;) {
      const at = state.at ?? 0;
      const next = state.waiting.get(at + 1);
      if (!next) break;
      state.waiting.delete(next.from);
      deliver(classId, state, next);
    }
    for (const [from, { to }] of state.waiting) {
      if (to <= (state.at ?? 0)) state.waiting.delete(from);
    }
    if (state.waiting.size > 0) readSoon(classId, state);
  }

  function readSoon(classId: string, state: State): void {
    state.timer ??= setTimeout(() => {
      state.timer = null;
      if (state.waiting.size > 0) void read(classId, state);
    }, patienceMs);
  }

  async function read(classId: string, state: State): Promise<void> {
    state.isBehind = true;
    if (isStopped) return;
    state.reading ??= startRead(classId, state);
    await state.reading;
  }

  function startRead(classId: string, state: State): Promise<void> {
    const reading = readToHead(classId, state)
      .then(() => {
        isFailing = false;
      })
      .catch((error: unknown) => {
        // The next check reads again.
        if (!isFailing) log.warn('publish.failed', { error });
        isFailing = true;
      })
      .finally(() => {
        state.reading = null;
        reads.delete(reading);
      });
    reads.add(reading);
    return reading;
  }

  async function readToHead(classId: string, state: State): Promise<void> {
    while (state.isBehind && states.get(classId) === state && !isStopped) {
      state.isBehind = false;
      const after = state.at;
      if (after === null) return;
      const page = await readAfter(classId, after);
      if (states.get(classId) !== state) return;
      if (!page) continue;
      state.isBehind = true;
      // Events arrived during the read: what they did not bring is read again.
      if (state.at !== after) continue;
      dependencies.onRepaired?.();
      deliver(classId, state, dependencies.encode(classId, page));
      deliverWaiting(classId, state);
    }
  }

  async function start(classId: string, state: State): Promise<void> {
    const listening = dependencies.onFirstListener?.(classId);
    const head = (await listHeads([classId])).get(classId) ?? 0;
    state.at ??= head;
    if (state.isBehind) void read(classId, state);
    // Events between the read and the subscription reached no one.
    void listening?.then(() => {
      if (states.get(classId) === state) void read(classId, state);
    });
  }

  async function check(): Promise<void> {
    const classIds = [...states].flatMap(([classId, { at }]) => (at === null ? [] : [classId]));
    for (let from = 0; from < classIds.length && !isStopped; from += classesPerRead) {
      const heads = await listHeads(classIds.slice(from, from + classesPerRead));
      for (const [classId, head] of heads) {
        const state = states.get(classId);
        if (state && state.at !== null && head > state.at) void read(classId, state);
      }
    }
  }

  function checkAll(): Promise<void> {
    checking ??= check()
      .catch((error: unknown) => {
        if (!isFailing) log.warn('publish.failed', { error });
        isFailing = true;
      })
      .finally(() => {
        checking = null;
      });
    return checking;
  }

  const timer = dependencies.hasNodes ? setInterval(() => void checkAll(), checkIntervalMs) : null;

  return {
    listen(classId, listener) {
      const known = states.get(classId);
      if (known) {
        known.listeners.add(listener);
        return known.ready;
      }
      const state: State = {
        listeners: new Set([listener]),
        ready: Promise.resolve(),
        at: null,
        waiting: new Map(),
        timer: null,
        reading: null,
        isBehind: false,
      };
      states.set(classId, state);
      state.ready = start(classId, state);
      return state.ready;
    },
    unlisten(classId, listener) {
      const state = states.get(classId);
      if (!state?.listeners.delete(listener) || state.listeners.size > 0) return;
      if (state.timer) clearTimeout(state.timer);
      states.delete(classId);
      dependencies.onNoListener?.(classId);
    },
    isListenedTo: (classId) => states.has(classId),
    offer(classId, events) {
      const state = states.get(classId);
      if (!state) return;
      if (state.at === null) state.isBehind = true;
      else if (events.from === state.at + 1) {
        deliver(classId, state, events);
        deliverWaiting(classId, state);
      } else if (events.from > state.at + 1) {
        if (state.waiting.size < maxWaiting) state.waiting.set(events.from, events);
        readSoon(classId, state);
      } else if (events.to > state.at) void read(classId, state);
    },
    async check(classId) {
      const state = states.get(classId);
      if (state) await read(classId, state);
    },
    checkAll,
    async stop() {
      isStopped = true;
      if (timer) clearInterval(timer);
      for (const { timer: waiting } of states.values()) if (waiting) clearTimeout(waiting);
      await checking;
      await Promise.all(reads);
    },
  };
}
