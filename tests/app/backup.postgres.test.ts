// PostgreSQL has its own backup tools. Our commands say so, and start a new epoch after a restore.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { runCommand } from '#tests/support/run-command.ts';
import { startProcess } from '#tests/support/server-process.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

test('the operator backs up and restores with PostgreSQL’s tools and then starts a new epoch [BACKUP-6]', async () => {
  const { settings, query } = database;
  const server = startProcess('node', { ...settings, PORT: String(await freePort()) });
  await server.started();
  const epoch = () => query(`select value from "serverMetadata" where name = 'epoch'`);
  const before = await epoch();
  const elsewhere = { ...settings, DATA_DIR: `${settings.DATA_DIR}/other` };
  expect(await runCommand('backup', ['file'], settings)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^Cannot back up: .*pg_dump.*$/) as string,
  });
  expect(await runCommand('restore', [import.meta.filename], settings)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^Cannot restore: .*pg_restore.*--new-epoch.*$/) as string,
  });
  expect(await runCommand('restore', ['--new-epoch'], elsewhere)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^Cannot restore: another server uses the database.*$/) as string,
  });
  expect(await epoch()).toEqual(before);
  await server.stop();
  expect(await runCommand('restore', ['--new-epoch'], elsewhere)).toMatchObject({ code: 0 });
  expect(await epoch()).not.toEqual(before);
});
