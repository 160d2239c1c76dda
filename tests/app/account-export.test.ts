import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountExportSchema } from '#contract/account.ts';
import { ask, enter, joinClass, newClass, post, startApp, type RunningApp } from './running-app.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const today = new Date().toISOString().slice(0, 10);

test('a member downloads their own data as a file, which holds nothing of other members [PROFILE-18]', async () => {
  const [ada, ben] = [await app.newStudent('ada'), await app.newStudent('ben')];
  const [classId, leftId] = [await newClass(ben), await newClass(ben, { courseNumber: '9' })];
  const silent = await newClass(ada, { courseNumber: '7' });
  const [live, other] = [await ada.connect(), await ben.connect()];
  for (const id of [classId, leftId]) {
    await joinClass(ada, id);
    await enter(live, id);
    await enter(other, id);
  }
  const { me } = await enter(live, classId);
  const said = await post(live, classId, 'said by "ada"\nin two lines');
  const left = await post(live, leftId, 'said before leaving');
  const taken = await post(live, classId, 'taken back');
  const others = await post(other, classId, 'a secret of ben');
  await Promise.all([
    ask(live, { type: 'delete', classId, messageId: taken.id }),
    ask(live, { type: 'react', classId, messageId: others.id, emoji: '👍' }),
    ask(other, { type: 'react', classId, messageId: said.id, emoji: '💩' }),
  ]);
  await ada.call('leaveClass', { params: { classId: leftId } });

  const response = await ada.fetch('/api/me/export');
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="my-data.json"');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const text = await response.text();
  const file = accountExportSchema.parse(JSON.parse(text));
  expect(file).toMatchObject({
    email: ada.email,
    createdDay: today,
    devices: [{ name: 'A browser', signedInDay: today }],
  });
  const byId = new Map(file.classes.map((own) => [own.classId, own]));
  expect([...byId.keys()].toSorted()).toEqual([classId, leftId, silent].toSorted());
  expect(byId.get(classId)).toEqual({
    classId,
    label: 'CS 146',
    joinedDay: today,
    persona: { memberId: me.memberId, anonymousName: 'Anonymous', icon: me.memberId },
    messages: [
      {
        id: said.id,
        text: 'said by "ada"\nin two lines',
        createdAt: expect.any(Number),
        editedAt: null,
        replyTo: null,
      },
    ],
    reactions: [{ messageId: others.id, emoji: '👍' }],
  });
  expect(byId.get(leftId)).toMatchObject({
    joinedDay: null,
    messages: [{ id: left.id, text: 'said before leaving' }],
  });
  expect(byId.get(silent)).toMatchObject({ persona: null, messages: [], reactions: [] });
  for (const foreign of ['a secret of ben', ben.email, '💩', 'taken back']) {
    expect(text).not.toContain(foreign);
  }
});

test('the export of a long history is complete [PROFILE-18]', async () => {
  const ada = await app.newStudent();
  const classId = await newClass(ada);
  const live = await ada.connect();
  await enter(live, classId);
  const texts = Array.from({ length: 6 }, (_, n) => `number ${n}`);
  for (const text of texts) {
    await post(live, classId, text);
    // As if other members had posted many messages in between.
    await app.database.query(`update classes set seq = seq + 1500 where "classId" = '${classId}'`);
  }
  const file = accountExportSchema.parse(await ada.call('exportAccount', {}));
  expect(file.classes[0]!.messages.map(({ text }) => text)).toEqual(texts);
});

test('only the signed-in owner can export an account [PROFILE-18, AUTH-22]', async () => {
  expect((await app.visitor().fetch('/api/me/export')).status).toBe(401);
});
