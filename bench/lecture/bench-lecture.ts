// `npm run bench -- lecture` plays a lecture: 300 members with a socket each ask, answer and vote for ten minutes, while two
// students, an assistant and the computer of the hall watch in four windows of Chromium. In the end all must show the same numbers.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser } from '@playwright/test';
import { ensureWebBuilt } from '#server/features/web-app/web-build.ts';
import { grantStaffByCommand } from '#tests/support/roles.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { computeUsage, listFlags, measureCpuTimes } from '../chat/usage.ts';
import { startEngines } from '../nodes.ts';
import { measureMemoryBytes } from '../processes.ts';
import { describeMachine, formatAlignedTable, writeReport } from '../report.ts';
import { createSchool } from '../school.ts';
import { startBackchannel, type ServerProcess } from '../server-process.ts';
import { launchChromium } from '../web/chromium.ts';
import { measureActs } from './acts.ts';
import { Members } from './members.ts';
import { Lecture, type LectureWindows } from './plan.ts';
import {
  type LectureWindow,
  loadHall,
  loadPanel,
  loadPollText,
  type Numbers,
  openLecturePanel,
  openRoom,
  openWindow,
  startLecture,
} from './windows.ts';

const memberCount = 300;
const eventLoopMonitor = resolve(import.meta.dirname, '../chat/event-loop-monitor.ts');
/** The last vote is published after a minute at the latest (QUEST-7), and the hall asks every four seconds. */
const settleMs = 70_000;

