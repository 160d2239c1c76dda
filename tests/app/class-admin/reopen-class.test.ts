// For some days after its end, operators can reopen a class. Then its links to accounts are removed.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toTime, acceptClock, restartAt, setClock } from '#tests/support/digests.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { mergeAll, createOperator } from '#tests/support/merging.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';

const patience = { timeout: 30_000 };
const toDay = (daysLater: number) =>
  new Date(toTime('12:00', daysLater)).toISOString().slice(0, 10);
const linksRemoved = 'This class cannot be reopened';

let app: RunningApp;
beforeEach(async () => {
  setClock(toTime('12:00'));
  app = await startApp({ TIME_ZONE: 'UTC' });
});
afterEach(async () => {
  await app.stop();
  vi.useRealTimers();
});

const run = (...args: string[]) => runAdminCommand(app.database.settings, ...args);
const endClass = (operator: TestClient, classId: string) =>
  operator.call('endClass', { params: { classId } });
const reopenClass = (operator: TestClient, classId: string) =>
  operator.call('reopenClass', { params: { classId } });
const findSalt = async (classId: string) => (await findRow(classId))?.['salt'];
const findRow = async (classId: string) =>
  (await app.database.query(`select * from classes where "classId" = '${classId}'`))[0];
const listMemberRegisters = (classId: string) =>
  app.database.query(
    `select content from registers where "classId" = '${classId}' and kind in ('preferences', 'readMarks')`,
  );
const listActions = async (operator: TestClient, classId: string) =>
  (await operator.call('listAuditLog', { query: {} })).entries
    .filter((entry) => entry.classId === classId)
    .map(({ act, reason }) => [act, reason]);
const findListedClass = async (operator: TestClient, query: string) =>
  (await operator.call('listAllClasses', { query: { query } })).classes[0];

test('a reopened class is as before its end, also in open browsers [ADMIN-40, ADMIN-42]', async () => {
  const operator = await createOperator(app);
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  await grantRole(app, ben, classId, 'Ben');
  const { id } = await ada.post(classId, 'Said before the end');
  const roomBefore = await ada.snapshot(classId);
  const params = { params: { classId } };
  await ada.call('savePreferences', {
    ...params,
    body: { ignored: [], hidden: [], muted: true, version: 0 },
  });
  const details = await ada.call('readClass', params);
  const socket = await ada.connectTo(classId);
  const countHits = async () => (await findClasses(ada, details.class.courseName!)).nbHits;
  const waitForClass = async (isEnded: boolean) =>
    socket.waitFor('events', ({ items: [item] }) => {
      return item?.kind === 'class' && item.class.ended === isEnded;
    });

  await endClass(operator, classId);
  await waitForClass(true);
  const endedDetails = { ...details.class, ended: true };
  expect((await ada.call('readClass', params)).class).toEqual(endedDetails);
  expect(await countHits()).toBe(0);
  expect(await findListedClass(operator, classId)).toMatchObject({
    ended: true,
    reopenableUntil: toDay(7),
  });

  const latePost = { type: 'post', classId, id: crypto.randomUUID(), text: 'Too late' } as const;
  expect(await socket.request(latePost)).toMatchObject({ type: 'nack', code: 'CLASS_ENDED' });

  await reopenClass(operator, classId);
  await waitForClass(false);
  expect(await ada.call('readClass', params)).toEqual(details);
  expect(await ada.call('readPreferences', params)).toMatchObject({ muted: true });

  const roomAfter = await ada.snapshot(classId);
  expect([roomAfter.me, roomAfter.messages]).toEqual([roomBefore.me, roomBefore.messages]);
  expect(
    await socket.request({ type: 'edit', classId, messageId: id, text: 'Mine' }),
  ).toMatchObject({
    type: 'ack',
  });
  await expect.poll(countHits, patience).toBe(1);
  expect((await ben.call('me', {})).account!.roles).toEqual([{ classId, role: 'moderator' }]);
  expect(await findListedClass(operator, classId)).toMatchObject({
    ended: false,
    reopenableUntil: null,
  });
  expect(await listActions(operator, classId)).toEqual([
    ...[
      ['reopen-class', ''],
      ['end-class', ''],
    ],
    ['grant-moderator', expect.any(String)],
  ]);
});

test('the links of an ended class leave the database after the last day on which it can be reopened [ADMIN-41, ANON-50]', async () => {
  const operator = await createOperator(app);
  const { ada, classId } = await createClassWithTwoMembers(app);
  const deletedId = await ada.createClass();
  const activeId = await ada.createClass();
  await ada.snapshot(classId);
  await ada.post(classId, 'Said before the end');
  for (const id of [classId, deletedId, activeId]) {
    const body = { ignored: [], hidden: [], muted: true, version: 0 };
    await ada.call('savePreferences', { params: { classId: id }, body });
  }
  const salts = [await findSalt(classId), await findSalt(deletedId), await findSalt(activeId)];
  const listSalts = async () => [
    await findSalt(classId),
    await findSalt(deletedId),
    await findSalt(activeId),
  ];
  await endClass(operator, classId);
  await endClass(operator, deletedId);
  await operator.call('deleteClass', { params: { classId: deletedId } });

  await restartAt(app, toTime('23:50', 7));
  expect(await findListedClass(operator, classId)).toMatchObject({ reopenableUntil: toDay(7) });
  expect(await listSalts()).toEqual(salts);
  expect(await listMemberRegisters(classId)).toHaveLength(2);

  await restartAt(app, toTime('00:10', 8));
  const listRemovals = () =>
    app.logLines
      .filter((line) => line.includes('links.removed'))
      .map((line) => JSON.parse(line).count);
  await expect.poll(listRemovals, patience).toEqual([2]);
  expect((await listSalts()).map((salt, n) => salt === salts[n])).toEqual([false, false, true]);
  expect([
    await listMemberRegisters(classId),
    await listMemberRegisters(deletedId),
    (await listMemberRegisters(activeId)).length,
  ]).toEqual([[], [], 1]);
  await expect(reopenClass(operator, classId)).rejects.toThrow(linksRemoved);
  expect(await run('reopen-class', classId)).toMatchObject({
    code: 1,
    errors: [expect.stringContaining(linksRemoved)],
  });

  const restored = { params: { classId: deletedId } };
  await operator.call('restoreClass', restored);
  await expect(reopenClass(operator, deletedId)).rejects.toThrow(linksRemoved);

  const getContent = async () => app.database.content();
  await expect.poll(getContent, patience).not.toContain(salts[0]);
  expect(await getContent()).not.toContain(salts[1]);

  // A second run finds nothing.
  await restartAt(app, toTime('00:20', 9));
  expect(listRemovals()).toEqual([2]);
});

