// The search index always equals the database: a real server process, a random history of its classes, and
// kill -9 in between.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import type { SearchHit } from '#contract/class-search.ts';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { startProcess, type ServerProcess } from '#tests/support/server-process.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';

let database: TestDatabase;
let port: string;
let server: ServerProcess;
let students: TestClient[];

beforeAll(async () => {
  database = await createTestDatabase();
  port = String(await findFreePort());
  await start();
  const origin = `http://127.0.0.1:${port}`;
  students = ['ada', 'ben', 'cy'].map((name) => createTestClient(origin, `${name}@university.edu`));
  for (const student of students) {
    await student.signUp();
  }
});
afterAll(async () => {
  await end('SIGKILL');
  await database.drop();
});

async function start(): Promise<void> {
  server = startProcess('node', { ...database.settings, ...unlimitedRates, PORT: port });
  await server.started();
}

async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  server.child.kill(signal);
  await server.ended;
}

type Row = Pick<SearchHit, 'objectID' | 'courseName' | 'courseNumber' | 'memberCount'>;

async function listRowsInDatabase(condition = ''): Promise<Row[]> {
  const rows = await database.query(
    `select "classId" as "objectID", "courseName", "courseNumber", "memberCount" from classes
     where status <> 'deleted' ${condition} order by "classId"`,
  );
  return rows as unknown as Row[];
}

async function listRowsInIndex(): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 0; ; page++) {
    const reply = await findClasses(students[0]!, '', { page, hitsPerPage: 100 });
    for (const { objectID, courseName, courseNumber, memberCount } of reply.hits) {
      rows.push({ objectID, courseName, courseNumber, memberCount });
    }
    if (page + 1 >= reply.nbPages) {
      expect(reply.nbHits).toBe(rows.length);
      return rows.toSorted((a, b) => (a.objectID < b.objectID ? -1 : 1));
    }
  }
}

/** Searches each class by its own name, and expects no other class. */
async function expectEqualToDatabase(): Promise<void> {
  const rows = await listRowsInDatabase();
  await expect.poll(listRowsInIndex, { timeout: 10_000 }).toEqual(rows);
  for (let offset = 0; offset < rows.length; offset += 10) {
    const someRows = rows.slice(offset, offset + 10);
    const requests = someRows.map(({ courseName }) => ({
      indexName: 'classSearch' as const,
      query: courseName ?? '',
    }));
    const { results } = await students[0]!.call('searchClasses', { body: { requests } });
    expect(results).toMatchObject(
      someRows.map(({ objectID }) => ({ nbHits: 1, hits: [{ objectID }] })),
    );
  }
}

async function expectFoundAsStored(classId: string): Promise<void> {
  const [row] = await listRowsInDatabase(`and "classId" = '${classId}'`);
  const { hits } = await findClasses(students[0]!, row?.courseName ?? '');
  expect(hits).toMatchObject([row!]);
}

let created = 0;
/** Names that are no prefix of each other and too different to match by a typing error. */
const createName = () =>
  `Course ${String(++created).replaceAll(/\d/g, (n) => 'bcdfghjklm'.charAt(Number(n)).repeat(3))}q`;

interface Step {
  kind: 'create' | 'join' | 'leave' | 'delete' | 'kill' | 'restart';
  studentIndex: number;
  rowIndex: number;
  /** Kills the server after the first write has succeeded or failed, not while all writes run. */
  isAfterFirstWrite: boolean;
}

const step = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant('create' as const) },
    { weight: 8, arbitrary: fc.constant('join' as const) },
    { weight: 6, arbitrary: fc.constant('leave' as const) },
    { weight: 1, arbitrary: fc.constant('delete' as const) },
    { weight: 1, arbitrary: fc.constant('kill' as const) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
  ),
  studentIndex: fc.nat(2),
  rowIndex: fc.nat(1000),
  isAfterFirstWrite: fc.boolean(),
});

async function takeStep({ kind, studentIndex, rowIndex, isAfterFirstWrite }: Step): Promise<void> {
  const student = students[studentIndex]!;
  const rows = await listRowsInDatabase();
  const row = rows[rowIndex % Math.max(1, rows.length)];
  const classId = row?.objectID ?? '';
  switch (kind) {
    case 'create':
      return expectFoundAsStored(await student.createClass({ courseName: createName() }));
    case 'join':
    case 'leave':
      if (!row) return;
      if (kind === 'join') await student.join(classId);
      else await student.leave(classId);
      return expectFoundAsStored(classId);
    case 'delete':
      if (row) {
        expect(await runAdminCommand(database.settings, 'delete-class', classId)).toMatchObject({
          code: 0,
        });
      }
      return;
    case 'kill': {
      const writes = [
        ...students.map((joiner) => joiner.createClass({ courseName: createName() })),
        ...(row ? students.map((joiner) => joiner.join(classId)) : []),
      ];
      const settled = Promise.allSettled(writes);
      if (isAfterFirstWrite) await Promise.race(writes).catch(() => {});
      await end('SIGKILL');
      await settled;
      await start();
      return expectEqualToDatabase();
    }
    case 'restart':
      await end('SIGTERM');
      await start();
      return expectEqualToDatabase();
  }
}

test('the index equals the database after any history with kill -9 [SEARCH-18, SEARCH-40, ADMIN-2]', async () => {
  const someStep = { studentIndex: 0, rowIndex: 1, isAfterFirstWrite: true };
  const kill: Step = { ...someStep, kind: 'kill' };
  const remove: Step = { ...someStep, kind: 'delete' };
  const creations = [0, 1, 2].map((studentIndex): Step => ({
    ...someStep,
    kind: 'create',
    studentIndex,
  }));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 16 }), async (history) => {
      for (const nextStep of [...creations, ...history, remove, kill]) await takeStep(nextStep);
      await expectEqualToDatabase();
    }),
    { numRuns: 2, endOnFailure: true },
  );
});
