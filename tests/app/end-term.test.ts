// After the end of a term the messages stay, but no one can find out who wrote them.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { memberIdOf } from '#server/domain/member-id.ts';
import { loadServerKeys } from '#server/server-keys.ts';
import { admin } from './admin-process.ts';
import { findClasses } from './find-classes.ts';
import { ask, enter, joinClass, newClass, post, startApp, type RunningApp } from './running-app.ts';

const secret = 'a secret for this test alone, of 32 characters';
const ended = 'This class has ended. You can still read it.';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp({ SECRET_KEY: secret });
});
afterAll(() => app.stop());

const endTerm = (classId: string) => admin(app.database.settings, 'end-term', classId);

async function rowsOf(classId: string) {
  const [row] = await app.database.query(`select salt from classes where "classId" = '${classId}'`);
  const accounts = await app.database.query('select id from accounts');
  const personas = await app.database.query(
    `select "memberId" from personas where "classId" = '${classId}'`,
  );
  const memberIds = personas.map(({ memberId }) => String(memberId));
  const { personas: key } = loadServerKeys(secret, '');
  const salt = String(row?.['salt']);
  const found = accounts.filter(({ id }) => memberIds.includes(memberIdOf(key, salt, String(id))));
  return { salt, found: found.length };
}

test('nobody is found again behind what was said, with the server’s key neither [ANON-11, ANON-26]', async () => {
  const [ada, ben] = [await app.newStudent(), await app.newStudent()];
  const classId = await newClass(ada, { subjectAbbreviation: 'zoo', courseNumber: '9' });
  await joinClass(ben, classId);
  const lives = [await ada.connect(), await ben.connect()];
  for (const [n, live] of lives.entries()) await post(live, classId, `Said by ${n}`);
  const before = await rowsOf(classId);
  expect(before.found).toBe(2);

  const done = await endTerm(classId);
  expect(done).toMatchObject({ code: 0, errors: [] });
  expect(done.out).toContain('The class ZOO 9 has ended');
  expect((await rowsOf(classId)).found).toBe(0);
  await vi.waitFor(async () => expect(await app.database.content()).not.toContain(before.salt), {
    timeout: 20_000,
    interval: 100,
  });
});

test('members can read an ended class, and the server refuses every write in it [ANON-26]', async () => {
  const [ada, ben] = [await app.newStudent(), await app.newStudent()];
  const [classId, other] = [await newClass(ada), await newClass(ada)];
  await joinClass(ben, classId);
  const live = await ada.connect();
  const { me } = await enter(live, classId);
  const { id: messageId } = await post(live, classId, 'Said in time');
  const { id: theirs } = await post(await ben.connect(), classId, 'And so was this');
  await endTerm(classId);

  // The message has no author any more, so not even its author can prove authorship.
  for (const [frame, code] of [
    [{ type: 'post', id: randomUUID(), text: 'Too late' }, 'CLASS_ENDED'],
    [{ type: 'react', messageId: theirs, emoji: '👍' }, 'CLASS_ENDED'],
    [{ type: 'edit', messageId, text: 'Otherwise' }, 'NOT_YOURS_TO_EDIT'],
    [{ type: 'delete', messageId }, 'NOT_YOUR_MESSAGE'],
  ] as const) {
    expect(await ask(live, { classId, ...frame }), frame.type).toMatchObject({
      type: 'nack',
      code,
    });
  }
  const body = { anonymousName: 'Otter' };
  const rename = ada.call('changePersona', { params: { classId }, body });
  await expect(rename).rejects.toThrow(ended);
  live.send({ type: 'read', classId, seq: 2 });

  const again = await enter(await ada.connect(), classId);
  expect(again.messages.map(({ text }) => text)).toEqual(['Said in time', 'And so was this']);
  expect(again.messages[0]?.memberId).toBe(me.memberId);
  expect(again.me.memberId).not.toBe(me.memberId);
  const { personas } = await ben.call('listMembers', { params: { classId } });
  expect(personas).toHaveLength(2);
  // Other classes are unaffected, and members can still leave the ended class and the operator can still
  // delete it.
  expect(await post(live, other, 'Here')).toMatchObject({ type: 'ack' });
  await ben.call('leaveClass', { params: { classId } });
  expect(await admin(app.database.settings, 'delete-class', classId)).toMatchObject({ code: 0 });
});

test('every open browser that can see the class learns immediately that it ended [ANON-27, ADMIN-5]', async () => {
  const [ada, ben] = [await app.newStudent(), await app.newStudent()];
  const stranger = await app.newStudent();
  const classId = await newClass(ada, { subjectAbbreviation: 'zoo', courseNumber: '11' });
  await joinClass(ben, classId);
  const lives = [await ada.connect(), await ben.connect()] as const;
  const members = [];
  for (const live of lives) members.push((await enter(live, classId)).me.memberId);
  await post(lives[0], classId, 'Said in time');
  const endedOf = async (student: typeof ada) =>
    (await student.call('readClass', { params: { classId } })).class.ended;
  expect(await endedOf(stranger)).toBe(false);

  await endTerm(classId);
  const told = await Promise.all(lives.map((live) => live.frame('events', ({ to }) => to === 2)));
  expect(told[0]).toMatchObject({
    ...{ classId, from: 2, to: 2 },
    items: [{ kind: 'class', seq: 2, class: { classId, ended: true, memberCount: 2 } }],
  });
  // Both get the same event, and it identifies neither of them.
  expect(told[1]).toEqual(told[0]);
  for (const memberId of members) expect(JSON.stringify(told)).not.toContain(memberId);
  for (const student of [ada, ben, stranger]) expect(await endedOf(student)).toBe(true);
  const { classes } = await ben.call('listClasses', {});
  expect(classes).toMatchObject([{ classId, ended: true }]);
  // A member who was offline gets the event from the log.
  const late = await ada.connect();
  const { epoch } = await late.frame('welcome');
  late.send({ type: 'subscribe', rid: 1, classId, epoch, after: 1 });
  expect((await late.frame('events')).items).toMatchObject([
    { kind: 'class', class: { ended: true } },
  ]);
});

test('search does not find an ended class, and a student who has its link can join to read it [SEARCH-68, ANON-27]', async () => {
  const [ada, ben] = [await app.newStudent(), await app.newStudent()];
  const classId = await newClass(ada, { courseName: 'Xylography' });
  await post(await ada.connect(), classId, 'Said in time');
  const found = async () => (await findClasses(ada, 'xylography')).nbHits;
  expect(await found()).toBe(1);
  await endTerm(classId);
  await expect.poll(found).toBe(0);

  const { class: joined } = await ben.call('joinClass', { params: { classId } });
  expect(joined).toMatchObject({ ended: true, memberCount: 2 });
  const { messages } = await enter(await ben.connect(), classId);
  expect(messages.map(({ text }) => text)).toEqual(['Said in time']);
  // Neither a changed member count nor a restart adds it to the index again.
  expect(await found()).toBe(0);
  await app.restart();
  expect(await found()).toBe(0);
});

test('the command names an unknown class [ADMIN-1, ANON-26]', async () => {
  expect(await endTerm('AAAAAAAAAAAAAAAA')).toEqual({
    code: 1,
    out: '',
    errors: ['Nothing was done: There is no class with the id AAAAAAAAAAAAAAAA.'],
  });
});
