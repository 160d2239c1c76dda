// Jobs that run after a delay, a few at a time in each lane, so that a lane that is stuck holds up no other. In a lane, groups
// take turns. The queue is bounded: if it is full, the group with the most jobs loses its oldest one.

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

export class PushQueue<Job extends object> {
  readonly #dependencies: Dependencies<Job>;
  /** Jobs with the timers of their delays, oldest first. Jobs that can run are included. */
  readonly #waiting = new Map<Job, Waiting<Job>>();
  /** The number of waiting jobs of each group. */
  readonly #groupSizes = new Map<string, number>();
  readonly #lanes = new Map<string, Lane<Job>>();
  readonly #runningJobs = new Set<Promise<void>>();
  #isStopped = false;

  constructor(dependencies: Dependencies<Job>) {
    this.#dependencies = dependencies;
  }

  add(job: Job, delayMs: number, { lane: name, group }: Place): void {
    if (this.#isStopped) return;
    if (this.#waiting.size >= this.#dependencies.maxWaiting) this.#dropOldest();
    const lane = this.#getLane(name);
    const timer = setTimeout(() => {
      const jobs = lane.ready.get(group) ?? new Set();
      lane.ready.set(group, jobs.add(job));
      this.#runReady(lane);
    }, delayMs);
    this.#waiting.set(job, { timer, lane, group });
    this.#changeSize(group, 1);
  }

  countWaiting(): number {
    return this.#waiting.size;
  }

  /** Drops the waiting jobs and resolves when the running ones are done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const job of [...this.#waiting.keys()]) this.#forget(job);
    await Promise.all(this.#runningJobs);
  }

  #getLane(name: string): Lane<Job> {
    const lane = this.#lanes.get(name) ?? { ready: new Map(), running: 0 };
    this.#lanes.set(name, lane);
    return lane;
  }

  #forget(job: Job): void {
    const entry = this.#waiting.get(job);
    if (!entry) return;
    const { timer, lane, group } = entry;
    clearTimeout(timer);
    this.#waiting.delete(job);
    this.#changeSize(group, -1);
    const jobs = lane.ready.get(group);
    jobs?.delete(job);
    if (jobs?.size === 0) lane.ready.delete(group);
  }

  #changeSize(group: string, change: number): void {
    const size = (this.#groupSizes.get(group) ?? 0) + change;
    if (size > 0) this.#groupSizes.set(group, size);
    else this.#groupSizes.delete(group);
  }

  /** Takes the oldest job of the group whose turn it is, and puts the group at the end. */
  #takeNext(lane: Lane<Job>): Job | null {
    const [next] = lane.ready;
    if (!next) return null;
    const [group, jobs] = next;
    const [job] = jobs;
    if (!job) return null;
    this.#forget(job);
    if (lane.ready.delete(group)) lane.ready.set(group, jobs);
    return job;
  }

  #runReady(lane: Lane<Job>): void {
    while (lane.running < this.#dependencies.maxConcurrent) {
      const job = this.#takeNext(lane);
      if (!job) return;
      lane.running += 1;
      const work = this.#dependencies.run(job).finally(() => {
        this.#runningJobs.delete(work);
        lane.running -= 1;
        this.#runReady(lane);
      });
      this.#runningJobs.add(work);
    }
  }

  #dropOldest(): void {
    const [largest] = [...this.#groupSizes].reduce((a, b) => (b[1] > a[1] ? b : a));
    for (const [job, { group }] of this.#waiting) {
      if (group !== largest) continue;
      this.#forget(job);
      this.#dependencies.onDropped(job);
      return;
    }
  }
}
