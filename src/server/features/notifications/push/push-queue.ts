// Jobs that run after a delay, a few at a time in each lane, so that a lane that is stuck holds up no other. In a lane, groups
// take turns. The queue is bounded: if it is full, the group with the most jobs loses its oldest one.

export interface PushQueue<Job extends object> {
  add(job: Job, delayMs: number, place: Place): void;
  countWaiting(): number;
  /** Drops the waiting jobs and resolves when the running ones are done. */
  stop(): Promise<void>;
}

interface Place {
  /** One of a few names: lanes are never forgotten. */
  lane: string;
  group: string;
}

interface Dependencies<Job> {
  maxWaiting: number;
  /** How many jobs run together in each lane. */
  maxConcurrent: number;
  run(job: Job): Promise<void>;
  onDropped(job: Job): void;
}

interface Lane<Job> {
  /** Jobs by group. The first group has the next turn. */
  ready: Map<string, Set<Job>>;
  running: number;
}

interface Waiting<Job> {
  timer: NodeJS.Timeout;
  lane: Lane<Job>;
  group: string;
}

export function createPushQueue<Job extends object>(
  dependencies: Dependencies<Job>,
): PushQueue<Job> {
  const { maxWaiting, maxConcurrent, run, onDropped } = dependencies;
  /** Jobs with the timers of their delays, oldest first. Jobs that can run are included. */
  const waiting = new Map<Job, Waiting<Job>>();
  /** The number of waiting jobs of each group. */
  const groupSizes = new Map<string, number>();
  const lanes = new Map<string, Lane<Job>>();
  const runningJobs = new Set<Promise<void>>();
  let isStopped = false;

  function getLane(name: string): Lane<Job> {
    const lane = lanes.get(name) ?? { ready: new Map(), running: 0 };
    lanes.set(name, lane);
    return lane;
  }

  function forget(job: Job): void {
    const entry = waiting.get(job);
    if (!entry) return;
    const { timer, lane, group } = entry;
    clearTimeout(timer);
    waiting.delete(job);
    changeSize(group, -1);
    const jobs = lane.ready.get(group);
    jobs?.delete(job);
    if (jobs?.size === 0) lane.ready.delete(group);
  }

  function changeSize(group: string, change: number): void {
    const size = (groupSizes.get(group) ?? 0) + change;
    if (size > 0) groupSizes.set(group, size);
    else groupSizes.delete(group);
  }

  /** Takes the oldest job of the group whose turn it is, and puts the group at the end. */
  function takeNext(lane: Lane<Job>): Job | null {
    const [next] = lane.ready;
    if (!next) return null;
    const [group, jobs] = next;
    const [job] = jobs;
    if (!job) return null;
    forget(job);
    if (lane.ready.delete(group)) lane.ready.set(group, jobs);
    return job;
  }

  function runReady(lane: Lane<Job>): void {
    while (lane.running < maxConcurrent) {
      const job = takeNext(lane);
      if (!job) return;
      lane.running += 1;
      const work = run(job).finally(() => {
        runningJobs.delete(work);
        lane.running -= 1;
        runReady(lane);
      });
      runningJobs.add(work);
    }
  }

  function dropOldest(): void {
    const [largest] = [...groupSizes].reduce((a, b) => (b[1] > a[1] ? b : a));
    for (const [job, { group }] of waiting) {
      if (group !== largest) continue;
      forget(job);
      onDropped(job);
      return;
    }
  }

  return {
    add(job, delayMs, { lane: name, group }) {
      if (isStopped) return;
      if (waiting.size >= maxWaiting) dropOldest();
      const lane = getLane(name);
      const timer = setTimeout(() => {
        const jobs = lane.ready.get(group) ?? new Set();
        lane.ready.set(group, jobs.add(job));
        runReady(lane);
      }, delayMs);
      waiting.set(job, { timer, lane, group });
      changeSize(group, 1);
    },
    countWaiting: () => waiting.size,
    async stop() {
      isStopped = true;
      for (const job of [...waiting.keys()]) forget(job);
      await Promise.all(runningJobs);
    },
  };
}
