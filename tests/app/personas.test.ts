import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, enter, joinClass, newClass, post, startApp, type RunningApp } from './running-app.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

async function roomOf(count: number) {
  const students = [];
  for (let n = 0; n < count; n++) students.push(await app.newStudent());
  const classId = await newClass(students[0]!);
  for (const student of students.slice(1)) await joinClass(student, classId);
  const lives = [];
  for (const student of students) lives.push(await student.connect());
  return { students, classId, lives };
}

test('a member has one persona per class, the same on each socket and after each message [PERSONA-1]', async () => {
  const { students, classId, lives } = await roomOf(2);
  const [ada, ben] = [lives[0]!, lives[1]!];
  const { memberId } = (await enter(ada, classId)).me;
  for (const text of ['one', 'two']) await post(ada, classId, text);
  await post(ben, classId, 'three');
  const again = await enter(await students[0]!.connect(), classId);
  expect(again.me.memberId).toBe(memberId);
  expect(again.messages.map((message) => message.memberId === memberId)).toEqual([
    true,
    true,
    false,
  ]);
  const mine = { memberId, anonymousName: 'Anonymous', icon: memberId };
  expect(again.personas).toHaveLength(2);
  expect(again.personas).toContainEqual(mine);
  const rows = await app.database.query(`select * from personas where "classId" = '${classId}'`);
  expect(rows).toHaveLength(2);
});

test('a snapshot names only the personas of its messages and reactions [ANON-13]', async () => {
  const { classId, lives } = await roomOf(4);
  const [early, late, reacting, silent] = lives as [(typeof lives)[0], ...typeof lives];
  await post(early, classId, 'long ago');
  let id = '';
  for (let n = 0; n < 50; n++) ({ id } = await post(late!, classId, `${n}`));
  await ask(reacting!, { type: 'react', classId, messageId: id, emoji: '👍' });
  const { messages, personas } = await enter(silent!, classId);
  expect(messages).toHaveLength(50);
  const mentioned = [];
  for (const live of [late, reacting]) mentioned.push((await enter(live!, classId)).me.memberId);
  expect(personas.map(({ memberId }) => memberId).toSorted()).toEqual(mentioned.toSorted());
});
