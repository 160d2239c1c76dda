// The classes as operators list, edit, end, delete and restore them, in the app and by command.
import { describe, expect, test } from 'vitest';
import type { CallInput, CallReply } from '#contract/http.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { admin } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { someClass, type TestClient } from '#tests/support/test-client.ts';

const app = setUpApp();
const run = (...args: string[]) => admin(app.database.settings, ...args);

async function newOperator(): Promise<TestClient> {
  const operator = await app.newStudent();
  await grantRole(app, operator, null, 'Kim');
  return operator;
}

type Query = CallInput<'listAllClasses'>['query'];
const list = async (operator: TestClient, query: Query) =>
  (await operator.call('listAllClasses', { query })).classes;
const labels = (classes: CallReply<'listAllClasses'>['classes']) =>
  classes.map(({ subjectAbbreviation, courseNumber }) => `${subjectAbbreviation} ${courseNumber}`);

async function acts(operator: TestClient, classId: string) {
  const { entries } = await operator.call('listAuditLog', { query: {} });
  return entries
    .filter((entry) => entry.classId === classId)
    .map(({ act, staffName, reason }) => [act, staffName, reason]);
}

describe('the list', () => {
  test('finds classes by words, term and status, in the chosen order [ADMIN-21]', async () => {
    const operator = await newOperator();
    const ada = await app.newStudent();
    const create = (courseNumber: string, courseName: string) =>
      ada.createClass({ subjectAbbreviation: 'Zoo', courseNumber, courseName });
    const frogs = await create('10', '100% Frogs_and toads');
    const birds = await create('9', 'Birds of Österreich');
    const cats = await create('11', 'Cats');
    await app.newStudent().then((ben) => ben.join(birds));

    const zoo = { query: 'zOO' };
    expect(labels(await list(operator, zoo))).toEqual(['Zoo 9', 'Zoo 10', 'Zoo 11']);
    const by = async (query: Query) =>
      (await list(operator, { ...zoo, ...query })).map(({ classId }) => classId);
    expect(await by({ sort: 'name' })).toEqual([frogs, birds, cats]);
    expect((await by({ sort: 'members', order: 'descending' }))[0]).toBe(birds);
    for (const [query, found] of [
      ['zoo cat', [cats]],
      ['0%', [frogs]],
      ['_and', [frogs]],
      ['Österreich', [birds]],
      ['zoo 1', [frogs, cats]],
      [cats, [cats]],
      ["zoo ' or 1=1", []],
    ] as const) {
      expect((await list(operator, { query })).map(({ classId }) => classId)).toEqual(found);
    }
    expect(await by({ season: 'Spring' })).toEqual([]);
    expect(await by({ page: 1 })).toEqual([]);
    await operator.call('endClass', { params: { classId: cats } });
    await operator.call('deleteClass', { params: { classId: birds } });
    expect(await by({ status: 'active' })).toEqual([frogs]);
    expect(await by({ status: 'ended' })).toEqual([cats]);
    expect(await by({ status: 'deleted' })).toEqual([birds]);
    for (const query of [{ year: '12' }, { sort: 'salt' }, { page: '-1' }, { salt: '1' }]) {
      await expect(list(operator, query as never)).rejects.toMatchObject({ code: 'INVALID' });
    }
    // The day of creation is the day on which the creator joined.
    const [one] = await list(operator, { query: frogs });
    expect(Object.keys(one!)).not.toContain('createdDay');
    expect(JSON.parse((await run('list-classes', frogs, '--json')).out)).toMatchObject({
      classes: [one],
    });
    expect((await run('list-classes', 'zoo', '--status', 'deleted')).out).toContain(birds);
    expect(await run('list-classes', '--year', 'soon')).toMatchObject({ code: 1 });
  });

  test('shows pages of 50 with the total [ADMIN-21]', async () => {
    const operator = await newOperator();
    const ada = await app.newStudent();
    const classId = await ada.createClass({ subjectAbbreviation: 'Page' });
    await app.database.query(
      `insert into classes select ${(await columns())
        .map((name) => (name === 'classId' ? `'page' || n` : `"${name}"`))
        .join()} from classes, (${Array.from({ length: 60 }, (_, n) => `select ${n + 100000000000} as n`).join(' union ')}) as numbers
       where "classId" = '${classId}'`,
    );
    const first = await operator.call('listAllClasses', { query: { query: 'page' } });
    const second = await operator.call('listAllClasses', { query: { query: 'page', page: 1 } });
    expect([first.total, first.classes.length, second.classes.length]).toEqual([61, 50, 11]);
    const ids = [...first.classes, ...second.classes].map((one) => one.classId);
    expect(new Set(ids).size).toBe(61);
    const { out } = await run('list-classes', 'page', '--json');
    expect(JSON.parse(out)).toMatchObject({ total: 61 });
  });

  async function columns(): Promise<string[]> {
    return Object.keys((await app.database.tables())['classes']![0]!);
  }
});

