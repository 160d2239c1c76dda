// What becomes of everything that the server key made: anyone who has the old key, or the key without the salt of an ended class,
// must not recognize an account in what is stored afterwards.
import { createHmac, KeyObject } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import { loadConfig } from '#server/config/config.ts';
import { createProgressStore } from '#server/features/notifications/digest/digest-progress.ts';
import { endClass } from '#server/features/class-admin/ended-classes.ts';
import { mergeClasses } from '#server/features/class-admin/merge-classes.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { createLog } from '#server/base/log.ts';
import { deriveServerKeys, type ServerKeys } from '#server/base/server-keys.ts';
import { backUp } from '#server/features/backups/back-up.ts';
import { restore, restoreToPostgres } from '#server/features/backups/restore.ts';
import { copyToPostgres } from '#server/features/backups/transfer/copy-to-postgres.ts';
import { publishPrivately } from '#tests/calls/scene.ts';
import { loadSecret, replaceServerKey } from '#tests/support/change-key.ts';
import {
  applyDecisions,
  decide,
  decideReview,
  grantRole,
  listCases,
  report,
} from '#tests/support/moderation.ts';
import { browserKeys, chooseNotifications, saveSettings } from '#tests/support/notifications.ts';
import { addTurn, askPrivately } from '#tests/support/private-questions.ts';
import { ask, vote } from '#tests/support/questions.ts';
import { createJpeg, postPictures, upload } from '#tests/support/pictures.ts';
import { startApp, toPublicOrigin } from '#tests/support/running-app.ts';
import { addPasskey, SoftwareAuthenticator } from '#tests/support/software-authenticator.ts';
import { grantStaff } from '#tests/support/staff.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';
import { requestUnmasking } from '#tests/support/unmasking.ts';
import { writeChange } from '#tests/support/write-change.ts';
import { hashesOfOutputs, watchKeys, type KeyWatch, type Output } from './key-watch.ts';
import { keysWithoutStoredOutputs, storedOutputs, type Fate } from './stored-outputs.ts';
import { quoteAddressKey } from '#tests/support/stored-accounts.ts';

const log = createLog({ write: () => {} });
const settings = {
  EMAIL_VERIFICATION: 'off',
  PUSH_HOSTS: 'http://127.0.0.1:9',
  // Nothing answers there, so mails wait.
  SMTP_URL: 'smtp://127.0.0.1:9',
  UNMASKING: 'on',
  UNUSED_ACCOUNT_MONTHS: '24',
};

type Settings = TestDatabase['settings'];

let watch: KeyWatch;
let dir: string;
/** A backup of a server in use. */
let backup: string;
/** A database with the rows of the backup. Each test changes a copy. */
let original: TestDatabase;
const databases: TestDatabase[] = [];
let classId: string;
let otherClassId: string;
/** The salts of all classes in the backup. */
let saltsBefore: Set<string>;
/** The server key of the backup. */
let secret: string;
/** What that key stored. */
let outputsBefore: Stored;

beforeAll(async () => {
  watch = watchKeys();
  dir = mkdtempSync(join(tmpdir(), 'backchannel-keys-'));
  backup = join(dir, 'backup');
  await useServer();
});
afterAll(async () => {
  watch.stop();
  for (const database of databases) await database.drop();
  rmSync(dir, { recursive: true, force: true });
});

