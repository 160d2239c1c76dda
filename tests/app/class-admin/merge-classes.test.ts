// Operators merge a duplicate into the class that stays, in the app and by command.
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { applyDecisions, decide, grantRole, report } from '#tests/support/moderation.ts';
import { listAccountsIn } from '#tests/support/members.ts';
import { addSilentMembers, mergeAll, createOperator } from '#tests/support/merging.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const app = setUpApp();
const run = (...args: string[]) => runAdminCommand(app.database.settings, ...args);

const preview = (operator: TestClient, classId: string, keptClassId: string) =>
  operator.call('previewMerge', { params: { classId }, query: { keptClassId } });
const getClass = (student: TestClient, classId: string) =>
  student.call('readClass', { params: { classId } });
const listClassIds = async (student: TestClient) =>
  (await student.call('listClasses', {})).classes.map(({ classId }) => classId).toSorted();

test('a merged duplicate ends, its members join the class that stays, and open browsers learn of both [ADMIN-46, ADMIN-47, ADMIN-48, ADMIN-60, ADMIN-61]', async () => {
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const cleo = await app.createStudent();
  const dan = await app.createStudent();
  const keptId = await ada.createClass({ courseName: 'Kept' });
  const duplicateId = await ben.createClass({ courseName: 'Duplicate' });
  await cleo.join(keptId);
  for (const student of [cleo, dan]) await student.join(duplicateId);
  await dan.leave(duplicateId);
  await grantRole(app, ben, duplicateId, 'Prof. Lee');
  await ada.post(keptId, 'Said before the merge');
  const ownMessage = await ben.post(duplicateId, 'Said in the duplicate');
  const { me: cleoBefore } = await cleo.snapshot(keptId);
  const sockets = [await ben.connectTo(duplicateId), await ben.connect()];

  expect(await preview(operator, duplicateId, keptId)).toEqual({ isEnrolling: true, roleTotal: 1 });
  await mergeAll(operator, duplicateId, keptId);

  // In every tab of Ben, the duplicate ends and the other class appears.
  const events = await sockets[0]!.waitFor('events', ({ items }) => items[0]?.kind === 'class');
  expect(events.items).toMatchObject([{ class: { classId: duplicateId, ended: true } }]);

  for (const socket of sockets) {
    await socket.waitFor('enrolment', (frame) => frame.classId === keptId && frame.joined);
  }
  expect(await listClassIds(ben)).toEqual([duplicateId, keptId].toSorted());

  const { class: keptClass, joined } = await getClass(ben, keptId);
  expect([joined, keptClass.memberCount, keptClass.ended]).toEqual([true, 3, false]);
  expect((await getClass(ben, duplicateId)).continuesIn).toEqual(keptClass);
  expect((await getClass(ada, keptId)).continuesIn).toBeNull();
  // Who was in the class already is the same member, and who had left the duplicate is not in it.
  expect((await cleo.snapshot(keptId)).me).toEqual(cleoBefore);
  expect(await listClassIds(dan)).toEqual([]);

  // As after joining: the history counts as read, and the new persona is not visible.
  const newSocket = await ben.connect();
  newSocket.send({ type: 'subscribe', rid: 1, classId: keptId, light: true });
  expect(await newSocket.waitFor('unread')).toMatchObject({ unread: 0 });

  const members = { params: { classId: keptId }, query: {} };
  expect((await ada.call('listMembers', members)).personas).toHaveLength(1);
  expect((await ada.snapshot(keptId)).messages.map(({ text }) => text)).toEqual([
    'Said before the merge',
  ]);
  expect((await ben.snapshot(duplicateId)).messages.map(({ id }) => id)).toEqual([ownMessage.id]);

  // Roles do not carry over.
  const { roles } = await ben.call('me', {}).then(({ account }) => account!);
  expect(roles).toEqual([{ classId: duplicateId, role: 'moderator' }]);

  const { entries } = await operator.call('listAuditLog', { query: {} });
  expect(entries.slice(0, 2).map(({ act, classId, reason }) => [act, classId, reason])).toEqual([
    ['end-class', duplicateId, ''],
    ['merge-class', duplicateId, `Into ${keptId}`],
  ]);
  // The reply was lost: the same call changes nothing more.
  await mergeAll(operator, duplicateId, keptId);
  expect((await operator.call('listAuditLog', { query: {} })).entries[0]).toEqual(entries[0]);

  // The link goes with the class that stays.
  await operator.call('deleteClass', { params: { classId: keptId } });
  expect((await getClass(ben, duplicateId)).continuesIn).toBeNull();
});