describe('a class', () => {
  test('gets the year of its term at creation, and its fields and year can be changed [ADMIN-22, ADMIN-23]', async () => {
    const operator = await newOperator();
    const ada = await app.newStudent();
    const classId = await ada.createClass({ semesterSeason: 'Fall', courseName: 'Old name' });
    const socket = await ada.connect();
    await socket.subscribe(classId);
    const [before] = await list(operator, { query: classId });
    expect(before?.year).toBe(new Date().getUTCFullYear());
    const body = { ...someClass, courseName: 'Zyzzyva studies', year: 2031 };
    const edit = (change: Partial<typeof body> = {}) =>
      operator.call('editClass', { params: { classId }, body: { ...body, ...change } });
    const { class: after } = await edit();
    expect(after).toMatchObject({ courseName: 'Zyzzyva studies', year: 2031, classId });
    expect(await list(operator, { query: classId, year: 2031 })).toEqual([after]);
    // The year is not a field of the specification: students get the same fields as before.
    const { class: shown } = await ada.call('readClass', { params: { classId } });
    expect(shown).toMatchObject({ courseName: 'Zyzzyva studies' });
    expect(shown).not.toHaveProperty('year');
    await expect
      .poll(async () => {
        const reply = await ada.call('searchClasses', {
          body: { requests: [{ indexName: 'classSearch', query: 'zyzzyva' }] },
        });
        return JSON.stringify(reply).includes(classId);
      })
      .toBe(true);

    for (const [change, code] of [
      [{ courseName: '  ' }, 'CLASS_INCOMPLETE'],
      [{ beginClassTime: '10:00', endClassTime: '10:00' }, 'CLASS_TIMES'],
      [{ year: 20266 }, 'INVALID'],
      [{ year: 1.5 }, 'INVALID'],
    ] as const) {
      await expect(edit(change)).rejects.toMatchObject({ code });
    }
    // An edit that changes nothing is no act.
    await edit();
    expect(await acts(operator, classId)).toEqual([
      ['edit-class', 'Kim', expect.stringContaining('courseName, ')],
    ]);
    const done = await run('edit-class', classId, '--year', '2032', '--days', 'Monday,Friday');
    expect(done).toMatchObject({ code: 0 });
    expect((await list(operator, { query: classId }))[0]).toMatchObject({
      ...{ year: 2032, classSchedule: ['Monday', 'Friday'], courseName: 'Zyzzyva studies' },
    });
    expect(await run('edit-class', classId, '--days', 'Someday')).toMatchObject({ code: 1 });
  });

  test('can be ended, deleted and restored by an operator, each act in the audit log [ADMIN-15, ADMIN-23]', async () => {
    const operator = await newOperator();
    const ada = await app.newStudent();
    const classId = await ada.createClass();
    const params = { classId };
    await operator.call('endClass', { params });
    expect((await ada.call('readClass', { params })).class.ended).toBe(true);
    await operator.call('deleteClass', { params });
    await expect(ada.call('readClass', { params })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const [deleted] = await list(operator, { query: classId });
    const in30Days = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    expect(deleted).toMatchObject({ ended: true, restorableUntil: in30Days });
    await expect(operator.call('endClass', { params })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await operator.call('restoreClass', { params });
    expect((await ada.call('readClass', { params })).class.ended).toBe(true);
    expect(await acts(operator, classId)).toEqual(
      ['restore-class', 'delete-class', 'end-class'].map((act) => [act, 'Kim', '']),
    );
    // A class whose 30 days are over is no longer listed.
    await operator.call('deleteClass', { params });
    await app.database.query(
      `update classes set "deletedDay" = "deletedDay" - 31 where "classId" = '${classId}'`,
    );
    expect(await list(operator, { query: classId })).toEqual([]);
    await expect(operator.call('restoreClass', { params })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('a term', () => {
  test('ends in batches, and an interrupted end continues [ADMIN-24]', async () => {
    const operator = await newOperator();
    const ada = await app.newStudent();
    const year = 2041;
    const classIds: string[] = [];
    for (let n = 0; n < 23; n++) classIds.push(await ada.createClass({ courseNumber: `${n}` }));
    const other = await ada.createClass();
    await app.database.query(
      `update classes set year = ${year}, "semesterSeason" = 'Summer' where "classId" in (${classIds.map((id) => `'${id}'`).join()})`,
    );
    const body = { semesterSeason: 'Summer' as const, year };
    const { terms } = await operator.call('listAllClasses', { query: {} });
    expect(terms[0]).toEqual({ ...body, activeTotal: 23 });

    const preview = await run('end-classes', 'summer', `${year}`);
    expect(preview.out).toContain('23 classes of Summer 2041 would end');
    expect(await operator.call('endTerm', { body })).toEqual({ endedTotal: 20, remaining: 3 });
    expect(await operator.call('endTerm', { body })).toEqual({ endedTotal: 3, remaining: 0 });
    expect(await operator.call('endTerm', { body })).toEqual({ endedTotal: 0, remaining: 0 });
    const ended = await list(operator, { year, status: 'ended' });
    expect(ended.map(({ classId }) => classId).toSorted()).toEqual(classIds.toSorted());
    expect((await list(operator, { query: other }))[0]?.ended).toBe(false);
    for (const classId of classIds) {
      expect(await acts(operator, classId)).toEqual([['end-class', 'Kim', '']]);
    }
  });

  test('ends by command [ADMIN-24]', async () => {
    const operator = await newOperator();
    const classId = await (await app.newStudent()).createClass();
    await app.database.query(`update classes set year = 2043 where "classId" = '${classId}'`);
    const season = someClass.semesterSeason;
    const { code, out } = await run('end-classes', season, '2043', '--yes', '--json');
    expect([code, JSON.parse(out)]).toMatchObject([0, { endedTotal: 1 }]);
    expect(await acts(operator, classId)).toEqual([['end-class', '', '']]);
    expect(await run('end-classes', 'Autumn', '2043', '--yes')).toMatchObject({ code: 1 });
  });
});
