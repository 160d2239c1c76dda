// The server keeps a hosted index up to date with Algolia's own client, over a network that fails.
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestClient, someClass, type TestClient } from '#tests/support/test-client.ts';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { runAdminCommand, runCommand, runCommandProcess } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { startProcess } from '#tests/support/server-process.ts';
import { createTestDatabase } from '#tests/support/test-database.ts';
import { startFakeAlgolia, type FakeAlgolia } from './fake-algolia.ts';
import { redirectAlgoliaTo } from './redirect-algolia.ts';
import { listStoredAccounts } from '#tests/support/stored-accounts.ts';

/** Covers the failover between hosts in Algolia's client and the server's retry delay. */
const timeout = { timeout: 60_000 };

let fake: FakeAlgolia;
let undo: () => void;
let startedApp: RunningApp | null;
beforeEach(async () => {
  fake = await startFakeAlgolia();
  undo = redirectAlgoliaTo(fake.port);
  startedApp = null;
});
afterEach(async () => {
  await startedApp?.stop();
  undo();
  await fake.stop();
});

async function start(): Promise<RunningApp> {
  startedApp = await startApp(fake.serverSettings);
  await expect.poll(() => fake.done, timeout).toContain('settings classSearch');
  return startedApp;
}

/** The expected content of the index: the existing classes. */
async function listClassRows(app: Pick<RunningApp, 'database'>) {
  const rows = await app.database.query(
    `select "classId", "memberCount" from classes where status <> 'deleted' order by "classId"`,
  );
  return rows.map((row) => ({ objectID: row['classId'], memberCount: Number(row['memberCount']) }));
}

function listIndexedRecords() {
  return fake
    .records()
    .map(({ objectID, memberCount }) => ({ objectID, memberCount }))
    .toSorted((a, b) => (a.objectID < b.objectID ? -1 : 1));
}

async function waitUntilIndexed(app: Pick<RunningApp, 'database'>): Promise<void> {
  await expect
    .poll(async () => ({ index: listIndexedRecords(), due: await countQueue(app) }), timeout)
    .toEqual({ index: await listClassRows(app), due: 0 });
}

async function countQueue({ database }: Pick<RunningApp, 'database'>): Promise<number> {
  return (await database.query('select "classId" from "searchIndexQueue"')).length;
}