test('only two active classes of one term can be merged [ADMIN-46]', async () => {
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const classId = await ada.createClass();
  const otherId = await ada.createClass();
  const endedId = await ada.createClass();
  const deletedId = await ada.createClass();
  const springId = await ada.createClass({ semesterSeason: 'Spring' });
  const earlyId = await ada.createClass();
  await app.database.query(`update classes set year = 1999 where "classId" = '${earlyId}'`);
  await operator.call('endClass', { params: { classId: endedId } });
  await operator.call('deleteClass', { params: { classId: deletedId } });

  const entriesBefore = await app.database.query('select number from "auditLog"');
  const notFound = 'Not found, or you don’t have access.';
  const terms =
    'These classes are of different terms. If one of the terms is wrong, correct it first.';
  for (const [a, b, message] of [
    [classId, classId, 'A class cannot be merged into itself.'],
    [classId, endedId, 'CS 146 has ended. Only active classes can be merged.'],
    [endedId, classId, 'CS 146 has ended. Only active classes can be merged.'],
    [classId, deletedId, notFound],
    [deletedId, classId, notFound],
    [classId, 'A'.repeat(16), notFound],
    [classId, springId, terms],
    [earlyId, classId, terms],
  ] as const) {
    await expect(preview(operator, a, b), `${a} ${b}`).rejects.toThrow(message);
    await expect(mergeAll(operator, a, b)).rejects.toThrow(message);
  }
  expect(await app.database.query('select number from "auditLog"')).toEqual(entriesBefore);
  expect((await getClass(ada, classId)).class.ended).toBe(false);

  // A class without a year fits any: older data may lack it.
  await app.database.query(`update classes set year = null where "classId" = '${earlyId}'`);
  await mergeAll(operator, earlyId, otherId);
});

test('a merge also enrolls an account that is in the maximum of classes [ADMIN-47]', async () => {
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const keptId = await ada.createClass();
  const duplicateId = await ben.createClass();
  for (let n = 1; n < 200; n++) await ben.createClass({ courseNumber: `${n}` });

  await expect(ben.join(keptId)).rejects.toMatchObject({ code: 'TOO_MANY_CLASSES' });

  await mergeAll(operator, duplicateId, keptId);
  expect(await listClassIds(ben)).toHaveLength(201);
  await expect(ben.createClass()).rejects.toMatchObject({ code: 'TOO_MANY_CLASSES' });
  expect((await ben.snapshot(keptId)).messages).toEqual([]);
});

test('a merge enrolls a member who had left the class that stays, and does not count a deleted account [ADMIN-47, JOIN-26, PROFILE-30]', async () => {
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const cleo = await app.createStudent();
  const keptId = await ada.createClass();
  const duplicateId = await ben.createClass();
  await ben.join(keptId);
  const { me } = await ben.snapshot(keptId);
  await ben.leave(keptId);
  await cleo.join(duplicateId);

  await cleo.call('deleteAccount', { body: { password: cleo.password, messages: 'keep' } });
  expect((await getClass(ada, duplicateId)).class.memberCount).toBe(2);

  await mergeAll(operator, duplicateId, keptId);
  expect((await getClass(ada, keptId)).class.memberCount).toBe(2);
  expect((await getClass(ada, duplicateId)).class.memberCount).toBe(2);
  expect((await ben.snapshot(keptId)).me).toEqual(me);
});

test('a merge enrolls no one if a moderator removed a member of the duplicate [ADMIN-49]', async () => {
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const cleo = await app.createStudent();
  const keptId = await ada.createClass();
  const duplicateId = await ben.createClass();
  await cleo.join(duplicateId);
  const { me } = await cleo.snapshot(duplicateId);
  // Someone may ask staff nothing more, and is a member.
  await app.database.query(
    `insert into sanctions
       ("sanctionId", "classId", "memberId", kind, until, reason, "staffName", day, "caseId", status)
     values ('asker', '${duplicateId}', 'pq-AAAAABBBBBBBB', 'removed', null, 'Rude', 'Mo', 20000, '', 'active')`,
  );
  expect(await preview(operator, duplicateId, keptId)).toMatchObject({ isEnrolling: true });
  await cleo.post(duplicateId, 'Buy this');
  await report(ben, duplicateId, { memberId: me.memberId });
  await decide(operator, me.memberId, { sanction: { kind: 'remove' } });

  await applyDecisions(app);

  expect(await listClassIds(cleo)).toEqual([]);

  expect(await preview(operator, duplicateId, keptId)).toEqual({
    isEnrolling: false,
    roleTotal: 0,
  });
  await mergeAll(operator, duplicateId, keptId);
  for (const student of [ben, cleo]) expect((await getClass(student, keptId)).joined).toBe(false);
  expect((await getClass(ada, keptId)).class.memberCount).toBe(1);
  expect((await getClass(ben, duplicateId)).continuesIn).toMatchObject({ classId: keptId });
});