export async function benchLecture(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '10' },
      postgres: { type: 'boolean', default: false },
      screenshots: { type: 'string' },
      results: { type: 'string', default: resolve(import.meta.dirname, '../results') },
    },
  });
  const startedAt = new Date();
  console.error(describeMachine());
  await ensureWebBuilt(() => console.error('Building the web app …'));
  if (values.screenshots !== undefined) mkdirSync(values.screenshots, { recursive: true });
  const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-bench-'));
  const engines = values.postgres ? await startEngines() : null;
  const settings: Record<string, string> = engines
    ? {
        DATABASE_URL: await engines.createDatabase(),
        SECRET_KEY: randomBytes(32).toString('base64url'),
      }
    : {};
  const browser = await launchChromium();
  let server: ServerProcess | undefined;
  try {
    const school = await createSchool(dataDir, memberCount + 3, 1, {
      settings,
      messagesPerClass: 60,
    });
    const classId = school.classIds[0]!;
    const staff = { email: school.emails[memberCount]!, classId };
    await grantStaffByCommand({ DATA_DIR: dataDir, ...settings }, staff, 'Sam');
    server = await startBackchannel({
      dataDir,
      settings,
      withWeb: true,
      withChannel: true,
      nodeOptions: ['--import', eventLoopMonitor],
    });
    const members = new Members(classId);
    await members.connect(server, school.cookies.slice(0, memberCount));
    const costs = await measureActs(members, server.pid);
    const windows = await openWindows(browser, server.origin, classId, {
      cookies: school.cookies.slice(memberCount),
      screenshots: values.screenshots,
    });
    const lecture = new Lecture({
      members,
      windows,
      minutes: Number(values.minutes),
      takeScreenshots: (moment) => takeScreenshots(windows, values.screenshots, moment),
    });
    const client = createTestClient(server.origin, school.emails[0]!, {
      cookie: school.cookies[0]!,
    });
    const figures = await measureLecture({ lecture, windows, members, server, client });
    members.close();
    print(costs, figures);
    const report = { engine: engines ? 'PostgreSQL' : 'SQLite', costs, ...figures };
    console.log(`Written to ${writeReport(values.results, 'lecture', startedAt, report)}`);
  } finally {
    await browser.close();
    await server?.stop();
    await engines?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Site {
  lecture: Lecture;
  windows: LectureWindows;
  members: Members;
  server: ServerProcess;
  client: TestClient;
}

async function measureLecture(site: Site) {
  const { lecture, windows, members, server } = site;
  const memoryBefore = measureMemoryBytes(server.pid);
  members.reset();
  server.child.send('reset');
  const timesBefore = measureCpuTimes(server.pid);
  await lecture.play();
  const usage = computeUsage(timesBefore, measureCpuTimes(server.pid));
  const { frameCount } = members;
  const stall = new Promise<{ longestMs: number }>((done) => server.child.once('message', done));
  server.child.send('report');
  const { longestMs } = await stall;
  const sameAfterMs = await settle(site);
  return {
    usage,
    flags: listFlags(usage),
    votes: members.voteCount,
    questions: members.questions.size,
    framesPerVote: frameCount / members.voteCount,
    publications: members.publicationCount,
    longestStallMs: longestMs,
    memoryMib: [memoryBefore, measureMemoryBytes(server.pid)].map((bytes) => bytes / 2 ** 20),
    ackMs: summarizeHistogram(members.ackTimes),
    postMs: summarizeHistogram(members.postTimes),
    publicationMs: summarizeHistogram(members.publicationTimes),
    failures: members.failures,
    sameAfterMs,
    windows: await measureWindows(Object.values(windows)),
    sameCounts: await comparePoll(site),
  };
}

/** Opens the windows and starts the lecture. */
async function openWindows(
  browser: Browser,
  origin: string,
  classId: string,
  { cookies, screenshots }: { cookies: readonly string[]; screenshots: string | undefined },
): Promise<LectureWindows> {
  const [staffCookie = '', cookieOfA = '', cookieOfB = ''] = cookies;
  const open = openWindow.bind(null, browser, origin);
  const desktop = { width: 1280, height: 800 };
  const assistant = await open('assistant', { ...desktop, cookie: staffCookie });
  const studentA = await open('student-a', { ...desktop, cookie: cookieOfA });
  const studentB = await open('student-b', { width: 390, height: 844, cookie: cookieOfB });
  const hall = await open('hall', { width: 1024, height: 768 });
  for (const { page } of [assistant, studentA, studentB]) {
    await openRoom(page, `${origin}/home/${classId}`);
  }
  await hall.page.goto(await startLecture(assistant.page));
  await hall.page.getByText('No questions yet.').waitFor();
  await openLecturePanel(studentA.page);
  const windows = { assistant, studentA, studentB, hall };
  await takeScreenshots(windows, screenshots, 'start');
  for (const window of Object.values(windows)) await window.forgetLoading();
  return windows;
}

async function takeScreenshots(
  windows: LectureWindows,
  folder: string | undefined,
  moment: string,
): Promise<void> {
  for (const window of Object.values(windows)) await window.takeScreenshot(folder, moment);
}

async function measureWindows(windows: readonly LectureWindow[]) {
  const measured: Record<string, Awaited<ReturnType<LectureWindow['measure']>>> = {};
  for (const window of windows) measured[window.name] = await window.measure();
  return measured;
}

/** Compares the counts of the closed poll, at the server and in the windows of members, with the votes. */
async function comparePoll({ lecture, windows, members, client }: Site) {
  const { pollId: messageId, pollCounts: counts } = lecture;
  const { classId } = members;
  const voters = counts.reduce((sum, count) => sum + count, 0);
  const params = { classId, messageId };
  const deadline = performance.now() + settleMs;
  const fetchCounts = async () =>
    String((await client.call('readPoll', { params })).result?.counts);
  while ((await fetchCounts()) !== String(counts) && performance.now() < deadline) {
    await sleep(1000);
  }
  const isSame: Record<string, boolean> = {
    server: (await fetchCounts()) === String(counts),
  };
  for (const { name, page } of [windows.assistant, windows.studentA, windows.studentB]) {
    const text = await loadPollText(page, messageId);
    isSame[name] = [`${voters} people voted`, ...counts.map((count) => `${count} ·`)].every(
      (part) => text.includes(part),
    );
  }
  return isSame;
}

/** Waits until the server has published all votes and each window shows its numbers. */
async function settle({ lecture, windows, members, client }: Site) {
  const startTime = performance.now();
  const expectedNumbers: Numbers = new Map(lecture.listNumbers());
  const readers: Record<string, () => Promise<Numbers>> = {
    server: () => fetchNumbers(client, members.classId),
  };
  for (const { name, page } of Object.values(windows)) {
    readers[name] = name === 'hall' ? () => loadHall(page) : () => loadPanel(page);
  }
  const sameAfterMs: Record<string, number | null> = {};
  for (const [name, read] of Object.entries(readers)) {
    let difference = '';
    do {
      difference = describeDifference(expectedNumbers, await read());
      if (difference === '') break;
      await sleep(500);
    } while (performance.now() - startTime < settleMs);
    sameAfterMs[name] = difference === '' ? performance.now() - startTime : null;
    if (difference !== '') console.error(`${name} shows other numbers: ${difference}`);
  }
  return sameAfterMs;
}

/** The published numbers of the questions of the lecture. */
async function fetchNumbers(client: TestClient, classId: string): Promise<Numbers> {
  const params = { classId };
  const { questions } = await client.call('listQuestions', { params });
  return new Map(
    questions.flatMap(({ text, question }) => {
      const number = /^On slide (\d+):/.exec(text)?.[1];
      return number === undefined ? [] : [[Number(number), question?.votes ?? 0] as const];
    }),
  );
}

function describeDifference(expected: Numbers, actual: Numbers): string {
  return [...new Set([...expected.keys(), ...actual.keys()])]
    .filter((number) => expected.get(number) !== actual.get(number))
    .map((number) => `${number}: ${actual.get(number)} instead of ${expected.get(number)}`)
    .join(', ');
}

type Histogram = Members['ackTimes'];

function summarizeHistogram(histogram: Histogram) {
  return {
    count: histogram.count,
    p50: histogram.computePercentile(0.5),
    p99: histogram.computePercentile(0.99),
    max: histogram.max,
  };
}

function print(
  costs: Awaited<ReturnType<typeof measureActs>>,
  figures: Awaited<ReturnType<typeof measureLecture>>,
): void {
  const { usage, windows, ackMs, postMs, publicationMs, sameAfterMs } = figures;
  const format = (values: readonly number[]) => values.map((value) => value.toFixed(1)).join(' / ');
  const rows = [
    ...Object.entries(costs).map(([act, { cpuMs, frames }]) => [
      `600 of ${act}: server CPU, ms / frames`,
      format([cpuMs, frames]),
    ]),
    [
      'votes / questions / publications',
      format([figures.votes, figures.questions, figures.publications]),
    ],
    ['frames per vote in the lecture, of all kinds', figures.framesPerVote.toFixed(1)],
    [
      'post until each member has it, ms: p50 / p99 / longest',
      format([postMs.p50, postMs.p99, postMs.max]),
    ],
    ['vote until its ack, ms: p50 / p99 / longest', format([ackMs.p50, ackMs.p99, ackMs.max])],
    [
      'vote until others have the number, s: p50 / p99 / longest',
      format([publicationMs.p50, publicationMs.p99, publicationMs.max].map((ms) => ms / 1000)),
    ],
    ['server cores', usage.serverCores.toFixed(3)],
    ['longest event-loop stall, ms', figures.longestStallMs.toFixed(0)],
    ['memory of the server before / after, MiB', format(figures.memoryMib)],
    ['rejected or closed', String(figures.failures.length)],
    ...Object.entries(windows).flatMap(([name, measured]) => [
      [
        `${name}: longest task, ms (tasks of 50 ms or more)`,
        `${measured.longestTaskMs} (${measured.longTaskCount})`,
      ],
      [`${name}: layout shift`, measured.shiftScore.toFixed(4)],
      [`${name}: memory of the page, MiB`, measured.heapMib.toFixed(1)],
      [`${name}: console errors`, String(measured.consoleErrors.length)],
    ]),
    ...Object.entries(sameAfterMs).map(([name, ms]) => [
      `${name}: has all numbers after the last vote, s`,
      ms === null ? 'NEVER' : (ms / 1000).toFixed(1),
    ]),
    ...Object.entries(figures.sameCounts).map(([name, isSame]) => [
      `${name}: has the counts of the poll`,
      isSame ? 'yes' : 'NO',
    ]),
    ['flags', figures.flags.join(', ') || 'none'],
  ];
  const table = rows.map(([label = '', value = '']) => [label, '', value, '']);
  console.log(`\n${formatAlignedTable([['figure', '', 'value', ''], ...table])}\n`);
}
