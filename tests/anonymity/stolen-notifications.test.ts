// A copy of the database, without the server's key: what rows tell of notifications.
import { expect, test } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import { grantRole, report } from '#tests/support/moderation.ts';
import {
  chooseNotifications,
  createPushBarrier,
  turnOnNotifications,
} from '#tests/support/notifications.ts';
import { setUpPushApp } from '#tests/support/set-up-push-app.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';

const { app, service } = setUpPushApp();

const listSizes = (values: readonly unknown[]) =>
  new Set(values.flatMap((value) => (typeof value === 'string' ? [value.length] : [])));

test('Two copies around a report about a moderator do not tell who was notified of it [MOD-27, MOD-100]', async () => {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const colleague = await app.createStudent();
  await grantRole(app, ada, classId, 'Kim');
  await grantRole(app, colleague, classId, 'Lee');
  /** The copy that a thief takes after the server has looked for new work. */
  const reportAndCopy = async (author: TestClient, reporter: TestClient) => {
    const { id: messageId } = await author.post(classId, 'Bad words');
    await report(reporter, classId, { messageId });
    await app.restart();
    await expect.poll(findWork).not.toBe(undefined);
    return findWork();
  };
  const findWork = async () => {
    const { serverMetadata } = await app.database.tables();
    return serverMetadata!.find(({ name }) => name === 'waitingWork')?.['value'];
  };

  const first = await reportAndCopy(ben, ada);
  await app.database.query(`delete from "serverMetadata" where name = 'waitingWork'`);
  const second = await reportAndCopy(ada, ben);

  expect(listSizes([first, second]).size).toBe(1);
  for (const value of [first, second]) expect(value).toMatch(/^[\w-]+$/);
});

test('no message changes a row of an account, even if its notification fails [PUSH-31, PUSH-25]', async () => {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const cem = await app.createStudent();
  await cem.join(classId);
  await chooseNotifications(ada, classId, 'all');
  const ofBen = await turnOnNotifications(ben, service);
  const ofCem = await turnOnNotifications(cem, service);
  const bens = await ben.connectTo(classId);
  const cems = await cem.connectTo(classId);
  await bens.post(classId, 'I am here');
  await cems.post(classId, 'So am I');
  const bensSnapshot = await ben.snapshot(classId);
  const other = await cem.snapshot(classId);
  bens.close();
  const listRows = async () => {
    const { accounts, sessions, registers, serverMetadata } = await app.database.tables();
    const all = { accounts, sessions, registers, serverMetadata };
    return Object.entries(all).map(([name, tableRows]) => [
      name,
      (tableRows ?? []).map((row) => JSON.stringify(row)).toSorted(),
    ]);
  };
  const waitForNotifications = await createPushBarrier(app, service);

  const rowsBefore = await listRows();
  expect(JSON.stringify(rowsBefore)).toContain(classId);

  service.answer(ofCem, [{ status: 410 }]);
  const writer = await ada.connectTo(classId);
  const mentions = [bensSnapshot, other].map(({ me }) => toMentionToken(me.memberId)).join(' and ');
  await writer.post(classId, `Hello ${mentions}`);
  await ofBen.waitFor(classId);
  await expect.poll(() => service.countRequests(ofCem)).toBe(1);

  // While the class is in view.
  cems.send({ type: 'viewing', classId, inView: true });
  await writer.post(classId, `Hello again ${mentions}`);
  await waitForNotifications();
  expect(await listRows()).toEqual(rowsBefore);
});
