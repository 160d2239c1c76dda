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
const gone = 'This class cannot be reopened';

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
const end = (by: TestClient, classId: string) => by.call('endClass', { params: { classId } });
const reopen = (by: TestClient, classId: string) => by.call('reopenClass', { params: { classId } });
const findSalt = async (classId: string) => (await findRow(classId))?.['salt'];
const findRow = async (classId: string) =>
  (await app.database.query(`select * from classes where "classId" = '${classId}'`))[0];
const listPreferenceRows = (classId: string) =>
  app.database.query(`select content from preferences where "classId" = '${classId}'`);
const listActions = async (operator: TestClient, classId: string) =>
  (await operator.call('listAuditLog', { query: {} })).entries
    .filter((entry) => entry.classId === classId)
    .map(({ act, reason }) => [act, reason]);
const listed = async (operator: TestClient, query: string) =>
  (await operator.call('listAllClasses', { query: { query } })).classes[0];

test('a class that is reopened is as before its end, also in open browsers [ADMIN-40, ADMIN-42, ADMIN-44]', async () => {
  const operator = await createOperator(app);
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  await grantRole(app, ben, classId, 'Ben');
  const { id } = await ada.post(classId, 'Said before the end');
  const before = await ada.snapshot(classId);
  const params = { params: { classId } };
  await ada.call('savePreferences', {
    ...params,
    body: { ignored: [], hidden: [], muted: true, version: 0 },
  });
  const details = await ada.call('readClass', params);
  const socket = await ada.connectTo(classId);
  const found = async () => (await findClasses(ada, details.class.courseName!)).nbHits;
  const ofClass = async (ended: boolean) =>
    socket.waitFor('events', ({ items: [item] }) => {
      return item?.kind === 'class' && item.class.ended === ended;
    });

  await end(operator, classId);
  await ofClass(true);
  const ended = { ...details.class, ended: true };
  expect((await ada.call('readClass', params)).class).toEqual(ended);
  expect(await found()).toBe(0);
  expect(await listed(operator, classId)).toMatchObject({ ended: true, reopenableUntil: toDay(7) });
  const late = { type: 'post', classId, id: crypto.randomUUID(), text: 'Too late' } as const;
  expect(await socket.request(late)).toMatchObject({ type: 'nack', code: 'CLASS_ENDED' });

  await reopen(operator, classId);
  await ofClass(false);
  expect(await ada.call('readClass', params)).toEqual(details);
  expect(await ada.call('readPreferences', params)).toMatchObject({ muted: true });
  const after = await ada.snapshot(classId);
  expect([after.me, after.messages]).toEqual([before.me, before.messages]);
  expect(
    await socket.request({ type: 'edit', classId, messageId: id, text: 'Mine' }),
  ).toMatchObject({
    type: 'ack',
  });
  await expect.poll(found, patience).toBe(1);
  expect((await ben.call('me', {})).account!.roles).toEqual([{ classId, role: 'moderator' }]);
  expect(await listed(operator, classId)).toMatchObject({ ended: false, reopenableUntil: null });
  expect(await listActions(operator, classId)).toEqual([
    ...[
      ['reopen-class', ''],
      ['end-class', ''],
    ],
    ['grant-moderator', expect.any(String)],
  ]);
});

