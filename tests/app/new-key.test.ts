// Changes the server key of a real server, on both engines.
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memberIdOf } from '#server/domain/member-id.ts';
import { openPendingRemovals } from '#server/domain/pending-removals.ts';
import { deriveServerKeys } from '#server/server-keys.ts';
import { freePort } from '../../scripts/free-port.ts';
import { createStudent, type Student } from '../../scripts/student.ts';
import { admin } from './admin-process.ts';
import { jpeg, postPicture, upload } from './pictures.ts';
import { ask, enter, joinClass, newClass, password, post } from './running-app.ts';
import { startProcess, type ServerProcess } from './server-process.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;
let settings: Record<string, string>;
let server: ServerProcess | null;
let students: Student[];
let classId: string;

beforeEach(async () => {
  database = await createTestDatabase();
  settings = { ...database.settings, PORT: String(await freePort()) };
  await start();
  students = [];
  for (const name of ['ada', 'ben', 'cleo']) {
    const student = visitor(name);
    await student.call('signUp', { body: { email: student.email, password } });
    students.push(student);
  }
  classId = await newClass(students[0]!);
  for (const student of students.slice(1)) await joinClass(student, classId);
});
afterEach(async () => {
  await end('SIGKILL');
  await database.drop();
});

async function start(): Promise<void> {
  server = startProcess('node', settings);
  await server.printed('data folder');
}
async function end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  server?.child.kill(signal);
  await server?.ended;
  server = null;
}
const visitor = (name: string) =>
  createStudent(`http://127.0.0.1:${settings['PORT']}`, `${name}@university.edu`, password);

const keyFile = () => join(settings['DATA_DIR']!, 'server.key');
const secret = () => settings['SECRET_KEY'] ?? readFileSync(keyFile(), 'utf8').trim();

/** Changes the key on the current engine and makes the server use the new one. */
async function newKey(...flags: string[]) {
  const next = randomBytes(32).toString('base64url');
  const withNext = settings['SECRET_KEY'] ? { ...settings, NEW_SECRET_KEY: next } : settings;
  const done = await admin(withNext, 'new-key', ...flags);
  if (settings['SECRET_KEY'] && done.code === 0) settings['SECRET_KEY'] = next;
  return done;
}

/** Loses the key: the file on SQLite, the setting on PostgreSQL. */
function loseKey(): void {
  if (settings['SECRET_KEY']) settings['SECRET_KEY'] = randomBytes(32).toString('base64url');
  else rmSync(keyFile());
}

/** All memberIds that a key derives from the accounts and the class. */
async function memberIdsBy(key: string): Promise<string[]> {
  const [row] = await database.query(`select salt from classes where "classId" = '${classId}'`);
  const accounts = await database.query('select id from accounts');
  const { personas } = deriveServerKeys(key);
  return accounts.map(({ id }) => memberIdOf(personas, String(row!['salt']), String(id)));
}

async function everyoneSpeaks() {
  const [ada, ben, cleo] = students as [Student, Student, Student];
  const lives = [await ada.connect(), await ben.connect(), await cleo.connect()] as const;
  await ada.call('changePersona', { params: { classId }, body: { anonymousName: 'Otter' } });
  const { id } = await post(lives[0], classId, 'said by ada');
  await post(lives[1], classId, 'said by ben');
  await ask(lives[1], { type: 'react', classId, messageId: id, emoji: '👍' });
  const { me } = await enter(lives[2], classId);
  await cleo.call('changePersona', {
    params: { classId },
    body: { icon: `${me.memberId}.3` },
  });
  const { imageId } = await upload(cleo, classId, await jpeg());
  await postPicture(lives[2], classId, imageId);
  const mine = await Promise.all(lives.map(async (live) => (await enter(live, classId)).me));
  // A member who leaves and rejoins keeps the persona.
  await cleo.call('leaveClass', { params: { classId } });
  for (const live of lives) live.close();
  return { messageId: id, mine };
}

