// Backups that the server makes on schedule, and what an administrator does with them.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockFile } from '#server/store/folder-lock.ts';
import { computeKeyCheck, loadServerKeys } from '#server/base/server-keys.ts';
import { createEarlierVersion } from '#tests/storage/earlier-version.ts';
import { loadImageMetadata, createJpeg, postPicture, upload } from '#tests/support/pictures.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { runCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { createTestDatabase } from '#tests/support/test-database.ts';

const days = 86_400_000;
/** The name of the backup whose round began last, at 03:30. */
const toName = (time: number) => {
  const roundStart = new Date(time - 3.5 * 60 * 60_000);
  return `backchannel-${roundStart.toISOString().slice(0, 10)}.sqlite`;
};
/** A backup starts a process. */
const patience = { timeout: 60_000 };

const key = 'a server key of these tests, 32 characters';
let dir: string;
let settings: Record<string, string>;
let newest: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'backchannel-backups-'));
  dir = join(folder, 'backups');
  settings = { BACKUP_DIR: dir, TIME_ZONE: 'UTC' };
  newest = join(dir, toName(Date.now()));
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true }));

function query(file: string, sql: string): unknown[] {
  const database = new SQLite(file, { readonly: true });
  const rows = database.prepare(sql).pluck().all();
  database.close();
  return rows;
}

describe('a server with BACKUP_DIR', () => {
  let app: RunningApp;
  afterEach(() => app.stop());

  const listEvents = (name: string) =>
    app.logLines
      .map((line) => JSON.parse(line) as { event: string })
      .filter((line) => line.event === name);
  /** Stops the server, gives today's backup the name of an earlier day, and waits for the next one. */
  async function waitForNextBackup(daysAgo: number): Promise<void> {
    await app.restart(async () =>
      renameSync(newest, join(dir, toName(Date.now() - daysAgo * days))),
    );
    await expect.poll(() => existsSync(newest), patience).toBe(true);
  }

  test('a server with BACKUP_DIR makes one backup a day, which has each picture once [BACKUP-14, BACKUP-16, BACKUP-17]', async () => {
    app = await startApp(settings);
    await expect.poll(() => existsSync(newest), patience).toBe(true);
    expect(statSync(newest).mode & 0o077).toBe(0);
    expect(statSync(dir).mode & 0o077).toBe(0);

    const ada = await app.createStudent();
    const classId = await ada.createClass();
    const socket = await ada.connect();
    const send = async () => {
      const { imageId, imageUrl } = await upload(ada, classId, await createJpeg());
      return { imageId, imageUrl, messageId: await postPicture(socket, classId, imageId) };
    };
    const keptPicture = await send();
    const deletedPicture = await send();
    await waitForNextBackup(2);
    const pictures = join(dir, 'pictures');
    const first = join(pictures, `${keptPicture.imageId}.webp`);
    const copied = statSync(first);
    expect(readdirSync(pictures)).toHaveLength(4);

    const newSocket = await ada.connect();
    await newSocket.request({ type: 'delete', classId, messageId: deletedPicture.messageId });
    await expect
      .poll(
        async () =>
          (
            await app.database.query(
              `select 1 from images where "imageId" = '${deletedPicture.imageId}'`,
            )
          ).length,
        patience,
      )
      .toBe(0);

    await waitForNextBackup(1);
    expect(statSync(first)).toMatchObject({ ino: copied.ino, mtimeMs: copied.mtimeMs });
    // The backup of yesterday still has the deleted picture.
    expect(readdirSync(pictures)).toHaveLength(4);

    const yesterday = join(dir, toName(Date.now() - days));
    await app.restart(async () => {
      rmSync(yesterday);
      rmSync(newest);
      writeFileSync(join(dir, `${toName(Date.now() - 5 * days)}.unfinished`), '');
      writeFileSync(join(dir, 'notes.txt'), 'of the operator');
    });
    await expect.poll(() => existsSync(newest), patience).toBe(true);
    await expect
      .poll(() => readdirSync(dir), patience)
      .toEqual([
        toName(Date.now() - 2 * days),
        toName(Date.now()),
        'backups.lock',
        'notes.txt',
        'pictures',
      ]);
    await expect.poll(() => readdirSync(pictures).length, patience).toBe(2);
    expect(query(newest, 'select "imageId" from images')).toEqual([keptPicture.imageId]);

    const serverSettings = app.database.settings;
    const drill = () => runCommand('restore', ['--drill', newest], serverSettings);
    const { output, code } = await drill();
    expect(output).toMatch(
      /^The backup works: a server of version [\d.]+ is ready on a copy of it/,
    );
    expect(output).toContain('All files of its 1 pictures are there.');
    expect(code).toBe(0);

    renameSync(first, `${first}.away`);
    expect(await drill()).toMatchObject({
      code: 1,
      output: expect.stringContaining('the files of 1 of 1 pictures are not in'),
    });

    renameSync(`${first}.away`, first);
    // On another machine, with an empty database and the same key.
    const other = await createTestDatabase();
    const SECRET_KEY =
      serverSettings.SECRET_KEY ??
      readFileSync(join(serverSettings.DATA_DIR, 'server.key'), 'utf8');
    const otherSettings = { ...other.settings, SECRET_KEY };
    expect(await runCommand('restore', [newest], otherSettings)).toMatchObject({ code: 0 });
    expect(readdirSync(join(other.settings.DATA_DIR, 'images'))).toHaveLength(2);

    const otherServer = await startApp({ SECRET_KEY }, other);
    const newBrowser = otherServer.visitor(ada.name);
    await newBrowser.signIn();
    expect(await loadImageMetadata(newBrowser, keptPicture.imageUrl)).toMatchObject({ width: 60 });

    await otherServer.stop();
    if (!serverSettings.DATABASE_URL) {
      await app.restart(async () => {
        rmSync(join(serverSettings.DATA_DIR, 'images'), { recursive: true });
        expect(await runCommand('restore', [newest], serverSettings)).toMatchObject({ code: 0 });
      });
      expect(await loadImageMetadata(ada, keptPicture.imageUrl)).toMatchObject({ width: 60 });
    }
    expect(listEvents('backup.failed')).toEqual([]);
  });

  test('a server that cannot write a backup tells the log, the metrics and the operators [BACKUP-17, ADMIN-16]', async () => {
    mkdirSync(join(dir, '..'), { recursive: true });
    writeFileSync(dir, 'a file');
    app = await startApp(settings);

    await expect
      .poll(() => listEvents('backup.failed'), patience)
      .toMatchObject([
        { reason: `this user cannot write to ${dir}. Choose a folder that this user owns.` },
      ]);
    expect((await fetch(`${app.origin}/readyz`)).status).toBe(200);

    const metrics = await (await fetch(`${app.origin}/metrics`)).text();
    expect(metrics).toContain('\nbackchannel_backup_age_hours +Inf\n');

    const operator = await app.createStudent();
    await grantRole(app, operator, null, 'Kim');
    const getHealth = async () =>
      (await operator.call('readOverview', {})).parts.find(({ part }) => part === 'backups')
        ?.health;
    await expect.poll(getHealth).toBe('warning');

    rmSync(dir);
    await app.restart();
    await expect.poll(() => existsSync(newest), patience).toBe(true);

    await app.restart();
    const laterMetrics = await (await fetch(`${app.origin}/metrics`)).text();
    expect(laterMetrics).toContain('\nbackchannel_backup_age_hours 0\n');
    await expect.poll(getHealth).toBe('good');

    const threeDaysAgo = (Date.now() - 3 * days) / 1000;
    await app.restart(async () => utimesSync(newest, threeDaysAgo, threeDaysAgo));
    await expect.poll(getHealth).toBe('failed');
  });
});

