// Changes the server key of a real server, on both engines.
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import { computeMemberId } from '#server/chat/members/member-ids.ts';
import { signUpAgain } from '#tests/support/change-key.ts';
import { deriveServerKeys } from '#server/base/server-keys.ts';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { createTestClient, password, type TestClient } from '#tests/support/test-client.ts';
import {
  chooseNotifications,
  defaultSettings,
  saveSettings,
} from '#tests/support/notifications.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { createJpeg, postPicture, upload } from '#tests/support/pictures.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { listStoredRemovals } from '#tests/support/stored-removals.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';
import { addStoredRole } from '#tests/support/roles.ts';

let database: TestDatabase;
let settings: Record<string, string>;
let app: RunningApp | null;
let students: TestClient[];
let classId: string;

beforeEach(async () => {
  database = await createTestDatabase();
  settings = { ...database.settings, PORT: String(await findFreePort()) };
  await start();
  students = [];
  for (const name of ['ada', 'ben', 'cleo']) {
    const student = createVisitor(name);
    await student.signUp();
    students.push(student);
  }
  classId = await students[0]!.createClass();
  for (const student of students.slice(1)) await student.join(classId);
});
afterEach(async () => {
  await end();
  await database.drop();
});

async function start(): Promise<void> {
  app = await startApp(settings, database);
}
async function end(): Promise<void> {
  await app?.close();
  app = null;
}
const createVisitor = (name: string) =>
  createTestClient(`http://127.0.0.1:${settings['PORT']}`, `${name}@university.edu`);

const getKeyPath = () => join(settings['DATA_DIR']!, 'server.key');
const getSecret = () => settings['SECRET_KEY'] ?? readFileSync(getKeyPath(), 'utf8').trim();

/** Changes the key on the current engine and makes the server use the new one. */
async function changeKey(...flags: string[]) {
  const next = randomBytes(32).toString('base64url');
  const withNext = settings['SECRET_KEY'] ? { ...settings, NEW_SECRET_KEY: next } : settings;
  const done = await runAdminCommand(withNext, 'new-key', ...flags);
  if (settings['SECRET_KEY'] && done.code === 0) settings['SECRET_KEY'] = next;
  // Other tests use the same PostgreSQL server.
  return { ...done, errors: done.errors.filter((line) => !line.includes('Waiting for other')) };
}

/** Loses the key: the file on SQLite, the setting on PostgreSQL. */
function loseKey(): void {
  if (settings['SECRET_KEY']) settings['SECRET_KEY'] = randomBytes(32).toString('base64url');
  else rmSync(getKeyPath());
}

/** All memberIds that a key derives from the accounts and the class. */
async function listMemberIdsBy(key: string): Promise<string[]> {
  const [row] = await database.query(`select salt from classes where "classId" = '${classId}'`);
  const accounts = await database.query('select id from accounts');
  const { personas } = deriveServerKeys(key);
  return accounts.map(({ id }) => computeMemberId(personas, String(row!['salt']), String(id)));
}

/** Mentions the author and the second member, and shows how to mention the third. */
const mentionAll = ([first, second, third]: readonly string[]) => `${first} ${second} \\${third}`;

async function letEveryoneSpeak() {
  const [ada, ben, cleo] = students as [TestClient, TestClient, TestClient];
  const sockets = [await ada.connect(), await ben.connect(), await cleo.connect()] as const;
  await ada.call('changePersona', { params: { classId }, body: { anonymousName: 'Otter' } });
  const { id } = await sockets[0].post(classId, 'said by ada');
  await sockets[1].post(classId, 'said by ben');
  await sockets[1].request({ type: 'react', classId, messageId: id, emoji: '👍' });
  const { me } = await sockets[2].subscribe(classId);
  await cleo.call('changePersona', {
    params: { classId },
    body: { icon: `${me.memberId}.3` },
  });
  const { imageId } = await upload(cleo, classId, await createJpeg());
  await postPicture(sockets[2], classId, imageId);
  const ownPersonas = await Promise.all(
    sockets.map(async (socket) => (await socket.subscribe(classId)).me),
  );
  await sockets[0].post(
    classId,
    mentionAll(ownPersonas.map(({ memberId }) => toMentionToken(memberId))),
  );
  const ignored = [ownPersonas[0]!.memberId, 'neverAppearedHer'];
  await ben.call('savePreferences', {
    params: { classId },
    body: { ignored, hidden: [id], muted: true, version: 0 },
  });
  await chooseNotifications(ben, classId, 'all');
  await saveSettings(ben, { snoozedUntil: 1 });
  // A member who leaves and rejoins keeps the persona.
  await cleo.leave(classId);
  for (const socket of sockets) socket.close();
  return { messageId: id, ownPersonas };
}

