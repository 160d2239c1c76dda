// After the end of a term the messages stay, but no one can find out who wrote them.
import { expect, test, vi } from 'vitest';
import { computeMemberId } from '#server/chat/members/member-ids.ts';
import { loadServerKeys } from '#server/base/server-keys.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const secret = 'a secret for this test alone, of 32 characters';

const app = setUpApp({ SECRET_KEY: secret });

const endTerm = (classId: string) =>
  runAdminCommand(app.database.settings, 'archive-class', classId);

async function findLinks(classId: string) {
  const [row] = await app.database.query(`select salt from classes where "classId" = '${classId}'`);
  const accounts = await app.database.query('select id from accounts');
  const personas = await app.database.query(
    `select "memberId" from personas where "classId" = '${classId}'`,
  );
  const memberIds = personas.map(({ memberId }) => String(memberId));
  const { personas: key } = loadServerKeys(secret, '');
  const salt = String(row?.['salt']);
  const linkedAccounts = accounts.filter(({ id }) =>
    memberIds.includes(computeMemberId(key, salt, String(id))),
  );
  return { salt, found: linkedAccounts.length };
}

test('after the end of a class not even the server key links its messages to accounts [ANON-50, ANON-26]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const classId = await ada.createClass({ subjectAbbreviation: 'zoo', courseNumber: '9' });
  await ben.join(classId);
  const sockets = [await ada.connect(), await ben.connect()];
  for (const [n, socket] of sockets.entries()) await socket.post(classId, `Said by ${n}`);

  const linksBefore = await findLinks(classId);
  expect(linksBefore.found).toBe(2);

  const done = await endTerm(classId);
  expect(done).toMatchObject({ code: 0, errors: [] });
  expect(done.out).toContain('The class ZOO 9 has ended');
  expect((await findLinks(classId)).found).toBe(0);

  await vi.waitFor(
    async () => expect(await app.database.content()).not.toContain(linksBefore.salt),
    {
      timeout: 20_000,
      interval: 100,
    },
  );
});

test('every open browser that can see the class learns immediately that it ended [ANON-27, LOG-84]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const stranger = await app.createStudent();
  const classId = await ada.createClass({ subjectAbbreviation: 'zoo', courseNumber: '11' });
  await ben.join(classId);
  const sockets = [await ada.connect(), await ben.connect()] as const;
  const members = [];
  for (const socket of sockets) members.push((await socket.subscribe(classId)).me.memberId);

  await sockets[0].post(classId, 'Said in time');
  const isClassEnded = async (student: typeof ada) =>
    (await student.call('readClass', { params: { classId } })).class.ended;
  expect(await isClassEnded(stranger)).toBe(false);

  await endTerm(classId);
  const frames = await Promise.all(
    sockets.map((socket) => socket.waitFor('events', ({ to }) => to === 2)),
  );
  expect(frames[0]).toMatchObject({
    classId,
    from: 2,
    to: 2,
    items: [{ kind: 'class', seq: 2, class: { classId, ended: true, memberCount: 2 } }],
  });
  // Both get the same event, and it identifies neither of them.
  expect(frames[1]).toEqual(frames[0]);
  for (const memberId of members) expect(JSON.stringify(frames)).not.toContain(memberId);
  for (const student of [ada, ben, stranger]) expect(await isClassEnded(student)).toBe(true);

  const { classes } = await ben.call('listClasses', {});
  expect(classes).toMatchObject([{ classId, ended: true }]);

  // A member who was offline gets the event from the log.
  const lateSocket = await ada.connect();
  const { epoch } = await lateSocket.waitFor('welcome');
  lateSocket.send({ type: 'subscribe', rid: 1, classId, epoch, after: 1 });
  expect((await lateSocket.waitFor('events')).items).toMatchObject([
    { kind: 'class', class: { ended: true } },
  ]);
});

test('search does not find an ended class, and a student who has its link can join to read it [SEARCH-18, ANON-27]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const classId = await ada.createClass({ courseName: 'Xylography' });

  await ada.post(classId, 'Said in time');
  const countHits = async () => (await findClasses(ada, 'xylography')).nbHits;
  expect(await countHits()).toBe(1);

  await endTerm(classId);
  await expect.poll(countHits).toBe(0);

  const { class: joinedClass } = await ben.join(classId);
  expect(joinedClass).toMatchObject({ ended: true, memberCount: 2 });

  const { messages } = await ben.snapshot(classId);
  expect(messages.map(({ text }) => text)).toEqual(['Said in time']);
  // Neither a changed member count nor a restart adds it to the index again.
  expect(await countHits()).toBe(0);

  await app.restart();
  expect(await countHits()).toBe(0);
});
