// The classes as operators list, edit, end, delete and restore them, in the app and by command.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallInput } from '#contract/http.ts';
import { endedTerm, endInTerm } from '#tests/support/ended-term.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { createOperator } from '#tests/support/merging.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { someClass, type TestClient } from '#tests/support/test-client.ts';

const app = setUpApp();
const run = (...args: string[]) => runAdminCommand(app.database.settings, ...args);

type Query = CallInput<'listAllClasses'>['query'];
const list = async (operator: TestClient, query: Query) =>
  (await operator.call('listAllClasses', { query })).classes;

async function listActions(operator: TestClient, classId: string) {
  const { entries } = await operator.call('listAuditLog', { query: {} });
  return entries
    .filter((entry) => entry.classId === classId)
    .map(({ act, staffName, reason }) => [act, staffName, reason]);
}

describe('a class', () => {
  test('an operator can change the fields and the year of a class [ADMIN-22, ADMIN-23]', async () => {
    const operator = await createOperator(app);
    const ada = await app.createStudent();
    const classId = await ada.createClass({ semesterSeason: 'Fall', courseName: 'Old name' });
    const socket = await ada.connect();
    await socket.subscribe(classId);

    const [createdClass] = await list(operator, { query: classId });
    expect(createdClass?.year).toBe(new Date().getUTCFullYear());

    const body = { ...someClass, courseName: 'Zyzzyva studies', year: 2031 };
    const edit = (change: Partial<typeof body> = {}) =>
      operator.call('editClass', { params: { classId }, body: { ...body, ...change } });
    const { class: editedClass } = await edit();
    expect(editedClass).toMatchObject({ courseName: 'Zyzzyva studies', year: 2031, classId });

    // Members who have it open learn of the change.
    const { items } = await socket.waitFor('events', (frame) => frame.classId === classId);
    expect(items).toMatchObject([{ kind: 'class', class: { courseName: 'Zyzzyva studies' } }]);
    expect(JSON.stringify(items)).not.toContain('2031');
    expect(await list(operator, { query: classId, year: 2031 })).toEqual([editedClass]);

    // The year is not a field of the specification: students get the same fields as before.
    const { class: membersClass } = await ada.call('readClass', { params: { classId } });
    expect(membersClass).toMatchObject({ courseName: 'Zyzzyva studies' });
    expect(membersClass).not.toHaveProperty('year');
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

    // An edit that changes nothing is no action.
    await edit();
    expect(await listActions(operator, classId)).toEqual([
      ['edit-class', 'Kim', expect.stringContaining('courseName, ')],
    ]);

    const done = await run('edit-class', classId, '--year', '2032', '--days', 'friday,Monday');
    expect(done).toMatchObject({ code: 0 });
    expect((await list(operator, { query: classId }))[0]).toMatchObject({
      year: 2032,
      classSchedule: ['Monday', 'Friday'],
      courseName: 'Zyzzyva studies',
    });
    expect(await run('edit-class', classId, '--days', 'Someday')).toMatchObject({ code: 1 });
  });

  test('an operator can end, delete and restore a class, and the audit log has each action [ADMIN-23]', async () => {
    const operator = await createOperator(app);
    const ada = await app.createStudent();
    const classId = await ada.createClass();
    const params = { classId };

    await operator.call('endClass', { params });
    expect((await ada.call('readClass', { params })).class.ended).toBe(true);

    await operator.call('deleteClass', { params });
    await expect(ada.call('readClass', { params })).rejects.toMatchObject({ code: 'NOT_FOUND' });

    const [deletedClass] = await list(operator, { query: classId });
    const in30Days = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    expect(deletedClass).toMatchObject({ ended: true, restorableUntil: in30Days });
    await expect(operator.call('endClass', { params })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });

    await operator.call('restoreClass', { params });
    expect((await ada.call('readClass', { params })).class.ended).toBe(true);
    expect(await listActions(operator, classId)).toEqual(
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
  test('an operator ends a term in batches [ADMIN-24]', async () => {
    const operator = await createOperator(app);
    const ada = await app.createStudent();
    const year = 2041;
    const classIds: string[] = [];
    for (let n = 0; n < 23; n++) classIds.push(await ada.createClass({ courseNumber: `${n}` }));
    const other = await ada.createClass();
    await app.database.query(
      `update classes set year = ${year}, "semesterSeason" = 'Summer' where "classId" in (${classIds.map((id) => `'${id}'`).join()})`,
    );
    const body = { semesterSeason: 'Summer' as const, year };

    const { terms } = await operator.call('listAllClasses', { query: {} });
    expect(terms).toContainEqual({ ...body, activeTotal: 23 });

    const preview = await run('end-term', 'summer', `${year}`);
    expect(preview.out).toContain('23 classes of Summer 2041 would end');

    const emptyTerm = await run('end-term', 'Summer', '2099');
    expect(emptyTerm.out.trim()).toBe('No class of Summer 2099 is active.');
    expect(await operator.call('endTerm', { body })).toEqual({ endedTotal: 20, remaining: 3 });
    expect(await operator.call('endTerm', { body })).toEqual({ endedTotal: 3, remaining: 0 });
    expect(await operator.call('endTerm', { body })).toEqual({ endedTotal: 0, remaining: 0 });

    const endedClasses = await list(operator, { year, status: 'ended' });
    expect(endedClasses.map(({ classId }) => classId).toSorted()).toEqual(classIds.toSorted());
    expect((await list(operator, { query: other }))[0]?.ended).toBe(false);
    for (const classId of classIds) {
      expect(await listActions(operator, classId)).toEqual([['end-class', 'Kim', '']]);
    }
  });

  test('a command ends a term [ADMIN-24]', async () => {
    const operator = await createOperator(app);
    const classId = await (await app.createStudent()).createClass();
    await app.database.query(`update classes set year = 2043 where "classId" = '${classId}'`);
    const season = someClass.semesterSeason;

    const { code, out } = await run('end-term', season, '2043', '--yes', '--json');

    expect([code, JSON.parse(out)]).toMatchObject([0, { endedTotal: 1 }]);
    expect(await listActions(operator, classId)).toEqual([['end-class', '', '']]);
    expect(await run('end-term', 'Autumn', '2043', '--yes')).toMatchObject({ code: 1 });
  });

  test('an operator reopens the classes of a term that ended on the same day, in batches [ADMIN-82]', async () => {
    const operator = await createOperator(app);
    const ada = await app.createStudent();
    const classIds: string[] = [];
    for (let n = 0; n < 22; n++) classIds.push(await ada.createClass({ courseNumber: `${n}` }));
    const merged = await ada.createClass();
    const endedEarlier = await ada.createClass();
    await endInTerm(app.database, ...classIds, merged, endedEarlier);
    await app.database.query(
      `update classes set "mergedInto" = '${classIds[0]}' where "classId" = '${merged}'`,
    );
    await app.database.query(
      `update classes set "reopenableUntil" = "reopenableUntil" - 1 where "classId" = '${endedEarlier}'`,
    );
    const body = endedTerm;

    const { endedTerms } = await operator.call('listAllClasses', { query: {} });
    expect(endedTerms.filter(({ year }) => year === body.year)).toEqual([
      { ...body, endedTotal: 22 },
      { ...body, reopenableUntil: '2099-12-30', endedTotal: 1 },
    ]);
    expect(await operator.call('reopenTerm', { body })).toEqual({
      reopenedTotal: 20,
      remaining: 2,
    });
    expect(await operator.call('reopenTerm', { body })).toEqual({ reopenedTotal: 2, remaining: 0 });
    expect(await operator.call('reopenTerm', { body })).toEqual({ reopenedTotal: 0, remaining: 0 });

    const active = await list(operator, { year: body.year, status: 'active' });
    expect(active.map(({ classId }) => classId).toSorted()).toEqual(classIds.toSorted());
    expect(await listActions(operator, classIds[0]!)).toEqual([['reopen-class', 'Kim', '']]);

    // A command goes on with the classes that ended before them.
    const preview = await run('reopen-term', 'fall', '1999');
    expect(preview.out).toContain('1 class of Fall 1999, which ended on the same day');
    const done = await run('reopen-term', 'fall', '1999', '--yes', '--json');
    expect([done.code, JSON.parse(done.out)]).toMatchObject([0, { reopenedTotal: 1 }]);
    const nothingLeft = await run('reopen-term', 'Fall', '1999', '--yes');
    expect(nothingLeft.out).toContain('No ended class of Fall 1999 can be reopened.');
    await app.database.query('update classes set year = 1998 where year = 1999');
  });
});

describe('a CSV file', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'classes-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function save(lines: readonly string[], encoding: BufferEncoding = 'utf8') {
    const file = join(folder, 'fall.csv');
    await writeFile(file, lines.join('\r\n'), encoding);
    return file;
  }
  async function importFile(file: string, ...options: string[]) {
    const { code, out, errors } = await run('import-classes', file, '--json', ...options);
    const report = JSON.parse(out);
    if (!options.includes('--yes')) expect(errors).toEqual([]);
    expect(code).toBe(report.wrong + report.ambiguous > 0 ? 2 : 0);
    return report;
  }
  const header = 'Subj,Course,Sect,Title,Term,Days,Start Time,End Time';

  test('a command imports a CSV file after a dry run, and a second import changes nothing [ADMIN-25, ADMIN-26]', async () => {
    const operator = await createOperator(app);
    const ada = await app.createStudent();
    const frogs = await ada.createClass({
      subjectAbbreviation: 'qua',
      courseNumber: '1',
      sectionNumber: '01',
      courseName: 'Frogs',
    });
    const year = new Date().getUTCFullYear();
    const file = await save(
      [
        header,
        `QUA,1,01,"Frogs, Toads & \u00d6kologie",Fall ${year},MW,9:00 AM,10:15 AM`,
        `QUA,2,01,Newts,Fall ${year},TuTh,1300,1415`,
        `qua,2,01,Newts again,${year}FA,TuTh,1300,1415`,
        `QUA,3,01,Toads,Fall ${year},Someday,1300,1415`,
        '',
      ],
      'latin1',
    );

    const dry = await importFile(file);
    expect(dry).toMatchObject({ isApplied: false, new: 1, changed: 1, same: 0, wrong: 2 });
    expect(dry.message.split('\n').slice(0, 2)).toEqual([
      'Line 4: It is the same class as line 3, with another name.',
      'Line 5: Days: ‘Someday’ is not known.',
    ]);
    expect((await list(operator, { query: 'qua 2' })).length).toBe(0);

    expect(await importFile(file, '--yes')).toMatchObject({ isApplied: true, new: 1, changed: 1 });
    expect(await importFile(file, '--yes')).toMatchObject({ new: 0, changed: 0, same: 2 });

    const [changedClass, newClass] = await list(operator, { query: 'qua' });
    expect(changedClass).toMatchObject({ classId: frogs, courseName: 'Frogs, Toads & Ökologie' });
    expect(newClass).toMatchObject({
      courseName: 'Newts',
      beginClassTime: '13:00',
      memberCount: 0,
    });
    const { entries } = await operator.call('listAuditLog', { query: {} });
    const imports = entries.filter(({ reason }) => reason === '1 new, 1 changed');
    expect(imports).toMatchObject([{ act: 'import-classes', staffName: '', classId: null }]);
    // Students find and join it, like any class.
    await expect
      .poll(async () => {
        const reply = await ada.call('searchClasses', {
          body: { requests: [{ indexName: 'classSearch', query: 'newts' }] },
        });
        return JSON.stringify(reply).includes(newClass!.classId);
      })
      .toBe(true);

    await ada.join(newClass!.classId);
    expect((await ada.post(newClass!.classId, 'First')).id).toBeTruthy();

    const missing = await run('import-classes', join(folder, 'none.csv'));
    expect(missing).toMatchObject({ code: 1, out: '' });
    expect(missing.errors.join()).toContain('none.csv cannot be read');
    expect(dry.message.split('\n').at(-2)).toContain('1 new, 1 changed');

    const badColumn = await run('import-classes', file, '--column', 'Section=None');
    expect(badColumn.errors.join()).toContain("write 'Name=Header'");
  });

  test('options choose the columns of a CSV file with unknown headers [ADMIN-25]', async () => {
    const file = await save(
      [
        'Subj,No of course,Sect,Title,When,Days,Start Time,End Time',
        'NEW,1,01,Owls,Fall 20x7,MW,900,1000',
        'NEW,2,01,Larks,Fall 2047,MW,900,1000',
      ],
      'utf8',
    );
    const unknown = await run('import-classes', file);
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown.errors.join()).toContain('no column for Course number, Season, Year');
    expect(unknown.errors.join()).toContain('Subj, No of course, Sect, Title, When');

    const columnOptions = ['Course number=No of course', 'Season=When', 'Year=When'];
    const options = columnOptions.flatMap((column) => ['--column', column]);
    // The file may be the last argument.
    const { code, out } = await run('import-classes', ...options, file);
    expect(code).toBe(2);
    expect(out.trim().split('\n')).toEqual([
      'Line 2: Year: ‘Fall 20x7’ is not known.',
      'Line 3: NEW 2, new',
      '1 new, 0 changed, 0 the same, 0 that fit several classes, 1 wrong.',
      'Nothing is imported yet: add --yes. Wrong lines are left out.',
    ]);
  });

  test('a command imports what spreadsheet programs save, and classes without days and times [ADMIN-25, ADMIN-80]', async () => {
    const operator = await createOperator(app);
    const ada = await app.createStudent();
    const file = await save([
      '\uFEFFSubj;Course;Sect;Title;Term;Meeting Pattern',
      'CEL/ZYX;1;01;Überblick;Fall 2048;TBA',
      'CEL;2;01;Kelp;Fall 2048;MW 9:00-10:15 AM',
      'CEL;2;01;Kelp;Fall 2048;F 2:00-4:00 PM',
    ]);

    expect(await importFile(file, '--yes')).toMatchObject({ new: 2, wrong: 0, furtherMeetings: 1 });
    const [kelp, overview] = await list(operator, { year: 2048 });
    expect(kelp).toMatchObject({ classSchedule: ['Monday', 'Wednesday'], beginClassTime: '09:00' });
    expect(overview).toMatchObject({
      subjectAbbreviation: 'CEL/ZYX',
      courseName: 'Überblick',
      classSchedule: null,
      beginClassTime: null,
      endClassTime: null,
    });
    expect(await importFile(file, '--yes')).toMatchObject({ new: 0, changed: 0, same: 2 });
    const excelFile = await save(['Subj,Course,Sect,Title,Term', 'c e l,002,="1",Kelp,FA48']);
    expect(await importFile(excelFile)).toMatchObject({ new: 0, changed: 1, ambiguous: 0 });

    // Students find the cross-listed class by its second subject.
    const findHits = async (query: string) => (await findClasses(ada, query)).hits;
    await expect.poll(() => findHits('zyx 1')).toMatchObject([{ objectID: overview!.classId }]);

    // Operators can edit it without adding a schedule. Students cannot create such a class.
    const { classId } = overview!;
    const fields = { ...someClass, classSchedule: [], beginClassTime: '', endClassTime: '' };
    const body = { ...fields, year: 2048 };
    expect((await operator.call('editClass', { params: { classId }, body })).class).toMatchObject({
      classSchedule: null,
    });
    await expect(ada.call('createClass', { body: fields })).rejects.toMatchObject({
      code: 'CLASS_INCOMPLETE',
    });
  });

  test('a command imports the folder of a OneRoster export [ADMIN-81]', async () => {
    const operator = await createOperator(app);
    const rosterFolder = await mkdtemp(join(folder, 'roster-'));
    const files = {
      'classes.csv':
        'sourcedId,status,title,courseSourcedId,classCode,termSourcedIds\nk,active,Owls,c,OWL-1-A,t',
      'courses.csv': 'sourcedId,title,courseCode\nc,Owls of the night,OWL-1',
      'academicSessions.csv': 'sourcedId,title,startDate\nt,Spring 2049,2049-01-10',
    };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(rosterFolder, name), text);
    }

    expect(await importFile(rosterFolder, '--yes')).toMatchObject({ new: 1, wrong: 0 });
    expect(await list(operator, { year: 2049 })).toMatchObject([
      { subjectAbbreviation: 'OWL', courseNumber: '1', sectionNumber: 'A' },
    ]);

    await rm(join(rosterFolder, 'courses.csv'));
    const { code, errors } = await run('import-classes', rosterFolder);
    expect(code).toBe(1);
    expect(errors.join()).toContain('courses.csv cannot be read');
  });

  test('calls check and import the lines of a CSV file [ADMIN-26]', async () => {
    const operator = await createOperator(app);
    const fields = { ...someClass, semesterSeason: 'Fall' as const, year: 2051 };
    const createLine = (line: number, courseNumber: string) => ({
      line,
      fields: { ...fields, courseNumber },
    });
    const send = async (apply: boolean, ...lines: ReturnType<typeof createLine>[]) =>
      (await operator.call('importClasses', { body: { apply, lines } })).lines;
    const listOutcomes = async (apply: boolean, ...lines: ReturnType<typeof createLine>[]) =>
      (await send(apply, ...lines)).map(({ line, outcome }) => [line, outcome]);

    expect(await listOutcomes(false, createLine(2, '1'), createLine(3, '2'))).toEqual([
      [2, 'new'],
      [3, 'new'],
    ]);
    expect(await list(operator, { year: 2051 })).toEqual([]);

    // Two imports of the same line at the same time create one class.
    await Promise.all([
      listOutcomes(true, createLine(2, '1')),
      listOutcomes(true, createLine(2, '1')),
    ]);
    expect((await list(operator, { year: 2051 })).length).toBe(1);
    expect(await listOutcomes(true, createLine(2, '1'), createLine(3, '2'))).toEqual([
      [2, 'same'],
      [3, 'new'],
    ]);

    const renamed = { line: 2, fields: { ...fields, courseNumber: '1', courseName: 'Other' } };
    expect(await send(false, renamed)).toEqual([
      {
        line: 2,
        outcome: 'changed',
        changes: [{ field: 'courseName', before: 'Input/Output & Interrupts', after: 'Other' }],
      },
    ]);

    // Two classes of one code: the import does not choose.
    const [twin] = await list(operator, { year: 2051 });
    await app.database.query(
      `update classes set "courseNumber" = '1' where "semesterSeason" = 'Fall' and year = 2051`,
    );
    expect(await listOutcomes(true, createLine(2, '1'))).toEqual([[2, 'ambiguous']]);

    await operator.call('deleteClass', { params: { classId: twin!.classId } });
    expect(await listOutcomes(true, createLine(2, '1'))).toEqual([[2, 'same']]);
    for (const [badFields, code] of [
      [{ ...fields, courseName: ' ' }, 'CLASS_INCOMPLETE'],
      [{ ...fields, beginClassTime: '23:00' }, 'CLASS_TIMES'],
      [{ ...fields, year: 1 }, 'INVALID'],
    ] as const) {
      const body = { apply: true, lines: [{ line: 2, fields: badFields }] };
      await expect(operator.call('importClasses', { body })).rejects.toMatchObject({ code });
    }
  });
});