test('a change of the key keeps passwords, and personas under new memberIds [ADMIN-6, ADMIN-7, ADMIN-9]', async () => {
  const { messageId, ownPersonas } = await letEveryoneSpeak();
  const roomBefore = await students[0]!.snapshot(classId);

  const oldIds = await listMemberIdsBy(getSecret());
  expect(await changeKey('--yes')).toMatchObject({ code: 1 });

  await end();

  const announced = await changeKey();
  expect(announced).toMatchObject({ code: 1, out: '' });
  expect(announced.errors[0]).toMatch(/personas are kept.* new-key --yes/);

  const done = await changeKey('--yes');
  expect(done).toMatchObject({ code: 0, errors: [] });
  expect(done.out).toContain('Personas are kept');

  const content = await database.content();
  for (const oldId of oldIds) expect(content).not.toContain(oldId);

  await start();
  const [ada, ben, cleo] = students as [TestClient, TestClient, TestClient];
  for (const student of students) {
    expect(await student.call('me', {})).toEqual({ account: null });
    await student.signIn();
  }
  await cleo.join(classId);
  const newIds = await listMemberIdsBy(getSecret());
  const rooms = [];
  for (const student of [ada, ben, cleo]) rooms.push(await student.snapshot(classId));
  for (const [n, { me, epoch }] of rooms.entries()) {
    expect(epoch).not.toBe(roomBefore.epoch);
    expect(newIds).toContain(me.memberId);
    expect(me.anonymousName).toBe(ownPersonas[n]!.anonymousName);
    expect(me.icon.slice(16)).toBe(ownPersonas[n]!.icon.slice(16));
    expect(me.icon.slice(0, 16)).toBe(me.memberId);
  }
  expect(rooms[0]!.me.readSeq).toBe(roomBefore.me.readSeq);
  expect(roomBefore.me.readSeq).toBeLessThan(roomBefore.seq);

  const preferences = await ben.call('readPreferences', { params: { classId } });
  expect(await ben.call('readNotifications', {})).toMatchObject({
    subscribed: false,
    notifications: { ...defaultSettings, snoozedUntil: 1 },
    choices: [{ classId, notify: 'all' }],
  });
  expect(preferences).toEqual({
    ignored: [rooms[0]!.me.memberId, 'neverAppearedHer'],
    hidden: [messageId],
    muted: true,
    version: 1,
  });

  const [first, second, third] = rooms[0]!.messages;
  const authors = rooms[0]!.messages.map(({ memberId }) => memberId);
  expect(authors.slice(0, 3)).toEqual(rooms.map(({ me }) => me.memberId));
  expect(first).toMatchObject({ text: 'said by ada' });

  const newMentions = rooms.map(({ me }) => toMentionToken(me.memberId));
  expect(rooms[0]!.messages[3]!.text).toBe(mentionAll(newMentions));

  const { mentions: rows } = await database.tables();
  expect(rows!.map(({ memberId }) => memberId)).toEqual([rooms[1]!.me.memberId]);
  expect(second).toMatchObject({ text: 'said by ben' });
  expect(first!.reactions).toEqual({ [rooms[1]!.me.memberId]: '👍' });
  expect((await cleo.fetch(third!.imageUrl!)).status).toBe(200);

  const socket = await ada.connect();
  const edited = await socket.request({ type: 'edit', classId, messageId, text: 'still mine' });
  expect(edited).toMatchObject({ type: 'ack' });
  expect(await socket.post(classId, 'and on it goes')).toMatchObject({ type: 'ack' });
});