test('with the old key, every member keeps their persona under a new memberId [ADMIN-6, ADMIN-7, ADMIN-9]', async () => {
  const { messageId, mine } = await everyoneSpeaks();
  const before = await enter(await students[0]!.connect(), classId);
  const oldIds = await memberIdsBy(secret());
  expect(await newKey('--yes')).toMatchObject({ code: 1 });
  await end();

  const announced = await newKey();
  expect(announced).toMatchObject({ code: 1, out: '' });
  expect(announced.errors[0]).toMatch(/personas are kept.* new-key --yes/);
  const done = await newKey('--yes');
  expect(done).toMatchObject({ code: 0, errors: [] });
  expect(done.out).toContain('Personas are kept');
  const content = await database.content();
  for (const oldId of oldIds) expect(content).not.toContain(oldId);

  await start();
  const [ada, ben, cleo] = students as [Student, Student, Student];
  for (const student of students) {
    expect(await student.call('me', {})).toEqual({ account: null });
    await student.call('signIn', { body: { email: student.email, password } });
  }
  await joinClass(cleo, classId);
  const newIds = await memberIdsBy(secret());
  const rooms = [];
  for (const student of [ada, ben, cleo]) rooms.push(await enter(await student.connect(), classId));
  for (const [n, { me, epoch }] of rooms.entries()) {
    expect(epoch).not.toBe(before.epoch);
    expect(newIds).toContain(me.memberId);
    expect(me.anonymousName).toBe(mine[n]!.anonymousName);
    expect(me.icon.slice(16)).toBe(mine[n]!.icon.slice(16));
    expect(me.icon.slice(0, 16)).toBe(me.memberId);
  }
  const [first, second, third] = rooms[0]!.messages;
  expect(rooms[0]!.messages.map(({ memberId }) => memberId)).toEqual(
    rooms.map(({ me }) => me.memberId),
  );
  expect(first).toMatchObject({ text: 'said by ada' });
  expect(second).toMatchObject({ text: 'said by ben' });
  expect(first!.reactions).toEqual({ [rooms[1]!.me.memberId]: '👍' });
  expect((await cleo.fetch(third!.imageUrl!)).status).toBe(200);
  const live = await ada.connect();
  const edited = await ask(live, { type: 'edit', classId, messageId, text: 'still mine' });
  expect(edited).toMatchObject({ type: 'ack' });
  expect(await post(live, classId, 'and on it goes')).toMatchObject({ type: 'ack' });
});

test('without the old key, members get new personas that cannot be linked to the old ones [ADMIN-6, ADMIN-8, ANON-6]', async () => {
  const { messageId, mine } = await everyoneSpeaks();
  const lost = secret();
  await end('SIGKILL');
  loseKey();

  const announced = await newKey();
  expect(announced).toMatchObject({ code: 1, out: '' });
  expect(announced.errors[0]).toMatch(/lose its account.* new-key --yes/);
  expect(await newKey('--yes')).toMatchObject({ code: 0, errors: [] });

  await start();
  const ada = students[0]!;
  await ada.call('signIn', { body: { email: ada.email, password } });
  expect((await ada.call('listClasses', {})).classes.map((one) => one.classId)).toEqual([classId]);
  const live = await ada.connect();
  const { me, messages } = await enter(live, classId);
  expect(messages.map(({ memberId }) => memberId)).toEqual(mine.map(({ memberId }) => memberId));
  expect(mine.map(({ memberId }) => memberId)).not.toContain(me.memberId);
  expect(await ask(live, { type: 'edit', classId, messageId, text: 'mine?' })).toMatchObject({
    code: 'NOT_YOURS_TO_EDIT',
  });
  expect(await post(live, classId, 'somebody new')).toMatchObject({ type: 'ack' });
  // A lost key that is found later links no one to these personas.
  const found = await memberIdsBy(lost);
  for (const { memberId } of mine) expect(found).not.toContain(memberId);
});

