import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { someClass } from '#tests/support/test-client.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

describe('creating a class', () => {
  test('the creator of a class is its first member, and its codes stay as typed [CREATE-10, CREATE-14, CREATE-17, SEARCH-17]', async () => {
    const today = Math.floor(Date.now() / 86_400_000);
    const ada = await app.createStudent();
    const body = { ...someClass, courseName: `  ${someClass.courseName} `, courseNumber: ' 146b ' };

    const { class: created } = await ada.call('createClass', { body });

    expect(created).toEqual({
      ...someClass,
      classId: expect.stringMatching(/^[\w-]{16}$/) as string,
      courseNumber: '146b',
      name: null,
      memberCount: 1,
      ended: false,
    });
    expect(await ada.call('listClasses', {})).toEqual({ classes: [created] });

    const [row] = await app.database.query(
      `select "createdDay" from classes where "classId" = '${created.classId}'`,
    );
    expect([today, Math.floor(Date.now() / 86_400_000)]).toContain(row!['createdDay']);
  });

  const incomplete = { code: 'CLASS_INCOMPLETE', message: 'Please fill out all fields' };
  const wrongTimes = {
    code: 'CLASS_TIMES',
    message: 'Begin Class Time must be earlier than End Class Time',
  };
  test.each([
    [{ courseName: '  ' }, incomplete],
    [{ subjectAbbreviation: '' }, incomplete],
    [{ courseNumber: '\u00a0' }, incomplete],
    [{ sectionNumber: '' }, incomplete],
    [{ classSchedule: [] }, incomplete],
    [{ semesterSeason: '' as 'Fall' }, incomplete],
    [{ beginClassTime: '' }, incomplete],
    [{ endClassTime: '' }, incomplete],
    [{ beginClassTime: '10:00', endClassTime: '10:00' }, wrongTimes],
    [{ beginClassTime: '10:01', endClassTime: '10:00' }, wrongTimes],
    [{ beginClassTime: '23:59', endClassTime: '00:00' }, wrongTimes],
  ])('a class cannot be created with %j [CREATE-2, CREATE-6]', async (fields, refusal) => {
    const ada = await app.createStudent();
    const body = { ...someClass, ...fields };

    await expect(ada.call('createClass', { body })).rejects.toMatchObject(refusal);
  });

  test('A class without fixed hours needs no days and no times [CREATE-22]', async () => {
    const ada = await app.createStudent();
    const noHours = { classSchedule: [], beginClassTime: '', endClassTime: '' };
    const body = { ...someClass, ...noHours, noFixedHours: true };

    const reply = await ada.call('createClass', { body });

    const saved = { classSchedule: null, beginClassTime: null, endClassTime: null };
    expect(reply.class).toMatchObject(saved);
    const incompleteBody = { ...body, sectionNumber: '' };
    await expect(ada.call('createClass', { body: incompleteBody })).rejects.toMatchObject(
      incomplete,
    );
  });
});

describe('the class list', () => {
  test('the class list is sorted by subject, then numerically by course number [LIST-3]', async () => {
    const ada = await app.createStudent();
    for (const [subjectAbbreviation, courseNumber] of [
      ['math', '32'],
      ['CS', '146'],
      ['cs', '9'],
      ['ART', '12'],
    ] as const) {
      await ada.createClass({ subjectAbbreviation, courseNumber });
    }

    const { classes } = await ada.call('listClasses', {});

    const codes = classes.map(
      (classItem) => `${classItem.subjectAbbreviation} ${classItem.courseNumber}`,
    );
    expect(codes).toEqual(['ART 12', 'cs 9', 'CS 146', 'math 32']);
  });
});

