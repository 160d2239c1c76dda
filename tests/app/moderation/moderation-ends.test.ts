// Cases, sanctions and roles when a class or an account ends, and in the export.
import { expect, test } from 'vitest';
import { applyDecisions, decide, grantRole, listCases, report } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { listStoredRoles } from '#tests/support/roles.ts';

const app = setUpApp();

test('the end of a class or of an account ends moderation as the rules say [MOD-29, MOD-30, PROFILE-18, MOD-32]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const sam = await app.createStudent();
  await grantRole(app, sam, null, 'Sam');
  const classId = await ada.createClass();
  await ben.join(classId);
  const { id } = await ada.post(classId, 'bad');
  await report(ben, classId, { messageId: id, text: 'My own words' });
  await decide(sam, id, { sanction: { kind: 'remove' }, reason: 'Insult' });
  await applyDecisions(app);
  const exportClass = async (student: typeof ada) =>
    (await student.call('exportAccount', {})).classes.find((entry) => entry.classId === classId);

  expect(await exportClass(ada)).toMatchObject({
    reports: [],
    sanctions: [{ kind: 'removed', reason: 'Insult', active: true }],
  });
  expect(await exportClass(ben)).toMatchObject({
    sanctions: [],
    reports: [{ messageId: id, text: 'My own words', state: 'acted' }],
  });

  expect((await runAdminCommand(app.database.settings, 'archive-class', classId)).code).toBe(0);
  expect((await ada.snapshot(classId)).messages).toMatchObject([{ text: 'bad' }]);
  const params = { classId };
  expect((await ben.call('listOwnReports', { params })).reports).toEqual([]);

  await report(ben, classId, { messageId: id });
  expect(await listCases(sam, { classId })).toHaveLength(1);
  expect((await runAdminCommand(app.database.settings, 'delete-class', classId)).code).toBe(0);
  expect(await listCases(sam, { classId })).toEqual([]);

  const body = { password: sam.password, messages: 'delete' } as const;
  await sam.call('deleteAccount', { body });

  expect(await listStoredRoles(app.database)).toEqual([]);
});
