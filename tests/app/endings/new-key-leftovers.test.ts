// After a change of the server key, anyone who has the old key learns nothing from a new copy of the database.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createMailboxes } from '#server/accounts/mailboxes.ts';
import { deriveServerKeys } from '#server/base/server-keys.ts';
import { changeKey } from '#tests/support/change-key.ts';
import { applyDecisions, decide, grantRole, report } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { changeStoredAccounts, listStoredAccounts } from '#tests/support/stored-accounts.ts';

const app = setUpApp();

test('a new server key leaves no mailbox key, last use or audit hash of the old one [ADMIN-70, AUTH-60]', async () => {
  const { settings } = app.database;
  const operator = await app.createStudent('operator');
  await grantRole(app, operator, null, 'Olga');
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const { id } = await ada.post(classId, 'bad words');
  await report(ben, classId, { messageId: id });
  await decide(operator, id, { decision: 'keep' });
  await applyDecisions(app);
  const noted = String((await findLastEntry(app))['hash']);
  const secret =
    settings.SECRET_KEY ?? readFileSync(join(settings.DATA_DIR, 'server.key'), 'utf8').trim();
  const oldKeys = deriveServerKeys(secret);

  const lastUse = { epoch: '', month: 24_300, goesDay: null, isReminded: false };
  await changeStoredAccounts(app.database, null, { lastUse });

  const changedSettings = await changeKey(app);

  const content = await app.database.content();
  expect(content).not.toContain(noted);
  expect((await runAdminCommand(changedSettings, 'verify-audit', noted)).code).toBe(0);
  expect((await runAdminCommand(changedSettings, 'verify-audit', 'c3'.repeat(32))).code).toBe(1);

  const { toKey } = createMailboxes(new Map(), oldKeys.mailboxes);
  for (const { email } of [operator, ada, ben]) expect(content).not.toContain(toKey(email));

  const tagged = app.visitor(`${ada.name}+2`);
  await expect(tagged.signUp()).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });

  const stored = await listStoredAccounts({ ...app.database, settings: changedSettings });
  expect(stored.filter(({ lastUse: use }) => use?.epoch === '')).toEqual([]);
});

test('a plain hash that an earlier version left is sealed at the start [ADMIN-70]', async () => {
  const plain = 'c3'.repeat(32);
  const older = await startApp();
  onTestFinished(() => older.stop());
  const operator = await older.createStudent();
  await grantRole(older, operator, null, 'Olga');
  const classId = await operator.createClass();
  await operator.call('deleteClass', { params: { classId } });
  const last = await findLastEntry(older);
  await older.restart(() =>
    older.database.query(
      `update "auditLog" set act = 'new-key', reason = 'Last hash before: ${plain}'
       where number = ${String(last['number'])}`,
    ),
  );

  const rows = await older.database.query('select reason from "auditLog"');

  expect(JSON.stringify(rows)).not.toContain(plain);
});

async function findLastEntry({ database }: Pick<RunningApp, 'database'>) {
  const [row] = await database.query('select * from "auditLog" order by number desc limit 1');
  return row!;
}
