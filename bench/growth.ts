// `npm run bench -- growth`: what the server's CPU does for an action while the school grows. One column has each number of
// messages in the class, then each number of accounts. Nothing may grow faster than logarithmically.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import { createTestClient } from '#tests/support/test-client.ts';
import { university } from '#tests/support/university.ts';
import { fillAccounts } from './fill-accounts.ts';
import { fillRoom } from './fill-room.ts';
import { computeMedian } from './percentiles.ts';
import { measureCpuMicroseconds } from './processes.ts';
import { describeMachine, formatAlignedTable, writeReport } from './report.ts';
import { createSchool } from './school.ts';
import { startBackchannel } from './server-process.ts';

interface Size {
  accounts: number;
  messages: number;
}

const studentsPerClass = 250;
const fewAccounts = 1_000;
const fewMessages = 1_000;
/** The table has the median CPU time of these groups of actions. */
const groups = 3;
/** Linux counts CPU time in steps of 10 ms. */
const actionsPerGroup = 300;
const signInsPerGroup = 20;
const idleCores = 0.03;
const idleSeconds = 3;

export async function benchGrowth(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      messages: { type: 'string', default: '1000,100000,10000000' },
      accounts: { type: 'string', default: '1000,100000,1000000' },
      results: { type: 'string', default: resolve(import.meta.dirname, 'results') },
    },
  });
  const toNumbers = (list: string) => list.split(',').filter(Boolean).map(Number);
  const sizes: Size[] = [
    ...toNumbers(values.messages).map((messages) => ({ messages, accounts: fewAccounts })),
    ...toNumbers(values.accounts).map((accounts) => ({ messages: fewMessages, accounts })),
  ];
  const startedAt = new Date();
  console.error(describeMachine());
  const columns: { size: Size; costs: Record<string, number> }[] = [];
  for (const size of sizes) {
    const costs = await measure(size);
    console.error(JSON.stringify({ ...size, ...costs }));
    columns.push({ size, costs });
  }
  const head = [
    'server µs for',
    '',
    ...columns.map(({ size }) =>
      size.accounts === fewAccounts ? `${size.messages} messages` : `${size.accounts} accounts`,
    ),
    '',
  ];
  const rows = Object.keys(columns[0]?.costs ?? {}).map((action) => [
    action,
    '',
    ...columns.map(({ costs }) => costs[action]!.toFixed(0)),
    '',
  ]);
  console.log(`\n${formatAlignedTable([head, ...rows])}\n`);
  console.log(`Written to ${writeReport(values.results, 'growth', startedAt, { columns })}`);
}

async function measure({ accounts, messages }: Size): Promise<Record<string, number>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-bench-'));
  const fewClasses = fewAccounts / studentsPerClass;
  const school = await createSchool(dataDir, fewAccounts, Math.ceil(accounts / studentsPerClass), {
    isMember: (student, room) => student % fewClasses === room,
    messagesOfFirstClass: Math.min(messages, fewMessages),
  });
  const [classId = '', otherId = ''] = school.classIds;
  const filled = { first: fewAccounts, count: accounts - fewAccounts };
  fillAccounts(dataDir, filled, school.classIds.slice(fewClasses));
  if (messages > fewMessages) {
    await fillRoom(dataDir, classId, messages - fewMessages, (n) =>
      university.createMessageText(n),
    );
  }
  const startedAt = performance.now();
  const server = await startBackchannel({ dataDir, settings: unlimitedRates });
  const startMs = performance.now() - startedAt;
  try {
    await waitUntilIdle(server.pid);
    const student = createTestClient(server.origin, school.emails[0]!, {
      cookie: school.cookies[0]!,
    });
    const socket = await student.connectTo(classId);
    const head = messages;
    const params = { classId };
    const actions: Record<string, (n: number) => Promise<unknown>> = {
      post: (n) => socket.post(classId, `message ${n}`),
      'post and snapshot': async (n) => {
        await socket.post(classId, `another message ${n}`);
        socket.send({ type: 'unsubscribe', classId });
        await socket.subscribe(classId);
      },
      'random page': () =>
        student.call('listMessages', {
          params,
          query: { before: String(51 + Math.floor(Math.random() * (head - 50))), limit: '50' },
        }),
      'message search': () => student.call('searchMessages', { params, query: { query: 'exam' } }),
      'join and leave': async () => {
        await student.join(otherId);
        await student.leave(otherId);
      },
      connect: async () => (await student.connect()).close(),
      'sign-in': () => student.newBrowser().signIn(),
    };
    const costs: Record<string, number> = {};
    for (const [name, act] of Object.entries(actions)) {
      const count = name === 'sign-in' ? signInsPerGroup : actionsPerGroup;
      const groupCosts: number[] = [];
      for (let n = 0; n < count; n++) await act(n);
      await waitUntilIdle(server.pid);
      for (let group = 0; group < groups; group++) {
        const startUs = measureCpuMicroseconds(server.pid);
        for (let n = 0; n < count; n++) await act(n);
        groupCosts.push((measureCpuMicroseconds(server.pid) - startUs) / count);
      }
      costs[name] = computeMedian(groupCosts);
    }
    socket.close();
    return { ...costs, 'a start, ms': startMs };
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Waits until the server has done what it does in the background, such as the daily run. */
async function waitUntilIdle(pid: number): Promise<void> {
  for (let calmSeconds = 0; calmSeconds < idleSeconds;) {
    const startUs = measureCpuMicroseconds(pid);
    await sleep(1000);
    const cores = (measureCpuMicroseconds(pid) - startUs) / 1e6;
    calmSeconds = cores < idleCores ? calmSeconds + 1 : 0;
  }
}
