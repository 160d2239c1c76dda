// Data that each released version wrote, opened with the program of today.
import { createHmac } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { toSessionCookieName } from '#server/accounts/cookies.ts';
import { hashToken } from '#server/base/random-id.ts';
import { seal } from '#server/base/seal.ts';
import { deriveServerKeys } from '#server/base/server-keys.ts';
import { createLog } from '#server/base/log.ts';
import { loadConfig } from '#server/config/config.ts';
import { replaceKey } from '#server/endings/replace-key.ts';
import { findSecrets, type Secrets } from '#tests/anonymity/find-secrets.ts';
import { steal } from '#tests/anonymity/steal.ts';
import { stealSqlite } from '#tests/anonymity/stolen-sqlite.ts';
import { loadVersion } from '#tests/storage/earlier-version.ts';
import {
  toFixtureSecretKey,
  keptVersionsFolder,
  unpackVersion,
} from '#tests/support/kept-versions.ts';
import { loadImageMetadata } from '#tests/support/pictures.ts';
import { runCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { createTestClient } from '#tests/support/test-client.ts';
import {
  createDataFolder,
  createTestDatabase,
  openFileDatabase,
  type TestDatabase,
} from '#tests/support/test-database.ts';

const versions = readdirSync(keptVersionsFolder);
/** The versions that stored addresses and devices as they are. */
const namingVersions = new Set(['0.1.0', '0.3.0']);
/** How far ben had read. Version 0.1.0 counted nothing as read until the first visit. */
const readSeqs: Partial<Record<string, number>> = { '0.1.0': 0 };

test('the tests have the data of each released version [UPGRADE-1]', () => {
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)\b/gm)].map(([, version]) => version);

  expect(released).not.toEqual([]);
  expect(new Set(versions)).toEqual(new Set(released));
});

describe.each(versions)('the data of version %s', (version) => {
  test('the data of a released version opens completely, and the chat goes on [UPGRADE-1, UPGRADE-4]', async () => {
    const database = await createTestDatabase();
    const { DATA_DIR: dataDir } = database.settings;
    const SECRET_KEY = toFixtureSecretKey(version);
    if ('DATABASE_URL' in database.settings) {
      // A backup of any version can move to PostgreSQL.
      const file = join(dataDir, 'kept');
      unpackVersion(version, file);
      const { output } = await runCommand('restore', [file], { ...database.settings, SECRET_KEY });
      expect(output).toContain('is the database now');
    } else {
      unpackVersion(version, join(dataDir, 'backchannel.sqlite'), join(dataDir, 'images'));
    }
    const app = await startApp({ SECRET_KEY }, database);
    const ada = app.visitor('ada');
    const ben = app.visitor('ben');
    await ada.signIn();
    await ben.signIn();

    const { classes } = await ben.call('listClasses', {});
    expect(classes).toMatchObject([{ courseName: 'Data Structures', memberCount: 2 }]);

    const { classId } = classes[0]!;

    const { me, messages } = await ben.snapshot(classId);
    expect(me).toMatchObject({ anonymousName: 'Night Owl', readSeq: readSeqs[version] ?? 1 });

    const [welcome, question, picture] = messages;
    expect(messages).toMatchObject([
      { text: 'Welcome to the first version', reactions: { [me.memberId]: '👍' } },
      { text: 'Is the exam on Friday?', memberId: me.memberId, replyTo: welcome!.id },
      { text: '', memberId: welcome!.memberId, images: [{ width: 60, alt: 'A board' }] },
    ]);
    expect(await loadImageMetadata(ada, picture!.images[0]!.imageUrl)).toMatchObject({ width: 60 });

    const search = { params: { classId }, query: { query: 'exam' } };
    // The words of old messages are indexed after the start.
    await expect
      .poll(async () => (await ada.call('searchMessages', search)).hits)
      .toMatchObject([{ message: { id: question!.id } }]);

    expect(await ada.post(classId, 'And on')).toMatchObject({ type: 'ack' });
    const { memberId, readSeq } = (await ada.snapshot(classId)).me;
    expect({ memberId, readSeq }).toEqual({ memberId: welcome!.memberId, readSeq: 1 });
    expect(app.logLines.filter((line) => line.includes('"level":50'))).toEqual([]);

    await app.stop();
  });

  if (!namingVersions.has(version)) return;

  test('a browser stays signed in, and the upgraded database names no one [UPGRADE-1, ANON-6]', async () => {
    const database = await createTestDatabase();
    await loadVersion(database, version);
    const cookie = await addSession(database, version);
    const secrets = await listSecrets(database);
    if ('DATABASE_URL' in database.settings) await database.query('analyze');

    const app = await startApp({ SECRET_KEY: toFixtureSecretKey(version) }, database);
    const browser = createTestClient(app.origin, 'ada@university.edu', { cookie });
    expect(await browser.call('me', {})).toMatchObject({
      account: { email: 'ada@university.edu' },
    });

    const bytes = Buffer.from(await database.fileContent(), 'latin1');
    const copy = await steal(database);
    const allFiles = { file: 'all files', table: 'accounts', bytes };
    const found = findSecrets({ ...copy, regions: [...copy.regions, allFiles] }, secrets);
    expect(found).toEqual([]);

    await app.stop();
  });
});

