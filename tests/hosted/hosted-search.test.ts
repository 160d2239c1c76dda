// The server keeps a hosted index up to date with Algolia's own client, over a network that fails.
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createStudent, type Student } from '../../scripts/student.ts';
import { freePort } from '../../scripts/free-port.ts';
import { admin } from '../app/admin-process.ts';
import {
  enter,
  joinClass,
  newClass,
  password,
  post,
  someClass,
  startApp,
  type RunningApp,
} from '../app/running-app.ts';
import { runCommand } from '../app/run-command.ts';
import { startProcess } from '../app/server-process.ts';
import { createTestDatabase } from '../app/test-database.ts';
import { startFakeAlgolia, type FakeAlgolia } from './fake-algolia.ts';
import { redirectAlgoliaTo } from './lead-algolia.ts';

/** Covers the failover between hosts in Algolia's client and the server's retry delay. */
const patience = { timeout: 60_000 };

let fake: FakeAlgolia;
let undo: () => void;
let app: RunningApp | null;
beforeEach(async () => {
  fake = await startFakeAlgolia();
  undo = redirectAlgoliaTo(fake.port);
  app = null;
});
afterEach(async () => {
  await app?.stop();
  undo();
  await fake.stop();
});

async function start(): Promise<RunningApp> {
  app = await startApp(fake.serverSettings);
  await expect.poll(() => fake.done, patience).toContain('settings classSearch');
  return app;
}

/** The expected content of the index: the existing classes. */
async function classesOf(running: Pick<RunningApp, 'database'>) {
  const rows = await running.database.query(
    `select "classId", "memberCount" from classes where status <> 'deleted' order by "classId"`,
  );
  return rows.map((row) => ({ objectID: row['classId'], memberCount: Number(row['memberCount']) }));
}

function told() {
  return fake
    .records()
    .map(({ objectID, memberCount }) => ({ objectID, memberCount }))
    .toSorted((a, b) => (a.objectID < b.objectID ? -1 : 1));
}

async function untilIndexed(running: Pick<RunningApp, 'database'>): Promise<void> {
  await expect
    .poll(async () => ({ index: told(), due: await dueIn(running) }), patience)
    .toEqual({ index: await classesOf(running), due: 0 });
}

async function dueIn({ database }: Pick<RunningApp, 'database'>): Promise<number> {
  return (await database.query('select "classId" from "searchDue"')).length;
}

describe('changes of classes', () => {
  test('update the index: the record of an ended class is removed [SEARCH-68]', async () => {
    const running = await start();
    const ada = await running.newStudent('ada');
    const [classId, other] = [await newClass(ada), await newClass(ada)];
    const ids = () => told().map(({ objectID }) => objectID);
    await expect.poll(ids, patience).toEqual([classId, other].toSorted());
    await admin(running.database.settings, 'end-term', classId);
    await expect.poll(ids, patience).toEqual([other]);
    // A changed member count does not add it again.
    await ada.call('leaveClass', { params: { classId } });
    await expect.poll(() => dueIn(running), patience).toBe(0);
    expect(ids()).toEqual([other]);
  });

  test('update the index: a new class with only its public fields, a changed count, a deletion and a restore [SEARCH-53, SEARCH-54, SEARCH-17, ADMIN-11]', async () => {
    const running = await start();
    const [ada, ben] = [await running.newStudent('ada'), await running.newStudent('ben')];
    const classId = await newClass(ada);
    await expect
      .poll(() => fake.records(), patience)
      .toEqual([
        {
          objectID: classId,
          name: null,
          ...someClass,
          memberCount: 1,
        },
      ]);
    await joinClass(ben, classId);
    await expect.poll(told, patience).toEqual([{ objectID: classId, memberCount: 2 }]);
    await ben.call('leaveClass', { params: { classId } });
    await expect.poll(told, patience).toEqual([{ objectID: classId, memberCount: 1 }]);
    const other = await newClass(ben);
    await admin(running.database.settings, 'delete-class', classId);
    await expect.poll(told, patience).toEqual([{ objectID: other, memberCount: 1 }]);
    await admin(running.database.settings, 'restore-class', classId);
    const both = [classId, other].toSorted().map((objectID) => ({ objectID, memberCount: 1 }));
    await expect.poll(told, patience).toEqual(both);

    const live = await ada.connect();
    const { me } = await enter(live, await newClass(ada));
    await post(live, other, 'a word');
    await untilIndexed(running);
    const accounts = await running.database.query('select id, email from accounts');
    expect(accounts).toHaveLength(2);
    const all = fake.bodies.join('\n');
    expect(all).toContain(classId);
    for (const mark of [...accounts.flatMap(Object.values), me.memberId, 'a word']) {
      expect(all).not.toContain(mark);
    }
  });

  test('are sent as one record after an outage, however often the class changed [SEARCH-54]', async () => {
    const running = await start();
    const classId = await newClass(await running.newStudent());
    await untilIndexed(running);
    fake.down = 503;
    for (let n = 0; n < 5; n++) await joinClass(await running.newStudent(), classId);
    fake.down = null;
    const before = fake.done.length;
    await untilIndexed(running);
    expect(fake.records()).toMatchObject([{ memberCount: 6 }]);
    expect(fake.done.length - before).toBeLessThanOrEqual(2);
  });

  test('are sent again if the class changed during the upload [SEARCH-53]', async () => {
    const running = await start();
    const [ada, ben] = [await running.newStudent(), await running.newStudent()];
    let joined = false;
    fake.beforeAnswer = async () => {
      const [first] = fake.records();
      await joinClass(ben, first!.objectID);
      joined = true;
    };
    await newClass(ada);
    await expect.poll(() => joined, patience).toBe(true);
    await untilIndexed(running);
    expect(fake.records()).toMatchObject([{ memberCount: 2 }]);
  });

  test('delay no request while the application does not answer [SEARCH-55]', async () => {
    const running = await start();
    const ada = await running.newStudent();
    const classId = await newClass(ada);
    await untilIndexed(running);
    fake.fail(...Array.from({ length: 8 }, () => ({ kind: 'silence' as const })));
    const second = await newClass(ada);
    await expect.poll(() => fake.bodies.at(-1), patience).toContain(second);
    // The call without an answer is pending, and the server continues.
    const live = await ada.connect();
    await enter(live, classId);
    expect(await post(live, classId, 'here')).toMatchObject({ type: 'ack' });
    await joinClass(await running.newStudent(), classId);
    expect(await dueIn(running)).toBe(2);
  });
});

