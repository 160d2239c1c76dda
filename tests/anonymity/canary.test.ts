// One student's every private mark is looked for in all that others can get hold of.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Student } from '../../scripts/student.ts';
import { routes } from '#contract/routes.ts';
import { routeUrl } from '#contract/route-url.ts';
import { markedFiles } from '../app/marked-files.ts';
import { postPicture, upload } from '../app/pictures.ts';
import { enter, joinClass, newClass, post, startApp, type RunningApp } from '../app/running-app.ts';

let app: RunningApp;
let marked: Student;
let observer: Student;
/** What would tell who the marked student is. */
let marks: string[];
/** Everything that reached the observer. */
const received: string[] = [];

let lastRid = 1_000_000;
/** In every place of a picture's file that is no pixel. */
const fileMark = `file${randomBytes(8).toString('hex')}`;
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
  const [row] = await app.database.query(
    `select accounts.id as account, sessions.id as session, token
     from accounts join sessions on "userId" = accounts.id where email = '${marked.email}'`,
  );
  const { account } = await marked.call('me', {});
  marks = [name, userAgent, account!.key, ...Object.values(row!).map(String), fileMark];
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
  const { epoch, seq } = await enter(live, classId);
  await enter(markedLive, classId);
  await post(markedLive, classId, 'Who am I?');
  const others = await post(live, classId, 'Nobody knows');
  const { id: messageId } = await post(markedLive, classId, 'I am not tellnig');
  const act = async (frame: object) => {
    const rid = ++lastRid;
    markedLive.sendText(JSON.stringify({ rid, classId, ...frame }));
    return (await markedLive.answer(rid)).type;
  };
  expect(await act({ type: 'edit', messageId, text: 'I am not telling' })).toBe('ack');
  expect(await act({ type: 'react', messageId: others.id, emoji: '❤️' })).toBe('ack');
  expect(await act({ type: 'delete', messageId })).toBe('ack');
  for (const file of Object.values(await markedFiles(fileMark))) {
    const { imageId, imageUrl, thumbUrl } = await upload(marked, classId, file);
    const id = await postPicture(markedLive, classId, imageId, { alt: 'Guess who' });
    expect((await observer.fetch(imageUrl)).status).toBe(200);
    expect((await observer.fetch(thumbUrl)).status).toBe(200);
    expect(await act({ type: 'delete', messageId: id })).toBe('ack');
  }
  markedLive.send({ type: 'read', classId, seq: 2 });
  markedLive.send({ type: 'typing', classId });
  await live.frame('typing');
  await live.frame('events', ({ items }) => items.some(({ kind }) => kind === 'deleted'));
  // Once more as a replay, and as a snapshot.
  live.send({ type: 'subscribe', rid: ++lastRid, classId, epoch, after: seq });
  await enter(live, classId);
  await post(markedLive, classId, '');
  markedLive.sendText('{');
  await observer.call('requestPasswordReset', { body: { email: marked.email } });
  // Every call of the contract, as far as the observer gets with it.
  for (const name of Object.keys(routes) as (keyof typeof routes)[]) {
    if (name === 'signOut' || name === 'leaveClass') continue;
    const { method } = routes[name];
    const body = name === 'searchClasses' ? '{"requests":[{"indexName":"classSearch"}]}' : '{}';
    const init = method === 'GET' ? { method } : { method, body };
    await observer.fetch(
      routeUrl(name, { params: { classId, imageId: 'none', key: 'default' } }),
      init,
    );
  }
  await marked.call('leaveClass', { params: { classId } });
  await joinClass(marked, classId);
  await live.frame('events');
  received.push(...live.frames.map((frame) => JSON.stringify(frame)));
}

describe('a student’s marks', () => {
  test('are in nothing that reaches another one [ANON-1, ANON-3, ANON-15, PROFILE-5]', () => {
    expect(marks).toHaveLength(7);
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
    const content = await app.database.content();
    expect(content).toContain(classId);
    expect(content).not.toContain(me.memberId);
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
  test('holds nothing that leads from a persona to an account [ANON-6, ANON-7, ANON-8]', async () => {
    const { query, tables } = app.database;
    const accountIds = (await query('select id from accounts')).map(({ id }) => String(id));
    const personas = await query('select "memberId" from personas');
    const memberIds = personas.map(({ memberId }) => String(memberId));
    expect(memberIds.length).toBeGreaterThan(0);
    const all = await tables();
    expect(Object.keys(all)).toContain('enrolments');
    for (const [name, rows] of Object.entries(all)) {
      const text = JSON.stringify(rows);
      const knowsAccounts = accountIds.some((accountId) => text.includes(accountId));
      const knowsMembers = memberIds.some((memberId) => text.includes(memberId));
      expect(knowsAccounts && knowsMembers, name).toBe(false);
    }
  });

  test('holds no account’s or session’s time finer than a day, and no device [ANON-7, ANON-8]', async () => {
    const { accounts, sessions } = await app.database.tables();
    for (const { createdAt, updatedAt } of [...accounts!, ...sessions!]) {
      const times = JSON.stringify([createdAt, updatedAt]);
      expect(times.match(/T00:00:00.000Z/g), times).toHaveLength(2);
    }
    for (const { expiresAt, ipAddress, userAgent: device } of sessions!) {
      expect(JSON.stringify(expiresAt)).toContain('T00:00:00.000Z');
      expect([ipAddress, device]).toEqual([null, null]);
    }
  });
});