/** Makes every kind of stored output, and a backup while the server runs: it has what waits to be written, too. */
async function useServer(): Promise<void> {
  const older = await startApp(settings);
  await grantRole(older, await older.createStudent('operator'), null, 'Olga');
  await older.close();
  // The key of a change has sealed the last hash of the audit log.
  const changedSettings = await replaceServerKey(older.database.settings);
  secret = loadSecret(changedSettings);
  const app = await startApp(settings, { ...older.database, settings: changedSettings });
  const operator = app.visitor('operator');
  await operator.signIn();

  const ada = await app.createStudent('ada');
  const ben = await app.createStudent('ben');
  const cleo = await app.createStudent('cleo');
  const formerStudent = await app.createStudent('gone');
  classId = await ada.createClass();
  otherClassId = await formerStudent.createClass();
  for (const student of [ben, cleo, formerStudent]) await student.join(classId);
  await operator.join(otherClassId);
  const params = { classId };
  await grantStaff(app, cleo, classId, 'Prof. Otter');
  const { me } = await ada.snapshot(classId);
  await ada.call('changePersona', { params, body: { icon: `${me.memberId}.3` } });
  const { id } = await ada.post(classId, 'bad words');
  const sockets = { ada: await ada.connectTo(classId), cleo: await cleo.connectTo(classId) };
  const other = await ben.post(classId, `said to ${toMentionToken(me.memberId)}`);
  await sockets.ada.request({ type: 'react', classId, messageId: other.id, emoji: '👍' });
  await postPictures(sockets.ada, classId, [await upload(ada, classId, await createJpeg())]);
  const questionId = await ask(sockets.ada, classId);
  await vote(sockets.cleo, classId, questionId);
  const official = {
    type: 'post',
    classId,
    id: crypto.randomUUID(),
    text: 'official',
    staff: true,
  };
  await sockets.cleo.request(official);
  await operator.call('startLecture', { params, body: { hours: 1, holdsQuestions: true } });
  await operator.call('createHallCode', { params });
  await ask(sockets.ada, classId, `Who is ${toMentionToken(me.memberId)}?`);
  const privateId = await askPrivately(ada, classId);
  await publishPrivately(app, privateId);
  const place = { classId, questionId: privateId };
  await addTurn(cleo, place, 'Until Monday', { asStaff: true });
  await report(cleo, classId, { messageId: privateId });
  const body = { text: 'Prepared?', poll: null };
  const preparedId = crypto.randomUUID();
  await cleo.call('savePrepared', { params: { classId, messageId: preparedId }, body });
  const preferences = { ignored: [me.memberId], hidden: [], muted: true, version: 0 };
  await ben.call('savePreferences', { params, body: preferences });
  await ben.call('subscribePush', {
    body: { endpoint: 'http://127.0.0.1:9/a', keys: browserKeys },
  });
  await chooseNotifications(ben, classId, 'all');
  await saveSettings(ben, { showText: true });
  await report(ben, classId, { messageId: id, text: 'Again' });
  await report(cleo, classId, { memberId: me.memberId });
  const [reported] = await listCases(operator, { classId });
  await requestUnmasking(operator, reported!.caseId);
  const sanction = { kind: 'mute', hours: 24 } as const;
  const decidedCase = await decide(operator, id, { sanction, escalate: true });
  await applyDecisions(app);
  await decideReview(operator, decidedCase, { decision: 'suspend', days: 7 });
  await applyDecisions(app);
  // The server writes read marks when it stops, and what waits for moderators when it starts.
  await app.restart();
  const { sanctions } = await ada.call('listOwnSanctions', {});
  const { sanctionId } = sanctions.find(({ kind }) => kind === 'suspension')!;
  await ada.call('appeal', { params: { sanctionId }, body: { text: 'I object' } });
  await formerStudent.call('deleteAccount', {
    body: { password: formerStudent.password, messages: 'delete' },
  });
  await cleo.call('requestPasswordReset', { body: { email: cleo.email } });
  const blockedAddress = { email: 'blocked@university.edu', blockReason: 'Left' };
  await operator.call('blockAddress', { body: blockedAddress });
  await addPasskey(operator, new SoftwareAuthenticator(toPublicOrigin(app)));
  const outsideReport = { what: 'About me', place: 'CS 146', contactAddress: 'out@side.example' };
  await app.visitor().call('reportFromOutside', { body: outsideReport });
  // It waits to be written to its row.
  await cleo.call('savePreferences', { params, body: preferences });
  await signOnAsAtProvider(app.database, deriveServerKeys(secret), ben);
  await advanceDigests(changedSettings);

  await backUp(
    loadConfig(changedSettings).database,
    backup,
    log,
    () => {},
    () => {},
  );
  await app.stop();
  original = await createDatabase();
  await loadBackup(original);
  saltsBefore = await findSalts(original);
  outputsBefore = await findOutputs(original);
}

/** An empty database with the key of the backup. */
async function createDatabase(): Promise<TestDatabase> {
  const database = addKey(await createTestDatabase());
  databases.push(database);
  const { DATA_DIR, SECRET_KEY } = database.settings;
  if (SECRET_KEY === undefined) writeFileSync(join(DATA_DIR, 'server.key'), secret);
  return database;
}

/** Adds the key where it is a setting, as on PostgreSQL. */
function addKey(database: TestDatabase): TestDatabase {
  const { settings: databaseSettings } = database;
  if (databaseSettings.SECRET_KEY === undefined) return database;
  return { ...database, settings: { ...databaseSettings, SECRET_KEY: secret } };
}

async function loadBackup({ settings: databaseSettings }: TestDatabase): Promise<void> {
  const { DATA_DIR, DATABASE_URL: url } = databaseSettings;
  if (url === undefined) copyFileSync(backup, join(DATA_DIR, 'backchannel.sqlite'));
  else await copyToPostgres({ file: backup, url, log, report: () => {}, startNewEpoch: null });
}