describe('a network that fails', () => {
  test.each([
    ['errors', [500, 503, 502, 500].map((status) => ({ kind: 'status' as const, status }))],
    ['being too fast', [{ kind: 'status' as const, status: 429 }]],
    ['a wrong key', [{ kind: 'status' as const, status: 403 }]],
    ['calls that never arrive', Array.from({ length: 5 }, () => ({ kind: 'dropped' as const }))],
    ['answers that are lost', Array.from({ length: 5 }, () => ({ kind: 'lost' as const }))],
    ['silence', [{ kind: 'silence' as const }]],
  ])('does not keep changes from the index: %s [SEARCH-55]', async (_, faults) => {
    const running = await start();
    const ada = await running.newStudent();
    await untilIndexed(running);
    fake.fail(...faults);
    const classId = await newClass(ada);
    await newClass(ada);
    await joinClass(await running.newStudent(), classId);
    await untilIndexed(running);
    expect(fake.records()).toHaveLength(2);
  });

  test('does not stop other records if the index rejects one [SEARCH-55]', async () => {
    const running = await start();
    const ada = await running.newStudent();
    await untilIndexed(running);
    const odd = (body: string) => body.includes('Oddity');
    fake.fail({ kind: 'status', status: 400, of: odd }, { kind: 'status', status: 400, of: odd });
    fake.down = 503;
    const refused = await newClass(ada, { courseName: 'Oddity' });
    const others = [await newClass(ada), await newClass(ada)];
    fake.down = null;
    await expect
      .poll(() => told().map(({ objectID }) => objectID), patience)
      .toEqual(others.toSorted());
    await expect.poll(() => running.logLines.join('\n'), patience).toContain('"index.refused"');
    await expect.poll(() => dueIn(running), patience).toBe(1);
    expect(running.logLines.join('\n')).not.toContain(refused);
    // A change of the class triggers a retry.
    await joinClass(await running.newStudent(), refused);
    await untilIndexed(running);
  });
});

describe('a start', () => {
  test('uploads all classes and the index settings to a new application, and queues nothing without one [SEARCH-56, SEARCH-57]', async () => {
    const database = await createTestDatabase();
    const builtin = await startApp({}, database);
    const ada = await builtin.newStudent();
    for (let n = 0; n < 3; n++) await newClass(ada, { courseNumber: `${n}` });
    expect(await dueIn(builtin)).toBe(0);
    await builtin.close();

    const hosted = await startApp(fake.serverSettings, database);
    await untilIndexed(hosted);
    expect(fake.settings()).toMatchObject({
      attributesForFaceting: ['subjectAbbreviation', 'semesterSeason', 'classSchedule'],
      customRanking: ['desc(memberCount)'],
    });
    const { length } = fake.done;
    await hosted.restart();
    const ben = await hosted.newStudent('ben');
    await newClass(ben);
    await untilIndexed(hosted);
    expect(fake.done.slice(length)).toEqual(['batch classSearch']);
    fake.down = 503;
    await newClass(ben);
    await hosted.close();

    app = await startApp({}, database);
    expect(await dueIn(app)).toBe(0);
    await newClass(await app.newStudent('cleo'));
    expect(await dueIn(app)).toBe(0);
  });

  test('continues with the changes that a killed server had not sent, after any history [SEARCH-53, SEARCH-55]', async () => {
    const database = await createTestDatabase();
    const port = await freePort();
    const preload = fileURLToPath(new URL('lead-algolia.preload.ts', import.meta.url));
    const environment = {
      ...database.settings,
      ...fake.serverSettings,
      PORT: String(port),
      ALGOLIA_EDGE_PORT: String(fake.port),
      NODE_OPTIONS: `--import=${preload}`,
    };
    const students: Student[] = [];
    const classIds: string[] = [];
    const origin = `http://127.0.0.1:${port}`;
    const one = <T>(list: readonly T[]) => list[randomInt(list.length)]!;
    for (let life = 0; life < 3; life++) {
      const server = startProcess('node', environment);
      await server.printed('data folder');
      while (students.length < 3) {
        const student = createStudent(origin, `s${students.length}@university.edu`, password);
        await student.call('signUp', { body: { email: student.email, password } });
        students.push(student);
      }
      fake.fail({ kind: one(['lost', 'dropped']) }, { kind: 'lost' });
      for (let n = 0; n < 12; n++) {
        const student = one(students);
        if (n % 3 === 0) classIds.push(await newClass(student));
        const classId = one(classIds);
        if (n % 3 === 0) continue;
        if (n % 3 === 1) await joinClass(student, classId);
        else await student.call('leaveClass', { params: { classId } });
      }
      server.child.kill('SIGKILL');
      await server.ended;
    }
    const last = await startApp(fake.serverSettings, database);
    app = last;
    await untilIndexed(last);
    expect(fake.records().length).toBe(classIds.length);
  });
});

