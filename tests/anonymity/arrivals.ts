// Students who arrive one after another, and an attacker with a copy of the database who pairs accounts with
// personas by adjacency.
import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { askPoll, choose } from '#tests/support/polls.ts';
import { ask, listQuestions, vote } from '#tests/support/questions.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import { countHits, shuffle, size } from './school.ts';
import { listCommits, listLeaves } from './sqlite-pages.ts';
import { quoteAddressKey } from '#tests/support/stored-accounts.ts';

/** What each student does on arrival, and what they did earlier, in another order. */
interface Shape {
  earlier: 'nothing' | 'signed up' | 'joined' | 'spoken';
  /** All arrive within the same second, not one after another. */
  burst?: true;
  arrive(student: TestClient, classId: string): Promise<void>;
}

const openRoom = async (
  student: TestClient,
  classId: string,
  act: (socket: TestSocket) => Promise<unknown>,
) => {
  const socket = await student.connectTo(classId);
  await act(socket);
  socket.close();
};

const speak = (student: TestClient, classId: string) =>
  openRoom(student, classId, (socket) => socket.post(classId, `Said ${randomInt(1e9)}`));

export const shapes: Record<string, Shape> = {
  'sign in, then read': {
    earlier: 'spoken',
    async arrive(student, classId) {
      await student.signIn();
      await openRoom(student, classId, async (socket) => {
        socket.send({ type: 'read', classId, seq: 2 * size + 1 });
        await socket.subscribe(classId);
      });
    },
  },
  'sign in, then speak': {
    earlier: 'joined',
    async arrive(student, classId) {
      await student.signIn();
      await speak(student, classId);
    },
  },
  'sign in, then speak, in a burst before class': {
    earlier: 'joined',
    burst: true,
    async arrive(student, classId) {
      await student.signIn();
      await speak(student, classId);
    },
  },
  'join, then speak': {
    earlier: 'signed up',
    async arrive(student, classId) {
      await student.join(classId);
      await speak(student, classId);
    },
  },
  'sign up, join, then speak': {
    earlier: 'nothing',
    async arrive(student, classId) {
      await student.signUp();
      await student.join(classId);
      await speak(student, classId);
    },
  },
  'sign in, then vote only': {
    earlier: 'spoken',
    async arrive(student, classId) {
      await student.signIn();
      const { questions } = await listQuestions(student, classId);
      const questionId = questions[0]?.id ?? '';
      await openRoom(student, classId, async (socket) => {
        expect((await vote(socket, classId, questionId)).type).toBe('ack');
      });
    },
  },
  'sign in, then vote in a poll only': {
    earlier: 'spoken',
    async arrive(student, classId) {
      await student.signIn();
      await openRoom(student, classId, async (socket) => {
        const { messages } = await socket.subscribe(classId);
        const pollId = messages.find(({ poll }) => poll)?.id ?? '';
        expect((await choose(socket, classId, pollId, 1)).type).toBe('ack');
      });
    },
  },
  'join, then ask only': {
    earlier: 'signed up',
    async arrive(student, classId) {
      await student.join(classId);
      await openRoom(student, classId, (socket) => ask(socket, classId));
    },
  },
  'speak, then leave and sign out': {
    earlier: 'joined',
    async arrive(student, classId) {
      await speak(student, classId);
      await student.leave(classId);
      await student.call('signOut', {});
    },
  },
};

export interface Arrivals {
  classId: string;
  /** Account ids to memberIds, in the order of arrival. */
  truth: ReadonlyMap<string, string>;
}

/** @param between runs after each arrival */
export async function simulateArrivals(
  app: RunningApp,
  { earlier, burst, arrive }: Shape,
  onArrival: (soFar: Arrivals) => Promise<void> = async () => {},
): Promise<Arrivals> {
  const owner = await app.createStudent();
  const classId = await owner.createClass();
  await openRoom(owner, classId, async (socket) => {
    await ask(socket, classId);
    await askPoll(socket, classId);
  });
  // Random names have no order, unlike the default ones with numbers.
  const students = Array.from({ length: size }, () => app.visitor(`student-${randomUUID()}`));
  for (const student of shuffle(students)) {
    if (earlier !== 'nothing') await student.signUp();
  }
  if (earlier === 'joined' || earlier === 'spoken') {
    for (const student of shuffle(students)) await student.join(classId);
  }
  if (earlier === 'spoken') for (const student of shuffle(students)) await speak(student, classId);
  // A clean stop empties the -wal file, so it has no earlier commits.
  await app.restart();

  const truth = new Map<string, string>();
  const getMember = async (student: TestClient) => {
    let memberId = '';
    await openRoom(student, classId, async (socket) => {
      memberId = (await socket.subscribe(classId)).me.memberId;
    });
    return memberId;
  };
  const members = new Map<TestClient, string>();
  if (earlier === 'joined' || earlier === 'spoken') {
    for (const student of students) members.set(student, await getMember(student));
  }
  if (burst) await Promise.all(students.map((student) => arrive(student, classId)));
  for (const student of students) {
    if (!burst) await arrive(student, classId);
    const [account] = await app.database.query(
      `select id from accounts where "addressKey" = ${quoteAddressKey(app.database, student.email)}`,
    );
    const id = String(account?.['id']);
    truth.set(id, members.get(student) ?? (await getMember(student)));
    await onArrival({ classId, truth });
  }
  return { classId, truth };
}

