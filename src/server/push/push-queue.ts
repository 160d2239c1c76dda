// Jobs that run after a delay, a few at a time in each lane, so that a lane that is stuck holds up no other. The queue is
// bounded: if it is full, the oldest job is dropped.

export interface PushQueue<Job extends object> {
  /** @param lane one of a few names: lanes are never forgotten */
  add(job: Job, delayMs: number, lane: string): void;
  countWaiting(): number;
  /** Drops the waiting jobs and resolves when the running ones are done. */
  stop(): Promise<void>;
}

interface Parts<Job> {
  maxWaiting: number;
  /** In each lane. */
  maxConcurrent: number;
  run(job: Job): Promise<void>;
  onDropped(job: Job): void;
}

interface Lane<Job> {
  ready: Set<Job>;
  running: number;
}

export function createPushQueue<Job extends object>(parts: Parts<Job>): PushQueue<Job> {
  const { maxWaiting, maxConcurrent, run, onDropped } = parts;
  /** With the timers of their delays, oldest first. Jobs that can run are included. */
  const waiting = new Map<Job, { timer: NodeJS.Timeout; lane: Lane<Job> }>();
  const lanes = new Map<string, Lane<Job>>();
  const running = new Set<Promise<void>>();
  let isStopped = false;

  function laneOf(name: string): Lane<Job> {
    const lane = lanes.get(name) ?? { ready: new Set(), running: 0 };
    lanes.set(name, lane);
    return lane;
  }

  function forget(job: Job): void {
    const known = waiting.get(job);
    clearTimeout(known?.timer);
    known?.lane.ready.delete(job);
    waiting.delete(job);
  }

  function runReady(lane: Lane<Job>): void {
    while (lane.running < maxConcurrent) {
      const [job] = lane.ready;
      if (!job) return;
      forget(job);
      lane.running += 1;
      const work = run(job).finally(() => {
        running.delete(work);
        lane.running -= 1;
        runReady(lane);
      });
      running.add(work);
    }
  }

  function dropOldest(): void {
    const [job] = waiting.keys();
    if (!job) return;
    forget(job);
    onDropped(job);
  }

  return {
    add(job, delayMs, name) {
      if (isStopped) return;
      if (waiting.size >= maxWaiting) dropOldest();
      const lane = laneOf(name);
      const timer = setTimeout(() => {
        lane.ready.add(job);
        runReady(lane);
      }, delayMs);
      waiting.set(job, { timer, lane });
    },
    countWaiting: () => waiting.size,
    async stop() {
      isStopped = true;
      for (const job of [...waiting.keys()]) forget(job);
      await Promise.all(running);
    },
  };
}
