import fs, { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '#server/base/log.ts';
import { computeKeyCheck } from '#server/base/server-keys.ts';
import { backUp } from '#server/features/backups/back-up.ts';
import { restore } from '#server/features/backups/restore.ts';
import { createTestDatabase } from '#tests/support/test-database.ts';
import { createEarlierVersion } from './earlier-version.ts';
import { openStorage, testKeys } from './opened-storage.ts';

test('a backup of an earlier version is restored and migrated [BACKUP-4, UPGRADE-1]', async () => {
  const earlier = await createTestDatabase();
  const target = await createTestDatabase();
  const toDatabasePath = ({ settings }: typeof earlier) =>
    join(settings.DATA_DIR, 'backchannel.sqlite');

  await createEarlierVersion(earlier, '0015', [
    `insert into facts values ('keyCheck', '${computeKeyCheck(testKeys)}'), ('epoch', 'the old epoch')`,
    `insert into classes ("classId", seq, ordinal, salt, status, "memberCount", "createdDay")
     values ('c', 0, 0, 's', 'active', 0, 20000)`,
  ]);
  const log = createLog({ write: () => {} });
  const source = { keys: testKeys, log, copyFiles: () => {} };
  expect(await restore(toDatabasePath(earlier), toDatabasePath(target), source)).toBeNull();
  expect(existsSync(`${toDatabasePath(target)}.restoring`)).toBe(false);

  const restoredStorage = await openStorage(target);
  expect(restoredStorage.epoch).not.toBe('the old epoch');
  expect((await target.tables())['classes']).toMatchObject([{ classId: 'c' }]);

  await restoredStorage.close();
  await target.drop();
  await earlier.drop();
});

test('a restore that cannot keep the replaced database leaves it as it was [BACKUP-4]', async () => {
  const storage = await openStorage();
  const { DATA_DIR } = storage.database.settings;
  const file = join(DATA_DIR, 'backchannel.sqlite');
  const backup = join(DATA_DIR, 'backup');
  const log = createLog({ write: () => {} });
  const source = { keys: testKeys, log, copyFiles: () => {} };
  await backUp(
    { kind: 'sqlite', file },
    backup,
    log,
    () => {},
    () => {},
  );
  // A reader keeps the checkpoint from emptying the WAL, which then has the newest commits.
  const reader = new SQLite(file, { readonly: true });
  reader.exec('begin');
  reader.prepare('select count(*) from classes').get();
  await storage.commits.write(
    ({ db }) => db.insertInto('serverMetadata').values({ name: 'newest', value: 'kept' }).execute(),
    'independent',
  );
  const { linkSync } = fs;
  fs.linkSync = () => {
    throw Object.assign(new Error('This file system has no links.'), { code: 'EPERM' });
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.linkSync = linkSync;
    syncBuiltinESMExports();
  });

  await expect(restore(backup, file, source)).rejects.toThrow('no links');

  expect(existsSync(`${file}-wal`)).toBe(true);

  reader.close();
  await storage.close();
});