async function copyDatabase(): Promise<TestDatabase> {
  const copy = addKey(await original.copy());
  databases.push(copy);
  return copy;
}

async function findSalts({ query }: TestDatabase): Promise<Set<string>> {
  const rows = await query('select salt from classes');
  return new Set(rows.map(({ salt }) => String(salt)));
}

async function signOnAsAtProvider(database: TestDatabase, keys: ServerKeys, { email }: TestClient) {
  const key = createHmac('sha256', keys.signOn.hashes).update('a subject');
  await database.query(
    `update accounts set "signOnKey" = '${key.digest('base64url')}'
     where "addressKey" = ${quoteAddressKey(database, email)}`,
  );
}

/** Advances the progress as if the digests of a day were sent. */
async function advanceDigests(databaseSettings: Settings): Promise<void> {
  const { digest } = deriveServerKeys(secret);
  const progress = createProgressStore(digest.order, 'of this test');
  await writeTo(databaseSettings, async ({ db }) => {
    const { value } = await progress.read(db);
    return progress.write(db, value, { day: 1, place: 0.5 });
  });
}

function writeTo<Result>(
  databaseSettings: Settings,
  make: Parameters<typeof writeChange<Result>>[1],
) {
  return writeChange(loadConfig(databaseSettings).database, make);
}

interface StoredOutput {
  output: Output;
  row: Record<string, unknown>;
}

/** The outputs by key and column, as in the table, and then by what identifies them. */
type Stored = Map<string, Map<string, StoredOutput>>;

async function findOutputs(database: TestDatabase, secretKey = secret): Promise<Stored> {
  const outputs: Stored = new Map();
  for (const [table, rows] of Object.entries(await database.tables())) {
    for (const row of rows) {
      for (const [column, value] of Object.entries(row)) {
        const place =
          table === 'serverMetadata' ? `${table} ${shortenName(row)}` : `${table}.${column}`;
        const text = Buffer.isBuffer(value) ? value.toString('base64url') : String(value);
        for (const { id, output } of watch.findIn(text)) {
          if (output.secret !== secretKey) continue;
          const name = `${output.key}: ${place}`;
          outputs.set(name, (outputs.get(name) ?? new Map()).set(id, { output, row }));
        }
      }
    }
  }
  return outputs;
}

/** The journals of nodes have an id in their name. */
const shortenName = (row: Record<string, unknown>) => String(row['name']).split(' ')[0];

/** Every leaf of the object. */
function listKeys(keys: object): unknown[] {
  return Object.values(keys).flatMap((value: unknown) => {
    if (typeof value === 'function') return [];
    return value instanceof KeyObject || typeof value !== 'object' ? [value] : listKeys(value!);
  });
}

test('the table has each key and each column with its output [ADMIN-73]', () => {
  const keys: ServerKeys = deriveServerKeys(secret);
  const all = [...listKeys(keys), ...listKeys(deriveModerationKeys(keys.personas))];

  expect([...outputsBefore.keys()].toSorted()).toEqual([...storedOutputs.keys()].toSorted());

  const storing = new Set([...storedOutputs.keys()].map((name) => name.split(': ')[0]!));
  const described = [...storing, ...Object.keys(keysWithoutStoredOutputs)];
  expect([...watch.listWatchedKeys(secret), hashesOfOutputs].toSorted()).toEqual(
    described.toSorted(),
  );
  for (const key of all) expect(watch.knows(key as KeyObject | string)).toBe(true);
});

test('a readable value of the server has no output of a key and no account, class or persona [ANON-3]', async () => {
  const { serverMetadata, accounts, classes, personas } = await original.tables();
  const sealed = /^[\w-]+$/;
  const readable = serverMetadata!.map(({ value }) => String(value)).filter((v) => !sealed.test(v));

  const ids = [accounts, classes, personas].flatMap((rows) =>
    rows!.flatMap(({ id, email, classId: ownClassId, memberId }) => [
      id,
      email,
      ownClassId,
      memberId,
    ]),
  );

  expect(readable.flatMap((value) => watch.findIn(value))).toEqual([]);
  expect(readable.filter((value) => ids.some((id) => id && value.includes(String(id))))).toEqual(
    [],
  );
});

type Act = 'newKey' | 'lostKey' | 'linksRemoved';

/** What each row of the table says about the action. */
const listExpectedFates = (act: Act): Record<string, Fate> =>
  Object.fromEntries([...storedOutputs].map(([name, fates]) => [name, fates[act]]));

/**
 * @param current the server key of the database
 * @param keep whether a row counts
 */