test('after a replacement of a lost key, everyone signs up again and gets a new persona [ADMIN-6, ADMIN-8, ADMIN-7, ANON-6]', async () => {
  const { messageId, ownPersonas } = await letEveryoneSpeak();
  const lostKey = getSecret();
  await end();
  loseKey();

  const announced = await changeKey();
  expect(announced).toMatchObject({ code: 1, out: '' });
  expect(announced.errors[0]).toMatch(/signs up again.* new-key --yes/);
  expect(await changeKey('--yes')).toMatchObject({ code: 0, errors: [] });

  await start();
  const ada = students[0]!;
  await expect(ada.signIn()).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });

  const { accounts, sessions, registers } = await database.tables();
  expect([accounts, sessions, registers]).toEqual([[], [], []]);

  await signUpAgain(ada, classId);
  const preferences = await ada.call('readPreferences', { params: { classId } });
  expect(preferences).toMatchObject({ muted: false, version: 0 });

  const ben = students[1]!;
  await signUpAgain(ben, classId);
  expect(await ben.call('readNotifications', {})).toMatchObject({
    notifications: defaultSettings,
    choices: [],
  });

  const socket = await ada.connect();
  const { me, messages } = await socket.subscribe(classId);
  const authors = messages.map(({ memberId }) => memberId);
  expect(authors.slice(0, 3)).toEqual(ownPersonas.map(({ memberId }) => memberId));
  expect(messages[3]!.text).toBe(
    mentionAll(ownPersonas.map(({ memberId }) => toMentionToken(memberId))),
  );
  expect(ownPersonas.map(({ memberId }) => memberId)).not.toContain(me.memberId);
  expect(await socket.request({ type: 'edit', classId, messageId, text: 'mine?' })).toMatchObject({
    code: 'NOT_YOURS_TO_EDIT',
  });
  expect(await socket.post(classId, 'somebody new')).toMatchObject({ type: 'ack' });

  // A lost key that is found later links no one to these personas.
  const idsByLostKey = await listMemberIdsBy(lostKey);
  for (const { memberId } of ownPersonas) expect(idsByLostKey).not.toContain(memberId);
});

async function makeOperator({ email }: TestClient): Promise<void> {
  await addStoredRole({ settings }, { email, classId: null, role: 'operator', staffName: 'Sam' });
}

/** Ben reports Ada, who is muted, and Cleo, about whom no one has decided. */
async function reportAndMute() {
  const { messageId, ownPersonas } = await letEveryoneSpeak();
  const [ada, ben] = students as [TestClient, TestClient, TestClient];
  await makeOperator(students[2]!);
  const params = { classId };
  const reason = 'spam';
  await ben.call('reportMember', { params, body: { messageId, reason, text: 'Her again' } });
  const { id } = await ada.post(classId, `about ${toMentionToken(ownPersonas[1]!.memberId)}`);
  await ben.call('reportMember', { params, body: { messageId: id, reason } });
  await ben.call('reportMember', { params, body: { memberId: ownPersonas[2]!.memberId, reason } });
  await database.query(
    `update cases set status = 'pending', decision = 'keep', "sanctionKind" = 'mute', "sanctionHours" = 24,
     reason = 'Spam', "decidedBy" = 'Sam', "effectiveAt" = ${Date.now()} where "messageId" = '${messageId}'`,
  );
  await expect.poll(() => ada.post(classId, 'muted?')).toMatchObject({ code: 'MUTED' });
  return { messageId: id, ownPersonas };
}

test('a change of the key keeps sanctions, cases, reports and the audit log with their members [MOD-28]', async () => {
  const { messageId } = await reportAndMute();
  const oldIds = await listMemberIdsBy(getSecret());

  await end();
  expect(await changeKey('--yes')).toMatchObject({ code: 0 });

  const content = await database.content();
  for (const oldId of oldIds) expect(content).not.toContain(oldId);
  expect((await runAdminCommand(settings, 'verify-audit')).out).toContain('is whole: 3 entries');

  await start();
  const [ada, ben, cleo] = students as [TestClient, TestClient, TestClient];
  for (const student of students) await student.signIn();
  await cleo.join(classId);
  expect(await ada.post(classId, 'still muted?')).toMatchObject({ code: 'MUTED' });

  const ids = [];
  for (const student of students) ids.push((await student.snapshot(classId)).me.memberId);
  const { cases } = await cleo.call('listCases', { query: { classId } });
  // No one sees a case about an own persona.
  expect(cases.map(({ persona }) => persona.memberId)).toEqual([ids[0]]);
  expect(cases[0]?.evidence).toMatchObject({
    text: `about ${toMentionToken(ids[1]!)}`,
    personas: [{ memberId: ids[1] }],
  });

  const decidedCases = await cleo.call('listCases', { query: { classId, state: 'decided' } });
  expect(decidedCases.cases[0]?.reports).toMatchObject([{ text: 'Her again' }]);

  const params = { classId };
  expect((await ben.call('listOwnReports', { params })).reports).toHaveLength(3);

  await ben.call('reportMember', { params, body: { messageId, reason: 'spam' } });
  expect((await ben.call('listOwnReports', { params })).reports).toHaveLength(3);

  const { entries } = await cleo.call('listAuditLog', { query: {} });
  expect(entries.map(({ act, memberId }) => [act, memberId])).toEqual([
    ['new-key', null],
    ['mute', ids[0]],
    ['keep', ids[0]],
  ]);
});

