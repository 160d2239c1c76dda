// What votes cost the server while 300 members have the class open, next to as many reactions, and to nothing at all.
import { setTimeout as sleep } from 'node:timers/promises';
import { measureCpuMicroseconds } from '../processes.ts';
import type { Members } from './members.ts';

const actCount = 600;
const actsPerSecond = 60;
const questionCount = 10;
/** The length of each measurement. In it, the numbers of all votes are published (QUEST-7). */
const measuredMs = 60_000;

/** What all acts of one kind together cost. */
export interface ActCosts {
  cpuMs: number;
  /** The frames to all members. */
  frames: number;
}

/** Each measurement takes the same time, so that what the server does without any act is in all of them. */
export async function measureActs(
  members: Members,
  pid: number,
): Promise<Record<'votes' | 'reactions' | 'nothing', ActCosts>> {
  const ids: string[] = [];
  for (let n = 0; n < questionCount; n++) ids.push(await members.ask(n, `Before ${n}?`));
  const voterCount = members.count - questionCount;
  const getQuestionId = (n: number) => ids[n % questionCount]!;
  /** Members who have asked none of these questions. In each round of all of them, a member takes the next question. */
  const getMember = (n: number) => {
    const round = Math.floor(n / voterCount);
    return questionCount + ((n + round) % voterCount);
  };

  async function measure(act: (n: number) => Promise<unknown>): Promise<ActCosts> {
    await sleep(2000);
    const startCpu = measureCpuMicroseconds(pid);
    const startFrames = members.frameCount;
    const startTime = performance.now();
    const acts: Promise<unknown>[] = [];
    for (let n = 0; n < actCount; n++) {
      await sleep(Math.max(0, startTime + (n * 1000) / actsPerSecond - performance.now()));
      acts.push(act(n));
    }
    await Promise.all(acts);
    await sleep(Math.max(0, startTime + measuredMs - performance.now()));
    return {
      cpuMs: (measureCpuMicroseconds(pid) - startCpu) / 1000,
      frames: members.frameCount - startFrames,
    };
  }

  return {
    votes: await measure((n) => members.vote(getMember(n), getQuestionId(n))),
    reactions: await measure((n) =>
      members.request(getMember(n), { type: 'react', messageId: getQuestionId(n), emoji: '👍' }),
    ),
    nothing: await measure(async () => {}),
  };
}
