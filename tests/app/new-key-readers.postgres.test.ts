// PostgreSQL keeps each row that another session can see, also in files that it writes again.
import { expect, test } from 'vitest';
import { createLog } from '#server/base/log.ts';
import { createSecret } from '#server/base/server-keys.ts';
import { readConfig } from '#server/config/config.ts';
import { replaceKey } from '#server/endings/replace-key.ts';
import { startApp } from '#tests/support/running-app.ts';
import { twoInAClass } from '#tests/support/test-client.ts';
import { connectToPostgres } from '#tests/support/test-database.ts';

test('a new server key leaves no old row in the files, although another session read the database meanwhile [ADMIN-77, ANON-57]', async () => {
  const app = await startApp();
  const { ada, classId } = await twoInAClass(app);
  await ada.post(classId, 'A row with the memberId');
  const { memberId } = (await ada.snapshot(classId)).me;
  await app.close();
  const { database } = app;
  const isInFiles = async () => (await database.fileContent()).includes(memberId);
  expect(await isInFiles()).toBe(true);
  const reader = await connectToPostgres(database.settings.DATABASE_URL);
  await reader.query('begin isolation level repeatable read');
  await reader.query('select 1');
  let ended: Promise<void> | null = null;

  await replaceKey(
    readConfig({ ...database.settings, NEW_SECRET_KEY: createSecret() }),
    true,
    createLog({ write: () => {} }),
    () => {
      ended ??= reader.end();
    },
  );

  expect(await isInFiles()).toBe(false);
  expect(ended).not.toBeNull();
  await database.drop();
});