test('a class that has ended or is open changes nothing if it is ended or reopened again [ADMIN-43, ADMIN-40]', async () => {
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const classId = await ada.createClass();

  expect(await run('end-class', classId)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`You can reopen it until ${toDay(7)}`),
  });

  const rowBefore = await findRow(classId);
  const acts = await listActions(operator, classId);
  setClock(toTime('12:00', 2));
  await endClass(operator, classId);
  expect(JSON.parse((await run('end-class', '--json', classId)).out)).toMatchObject({
    isChanged: false,
    reopenableUntil: toDay(7),
    message: expect.stringContaining('had ended already. Nothing was changed.'),
  });
  expect([await findRow(classId), await listActions(operator, classId)]).toEqual([rowBefore, acts]);

  expect(await run('reopen-class', classId)).toMatchObject({ code: 0 });

  const open = [await findRow(classId), await listActions(operator, classId)];
  await reopenClass(operator, classId);
  expect(await run('reopen-class', classId)).toMatchObject({ code: 0 });
  expect([await findRow(classId), await listActions(operator, classId)]).toEqual(open);

  // A class that has ended can be ended for good, once.
  await endClass(operator, classId);
  const salt = await findSalt(classId);
  expect(await run('archive-class', classId)).toMatchObject({
    code: 0,
    out: expect.stringContaining('No one can link its messages to accounts any more.'),
  });

  const final = await findRow(classId);
  const finalActions = await listActions(operator, classId);
  expect(final).toMatchObject({
    reopenableUntil: null,
    salt: expect.not.stringMatching(String(salt)),
  });
  expect(finalActions[0]).toEqual(['end-class', 'Its links to accounts are removed']);
  expect(await run('archive-class', classId)).toMatchObject({
    code: 0,
    out: expect.stringContaining('had ended already'),
  });
  expect([await findRow(classId), await listActions(operator, classId)]).toEqual([
    final,
    finalActions,
  ]);
  await expect(reopenClass(operator, 'A'.repeat(16))).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a reopened duplicate is no longer merged [ADMIN-42, ADMIN-46]', async () => {
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const keptId = await ada.createClass();
  const duplicateId = await ben.createClass();
  const { me } = await ben.snapshot(duplicateId);

  await mergeAll(operator, duplicateId, keptId);
  const getDuplicate = () => ben.call('readClass', { params: { classId: duplicateId } });
  expect((await getDuplicate()).continuesIn).toMatchObject({ classId: keptId });

  await reopenClass(operator, duplicateId);
  expect(await getDuplicate()).toMatchObject({ continuesIn: null, class: { ended: false } });
  expect((await ben.snapshot(duplicateId)).me).toEqual(me);
  // Its members stay in the other class.
  expect((await ben.call('listClasses', {})).classes).toHaveLength(2);
  await mergeAll(operator, duplicateId, keptId);
  expect((await getDuplicate()).continuesIn).toMatchObject({ classId: keptId });
});

test('the end of a class removes its links immediately if REOPEN_DAYS is 0 [ADMIN-40, ANON-26]', async () => {
  await app.restart(async () => {}, { REOPEN_DAYS: '0' });
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const classId = await ada.createClass();
  const salt = await findSalt(classId);

  await endClass(operator, classId);

  expect(await findSalt(classId)).not.toBe(salt);
  expect(await findListedClass(operator, classId)).toMatchObject({
    ended: true,
    reopenableUntil: null,
  });
  await expect(reopenClass(operator, classId)).rejects.toThrow(linksRemoved);
});

test('an ended class keeps its messages while it can be reopened [ADMIN-41]', async () => {
  const operator = await createOperator(app);
  const { ada, classId } = await createClassWithTwoMembers(app);
  await ada.post(classId, 'Said before the end');
  const countMessages = async () =>
    (
      await app.database.query(
        `select seq from messages where "classId" = '${classId}' and deleted = 0`,
      )
    ).length;
  await endClass(operator, classId);
  const restartOn = (day: number) =>
    app.restart(
      async () => {
        setClock(toTime('12:00', day));
        await acceptClock(app);
      },
      { RETENTION_DAYS: '1' },
    );
  await restartOn(7);

  await app.restart();
  expect(await countMessages()).toBe(1);

  await restartOn(8);
  await expect.poll(countMessages, patience).toBe(0);
});