test('a new version makes a backup before it changes the tables [BACKUP-18, BACKUP-19]', async () => {
  const database = await createTestDatabase();
  const keyCheck = computeKeyCheck(loadServerKeys(key, ''));

  await createEarlierVersion(database, '0020', [
    `insert into "serverMetadata" values ('keyCheck', '${keyCheck}')`,
    `insert into classes ("classId", seq, ordinal, salt, status, "memberCount", "createdDay")
     values ('c', 0, 0, 's', 'active', 0, 20000)`,
  ]);
  // The daily backup, or that of another new node, is being made.
  mkdirSync(dir);
  const unlock = lockFile(join(dir, 'backups.lock'));
  const starting = startApp({ ...settings, SECRET_KEY: key }, database);
  await expect(Promise.race([starting, sleep(100, 'waits')])).resolves.toBe('waits');

  unlock();
  const app = await starting;
  const [name = ''] = readdirSync(dir).filter((file) => file.includes('before-upgrade'));
  const file = join(dir, name);
  expect(query(file, 'select "classId" from classes')).toEqual(['c']);
  expect(query(file, 'select name from kysely_migration order by name').at(-1)).toMatch(/^0020-/);

  await app.restart();
  await app.close();
  expect(readdirSync(dir).filter((other) => other.includes('before-upgrade'))).toEqual([name]);

  const databaseSettings = { ...database.settings, SECRET_KEY: key };
  expect(await runCommand('restore', ['--drill', file], databaseSettings)).toMatchObject({
    code: 0,
  });

  await database.drop();

  const unsaved = await createTestDatabase();
  await createEarlierVersion(unsaved, '0020', []);
  const other = await startApp({ SECRET_KEY: key }, unsaved);
  expect(other.logLines.join('\n')).toContain('"event":"backup.skipped"');

  await other.stop();
});

test('the server does not start a new version if the backup before it fails [BACKUP-18]', async () => {
  writeFileSync(dir, 'a file');
  const database = await createTestDatabase();
  await createEarlierVersion(database, '0020', []);

  const tablesBefore = Object.keys(await database.tables());

  await expect(startApp({ ...settings, SECRET_KEY: key }, database)).rejects.toThrow(
    'this user cannot write to',
  );
  expect(Object.keys(await database.tables())).toEqual(tablesBefore);
  expect(readFileSync(dir, 'utf8')).toBe('a file');

  await database.drop();
});
