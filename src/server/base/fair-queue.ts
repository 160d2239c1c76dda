// Shares a scarce resource fairly: lanes by their shares, in a lane groups such as networks, in a group members such as
// accounts. Each takes its turn, however many jobs it has, and a member has one job in progress at a time.
import { AppError } from '#contract/errors.ts';
import { retryTime } from './retry-time.ts';

export interface Turn<Lane extends string> {
  lane: Lane;
  group: string;
  member: string;
}

export interface FairQueue<Lane extends string> {
  /**
   * Runs `job` when a slot is free and it is the member's turn.
   *
   * @throws {AppError} TOO_MANY if too many jobs wait, or if this one has waited too long
   */
  run<Result>(turn: Turn<Lane>, job: () => Promise<Result>): Promise<Result>;
}

interface Options<Lane extends string> {
  /** What each lane gets of the resource while all lanes have jobs. A lane never waits for another one to be empty. */
  shares: Readonly<Record<Lane, number>>;
  maxRunning: number;
  maxWaiting: number;
  /** Prevents one member from taking all places in the queue. */
  maxWaitingOfMember: number;
  /** A client that has waited longer has most likely given up. */
  timeoutMs: number;
  /** A monotonic clock in milliseconds. */
  now(): number;
}

interface Job {
  queuedAt: number;
  start(): void;
  reject(): void;
}

/** The first group of a lane, and the first member of a group, has the next turn. */
type Group = Map<string, Job[]>;

class LaneQueue {
  readonly groups = new Map<string, Group>();
  readonly share: number;
  /** Stride scheduling: the lane with the smallest value has the next turn, and each turn adds the inverse of its share. */
  pass = 0;
  size = 0;

  constructor(share: number) {
    this.share = share;
  }
}

export function createFairQueue<Lane extends string>(options: Options<Lane>): FairQueue<Lane> {
  const { shares, maxRunning, maxWaiting, maxWaitingOfMember, timeoutMs, now } = options;
  const lanes = new Map<string, LaneQueue>(
    Object.entries<number>(shares).map(([name, share]) => [name, new LaneQueue(share)]),
  );
  /** The members with a job in progress. */
  const busy = new Set<string>();
  let currentPass = 0;
  let waiting = 0;

  function enqueue({ lane: name, group, member }: Turn<Lane>): Promise<void> {
    return new Promise((start, reject) => {
      const job: Job = {
        queuedAt: now(),
        start,
        reject: () => reject(new AppError('TOO_MANY', undefined, retryTime(timeoutMs))),
      };
      const lane = lanes.get(name);
      const jobs = lane?.groups.get(group)?.get(member) ?? [];
      if (!lane || jobs.length >= maxWaitingOfMember) return job.reject();
      // An idle lane saves up no turns.
      if (lane.size === 0) lane.pass = Math.max(lane.pass, currentPass);
      jobs.push(job);
      const members = lane.groups.get(group) ?? new Map<string, Job[]>();
      members.set(member, jobs);
      lane.groups.set(group, members);
      lane.size += 1;
      waiting += 1;
      if (waiting > maxWaiting) rejectNewest();
    });
  }

  /** Puts a member and its group at the end, or removes them if no job is left. */
  function requeue(lane: LaneQueue, group: string, member: string, jobs: Job[]): void {
    const members = lane.groups.get(group);
    if (!members) return;
    members.delete(member);
    if (jobs.length > 0) members.set(member, jobs);
    lane.groups.delete(group);
    if (members.size > 0) lane.groups.set(group, members);
  }

  function findNext(lane: LaneQueue): { group: string; member: string; jobs: Job[] } | null {
    for (const [group, members] of lane.groups) {
      for (const [member, jobs] of members) {
        if (!busy.has(memberKey(group, member))) return { group, member, jobs };
      }
    }
    return null;
  }

  /** @returns the job whose turn it is, with its member; null if none can start */
  function dequeue(): { job: Job; key: string } | null {
    const byTurn = [...lanes.values()]
      .filter(({ size }) => size > 0)
      .toSorted((one, other) => one.pass - other.pass);
    for (const lane of byTurn) {
      const next = findNext(lane);
      const job = next?.jobs.shift();
      if (!next || !job) continue;
      requeue(lane, next.group, next.member, next.jobs);
      lane.size -= 1;
      waiting -= 1;
      currentPass = lane.pass;
      lane.pass += 1 / lane.share;
      return { job, key: memberKey(next.group, next.member) };
    }
    return null;
  }

  /** Rejects the newest job of the group that has the most, in the lane that has the most for its share. */
  function rejectNewest(): void {
    const lane = [...lanes.values()].reduce((one, other) =>
      other.size / other.share > one.size / one.share ? other : one,
    );
    const [group, members] = [...lane.groups].reduce((one, other) =>
      countJobs(other[1]) > countJobs(one[1]) ? other : one,
    );
    const [member, jobs] = [...members].reduce((one, other) =>
      other[1].length >= one[1].length ? other : one,
    );
    jobs.pop()?.reject();
    lane.size -= 1;
    waiting -= 1;
    if (jobs.length > 0) return;
    members.delete(member);
    if (members.size === 0) lane.groups.delete(group);
  }

  function startNext(): void {
    while (busy.size < maxRunning) {
      const next = dequeue();
      if (!next) return;
      if (now() - next.job.queuedAt > timeoutMs) {
        next.job.reject();
        continue;
      }
      busy.add(next.key);
      next.job.start();
    }
  }

  return {
    async run(turn, job) {
      const started = enqueue(turn);
      startNext();
      await started;
      try {
        return await job();
      } finally {
        busy.delete(memberKey(turn.group, turn.member));
        startNext();
      }
    },
  };
}

function memberKey(group: string, member: string): string {
  return `${group}\n${member}`;
}

function countJobs(group: Group): number {
  let count = 0;
  for (const jobs of group.values()) count += jobs.length;
  return count;
}