type Guess = readonly (readonly [string, string])[];

/** Counts the pairs that the attacker guesses correctly by adjacency in the -wal file. */
export function countPairedByCommits(app: RunningApp, { classId, truth }: Arrivals): number {
  const { file, wal } = loadDatabaseFiles(app);
  const commits = listCommits(file, wal);
  const events: { account?: string; member?: string }[] = [];
  for (const commit of commits) {
    const changedText = commit.map(({ content }) => content).join('\n');
    // Rewritten neighbors name many accounts. A commit that names more than one identifies none.
    const accounts = [...truth.keys()].filter((id) => changedText.includes(id));
    const members = [...truth.values()].filter((id) => changedText.includes(id));
    if (accounts.length === 1) events.push({ account: accounts[0]! });
    if (members.length === 1 && changedText.includes(classId)) events.push({ member: members[0]! });
  }
  const guessNeighbors = (step: 1 | -1): Guess =>
    [...truth.keys()].flatMap((account) => {
      const eventIndex = events.findLastIndex((event) => event.account === account);
      for (let n = eventIndex + step; eventIndex >= 0 && n >= 0 && n < events.length; n += step) {
        const { member } = events[n]!;
        if (member) return [[account, member] as const];
      }
      return [];
    });
  return Math.max(countHits(guessNeighbors(1), truth), countHits(guessNeighbors(-1), truth));
}

/** Less than one in a thousand runs exceeds this by chance. */
export const maxChanceOrder = 5;

/**
 * How well the positions of cells preserve the order of arrival, on the page that preserves it best:
 * Kendall's tau in standard deviations.
 */
export function measureOrderInPages(app: RunningApp, { truth }: Arrivals): number {
  const accounts = [...truth.keys()];
  const ofPages = [...listLeaves(loadDatabaseFiles(app).file).values()].map((cells) => {
    // The newest cell of an account has the smallest offset.
    const places = accounts.flatMap((id) => {
      const offsets = cells
        .filter(({ content }) => content.includes(id))
        .map(({ offset }) => offset);
      return offsets.length > 0 ? [Math.min(...offsets)] : [];
    });
    return Math.abs(calculateKendall(places));
  });
  return Math.max(...ofPages);
}

/** Kendall’s tau in standard deviations: how well the values are in their order. */
export function calculateKendall(values: readonly number[]): number {
  const n = values.length;
  if (n < 6) return 0;
  let sum = 0;
  for (const [index, value] of values.entries()) {
    for (const other of values.slice(index + 1)) sum += Math.sign(other - value);
  }
  return sum / Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
}

/** Counts the pairs that the attacker guesses correctly by PostgreSQL's transaction ids or row positions. */
export async function countPairedByTables(app: RunningApp, arrivals: Arrivals): Promise<number> {
  const { classId, truth } = arrivals;
  const queryColumn = async (sql: string) =>
    (await app.database.query(sql)).map((row) => String(Object.values(row)[0]));
  const orders = ['xmin::text::bigint, ctid', 'ctid'];
  const ofClass = `where "classId" = '${classId}'`;
  const listedMembers = await Promise.all([
    queryColumn(`select "memberId" from messages ${ofClass} order by seq`),
    ...orders.map((order) =>
      queryColumn(`select "memberId" from personas ${ofClass} order by ${order}`),
    ),
  ]);
  const named = { accounts: 'id' };
  let maxHits = 0;
  for (const [table, name] of Object.entries(named)) {
    for (const order of orders) {
      const ids = await queryColumn(`select "${name}" from ${table} order by ${order}`);
      // The newest of several rows.
      const accounts = [...new Set(ids.toReversed())].filter((id) => truth.has(id));
      for (const memberIds of listedMembers) {
        const members = [...new Set(memberIds.toReversed())].filter((id) =>
          [...truth.values()].includes(id),
        );
        const guess = (list: readonly string[]) =>
          accounts.map((id, n) => [id, list[n] ?? ''] as const);
        maxHits = Math.max(
          maxHits,
          countHits(guess(members), truth),
          countHits(guess(members.toReversed()), truth),
        );
      }
    }
  }
  return maxHits;
}

function loadDatabaseFiles(app: RunningApp): { file: Buffer; wal: Buffer } {
  const file = join(app.database.settings.DATA_DIR, 'backchannel.sqlite');
  const wal = existsSync(`${file}-wal`) ? readFileSync(`${file}-wal`) : Buffer.alloc(0);
  return { file: readFileSync(file), wal };
}