const device = 'Mosaic on Amiga';

/** Adds a session as the version wrote it. @returns the cookie of its browser */
async function addSession(database: TestDatabase, version: string): Promise<string> {
  const keys = deriveServerKeys(toFixtureSecretKey(version));
  const token = 'the token of a browser of ada';
  const id = hashToken(token);
  const columns: Record<string, string> = {
    id: 'a session of ada',
    token: id,
    device,
    createdAt: new Date().toISOString(),
    updatedAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
  };
  if (version !== '0.1.0') {
    const times = { createdAt: Date.now(), expiresAt: Date.now() + 86_400_000 };
    columns['times'] = seal(keys.times, JSON.stringify(times), { context: `session ${id}` });
  }
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const values = Object.values(columns).map((value) => `'${value}'`);
  await database.query(
    `insert into sessions ("userId", ${names.join()})
     select id, ${values.join()} from accounts where email = 'ada@university.edu'`,
  );
  // As these versions wrote it: without a day.
  const signature = createHmac('sha256', keys.cookies).update(token).digest('base64');
  return `${toSessionCookieName(false)}=${encodeURIComponent(`${token}.${signature}`)}`;
}

async function listSecrets(database: TestDatabase): Promise<Secrets> {
  const list = async (column: string, table: string) =>
    (await database.query(`select ${column} as secret from ${table}`)).map((row) =>
      String(row['secret']),
    );
  return {
    address: await list('email', 'accounts'),
    device: [device],
    hash: await list('password', 'credentials'),
    'account id': await list('id', 'accounts'),
  };
}

describe('the backup that an upgrade from version 0.3.0 makes', () => {
  const SECRET_KEY = toFixtureSecretKey('0.3.0');
  let folder: string;
  let file: string;
  let secrets: Secrets;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'backchannel-upgrade-'));
    const database = await createTestDatabase();
    await loadVersion(database, '0.3.0');
    await addSession(database, '0.3.0');
    secrets = await listSecrets(database);
    const app = await startApp({ SECRET_KEY, BACKUP_DIR: folder }, database);
    await app.stop();
    file = join(
      folder,
      readdirSync(folder).find((name) => name.includes('before-upgrade'))!,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function startOn(database: TestDatabase, settings = {}): Promise<RunningApp> {
    const app = await startApp(settings, database);
    onTestFinished(() => app.stop());
    return app;
  }

  /** Creates a data folder whose database is the backup. */
  function copyByHand(): TestDatabase {
    const dataDir = createDataFolder();
    cpSync(file, join(dataDir, 'backchannel.sqlite'));
    return openFileDatabase(dataDir);
  }

  /** Signs in with an account of the backup. */
  async function listCourses({ origin }: RunningApp): Promise<unknown[]> {
    const ben = createTestClient(origin, 'ben@university.edu');
    await ben.signIn();
    const { classes } = await ben.call('listClasses', {});
    return classes.map(({ courseName }) => courseName);
  }

  test('the backup holds no address, no device and no id of an account [AUTH-70]', () => {
    expect(findSecrets(stealSqlite(file), secrets)).toEqual([]);
  });

  test('the backup is restored with its accounts [BACKUP-23]', async () => {
    const database = await createTestDatabase();
    const settings = { ...database.settings, SECRET_KEY };
    expect(await runCommand('restore', ['--drill', file], settings)).toMatchObject({ code: 0 });

    expect(await runCommand('restore', [file], settings)).toMatchObject({ code: 0 });

    const app = await startOn(database, { SECRET_KEY });
    expect(await listCourses(app)).toEqual(['Data Structures']);
  });

  test('a server starts on the backup if it was copied into the data folder by hand [BACKUP-23]', async () => {
    const app = await startOn(copyByHand(), { SECRET_KEY });
    expect(await listCourses(app)).toEqual(['Data Structures']);
  });

  test('a backup without its key has classes and messages, and everyone signs up again [BACKUP-24]', async () => {
    const database = copyByHand();
    const config = loadConfig(database.settings);
    const log = createLog({ write: () => {} });

    const otherConfig = { ...config, secretKey: 'the key of another server, of 32 characters' };
    await expect(replaceKey(otherConfig, true, log)).rejects.toThrow('set NEW_SECRET_KEY');
    expect(await replaceKey(config, false, log)).toMatchObject({ accounts: 'deleted' });
    expect(await replaceKey(config, true, log)).toMatchObject({ accounts: 'deleted' });

    const { origin } = await startOn(database);
    const ben = createTestClient(origin, 'ben@university.edu');
    await expect(ben.signIn()).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });

    await ben.signUp();
    const [row] = await database.query('select "classId" from classes');
    const classId = String(row!['classId']);
    await ben.join(classId);
    expect((await ben.snapshot(classId)).messages).toHaveLength(3);
  });
});