describe('changes of classes', () => {
  test('the index follows the creation, the member count, the deletion and the restoration of a class [SEARCH-53, SEARCH-17, ADMIN-11]', async () => {
    const app = await start();
    const ada = await app.createStudent('ada');
    const ben = await app.createStudent('ben');
    const classId = await ada.createClass();

    await expect
      .poll(() => fake.records(), timeout)
      .toEqual([
        {
          objectID: classId,
          name: null,
          ...someClass,
          memberCount: 1,
        },
      ]);

    await ben.join(classId);
    await expect.poll(listIndexedRecords, timeout).toEqual([{ objectID: classId, memberCount: 2 }]);

    await ben.leave(classId);
    await expect.poll(listIndexedRecords, timeout).toEqual([{ objectID: classId, memberCount: 1 }]);

    const other = await ben.createClass();
    await runAdminCommand(app.database.settings, 'delete-class', classId);
    await expect.poll(listIndexedRecords, timeout).toEqual([{ objectID: other, memberCount: 1 }]);

    await runAdminCommand(app.database.settings, 'restore-class', classId);
    const expectedRecords = [classId, other]
      .toSorted()
      .map((objectID) => ({ objectID, memberCount: 1 }));
    await expect.poll(listIndexedRecords, timeout).toEqual(expectedRecords);

    const socket = await ada.connect();
    const { me } = await socket.subscribe(await ada.createClass());
    await socket.post(other, 'a word');
    await waitUntilIndexed(app);
    const accounts = (await listStoredAccounts(app.database)).map(({ id, email }) => [id, email]);
    expect(accounts).toHaveLength(2);

    const all = fake.bodies.join('\n');
    expect(all).toContain(classId);
    for (const mark of [...accounts.flat(), me.memberId, 'a word']) {
      expect(all).not.toContain(mark);
    }
  });

  test('a class that changed often during an outage is sent as one record [SEARCH-53]', async () => {
    const app = await start();
    const classId = await (await app.createStudent()).createClass();
    await waitUntilIndexed(app);
    fake.downStatus = 503;
    for (let n = 0; n < 5; n++) await (await app.createStudent()).join(classId);
    fake.downStatus = null;
    const countBefore = fake.done.length;

    await waitUntilIndexed(app);

    expect(fake.records()).toMatchObject([{ memberCount: 6 }]);
    expect(fake.done.length - countBefore).toBeLessThanOrEqual(2);
  });

  test('a class that changes during its upload is sent again [SEARCH-53]', async () => {
    const app = await start();
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    let hasJoined = false;
    fake.beforeAnswer = async () => {
      const [first] = fake.records();
      await ben.join(first!.objectID);
      hasJoined = true;
    };
    await ada.createClass();

    await expect.poll(() => hasJoined, timeout).toBe(true);

    await waitUntilIndexed(app);
    expect(fake.records()).toMatchObject([{ memberCount: 2 }]);
  });

  test('changes of classes delay no request while the application does not answer [SEARCH-55]', async () => {
    const app = await start();
    const ada = await app.createStudent();
    const classId = await ada.createClass();
    await waitUntilIndexed(app);
    fake.fail(...Array.from({ length: 8 }, () => ({ kind: 'silence' as const })));
    const second = await ada.createClass();

    await expect.poll(() => fake.bodies.at(-1), timeout).toContain(second);

    // The call without an answer is pending, and the server continues.
    const socket = await ada.connectTo(classId);
    expect(await socket.post(classId, 'here')).toMatchObject({ type: 'ack' });

    await (await app.createStudent()).join(classId);
    expect(await countQueue(app)).toBe(2);
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
  ])('the index gets all changes although the network fails: %s [SEARCH-55]', async (_, faults) => {
    const app = await start();
    const ada = await app.createStudent();
    await waitUntilIndexed(app);
    fake.fail(...faults);
    const classId = await ada.createClass();
    await ada.createClass();
    await (await app.createStudent()).join(classId);

    await waitUntilIndexed(app);

    expect(fake.records()).toHaveLength(2);
  });

  test('the index gets the other records although it rejects one [SEARCH-55]', async () => {
    const app = await start();
    const ada = await app.createStudent();
    await waitUntilIndexed(app);
    let isRejected = true;
    const isOddity = (body: string) => isRejected && body.includes('Oddity');
    // How often it is sent depends on which changes the server finds together.
    fake.fail(
      ...Array.from(
        { length: 8 },
        () => ({ kind: 'status', status: 400, matches: isOddity }) as const,
      ),
    );
    fake.downStatus = 503;
    const rejectedClassId = await ada.createClass({ courseName: 'Oddity' });
    const otherClassIds = [await ada.createClass(), await ada.createClass()];
    fake.downStatus = null;

    await expect
      .poll(() => listIndexedRecords().map(({ objectID }) => objectID), timeout)
      .toEqual(otherClassIds.toSorted());
    await expect.poll(() => app.logLines.join('\n'), timeout).toContain('"index.refused"');
    await expect.poll(() => countQueue(app), timeout).toBe(1);
    expect(app.logLines.join('\n')).not.toContain(rejectedClassId);

    isRejected = false;
    // A change of the class triggers a retry.
    await (await app.createStudent()).join(rejectedClassId);
    await waitUntilIndexed(app);
  });
});

describe('a start', () => {
  test('a start uploads all classes and the index settings to a new application [SEARCH-56, SEARCH-53]', async () => {
    const database = await createTestDatabase();
    const builtin = await startApp({}, database);
    const ada = await builtin.createStudent();
    for (let n = 0; n < 3; n++) await ada.createClass({ courseNumber: `${n}` });

    expect(await countQueue(builtin)).toBe(0);

    await builtin.close();

    const hosted = await startApp(fake.serverSettings, database);
    await waitUntilIndexed(hosted);
    expect(fake.settings()).toMatchObject({
      attributesForFaceting: ['subjectAbbreviation', 'semesterSeason', 'classSchedule'],
      customRanking: ['desc(memberCount)'],
    });

    const { length } = fake.done;
    await hosted.restart();
    const ben = await hosted.createStudent('ben');
    await ben.createClass();
    await waitUntilIndexed(hosted);
    expect(fake.done.slice(length)).toEqual(['batch classSearch']);

    fake.downStatus = 503;
    await ben.createClass();
    await hosted.close();

    startedApp = await startApp({}, database);
    expect(await countQueue(startedApp)).toBe(0);

    await (await startedApp.createStudent('cleo')).createClass();
    expect(await countQueue(startedApp)).toBe(0);
  });

  test('a start sends the changes that a killed server had not sent [SEARCH-53, SEARCH-55]', async () => {
    const database = await createTestDatabase();
    const port = await findFreePort();
    const preload = fileURLToPath(new URL('redirect-algolia.preload.ts', import.meta.url));
    const environment = {
      ...database.settings,
      ...fake.serverSettings,
      PORT: String(port),
      ALGOLIA_EDGE_PORT: String(fake.port),
      NODE_OPTIONS: `--import=${preload}`,
    };
    const students: TestClient[] = [];
    const classIds: string[] = [];
    const origin = `http://127.0.0.1:${port}`;
    const pickOne = <T>(list: readonly T[]) => list[randomInt(list.length)]!;
    for (let life = 0; life < 3; life++) {
      const server = startProcess('node', environment);
      await server.started();
      while (students.length < 3) {
        const student = createTestClient(origin, `s${students.length}@university.edu`);
        await student.signUp();
        students.push(student);
      }
      fake.fail({ kind: pickOne(['lost', 'dropped']) }, { kind: 'lost' });
      for (let n = 0; n < 12; n++) {
        const student = pickOne(students);
        if (n % 3 === 0) classIds.push(await student.createClass());
        const classId = pickOne(classIds);
        if (n % 3 === 0) continue;
        if (n % 3 === 1) await student.join(classId);
        else await student.leave(classId);
      }
      server.child.kill('SIGKILL');
      await server.ended;
    }
    const last = await startApp(fake.serverSettings, database);
    startedApp = last;

    await waitUntilIndexed(last);

    expect(fake.records().length).toBe(classIds.length);
  });
});

