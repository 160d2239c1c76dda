// Backups in S3, made next to the running server and restored elsewhere.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadImageMetadata, createJpeg, postPicture, upload } from '#tests/support/pictures.ts';
import { runCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { startS3, type S3Server } from '#tests/support/s3-server.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';

let s3: S3Server;
let access: Record<string, string>;
let app: RunningApp;
let other: TestDatabase | null;
/** A folder of the bucket for each test. */
let folder: string;
let target: string;
let testCount = 0;
beforeAll(async () => {
  s3 = await startS3();
  const { S3_ENDPOINT = '', S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '' } = s3.settings;
  access = {
    BACKUP_S3_ENDPOINT: S3_ENDPOINT,
    BACKUP_S3_ACCESS_KEY_ID: S3_ACCESS_KEY_ID,
    BACKUP_S3_SECRET_ACCESS_KEY: S3_SECRET_ACCESS_KEY,
  };
});
afterAll(() => s3.drop());
beforeEach(async () => {
  other = null;
  testCount += 1;
  folder = `school-${testCount}/backups`;
  target = `s3://pictures/${folder}`;
  app = await startApp();
});
afterEach(async () => {
  await app.stop();
  await other?.drop();
});

const backUp = (args: readonly string[], settings: Record<string, string> = access) =>
  runCommand('backup', args, { ...app.database.settings, ...settings });
const listObjects = () => s3.keys().filter((key) => key.startsWith(`${folder}/`));
const findBackupName = (output: string) => /backups\/(\S+\.sqlite)\./.exec(output)?.[1] ?? '';

test('a backup in S3 has each picture once and can be restored on another server [BACKUP-20]', async () => {
  const ada = await app.createStudent();
  const classId = await ada.createClass();
  const socket = await ada.connect();
  const { imageId, imageUrl } = await upload(ada, classId, await createJpeg());
  await postPicture(socket, classId, imageId);
  await socket.post(classId, 'Kept in S3');
  socket.close();

  const backup = await backUp(['--to', `${target}/`, '--with-key']);
  expect(backup.output).toContain(`The database is in ${target}/backchannel-`);
  expect(backup.code).toBe(0);

  const name = findBackupName(backup.output);
  const pictures = listObjects().filter((key) => key.includes('/pictures/'));
  expect(pictures).toHaveLength(2);

  const rest = listObjects().filter((key) => !pictures.includes(key));
  expect(rest.toSorted()).toEqual([`${folder}/${name}`, `${folder}/${name}.key`]);
  expect((await backUp(['--to', target])).code).toBe(0);
  expect(listObjects()).toHaveLength(5);

  const drill = await backUpDrill(`${target}/${name}`);
  expect(drill.output).toContain('All files of its 1 pictures are there.');
  expect(drill.code).toBe(0);

  other = await createTestDatabase();
  const { SECRET_KEY = '' } = app.database.settings;
  const settings = { ...access, ...(SECRET_KEY && { SECRET_KEY }) };
  const restored = await runCommand('restore', [`${target}/${name}`], {
    ...other.settings,
    ...settings,
  });
  expect(restored.output).toContain(`${target}/${name} is the database now: start the server.`);
  expect(restored.code).toBe(0);

  const second = await startApp(settings, other);
  const newBrowser = second.visitor(ada.name);
  await newBrowser.signIn();
  const { messages } = await newBrowser.snapshot(classId);
  expect(messages.at(-1)).toMatchObject({ text: 'Kept in S3' });
  expect(await loadImageMetadata(newBrowser, imageUrl)).toMatchObject({ width: 60 });

  await second.close();
});

const backUpDrill = (url: string) =>
  runCommand('restore', ['--drill', url], { ...app.database.settings, ...access });

test('a large database is uploaded in parts [BACKUP-20]', async () => {
  const characters = 36_000_000;
  const text = app.database.settings.DATABASE_URL
    ? `repeat('x', ${characters})`
    : `hex(zeroblob(${characters / 2}))`;
  await app.database.query(`insert into "serverMetadata" values ('filler', ${text})`);

  const { code, output } = await backUp(['--to', target]);
  expect(code).toBe(0);

  const drill = await backUpDrill(`${target}/${findBackupName(output)}`);
  expect(drill.output).toContain('The backup works');
});

test('a failed backup to S3 says what is wrong and leaves no object [BACKUP-20]', async () => {
  const keysBefore = s3.keys();
  const failures: [readonly string[], Record<string, string>, RegExp][] = [
    [['--to', target], {}, /S3 needs keys: set BACKUP_S3_ACCESS_KEY_ID/],
    [['--to', 's3://no-such-bucket/x'], access, /there is no bucket no-such-bucket at http/],
    [['--to', target], { ...access, BACKUP_S3_SECRET_ACCESS_KEY: 'x' }, /may not use the bucket/],
    [['--to', target], { ...access, BACKUP_S3_ENDPOINT: 'http://127.0.0.1:9' }, /does not answer/],
    [['--to', 's3://pictures/../x'], access, /is not an address in S3/],
    [['--to', '/backups'], access, /"\/backups" is not an address in S3/],
    [[target], access, /for S3, use --to s3:/],
    [['--to', target, 'file'], access, /name one file that does not exist/],
  ];
  for (const [args, settings, reason] of failures) {
    const { code, output } = await backUp(args, settings);
    expect(output).toMatch(reason);
    expect(output).toMatch(/^Cannot back up: .*$/);
    expect(output).not.toContain('S3RVER');
    expect(code).toBe(1);
  }

  const missing = await backUpDrill(`${target}/backchannel-2020-01-01T00-00-00.sqlite`);
  expect(missing).toMatchObject({ code: 1, output: expect.stringContaining('there is no back') });
  expect(await backUpDrill(target)).toMatchObject({
    code: 1,
    output: expect.stringContaining('name the backup itself'),
  });
  expect(s3.keys()).toEqual(keysBefore);
});