test('the links go when the last day is over, also those of a deleted class, and are nowhere in the file [ADMIN-41, ANON-11]', async () => {
  const operator = await createOperator(app);
  const { ada, classId } = await createClassWithTwoMembers(app);
  const deleted = await ada.createClass();
  const active = await ada.createClass();
  await ada.post(classId, 'Said before the end');
  for (const one of [classId, deleted, active]) {
    const body = { ignored: [], hidden: [], muted: true, version: 0 };
    await ada.call('savePreferences', { params: { classId: one }, body });
  }
  const salts = [await findSalt(classId), await findSalt(deleted), await findSalt(active)];
  const now = async () => [
    await findSalt(classId),
    await findSalt(deleted),
    await findSalt(active),
  ];
  await end(operator, classId);
  await end(operator, deleted);
  await operator.call('deleteClass', { params: { classId: deleted } });

  await restartAt(app, toTime('23:50', 7));
  expect(await listed(operator, classId)).toMatchObject({ reopenableUntil: toDay(7) });
  expect(await now()).toEqual(salts);
  expect(await listPreferenceRows(classId)).toHaveLength(1);

  await restartAt(app, toTime('00:10', 8));
  const removed = () =>
    app.logLines
      .filter((line) => line.includes('links.removed'))
      .map((line) => JSON.parse(line).count);
  await expect.poll(removed, patience).toEqual([2]);
  expect((await now()).map((salt, n) => salt === salts[n])).toEqual([false, false, true]);
  expect([
    await listPreferenceRows(classId),
    await listPreferenceRows(deleted),
    (await listPreferenceRows(active)).length,
  ]).toEqual([[], [], 1]);
  await expect(reopen(operator, classId)).rejects.toThrow(gone);
  expect(await run('reopen-class', classId)).toMatchObject({
    code: 1,
    errors: [expect.stringContaining(gone)],
  });
  const restored = { params: { classId: deleted } };
  await operator.call('restoreClass', restored);
  await expect(reopen(operator, deleted)).rejects.toThrow(gone);
  const content = async () => app.database.content();
  await expect.poll(content, patience).not.toContain(salts[0]);
  expect(await content()).not.toContain(salts[1]);
  // A second run finds nothing.
  await restartAt(app, toTime('00:20', 9));
  expect(removed()).toEqual([2]);
});

test('ending again and reopening again change nothing, and the commands say so [ADMIN-43, ADMIN-40]', async () => {
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const classId = await ada.createClass();
  expect(await run('end-class', classId)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`You can reopen it until ${toDay(7)}`),
  });
  const before = await findRow(classId);
  const acts = await listActions(operator, classId);
  setClock(toTime('12:00', 2));
  await end(operator, classId);
  expect(JSON.parse((await run('end-class', '--json', classId)).out)).toMatchObject({
    isChanged: false,
    reopenableUntil: toDay(7),
    message: expect.stringContaining('had ended already. Nothing was changed.'),
  });
  expect([await findRow(classId), await listActions(operator, classId)]).toEqual([before, acts]);

  expect(await run('reopen-class', classId)).toMatchObject({ code: 0 });
  const open = [await findRow(classId), await listActions(operator, classId)];
  await reopen(operator, classId);
  expect(await run('reopen-class', classId)).toMatchObject({ code: 0 });
  expect([await findRow(classId), await listActions(operator, classId)]).toEqual(open);

  // A class that has ended can be ended for good, once.
  await end(operator, classId);
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
  await expect(reopen(operator, 'A'.repeat(16))).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a merged duplicate that is reopened is no longer merged [ADMIN-42, ADMIN-46]', async () => {
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const kept = await ada.createClass();
  const duplicate = await ben.createClass();
  const { me } = await ben.snapshot(duplicate);
  await mergeAll(operator, duplicate, kept);
  const read = () => ben.call('readClass', { params: { classId: duplicate } });
  expect((await read()).continuesIn).toMatchObject({ classId: kept });
  await reopen(operator, duplicate);
  expect(await read()).toMatchObject({ continuesIn: null, class: { ended: false } });
  expect((await ben.snapshot(duplicate)).me).toEqual(me);
  // Its members stay in the other class.
  expect((await ben.call('listClasses', {})).classes).toHaveLength(2);
  expect(await mergeAll(operator, duplicate, kept)).toEqual([0]);
  expect((await read()).continuesIn).toMatchObject({ classId: kept });
});

test('with REOPEN_DAYS=0 an end removes the links immediately [ADMIN-40, ANON-26]', async () => {
  await app.restart(async () => {}, { REOPEN_DAYS: '0' });
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const classId = await ada.createClass();
  const salt = await findSalt(classId);
  await end(operator, classId);
  expect(await findSalt(classId)).not.toBe(salt);
  expect(await listed(operator, classId)).toMatchObject({ ended: true, reopenableUntil: null });
  await expect(reopen(operator, classId)).rejects.toThrow(gone);
});

test('messages of an ended class are kept while it can be reopened [ADMIN-45]', async () => {
  const operator = await createOperator(app);
  const { ada, classId } = await createClassWithTwoMembers(app);
  await ada.post(classId, 'Said before the end');
  const messages = async () =>
    (
      await app.database.query(
        `select seq from messages where "classId" = '${classId}' and deleted = 0`,
      )
    ).length;
  await end(operator, classId);
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
  expect(await messages()).toBe(1);
  await restartOn(8);
  await expect.poll(messages, patience).toBe(0);
});
