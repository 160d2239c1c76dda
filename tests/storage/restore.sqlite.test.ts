import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLog } from '#server/log.ts';
import { deriveServerKeys } from '#server/server-keys.ts';
import { restore } from '#server/storage/restore.ts';
import { createTestDatabase } from '#tests/support/test-database.ts';
import { createEarlierVersion } from './earlier-version.ts';
import { openStorage } from './opened-storage.ts';

test('a backup of an earlier version is restored and migrated [BACKUP-4, LOG-80]', async () => {
  const earlier = await createTestDatabase();
  const target = await createTestDatabase();
  const fileOf = ({ settings }: typeof earlier) => join(settings.DATA_DIR, 'backchannel.sqlite');
  await createEarlierVersion(earlier, '0015', [
    `insert into facts values ('keyCheck', 'key'), ('epoch', 'the old epoch')`,
    `insert into classes ("classId", seq, ordinal, salt, status, "memberCount", "createdDay")
     values ('c', 0, 0, 's', 'active', 0, 20000)`,
  ]);
  const log = createLog({ write: () => {} });
  const { backups: backupKey } = deriveServerKeys('of this test');
  const source = { keyCheck: 'key', backupKey, log, copyFiles: () => {} };
  expect(await restore(fileOf(earlier), fileOf(target), source)).toBeNull();
  expect(existsSync(`${fileOf(target)}.restoring`)).toBe(false);
  const opened = await openStorage(target);
  expect(opened.epoch).not.toBe('the old epoch');
  expect((await target.tables())['classes']).toMatchObject([{ classId: 'c' }]);
  await opened.close();
  await target.drop();
  await earlier.drop();
});
