// PostgreSQL keeps each row that another session can see, also in files that it writes again.
import { expect, test } from 'vitest';
import { createLog } from '#server/base/log.ts';
import { createSecret } from '#server/base/server-keys.ts';
import { loadConfig } from '#server/config/config.ts';
import { replaceKey } from '#server/endings/replace-key.ts';
import { startApp } from '#tests/support/running-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { connectToPostgres } from '#tests/support/test-database.ts';

test.each([
  ['read the database', 'this database', 'select 1'],
  ['writes to another database of the server', 'another database', 'select pg_current_xact_id()'],
])(
  'a new server key leaves no old row in the files, although another session %s meanwhile [ADMIN-77, ANON-57]',
  async (_, place, statement) => {
    const app = await startApp();
    const { ada, classId } = await createClassWithTwoMembers(app);
    await ada.post(classId, 'A row with the memberId');
    const { memberId } = (await ada.snapshot(classId)).me;

    await app.close();
    const { database } = app;
    const isInFiles = async () => (await database.fileContent()).includes(memberId);
    expect(await isInFiles()).toBe(true);

    const url = new URL(database.settings.DATABASE_URL ?? '');
    if (place === 'another database') url.pathname = 'postgres';
    const session = await connectToPostgres(url.href);
    await session.query('begin isolation level repeatable read');
    await session.query(statement);
    let serverEnd: Promise<void> | null = null;

    await replaceKey(
      loadConfig({ ...database.settings, NEW_SECRET_KEY: createSecret() }),
      true,
      createLog({ write: () => {} }),
      () => {
        serverEnd ??= session.end();
      },
    );

    expect(await isInFiles()).toBe(false);
    expect(serverEnd).not.toBeNull();

    await database.drop();
  },
);