test('keeps the order of the new ids from telling whose they are [ADMIN-7, ANON-6]', async () => {
  const many = [...students];
  for (let n = 0; n < 12; n++) {
    const student = visitor(`student${n}`);
    await student.call('signUp', { body: { email: student.email, password } });
    await joinClass(student, classId);
    many.push(student);
  }
  for (const student of many) await post(await student.connect(), classId, 'a word');
  await end();
  expect(await newKey('--yes')).toMatchObject({ code: 0 });
  const rows = await database.query('select "memberId" from personas');
  const order = settings['DATABASE_URL']
    ? (await database.query('select "memberId" from personas order by ctid')).map((row) =>
        String(row['memberId']),
      )
    : byPlace(
        await database.content(),
        rows.map((row) => String(row['memberId'])),
      );
  const ids = order.filter((id) => id.length === 16);
  expect(ids.length).toBe(many.length);
  const ofAccounts = await memberIdsBy(secret());
  const same = ids.filter((id, n) => id === ofAccounts[n]).length;
  const backwards = ids.filter((id, n) => id === ofAccounts.at(-1 - n)).length;
  expect(Math.max(same, backwards)).toBeLessThan(many.length / 2);
});

function byPlace(content: string, ids: readonly string[]): string[] {
  const at = (id: string) => content.indexOf(`${classId}${id}`);
  return ids.toSorted((one, other) => at(one) - at(other));
}

test('withdraws mailed links and queued mails [ADMIN-9]', async () => {
  await end();
  settings['SMTP_URL'] = `smtp://127.0.0.1:${await freePort()}`;
  settings['EMAIL_VERIFICATION'] = 'off';
  await start();
  const { email } = students[0]!;
  await visitor('ada').call('requestPasswordReset', { body: { email } });
  const waiting = async () => {
    const { outgoingMails, verifications, sessions } = await database.tables();
    return [outgoingMails!.length, verifications!.length, sessions!.length];
  };
  expect(await waiting()).toEqual([1, 1, 3]);
  await end();
  expect(await newKey('--yes')).toMatchObject({ code: 0 });
  expect(await waiting()).toEqual([0, 0, 0]);
});

test('refuses the current key and a key that is too short [ADMIN-6]', async () => {
  await end();
  const key = secret();
  const own = { ...settings, SECRET_KEY: key };
  const same = await admin({ ...own, NEW_SECRET_KEY: key }, 'new-key', '--yes');
  expect(same.errors).toEqual([
    'Nothing was done: the database has this key already. Start the server with it.',
  ]);
  const short = await admin({ ...own, NEW_SECRET_KEY: 'short' }, 'new-key', '--yes');
  expect(short.errors[0]).toContain('NEW_SECRET_KEY is too short');
  const none = await admin(own, 'new-key', '--yes');
  expect(none.errors[0]).toContain('set NEW_SECRET_KEY');
  if (!settings['SECRET_KEY']) writeFileSync(keyFile(), `${key}\n`);
  await start();
});

describe('an account that was deleted earlier', () => {
  const pending = async (key: string) => {
    const [row] = await database.query(`select value from facts where name = 'pendingRemovals'`);
    if (!row) return null;
    const removals = openPendingRemovals(deriveServerKeys(key).personas, String(row['value']));
    return removals.map(({ classId: of, isCounted }) => [of, isCounted]);
  };
  const memberCount = async () => {
    const params = { classId };
    return (await students[0]!.call('readClass', { params })).class.memberCount;
  };
  beforeEach(async () => {
    await everyoneSpeaks();
    await students[1]!.call('deleteAccount', { body: { password, messages: 'delete' } });
    await end();
  });

  test('is still removed from its classes, with the new key [ADMIN-7, PROFILE-29]', async () => {
    expect(await newKey('--yes')).toMatchObject({ code: 0 });
    expect(await pending(secret())).toEqual([[classId, true]]);
  });

  test('is no longer counted if the old key is lost [ADMIN-8, PROFILE-29]', async () => {
    loseKey();
    expect(await newKey('--yes')).toMatchObject({ code: 0 });
    expect(await pending(secret())).toBeNull();
    await start();
    await students[0]!.call('signIn', { body: { email: students[0]!.email, password } });
    expect(await memberCount()).toBe(1);
  });
});