/** Sam suspends Ben, who appeals. */
async function suspendBen(): Promise<void> {
  await reportAndMute();
  const [ada, ben, sam] = students as [TestClient, TestClient, TestClient];
  const { id } = await ben.post(classId, 'worse');
  const spam = { messageId: id, reason: 'spam' } as const;
  await ada.call('reportMember', { params: { classId }, body: spam });
  const carryOut = async (table: string) => {
    const now = Date.now() - 1;
    await database.query(`update ${table} set "effectiveAt" = ${now} where status = 'pending'`);
    await expect
      .poll(() => database.query(`select * from ${table} where status = 'pending'`))
      .toEqual([]);
  };
  const { cases } = await sam.call('listCases', { query: { classId } });
  const { caseId, version } = cases.find(({ messageId }) => messageId === id)!;
  const decision = { version, decision: 'keep', escalate: true, reason: 'Serious' } as const;
  await sam.call('decideCase', { params: { caseId }, body: decision });
  await carryOut('cases');
  const escalated = await sam.call('listCases', { query: { classId, state: 'escalated' } });
  const { reviewId } = escalated.cases[0]!.reviews[0]!;
  const body = { version: 1, decision: 'suspend', days: null, reason: 'Threats' } as const;
  await sam.call('decideReview', { params: { reviewId }, body });
  await carryOut('reviews');
  const listOwn = async () => (await ben.call('listOwnSanctions', {})).sanctions;
  // The list of suspended accounts is read again after the commit.
  await expect.poll(listOwn).toMatchObject([{ kind: 'suspension' }]);
  const { sanctionId } = (await listOwn())[0]!;
  await ben.call('appeal', { params: { sanctionId }, body: { text: 'I object' } });
}

test('a change of the key keeps a suspension and its appeal [ADMIN-7]', async () => {
  await suspendBen();
  await end();
  expect(await changeKey('--yes')).toMatchObject({ code: 0 });

  await start();
  const [ada, ben, sam] = students as [TestClient, TestClient, TestClient];
  for (const student of students) await student.signIn();
  expect((await ben.call('me', {})).account).toMatchObject({ suspended: true });
  expect((await ada.call('me', {})).account).toMatchObject({ suspended: false });
  expect((await ben.call('listOwnSanctions', {})).sanctions).toMatchObject([
    { kind: 'suspension', reason: 'Threats', appeal: { text: 'I object', state: 'open' } },
  ]);

  const { cases } = await sam.call('listCases', { query: { classId, state: 'appeals' } });
  expect(cases).toMatchObject([
    { suspension: { active: true }, reviews: [{ text: 'Serious' }, { text: 'I object' }] },
  ]);
});

test('a replacement of a lost key erases reports and ends sanctions [MOD-28]', async () => {
  await reportAndMute();

  await end();
  loseKey();
  expect(await changeKey('--yes')).toMatchObject({ code: 0 });

  await start();
  for (const student of students) await signUpAgain(student, classId);
  await makeOperator(students[2]!);
  expect(await students[0]!.post(classId, 'free')).toMatchObject({ type: 'ack' });

  const { cases } = await students[2]!.call('listCases', { query: { classId } });
  expect(cases).toMatchObject([
    { evidence: null, reports: [] },
    { evidence: null, reports: [] },
  ]);
  expect((await runAdminCommand(settings, 'verify-audit')).code).toBe(0);
});

/** Ada's message as staff, and a mention of the staff persona by Ben. */
async function letStaffSpeak() {
  const [ada, ben] = students as [TestClient, TestClient];
  await grantStaff({ database }, ada, classId, 'Prof. Otter');
  const socket = await ada.connect();
  await socket.subscribe(classId);
  const { staff } = await socket.waitFor('live');
  const id = randomUUID();
  const post = { type: 'post', classId, id, text: 'official', staff: true };
  expect(await socket.request(post)).toMatchObject({ type: 'ack' });
  socket.close();
  const memberId = staff!.persona.memberId;
  await ben.post(classId, `Thank you ${toMentionToken(memberId)}`);
  return { id, memberId };
}