describe('membership', () => {
  test('a class says whether the student is a member, and a missing class cannot be joined [JOIN-1, JOIN-8]', async () => {
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    const classId = await ada.createClass();
    const isJoined = async () => (await ben.call('readClass', { params: { classId } })).joined;

    expect(await isJoined()).toBe(false);

    await ben.join(classId);
    expect(await isJoined()).toBe(true);
    for (const unknownId of ['AAAAAAAAAAAAAAAA', 'x', '../../etc/passwd', "' or 1=1 --"]) {
      const params = { classId: unknownId };
      await expect(ben.call('joinClass', { params })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(ben.call('readClass', { params })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});

describe('with CLASS_CREATION=operators', () => {
  const operatorsOnlyApp = setUpApp({ CLASS_CREATION: 'operators' });

  test('only the sockets of the account learn that it joined a class [ANON-23, LIST-11]', async () => {
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    const classId = await ada.createClass();
    const adaSocket = await ada.connect();
    const benSocket = await ben.connect();
    await ben.join(classId);

    expect(await benSocket.waitFor('enrolment')).toEqual({
      type: 'enrolment',
      classId,
      joined: true,
    });
    expect(adaSocket.frames.map((frame) => frame.type)).toEqual(['welcome']);
  });

  test('with CLASS_CREATION=operators only operators can create classes [CREATE-20]', async () => {
    const ada = await operatorsOnlyApp.createStudent();
    const ben = await operatorsOnlyApp.createStudent();
    const create = () => ada.call('createClass', { body: someClass });
    const refusal = { code: 'NOT_ALLOWED', message: 'Only operators create classes here.' };

    await expect(create()).rejects.toMatchObject(refusal);

    await grantRole(operatorsOnlyApp, ada, null, 'Kim');
    const { classId } = (await create()).class;
    await ben.join(classId);
    await grantRole(operatorsOnlyApp, ben, classId, 'Lee');
    await expect(ben.call('createClass', { body: someClass })).rejects.toMatchObject(refusal);
  });
});

test('an account can be in 200 classes at most [HTTP-51]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const otherClassId = (await ben.call('createClass', { body: someClass })).class.classId;
  const ids: string[] = [];
  while (ids.length < limits.classesPerAccount) {
    ids.push((await ada.call('createClass', { body: someClass })).class.classId);
  }
  const refusal = {
    code: 'TOO_MANY_CLASSES',
    message: expect.stringMatching(
      new RegExp(`${limits.classesPerAccount} classes.*leave one`),
    ) as string,
  };
  const join = (classId: string) => ada.call('joinClass', { params: { classId } });

  await expect(join(otherClassId)).rejects.toMatchObject(refusal);
  await expect(ada.call('createClass', { body: someClass })).rejects.toMatchObject(refusal);
  expect((await ben.call('listClasses', {})).classes[0]?.memberCount).toBe(1);
  expect((await ada.call('listClasses', {})).classes).toHaveLength(ids.length);

  await join(ids[7]!);
  await ada.call('leaveClass', { params: { classId: ids[7]! } });
  await join(otherClassId);
  expect((await ben.call('listClasses', {})).classes[0]?.memberCount).toBe(2);
});

test('a register of members that cannot be opened stops its class, and no other [START-25]', async () => {
  const ada = await app.createStudent();
  const damagedId = await ada.createClass();
  const classId = await ada.createClass();
  const readRow = () =>
    app.database.query(
      `select version, content from registers
       where kind = 'members' and "classId" = '${damagedId}'`,
    );

  // A value that was moved from another row cannot be opened.
  await app.restart(() =>
    app.database.query(
      `update registers set content = (
         select content from registers where kind = 'members' and "classId" = '${classId}'
       ) where kind = 'members' and "classId" = '${damagedId}'`,
    ),
  );

  expect(app.logLines.join('')).toMatch(/"event":"registers\.damaged","count":1/);
  const { classes } = await ada.call('listClasses', {});
  expect(classes.map((listed) => listed.classId)).toEqual([classId]);
  await ada.post(classId, 'This class still works');

  const rowBefore = await readRow();
  await expect(ada.call('joinClass', { params: { classId: damagedId } })).rejects.toMatchObject({
    code: 'INTERNAL',
  });
  expect(await readRow()).toEqual(rowBefore);

  await app.database.query(`delete from registers where "classId" = '${damagedId}'`);
});
