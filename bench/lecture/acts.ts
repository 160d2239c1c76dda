// What a vote costs the server while 300 members have the class open, next to a reaction.
import { setTimeout as sleep } from 'node:timers/promises';
import { measureCpuMicroseconds } from '../processes.ts';
import type { Members } from './members.ts';

const actCount = 600;
const actsPerSecond = 60;
const questionCount = 10;
/** The numbers of the last votes are published meanwhile (QUEST-7). */
const publicationMs = 40_000;

export interface ActCost {
  cpuMs: number;
  /** To all members together. */
  frames: number;
}

export async function measureActs(
  members: Members,
  pid: number,
): Promise<Record<'vote' | 'reaction', ActCost>> {
  const ids: string[] = [];
  for (let n = 0; n < questionCount; n++) ids.push(await members.ask(n, `Before ${n}?`));
  await sleep(2000);
  const idleMsPerSecond = await measureIdle(pid);
  const voterCount = members.count - questionCount;
  const choose = (n: number) => ids[n % questionCount]!;
  /** Members who have asked none of these questions. */
  const getMember = (n: number) => {
    const round = Math.floor(n / voterCount);
    // In each round of all voters, a member takes the next question.
    return questionCount + ((n + round) % voterCount);
  };

  async function measure(act: (n: number) => Promise<unknown>, waitMs: number): Promise<ActCost> {
    const cpuBefore = measureCpuMicroseconds(pid);
    const framesBefore = members.frameCount;
    const startedAt = performance.now();
    const acts: Promise<unknown>[] = [];
    for (let n = 0; n < actCount; n++) {
      await sleep(Math.max(0, startedAt + (n * 1000) / actsPerSecond - performance.now()));
      acts.push(act(n));
    }
    await Promise.all(acts);
    await sleep(waitMs);
    const seconds = (performance.now() - startedAt) / 1000;
    const usedMs = (measureCpuMicroseconds(pid) - cpuBefore) / 1000 - idleMsPerSecond * seconds;
    return { cpuMs: usedMs / actCount, frames: (members.frameCount - framesBefore) / actCount };
  }

  return {
    vote: await measure((n) => members.vote(getMember(n), choose(n)), publicationMs),
    reaction: await measure(
      (n) => members.request(getMember(n), { type: 'react', messageId: choose(n), emoji: '👍' }),
      2000,
    ),
  };
}

async function measureIdle(pid: number): Promise<number> {
  const seconds = 10;
  const before = measureCpuMicroseconds(pid);
  await sleep(seconds * 1000);
  return (measureCpuMicroseconds(pid) - before) / 1000 / seconds;
}
