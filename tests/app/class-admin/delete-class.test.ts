import { describe, expect, test } from 'vitest';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

const deleteClass = (classId: string) =>
  runAdminCommand(app.database.settings, 'delete-class', classId);

describe('deleting a class while the server runs', () => {
  test('a deletion resets every subscriber and hides the class from them [ADMIN-2, ROUTE-11, SEARCH-18, JOIN-8]', async () => {
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    const classId = await ada.createClass({ subjectAbbreviation: 'zoo', courseNumber: '7' });
    const other = await ada.createClass();
    await ben.join(classId);
    const sockets = [await ada.connect(), await ben.connect()];
    for (const socket of sockets) await socket.subscribe(classId);
    await sockets[0]!.subscribe(other);
    await sockets[0]!.post(classId, 'before');

    expect(await deleteClass(classId)).toEqual({
      code: 0,
      out: `The class ZOO 7 is deleted. Its messages and pictures are kept for 30 days, then erased. Until then: npm run admin -- restore-class ${classId}\n`,
      errors: [],
    });
    for (const socket of sockets) {
      expect(await socket.waitFor('reset')).toEqual({ type: 'reset', classId, reason: 'deleted' });
      expect(await socket.post(classId, 'after')).toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await sockets[0]!.post(other, 'here it goes on')).toMatchObject({ type: 'ack' });

    const { classes } = await ada.call('listClasses', {});
    expect(classes.map((item) => item.classId)).toEqual([other]);

    const { results } = await ada.call('searchClasses', {
      body: { requests: [{ indexName: 'classSearch', query: 'zoo' }] },
    });
    expect(results[0]).toMatchObject({ hits: [], nbHits: 0 });

    const notFound = { code: 'NOT_FOUND' };
    await expect(ada.call('readClass', { params: { classId } })).rejects.toMatchObject(notFound);
    await expect(ben.join(classId)).rejects.toMatchObject(notFound);

    const history = ben.call('listMessages', { params: { classId }, query: {} });
    await expect(history).rejects.toMatchObject(notFound);

    // A member can still leave it, because a stale list may send that call.
    await ben.leave(classId);
  });

  test('the deletion of a class is the last entry of its log [ADMIN-2, LOG-1]', async () => {
    const ada = await app.createStudent();
    const classId = await ada.createClass();
    const socket = await ada.connect();
    const saying = Array.from({ length: 40 }, (_, i) => socket.post(classId, `message ${i}`));

    const deletion = await deleteClass(classId);
    expect(deletion).toMatchObject({ code: 0, errors: [] });

    const answers = await Promise.all([...saying, socket.post(classId, 'too late')]);
    expect(answers.at(-1)).toMatchObject({ code: 'NOT_FOUND' });

    const rows = await app.database.query(
      `select seq, kind from log where "classId" = '${classId}' order by seq`,
    );
    const ackCount = answers.filter(({ type }) => type === 'ack').length;
    expect(rows).toEqual(
      Array.from({ length: ackCount + 1 }, (_, i) => ({
        seq: typeof rows[0]!['seq'] === 'string' ? String(i + 1) : i + 1,
        kind: i < ackCount ? 'posted' : 'class',
      })),
    );
  });

  test('a server that missed a deletion makes all browsers reconnect and reloads search [ADMIN-4, SEARCH-18]', async () => {
    const ada = await app.createStudent();
    const classId = await ada.createClass();
    const missedId = await ada.createClass({ courseName: 'Unheard-of Deletions' });

    expect((await findClasses(ada, 'unheard of')).nbHits).toBe(1);

    const socket = await ada.connectTo(classId);
    await app.database.query(
      `update classes set status = 'deleted' where "classId" = '${missedId}'`,
    );
    const rows = await app.database.query('select max(seq) as head from "changeEvents"');
    const head = Number(rows[0]!['head']);
    await app.database.query(
      `insert into "changeEvents" (seq, kind, ref) values (${head + 7}, 'class-deleted', 'x')`,
    );
    expect(await socket.waitFor('bye')).toMatchObject({ code: 1012 });
    expect(await socket.closed).toBe(1012);

    const { messages } = await ada.snapshot(classId);
    expect(messages).toEqual([]);
    await expect.poll(async () => (await findClasses(ada, 'unheard of')).nbHits).toBe(0);
    expect((await findClasses(ada, 'input output')).nbHits).toBeGreaterThan(0);
  });
});

describe('the admin command', () => {
  test('the admin command reports in one line that a class is unknown or already deleted [ADMIN-1]', async () => {
    const ada = await app.createStudent();
    const classId = await ada.createClass();

    await deleteClass(classId);

    for (const unknown of ['AAAAAAAAAAAAAAAA', "' or 1=1 --", classId]) {
      expect(await deleteClass(unknown)).toEqual({
        code: 1,
        out: '',
        errors: [`Nothing was done: There is no class with the id ${unknown}.`],
      });
    }
  });
});