describe('npm run search:reindex', () => {
  const reindex = (app: RunningApp) =>
    runCommandProcess('search:reindex', [], {
      ...app.database.settings,
      ...fake.serverSettings,
      ALGOLIA_EDGE_PORT: String(fake.port),
      NODE_OPTIONS: `--import=${fileURLToPath(new URL('redirect-algolia.preload.ts', import.meta.url))}`,
    });

  test('npm run search:reindex replaces the index in one step, while the server runs [SEARCH-56]', async () => {
    const app = await start();
    const ada = await app.createStudent();
    const first = await ada.createClass();
    const second = await ada.createClass();
    await waitUntilIndexed(app);
    fake.put({ objectID: 'ghost', memberCount: 7 });
    fake.done.length = 0;
    // While the new index is filled, the old one answers and the server continues.
    fake.beforeMove = async () => {
      expect(fake.records().map(({ objectID }) => objectID)).toContain('ghost');
      await ada.createClass();
      await (await app.createStudent()).join(first);
      await runAdminCommand(app.database.settings, 'delete-class', second);
    };

    expect(await reindex(app)).toEqual({
      code: 0,
      output: 'The hosted index holds 2 classes.',
    });
    expect(fake.done.filter((request) => !request.startsWith('batch classSearch'))[0]).toBe(
      'settings classSearch',
    );
    expect(
      fake.done.some((request) => /^move classSearch_tmp_\d+ classSearch$/.test(request)),
    ).toBe(true);

    await waitUntilIndexed(app);
    expect(fake.records()).toHaveLength(2);
  });

  test('npm run search:reindex explains a failure in one line [SEARCH-56, START-5]', async () => {
    const app = await start();
    await waitUntilIndexed(app);

    const { code, output } = await runCommand('search:reindex', [], app.database.settings);

    expect(code).toBe(1);
    expect(output).toMatch(/^Cannot reindex: [^\n]*ALGOLIA_APP_ID[^\n]*$/);
  });
});

describe('a browser', () => {
  test('a signed-in browser gets a key that can only search this index, for a day [SEARCH-59]', async () => {
    const app = await start();
    const ada = await app.createStudent();

    const { applicationId, key } = await ada.call('searchAccess', {});
    expect(applicationId).toBe(fake.applicationId);
    expect(key).not.toContain(fake.serverSettings['ALGOLIA_SEARCH_KEY']);

    const plain = Buffer.from(key, 'base64').toString().slice(64);
    const { restrictIndices, validUntil } = Object.fromEntries(new URLSearchParams(plain));
    expect(restrictIndices).toBe('classSearch');
    expect(Number(validUntil) - Date.now() / 1000).toBeLessThanOrEqual(24 * 60 * 60);
    await expect(app.visitor().call('searchAccess', {})).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });

    const requests = [{ indexName: 'classSearch' as const }];
    await expect(ada.call('searchClasses', { body: { requests } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('a browser may only connect to the hosts of the application [SEARCH-60, HTTP-9]', async () => {
    const app = await start();
    const id = fake.applicationId.toLowerCase();
    const fetchPolicy = async ({ origin }: RunningApp) =>
      (await fetch(`${origin}/healthz`)).headers.get('content-security-policy');

    expect(await fetchPolicy(app)).toContain(
      `connect-src 'self' https://${id}-dsn.algolia.net https://${id}-1.algolianet.com https://${id}-2.algolianet.com https://${id}-3.algolianet.com;`,
    );

    const builtin = await startApp();
    expect(await fetchPolicy(builtin)).toContain("connect-src 'self';");
    await expect((await builtin.createStudent()).call('searchAccess', {})).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });

    await builtin.stop();
  });
});
