// A lecture of 300 members with a socket each, who ask, answer and vote at random moments. The server has its default rate limits.
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestClient } from '#tests/support/test-client.ts';
import { university } from '#tests/support/university.ts';
import { ourSystems, type Run, type Scenario } from '../scenario.ts';
import { computeUsage, listFlags, measureCpuTimes, measureMemoryBytes } from '../usage.ts';
import { LectureMembers } from './lecture-members.ts';

const questionCount = 40;
const answerCount = 8;
const pollVoteCount = 250;
/** The votes and posts of a lecture of ten minutes. */
const votesPerSecond = 2000 / 600;
const postsPerSecond = 300 / 600;
/** The last vote is published after a minute at the latest (QUEST-7). */
const settleMs = 70_000;

export const lecture: Scenario = {
  systems: ourSystems,
  workload: { clients: 300, rooms: 1, rate: 0, seconds: 600, messages: 60 },
  figures: [
    { key: 'postP50', label: 'post until each member has it, p50, ms' },
    { key: 'postP99', label: 'post until each member has it, p99, ms' },
    { key: 'ackP50', label: 'vote until its ack, p50, ms' },
    { key: 'ackP99', label: 'vote until its ack, p99, ms' },
    { key: 'publicationP50', label: 'vote until others have the number, p50, s' },
    { key: 'publicationP99', label: 'vote until others have the number, p99, s' },
    { key: 'framesPerVote', label: 'frames per vote, to all members' },
    { key: 'serverCores', label: 'server cores', digits: 3 },
    { key: 'longestStallMs', label: 'longest event-loop stall, ms', digits: 0 },
    { key: 'memoryMiB', label: 'memory of the server, MiB', digits: 0 },
    { key: 'rejected', label: 'rejected frames', digits: 0 },
  ],
  measure,
};

interface PlannedAct {
  atMs: number;
  act: () => Promise<unknown>;
}

async function measure({ system, workload, start }: Run) {
  const { clients, seconds, messages } = workload;
  const server = await start({ storedMessages: messages, isMonitored: true, isLimited: true });
  const { classIds, emails, cookies } = system.school!;
  const classId = classIds[0]!;
  const sockets = [];
  for (let n = 0; n < clients; n++) {
    const client = createTestClient(server.origin, emails[n]!, { cookie: cookies[n]! });
    sockets.push(await client.connectTo(classId));
  }
  const members = new LectureMembers(classId, sockets);
  server.resetDelays();
  const timesBefore = measureCpuTimes(server.pids);
  await play(planActs(members, seconds, clients));
  const usage = computeUsage(timesBefore, measureCpuTimes(server.pids));
  const { longestMs } = await server.measureDelays();
  const framesPerVote = members.frameCount / members.voteCount;
  const deadline = performance.now() + settleMs;
  while (!members.hasAllNumbers && performance.now() < deadline) await sleep(500);
  const { postTimes, ackTimes, publicationTimes } = members;
  return {
    figures: {
      postP50: postTimes.computePercentile(0.5),
      postP99: postTimes.computePercentile(0.99),
      ackP50: ackTimes.computePercentile(0.5),
      ackP99: ackTimes.computePercentile(0.99),
      publicationP50: publicationTimes.computePercentile(0.5) / 1000,
      publicationP99: publicationTimes.computePercentile(0.99) / 1000,
      framesPerVote,
      serverCores: usage.serverCores,
      longestStallMs: longestMs,
      memoryMiB: measureMemoryBytes(server.pids[0]!) / 2 ** 20,
      rejected: members.rejectedCount,
    },
    flags: [...listFlags(usage), ...(members.hasAllNumbers ? [] : ['wrong numbers'])],
  };
}

function planActs(members: LectureMembers, seconds: number, clients: number): PlannedAct[] {
  const acts: PlannedAct[] = [];
  /** Adds acts at random moments of this part of the lecture. */
  function add(
    count: number,
    [from, to]: readonly [number, number],
    act: (n: number) => Promise<unknown>,
  ): void {
    for (let n = 0; n < count; n++) {
      const share = from + ((to - from) * (n + Math.random())) / count;
      acts.push({ atMs: share * seconds * 1000, act: () => act(n) });
    }
  }
  add(questionCount, [0, 0.6], (n) =>
    members.ask(`On slide ${n}: ${university.createMessageText(n)}`),
  );
  add(votesPerSecond * seconds, [0.03, 1], () => voteAtRandom(members));
  add(postsPerSecond * seconds, [0, 1], (n) =>
    members.post(members.chooseMember(), university.createMessageText(n)),
  );
  add(answerCount, [0.2, 0.9], (n) => answer(members, n));
  const asking = Promise.withResolvers<string>();
  add(1, [0.3, 0.3], async () => asking.resolve(await askPoll(members)));
  add(Math.min(pollVoteCount, clients), [0.32, 0.7], async (member) => {
    const choices = [Math.floor(3 * Math.random())];
    await members.request(member, { type: 'choose', messageId: await asking.promise, choices });
  });
  return acts.toSorted((a, b) => a.atMs - b.atMs);
}

async function play(acts: readonly PlannedAct[]): Promise<void> {
  const startedAt = performance.now();
  const running: Promise<unknown>[] = [];
  for (const { atMs, act } of acts) {
    await sleep(Math.max(0, startedAt + atMs - performance.now()));
    running.push(act());
  }
  await Promise.all(running);
}

/** A member who has voted takes the vote back. Some questions get many votes, and most get few. */
async function voteAtRandom(members: LectureMembers): Promise<void> {
  const { questions } = members;
  const question = questions[Math.floor(questions.length * Math.random() ** 2)];
  const voter = members.chooseMember();
  if (question && voter !== question.asker) await members.vote(voter, question);
}

/** A reply of another member, which the member who asked marks as the answer. */
async function answer(members: LectureMembers, n: number): Promise<void> {
  const question = members.questions[n];
  if (!question) return;
  const { id: messageId, asker } = question;
  const text = university.createMessageText(n);
  const answerId = await members.post(members.chooseMember(), text, { replyTo: messageId });
  await members.request(asker, { type: 'answer', messageId, answerId });
}

function askPoll(members: LectureMembers): Promise<string> {
  return members.post(1, 'Shall we repeat the proof next week?', {
    poll: {
      options: ['Yes, all of it', 'Only the second part', 'No'],
      several: false,
      resultsAfter: 'vote',
      minutes: 10,
    },
  });
}
