// Shares a scarce resource fairly: lanes by their shares, in a lane groups such as networks, in a group members such as
// accounts. Each takes its turn, however many jobs it has, and a member has one job in progress at a time.
import { AppError } from '#contract/errors.ts';
import { retryTime } from './retry-time.ts';

export interface Turn<Lane extends string> {
  lane: Lane;
  group: string;
  member: string;
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

export class FairQueue<Lane extends string> {
  readonly #options: Options<Lane>;
  readonly #lanes: ReadonlyMap<string, LaneQueue>;
  /** The members with a job in progress. */
  readonly #busyMembers = new Set<string>();
  #currentPass = 0;
  #waitingCount = 0;

  constructor(options: Options<Lane>) {
    this.#options = options;
    this.#lanes = new Map(
      Object.entries<number>(options.shares).map(([name, share]) => [name, new LaneQueue(share)]),
    );
  }

  /**
   * Runs `job` when a slot is free and it is the member's turn.
   *
   * @throws {AppError} TOO_MANY if too many jobs wait, or if this one has waited too long
   */
  async run<Result>(turn: Turn<Lane>, job: () => Promise<Result>): Promise<Result> {
    const start = this.#enqueue(turn);
    this.#startNext();
    await start;
    try {
      return await job();
    } finally {
      this.#busyMembers.delete(toMemberKey(turn.group, turn.member));
      this.#startNext();
    }
  }

  #enqueue({ lane: laneName, group, member }: Turn<Lane>): Promise<void> {
    const { timeoutMs, maxWaiting, maxWaitingOfMember, now } = this.#options;
    return new Promise((start, reject) => {
      const job: Job = {
        queuedAt: now(),
        start,
        reject: () => reject(new AppError('TOO_MANY', undefined, retryTime(timeoutMs))),
      };
      const lane = this.#lanes.get(laneName);
      const jobs = lane?.groups.get(group)?.get(member) ?? [];
      if (!lane || jobs.length >= maxWaitingOfMember) return job.reject();
      // An idle lane saves up no turns.
      if (lane.size === 0) lane.pass = Math.max(lane.pass, this.#currentPass);
      jobs.push(job);
      const members = lane.groups.get(group) ?? new Map<string, Job[]>();
      members.set(member, jobs);
      lane.groups.set(group, members);
      lane.size += 1;
      this.#waitingCount += 1;
      if (this.#waitingCount > maxWaiting) this.#rejectNewest();
    });
  }

  #startNext(): void {
    const { maxRunning, timeoutMs, now } = this.#options;
    while (this.#busyMembers.size < maxRunning) {
      const next = this.#dequeue();
      if (!next) return;
      if (now() - next.job.queuedAt > timeoutMs) {
        next.job.reject();
        continue;
      }
      this.#busyMembers.add(next.memberKey);
      next.job.start();
    }
  }

  /** @returns the job whose turn it is, with its member; null if none can start */
  #dequeue(): { job: Job; memberKey: string } | null {
    const lanesByTurn = [...this.#lanes.values()]
      .filter(({ size }) => size > 0)
      .toSorted((first, second) => first.pass - second.pass);
    for (const lane of lanesByTurn) {
      const next = this.#findNext(lane);
      const job = next?.jobs.shift();
      if (!next || !job) continue;
      requeue(lane, next.group, next.member, next.jobs);
      lane.size -= 1;
      this.#waitingCount -= 1;
      this.#currentPass = lane.pass;
      lane.pass += 1 / lane.share;
      return { job, memberKey: toMemberKey(next.group, next.member) };
    }
    return null;
  }

  #findNext(lane: LaneQueue): { group: string; member: string; jobs: Job[] } | null {
    for (const [group, members] of lane.groups) {
      for (const [member, jobs] of members) {
        if (!this.#busyMembers.has(toMemberKey(group, member))) return { group, member, jobs };
      }
    }
    return null;
  }

  /** Rejects the newest job of the group that has the most, in the lane that has the most for its share. */
  #rejectNewest(): void {
    const lane = [...this.#lanes.values()].reduce((longest, candidate) =>
      candidate.size / candidate.share > longest.size / longest.share ? candidate : longest,
    );
    const [group, members] = [...lane.groups].reduce((longest, candidate) =>
      countJobs(candidate[1]) > countJobs(longest[1]) ? candidate : longest,
    );
    const [member, jobs] = [...members].reduce((longest, candidate) =>
      candidate[1].length >= longest[1].length ? candidate : longest,
    );
    jobs.pop()?.reject();
    lane.size -= 1;
    this.#waitingCount -= 1;
    if (jobs.length > 0) return;
    members.delete(member);
    if (members.size === 0) lane.groups.delete(group);
  }
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

function toMemberKey(group: string, member: string): string {
  return `${group}\n${member}`;
}

function countJobs(group: Group): number {
  let count = 0;
  for (const jobs of group.values()) count += jobs.length;
  return count;
}