test('the class that stays grows late if a course led to the duplicate [LTI-16]', async () => {
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const keptId = await ada.createClass();
  const duplicateId = await (await app.createStudent()).createClass();
  await app.database.query(`update classes set "lateJoins" = 0 where "classId" = '${duplicateId}'`);

  await mergeAll(operator, duplicateId, keptId);
  await (await app.createStudent()).join(keptId);

  expect((await getClass(ada, keptId)).class.memberCount).toBe(2);
});

test('a merge does not enroll a member who was removed from the class that stays [ADMIN-49]', async () => {
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const keptId = await ada.createClass();
  const duplicateId = await ben.createClass();
  await ben.join(keptId);
  const { me } = await ben.snapshot(keptId);
  await ben.post(keptId, 'Buy this');
  await report(ada, keptId, { memberId: me.memberId });
  await decide(operator, me.memberId, { sanction: { kind: 'remove' } });
  await applyDecisions(app);
  await ben.leave(keptId);

  await mergeAll(operator, duplicateId, keptId);

  expect(await listClassIds(ben)).toEqual([duplicateId]);
  expect(await getClass(ben, keptId)).toMatchObject({
    joined: false,
    sanction: { kind: 'removed' },
  });
});

test('a command shows a preview of a merge, then merges while the server runs [ADMIN-46]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const keptId = await ada.createClass({ subjectAbbreviation: 'Zoo', courseNumber: '1' });
  const duplicateId = await ben.createClass({ subjectAbbreviation: 'Zoo', courseNumber: '1' });
  const socket = await ben.connectTo(duplicateId);

  const dry = await run('merge-classes', duplicateId, keptId);
  expect(dry).toMatchObject({ code: 0, errors: [] });
  expect(dry.out).toContain(
    `ZOO 1 (${duplicateId}), 1 member, would be merged into ZOO 1 (${keptId}), 1 member.`,
  );
  expect((await getClass(ben, keptId)).joined).toBe(false);

  const json = JSON.parse((await run('merge-classes', duplicateId, keptId, '--json')).out);
  expect(json).toMatchObject({ isMerged: false, isEnrolling: true, roleTotal: 0 });

  const done = await run('merge-classes', duplicateId, keptId, '--yes', '--json');
  expect(done.code).toBe(0);
  expect(JSON.parse(done.out)).toMatchObject({ isMerged: true, duplicateId, keptId });

  await socket.waitFor('enrolment', (frame) => frame.classId === keptId && frame.joined);
  expect((await getClass(ben, duplicateId)).continuesIn).toMatchObject({ classId: keptId });
  expect(await run('merge-classes', duplicateId, keptId, '--yes')).toMatchObject({ code: 0 });

  for (const [args, reason] of [
    [[duplicateId, keptId], 'ZOO 1 has ended.'],
    [[keptId, keptId, '--yes'], 'cannot be merged into itself'],
    [[keptId, 'A'.repeat(16), '--yes'], 'There is no class with the id'],
  ] as const) {
    const result = await run('merge-classes', ...args);
    expect([result.code, result.out]).toEqual([1, '']);
    expect(result.errors.join()).toContain(reason);
  }
  expect(await run('merge-classes', keptId)).toMatchObject({ code: 1 });
  expect((await run('merge-classes', '--help')).out).toContain('the id of the class that stays');
});

test('a merge enrolls and counts each member of either class once [ADMIN-47, JOIN-26]', async () => {
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const size = fc.nat({ max: 130 });
  await fc.assert(
    fc.asyncProperty(size, size, async (duplicateCount, bothCount) => {
      const keptId = await ada.createClass();
      const duplicateId = await ada.createClass();
      const duplicateIds = await addSilentMembers(app, duplicateCount, [duplicateId]);
      const bothIds = await addSilentMembers(app, bothCount, [duplicateId, keptId]);
      await mergeAll(operator, duplicateId, keptId);
      await mergeAll(operator, duplicateId, keptId);
      const ids = await listAccountsIn(app.database.settings, keptId);
      expect(ids.filter((id) => id.startsWith('silent')).toSorted()).toEqual(
        [...duplicateIds, ...bothIds].toSorted(),
      );
      expect(ids).toHaveLength(duplicateIds.length + bothIds.length + 1);
      const { class: keptClass } = await getClass(ada, keptId);
      expect(keptClass.memberCount).toBe(ids.length);
      expect((await getClass(ada, duplicateId)).class.ended).toBe(true);
    }),
    { numRuns: 4 },
  );
});