describe('npm run search:reindex', () => {
  const reindex = (running: RunningApp) =>
    runCommand('search:reindex', [], {
      ...running.database.settings,
      ...fake.serverSettings,
      ALGOLIA_EDGE_PORT: String(fake.port),
      NODE_OPTIONS: `--import=${fileURLToPath(new URL('lead-algolia.preload.ts', import.meta.url))}`,
    });

  test('replaces the index with all classes in one step, while the server runs [SEARCH-58]', async () => {
    const running = await start();
    const ada = await running.newStudent();
    const [first, second] = [await newClass(ada), await newClass(ada)];
    await untilIndexed(running);
    fake.put({ objectID: 'ghost', memberCount: 7 });
    fake.done.length = 0;
    // While the new index is filled, the old one answers and the server continues.
    fake.beforeMove = async () => {
      expect(fake.records().map(({ objectID }) => objectID)).toContain('ghost');
      await newClass(ada);
      await joinClass(await running.newStudent(), first);
      await admin(running.database.settings, 'delete-class', second);
    };
    expect(await reindex(running)).toEqual({
      code: 0,
      output: 'The hosted index holds 2 classes.',
    });
    expect(fake.done.filter((one) => !one.startsWith('batch classSearch'))[0]).toBe(
      'settings classSearch',
    );
    expect(fake.done.some((one) => /^move classSearch_tmp_\d+ classSearch$/.test(one))).toBe(true);
    await untilIndexed(running);
    expect(fake.records()).toHaveLength(2);
  });

  test('explains a failure in one line [SEARCH-58, START-5]', async () => {
    const running = await start();
    await untilIndexed(running);
    const { code, output } = await runCommand('search:reindex', [], running.database.settings);
    expect(code).toBe(1);
    expect(output).toMatch(/^Cannot reindex: [^\n]*SEARCH=algolia[^\n]*$/);
  });
});

describe('a browser', () => {
  test('of a signed-in student gets a key that is valid for a day and can only search this index [SEARCH-59]', async () => {
    const running = await start();
    const ada = await running.newStudent();
    const { applicationId, key } = await ada.call('searchAccess', {});
    expect(applicationId).toBe(fake.applicationId);
    expect(key).not.toContain(fake.serverSettings['ALGOLIA_SEARCH_KEY']);
    const plain = Buffer.from(key, 'base64').toString().slice(64);
    const { restrictIndices, validUntil } = Object.fromEntries(new URLSearchParams(plain));
    expect(restrictIndices).toBe('classSearch');
    expect(Number(validUntil) - Date.now() / 1000).toBeLessThanOrEqual(24 * 60 * 60);
    await expect(running.visitor().call('searchAccess', {})).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    const requests = [{ indexName: 'classSearch' }];
    await expect(ada.call('searchClasses', { body: { requests } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('can contact the application’s hosts, and no other host with the built-in index [SEARCH-60, HTTP-9]', async () => {
    const running = await start();
    const id = fake.applicationId.toLowerCase();
    const policy = async (of: RunningApp) =>
      (await fetch(`${of.origin}/healthz`)).headers.get('content-security-policy');
    expect(await policy(running)).toContain(
      `connect-src 'self' https://${id}-dsn.algolia.net https://${id}-1.algolianet.com https://${id}-2.algolianet.com https://${id}-3.algolianet.com;`,
    );
    const builtin = await startApp();
    expect(await policy(builtin)).toContain("connect-src 'self';");
    await expect((await builtin.newStudent()).call('searchAccess', {})).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await builtin.stop();
  });
});
