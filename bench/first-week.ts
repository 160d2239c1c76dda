// `npm run bench -- first-week`: at the pace of 20,000 students in one hour, students sign in, join five classes each and open
// them, while others chat. It prints what each step and what the others waited. `--nodes 3` uses PostgreSQL and Redis.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { listFlags, measureCpuTimes, computeUsage } from './chat/usage.ts';
import { startEngines } from './nodes.ts';
import { Histogram } from './percentiles.ts';
import { describeMachine, formatAlignedTable, writeReport } from './report.ts';
import { createSchool, type School } from './school.ts';
import { startBackchannel, type ServerProcess } from './server-process.ts';

const students = 20_000;
const studentsPerClass = 250;
const classesPerStudent = 5;
const classes = (students * classesPerStudent) / studentsPerClass;
/** The students who did it before the measurement, so that the tables are as large as in the middle of the week. */
const earlyStudents = students / 2;
const secondsOfAllStudents = 3600;
const postEveryMs = 200;

const stepNames = ['sign in', 'connect', 'join a class', 'open a class', 'chat of others'] as const;
type Steps = Record<(typeof stepNames)[number], Histogram>;

export async function benchFirstWeek(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      nodes: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '120' },
      pace: { type: 'string', default: '1' },
      results: { type: 'string', default: resolve(import.meta.dirname, 'results') },
    },
  });
  const nodes = Number(values.nodes);
  const startedAt = new Date();
  console.error(describeMachine());
  const engines = nodes > 1 ? await startEngines() : null;
  const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-bench-'));
  const servers: ServerProcess[] = [];
  try {
    const settings: Record<string, string> = engines
      ? {
          DATABASE_URL: await engines.createDatabase(),
          REDIS_URL: engines.redisUrl,
          SECRET_KEY: randomBytes(32).toString('base64url'),
        }
      : {};
    const school = await createSchool(dataDir, students, classes, {
      settings,
      isMember: (student, room) =>
        student < earlyStudents && listRooms(student).some((chosenRoom) => chosenRoom === room),
    });
    for (let node = 0; node < nodes; node++) {
      const server = await startBackchannel({
        dataDir: engines ? join(dataDir, `node-${node}`) : dataDir,
        settings: { ...unlimitedRates, ...settings },
      });
      servers.push(server);
    }
    const { steps, failures, usage } = await measure(servers, school, {
      seconds: Number(values.seconds),
      pace: Number(values.pace),
    });
    const rows = stepNames.map((name) => {
      const step = steps[name];
      const times = [step.computePercentile(0.5), step.computePercentile(0.99), step.max];
      return [name, '', String(step.count), ...times.map((ms) => ms.toFixed(1)), ''];
    });
    const head = ['step', '', 'times', 'p50, ms', 'p99, ms', 'longest, ms', ''];
    console.log(`\n${formatAlignedTable([head, ...rows])}\n`);
    console.log(
      `${nodes} nodes, ${failures} failures, ${usage.serverCores.toFixed(2)} cores of the servers, flags: ${listFlags(usage).join(', ') || 'none'}`,
    );
    const results = Object.fromEntries(
      rows.map(([name, , times, p50, p99, max]) => [name, { times, p50, p99, max }]),
    );
    const report = { nodes, failures, usage, results };
    console.log(`Written to ${writeReport(values.results, 'first-week', startedAt, report)}`);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await engines?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The classes of a student: neighbors share some of them. */
function listRooms(student: number): number[] {
  return Array.from({ length: classesPerStudent }, (_, n) => (student * 7 + n * 61) % classes);
}

async function measure(
  servers: readonly ServerProcess[],
  school: School,
  { seconds, pace }: { seconds: number; pace: number },
) {
  const steps = Object.fromEntries(
    stepNames.map((name) => [name, new Histogram()]),
  ) as unknown as Steps;
  let failures = 0;
  const getOrigin = (student: number) => servers[student % servers.length]!.origin;

  async function measureStep(name: keyof Steps, run: () => Promise<unknown>): Promise<void> {
    const startedAt = performance.now();
    await run();
    steps[name].add(performance.now() - startedAt);
  }

  async function arrive(student: number): Promise<void> {
    const client = createTestClient(getOrigin(student), school.emails[student]!);
    await measureStep('sign in', () => client.signIn());
    let socket!: Awaited<ReturnType<TestClient['connect']>>;
    await measureStep('connect', async () => (socket = await client.connect()));
    for (const room of listRooms(student)) {
      const classId = school.classIds[room]!;
      await measureStep('join a class', () => client.join(classId));
      await measureStep('open a class', () => socket.subscribe(classId));
    }
  }

  // Two early members of one class, at two nodes if there are several.
  const [writer, reader] = [0, classes].map((student) =>
    createTestClient(getOrigin(student + (student > 0 ? 1 : 0)), school.emails[student]!, {
      cookie: school.cookies[student]!,
    }),
  ) as [TestClient, TestClient];
  const classId = school.classIds[0]!;
  const writing = await writer.connectTo(classId);
  const reading = await reader.connectTo(classId);
  let isOver = false;
  async function postInTurn(): Promise<void> {
    for (let n = 0; !isOver; n++) {
      const startedAt = performance.now();
      const text = `message ${n}`;
      await Promise.all([
        writing.post(classId, text),
        reading.waitFor('events', ({ items }) =>
          items.some((item) => item.kind === 'posted' && item.message.text === text),
        ),
      ]);
      steps['chat of others'].add(performance.now() - startedAt);
      await sleep(postEveryMs);
    }
  }

  const timesBefore = measureCpuTimes(servers.map(({ pid }) => pid));
  const chatting = postInTurn();
  const arrivals: Promise<void>[] = [];
  const intervalMs = (secondsOfAllStudents * 1000) / students / pace;
  const startedAt = performance.now();
  for (let n = 0; n * intervalMs < seconds * 1000; n++) {
    await sleep(Math.max(0, startedAt + n * intervalMs - performance.now()));
    const arrival = arrive(earlyStudents + n).catch((error: unknown) => {
      failures += 1;
      if (failures === 1) console.error(error);
    });
    arrivals.push(arrival);
  }
  await Promise.all(arrivals);
  isOver = true;
  await chatting;
  return {
    steps,
    failures,
    usage: computeUsage(timesBefore, measureCpuTimes(servers.map(({ pid }) => pid))),
  };
}
