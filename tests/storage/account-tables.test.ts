import { getMigrations } from 'better-auth/db/migration';
import { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { createAuth } from '#server/accounts/auth.ts';
import type { Tables } from '#server/storage/database.ts';
import { sqliteDialect } from '#server/storage/dialects/sqlite.ts';
import { migrate } from '#server/storage/migrations.ts';

test('our migrations make the tables that better-auth asks for', async () => {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(':memory:') });
  await migrate(db, 'sqlite');
  const auth = createAuth({
    config: {
      appName: 'Backchannel',
      publicUrl: new URL('http://localhost:3000'),
      emailVerification: 'off',
    },
    db,
    engine: 'sqlite',
    cookieSecret: 'x'.repeat(43),
    postMail: () => {},
    onSessionsEnded: () => {},
  });
  const { toBeCreated, toBeAdded } = await getMigrations(auth.options);
  expect(toBeCreated).toEqual([]);
  expect(toBeAdded).toEqual([]);
  await db.destroy();
});
