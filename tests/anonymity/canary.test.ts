// One student's every private mark is looked for in all that others can get hold of.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Student } from '../../scripts/student.ts';
import { routes } from '#contract/routes.ts';
import { routeUrl } from '#contract/route-url.ts';
import {
  enter,
  fileBytes,
  joinClass,
  newClass,
  post,
  startApp,
  type RunningApp,
} from '../app/running-app.ts';

let app: RunningApp;
let marked: Student;
let observer: Student;
/** What would tell who the marked student is. */
let marks: string[];
/** Everything that reached the observer. */
const received: string[] = [];

const userAgent = `Agent/${randomBytes(8).toString('hex')}`;

beforeAll(async () => {
  app = await startApp();
  const name = `canary${randomBytes(8).toString('hex')}`;
  marked = await app.newStudent(name, { userAgent, onAnswer: async () => {} });
  observer = await app.newStudent('observer', {
    userAgent: 'observer',
    async onAnswer(response) {
      received.push(JSON.stringify([...response.headers]), await response.text());
    },
  });
  const database = new SQLite(join(app.dataDir, 'backchannel.sqlite'), { readonly: true });
  const row = database
    .prepare(
      'select accounts.id as account, sessions.id as session, token from accounts join sessions on userId = accounts.id where email = ?',
    )
    .get(marked.email) as { account: string; session: string; token: string };
  database.close();
  marks = [name, userAgent, row.account, row.session, row.token];
  await useEverything();
});
afterAll(() => app.stop());

async function useEverything(): Promise<void> {
  await marked.fetch('/api/me');
  await marked.fetch('/api/nope');
  const classId = await newClass(marked);
  await joinClass(observer, classId);
  const live = await observer.connect();
  const markedLive = await marked.connect();
  await enter(live, classId);
  await enter(markedLive, classId);
  await post(markedLive, classId, 'Who am I?');
  await post(markedLive, classId, '');
  markedLive.sendText('{');
  await observer.call('requestPasswordReset', { body: { email: marked.email } });
  // Every call of the contract, as far as the observer gets with it.
  for (const name of Object.keys(routes) as (keyof typeof routes)[]) {
    if (name === 'signOut' || name === 'leaveClass') continue;
    const { method } = routes[name];
    const body = name === 'searchClasses' ? '{"requests":[{"indexName":"classSearch"}]}' : '{}';
    const init = method === 'GET' ? { method } : { method, body };
    await observer.fetch(routeUrl(name, { params: { classId, key: 'default' } }), init);
  }
  await marked.call('leaveClass', { params: { classId } });
  await joinClass(marked, classId);
  await live.frame('events');
  received.push(...live.frames.map((frame) => JSON.stringify(frame)));
}

describe('a student’s marks', () => {
  test('are in nothing that reaches another one [ANON-1, ANON-3, ANON-15]', () => {
    expect(received.length).toBeGreaterThan(30);
    expect(received.join('\n')).toContain('Who am I?');
    for (const mark of marks) expect(received.join('\n')).not.toContain(mark);
  });

  test('are in no line of the server’s log [ANON-4, ANON-15]', () => {
    expect(app.logLines.length).toBeGreaterThan(0);
    for (const mark of [...marks, 'Who am I?']) expect(app.logLines.join('\n')).not.toContain(mark);
  });

  test('would be found: the marked student’s own answers hold one', async () => {
    expect(await (await marked.fetch('/api/me')).text()).toContain(marks[0]);
  });
});

describe('joining', () => {
  test('writes nothing of who one will be, so that no order or time of rows can tell [ANON-6, ANON-7, PERSONA-5]', async () => {
    const student = await app.newStudent();
    const classId = await newClass(student);
    const { me } = await enter(await student.connect(), classId);
    expect(fileBytes(app)).toContain(classId);
    expect(fileBytes(app)).not.toContain(me.memberId);
  });

  test('makes another member of the same student in each class [ANON-2, ANON-3]', async () => {
    const student = await app.newStudent();
    const live = await student.connect();
    const one = await enter(live, await newClass(student));
    const other = await enter(live, await newClass(student));
    expect(one.me.memberId).not.toBe(other.me.memberId);
  });
});

describe('the database without its key', () => {
  test('holds nothing that leads from a persona to an account [ANON-6, ANON-7, ANON-8]', () => {
    const database = new SQLite(join(app.dataDir, 'backchannel.sqlite'), { readonly: true });
    const tables = database
      .prepare("select name, sql from sqlite_schema where type = 'table'")
      .all() as { name: string; sql: string }[];
    const [accountId] = database.prepare('select id from accounts').pluck().all() as string[];
    const memberIds = database.prepare('select memberId from personas').pluck().all() as string[];
    expect(memberIds.length).toBeGreaterThan(0);
    for (const { name, sql } of tables) {
      const rows = JSON.stringify(database.prepare(`select * from "${name}"`).all());
      const knowsAccounts = /account|userId/i.test(sql) && rows.includes(accountId!);
      const knowsMembers = memberIds.some((memberId) => rows.includes(memberId));
      expect(knowsAccounts && knowsMembers, name).toBe(false);
      const paired = [
        'accounts',
        'sessions',
        'credentials',
        'enrolments',
        'personas',
        'messages',
        'log',
      ];
      // A rowid would keep the order in which rows came.
      if (paired.includes(name)) expect(sql, name).toMatch(/without rowid/i);
    }
    const times = database
      .prepare(
        'select createdAt, updatedAt from accounts union all select createdAt, updatedAt from sessions union all select expiresAt, updatedAt from sessions',
      )
      .raw()
      .all() as string[][];
    expect(times.flat().every((time) => time.includes('T00:00:00.000Z'))).toBe(true);
    const devices = database.prepare('select ipAddress, userAgent from sessions').raw().all();
    expect((devices as unknown[][]).flat().every((value) => value === null)).toBe(true);
    database.close();
  });
});