async function findFates(
  database: TestDatabase,
  current: string,
  keep: (row: StoredOutput['row']) => boolean = () => true,
): Promise<Record<string, Fate>> {
  const remainingOutputs = await findOutputs(database);
  const renewed = current === secret ? new Map() : await findOutputs(database, current);
  const salts = await findSalts(database);
  const removedSalts = [...saltsBefore].filter((salt) => !salts.has(salt));
  const isUnlinked = ({ output }: StoredOutput) => {
    const inputs = watch.traceInputs(output);
    return (
      removedSalts.some((salt) => inputs.includes(salt)) &&
      ![...salts].some((salt) => inputs.includes(salt))
    );
  };
  const getFate = (name: string): Fate => {
    const keptOutputs = [...(remainingOutputs.get(name)?.values() ?? [])].filter(({ row }) =>
      keep(row),
    );
    if (keptOutputs.length === 0) return renewed.has(name) ? 'renewed' : 'erased';
    return keptOutputs.every(isUnlinked) ? 'unlinked' : 'kept';
  };
  return Object.fromEntries([...storedOutputs.keys()].map((name) => [name, getFate(name)]));
}

test.each([
  ['the change of the key', 'newKey', 'there'],
  ['the loss of the key', 'lostKey', 'lost'],
] as const)(
  'each output of the old key is as the table says after %s [ADMIN-73]',
  async (_, act, oldKey) => {
    const copy = await copyDatabase();

    const changedSettings = await replaceServerKey(copy.settings, oldKey);

    expect(await findFates(copy, loadSecret(changedSettings))).toEqual(listExpectedFates(act));
  },
);

test('no file of the database has an output of the old key after its change [ADMIN-73, ANON-57, DELETE-19]', async () => {
  const copy = await copyDatabase();
  const find = async () =>
    watch.findIn(await copy.fileContent()).filter(({ output }) => output.secret === secret);
  expect(await find()).not.toEqual([]);

  await replaceServerKey(copy.settings);

  expect(await find()).toEqual([]);
});

test('no output of the key links an account to a persona after the links of a class are removed [ADMIN-73, ANON-26]', async () => {
  const copy = await copyDatabase();

  await writeTo(copy.settings, (unitOfWork) => endClass(unitOfWork, classId, '', 0));

  const isOfClass = (row: StoredOutput['row']) => (row['classId'] || classId) === classId;
  expect(await findFates(copy, secret, isOfClass)).toEqual(listExpectedFates('linksRemoved'));

  const { output } = [...outputsBefore.get('personas: personas.memberId')!.values()].find(
    ({ row }) => isOfClass(row),
  )!;
  const [salt = ''] = output.input.split('\0');
  expect(await copy.content()).not.toContain(salt);
});

test.each([
  ['a merge', mergeTwo, [], ['personas / members: registers.content']],
  // A mail that could not be sent is encrypted again.
  ['a restart', restart, [], ['mails: outgoingMails.content']],
  // Links and mails may have been used since the backup.
  ['a restored backup', restoreBackup, ['mails: outgoingMails.content'], []],
] as const)(
  'each output of the key is there after %s [ADMIN-73]',
  async (_, perform, erasedNames: readonly string[], renewed: readonly string[]) => {
    const outputsAfter = await findOutputs(await perform());

    expect([...outputsAfter.keys(), ...erasedNames].toSorted()).toEqual(
      [...outputsBefore.keys()].toSorted(),
    );

    for (const [name, outputs] of outputsBefore) {
      if ([...erasedNames, ...renewed].includes(name)) continue;
      const missing = [...outputs.keys()].filter((id) => !outputsAfter.get(name)?.has(id));
      expect(missing, name).toEqual([]);
    }
  },
);

async function mergeTwo(): Promise<TestDatabase> {
  const copy = await copyDatabase();
  const merge = { duplicateId: otherClassId, keptId: classId };
  const site = { keys: deriveServerKeys(secret), operators: [], accountRecords: null as never };
  await writeChange(loadConfig(copy.settings).database, (unitOfWork) =>
    mergeClasses({ ...unitOfWork, site }, merge, { staffName: '', reopenDays: 7 }),
  );
  return copy;
}

async function restart(): Promise<TestDatabase> {
  const copy = await copyDatabase();
  const app = await startApp(settings, copy);
  await app.close();
  return copy;
}

async function restoreBackup(): Promise<TestDatabase> {
  const restored = await createDatabase();
  const { DATA_DIR, DATABASE_URL: url } = restored.settings;
  const file = join(DATA_DIR, 'backchannel.sqlite');
  const keys = deriveServerKeys(secret);
  const source = { keys, log, copyFiles: () => {} };
  if (url === undefined) await restore(backup, file, source);
  else await restoreToPostgres(backup, file, { ...source, url, report: () => {} });
  return restored;
}
