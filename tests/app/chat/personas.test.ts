import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

async function createRoom(count: number) {
  const students = [];
  for (let n = 0; n < count; n++) students.push(await app.createStudent());
  const classId = await students[0]!.createClass();
  for (const student of students.slice(1)) await student.join(classId);
  const sockets = [];
  for (const student of students) sockets.push(await student.connect());
  return { students, classId, sockets };
}

test('a member has one persona per class on all sockets [PERSONA-1]', async () => {
  const { students, classId, sockets } = await createRoom(2);
  const ada = sockets[0]!;
  const ben = sockets[1]!;
  const { memberId } = (await ada.subscribe(classId)).me;
  for (const text of ['one', 'two']) await ada.post(classId, text);

  await ben.post(classId, 'three');

  const snapshot = await students[0]!.snapshot(classId);
  expect(snapshot.me.memberId).toBe(memberId);
  expect(snapshot.messages.map((message) => message.memberId === memberId)).toEqual([
    true,
    true,
    false,
  ]);
  const persona = { memberId, anonymousName: 'Anonymous', icon: memberId };
  expect(snapshot.personas).toHaveLength(2);
  expect(snapshot.personas).toContainEqual(persona);

  const rows = await app.database.query(`select * from personas where "classId" = '${classId}'`);
  expect(rows).toHaveLength(2);
});

test('a snapshot names only the personas of its messages and reactions [ANON-13]', async () => {
  const { classId, sockets } = await createRoom(4);
  const [firstSocket, recentSocket, reactingSocket, silentSocket] = sockets as [
    (typeof sockets)[0],
    ...typeof sockets,
  ];
  await firstSocket.post(classId, 'long ago');
  let id = '';
  for (let n = 0; n < 50; n++) ({ id } = await recentSocket!.post(classId, `${n}`));

  await reactingSocket!.request({ type: 'react', classId, messageId: id, emoji: '👍' });

  const { messages, personas } = await silentSocket!.subscribe(classId);
  expect(messages).toHaveLength(50);

  const mentioned = [];
  for (const socket of [recentSocket, reactingSocket]) {
    mentioned.push((await socket!.subscribe(classId)).me.memberId);
  }
  expect(personas.map(({ memberId }) => memberId).toSorted()).toEqual(mentioned.toSorted());
});

test('the list of members has pages of 500, which together name each member once [PERSONA-17]', async () => {
  const { students, classId } = await createRoom(1);
  const ids = Array.from({ length: 1000 }, () => randomBytes(12).toString('base64url'));
  const rows = ids.map((id) => `('${classId}', '${id}', 'Anonymous', '${id}')`);
  await app.database.query(
    `insert into personas ("classId", "memberId", "anonymousName", icon) values ${rows.join(',')}`,
  );
  const sizes: number[] = [];
  const listedIds: string[] = [];

  for (let afterMemberId: string | null | undefined; afterMemberId !== null;) {
    const query = afterMemberId ? { afterMemberId } : {};
    const page = await students[0]!.call('listMembers', { params: { classId }, query });
    sizes.push(page.personas.length);
    listedIds.push(...page.personas.map(({ memberId }) => memberId));
    afterMemberId = page.nextAfter;
  }

  expect(sizes).toEqual([500, 500]);
  // The order does not tell who joined when.
  expect(listedIds).toEqual(ids.toSorted((id, otherId) => (id < otherId ? -1 : 1)));

  const response = students[0]!.fetch(`/api/classes/${classId}/members?afterMemberId=x`);
  expect((await response).status).toBe(400);
});