test('a change of the key keeps a staff persona with its member [ADMIN-7]', async () => {
  const { id, memberId } = await letStaffSpeak();
  await end();
  expect(await changeKey('--yes')).toMatchObject({ code: 0, errors: [] });
  expect(await database.content()).not.toContain(memberId);

  await start();
  const ada = students[0]!;
  await ada.signIn();
  const socket = await ada.connect();
  const { messages, personas } = await socket.subscribe(classId);
  const { staff } = await socket.waitFor('live');
  expect(staff).toMatchObject({ maySpeak: true, persona: { anonymousName: 'Prof. Otter' } });
  expect(personas).toContainEqual(staff!.persona);
  expect(messages[0]?.memberId).toBe(staff!.persona.memberId);
  expect(messages[1]?.text).toBe(`Thank you ${toMentionToken(staff!.persona.memberId)}`);

  const edit = { type: 'edit', classId, messageId: id, text: 'still official' };
  expect(await socket.request(edit)).toMatchObject({ type: 'ack' });
});

test('the order of the new memberIds does not reveal their accounts [ADMIN-7, ANON-6]', async () => {
  const allStudents = [...students];
  for (let n = 0; n < 12; n++) {
    const student = createVisitor(`student${n}`);
    await student.signUp();
    await student.join(classId);
    allStudents.push(student);
  }
  for (const student of allStudents) await student.post(classId, 'a word');

  await end();
  expect(await changeKey('--yes')).toMatchObject({ code: 0 });

  const rows = await database.query('select "memberId" from personas');
  const order = settings['DATABASE_URL']
    ? (await database.query('select "memberId" from personas order by ctid')).map((row) =>
        String(row['memberId']),
      )
    : sortByPlace(
        await database.content(),
        rows.map((row) => String(row['memberId'])),
      );
  const ids = order.filter((id) => id.length === 16);
  expect(ids.length).toBe(allStudents.length);

  const ofAccounts = await listMemberIdsBy(getSecret());
  const unchangedIds = ids.filter((id, n) => id === ofAccounts[n]).length;
  const backwards = ids.filter((id, n) => id === ofAccounts.at(-1 - n)).length;
  expect(Math.max(unchangedIds, backwards)).toBeLessThan(allStudents.length / 2);
});

function sortByPlace(content: string, ids: readonly string[]): string[] {
  const findPlace = (id: string) => content.indexOf(`${classId}${id}`);
  return ids.toSorted((first, second) => findPlace(first) - findPlace(second));
}

test('new-key rejects the current key and a key that is too short [ADMIN-6]', async () => {
  await end();
  const key = getSecret();
  const keySettings = { ...settings, SECRET_KEY: key };

  const sameKey = await runAdminCommand(
    { ...keySettings, NEW_SECRET_KEY: key },
    'new-key',
    '--yes',
  );
  expect(sameKey.errors).toEqual([
    'Nothing was done: the database has this key already. Start the server with it.',
  ]);

  const shortKey = await runAdminCommand(
    { ...keySettings, NEW_SECRET_KEY: 'short' },
    'new-key',
    '--yes',
  );
  expect(shortKey.errors[0]).toContain('NEW_SECRET_KEY is too short');

  const noKey = await runAdminCommand(keySettings, 'new-key', '--yes');
  expect(noKey.errors[0]).toContain('set NEW_SECRET_KEY');

  if (!settings['SECRET_KEY']) writeFileSync(getKeyPath(), `${key}\n`);
  await start();
});

describe('an account that was deleted earlier', () => {
  const listPending = async (key: string) => {
    const removals = await listStoredRemovals(settings, key);
    // Others are of members who left.
    return removals.flatMap(({ classId: removedClassId, isCounted, leaverId }) =>
      leaverId === undefined ? [[removedClassId, isCounted]] : [],
    );
  };
  const getMemberCount = async () => {
    const params = { classId };
    return (await students[0]!.call('readClass', { params })).class.memberCount;
  };
  beforeEach(async () => {
    await letEveryoneSpeak();
    await students[1]!.call('deleteAccount', { body: { password, messages: 'delete' } });
    await end();
  });

  test('an account that was deleted earlier is still removed from its classes, with the new key [ADMIN-7, PROFILE-29]', async () => {
    expect(await changeKey('--yes')).toMatchObject({ code: 0 });
    // The second removal is that of the votes.
    const removals = new Set(await listPending(getSecret()));
    expect(removals).toEqual(
      new Set([
        [classId, false],
        [classId, true],
      ]),
    );
  });

  test('no account is counted after a replacement of a lost key, not even one that was deleted earlier [ADMIN-8, PROFILE-29]', async () => {
    loseKey();
    expect(await changeKey('--yes')).toMatchObject({ code: 0 });
    expect(await listPending(getSecret())).toEqual([]);

    await start();
    await signUpAgain(students[0]!, classId);
    expect(await getMemberCount()).toBe(1);
  });
});
