import { expect, test } from 'vitest';
import { accountExportSchema } from '#contract/account.ts';
import { ask, vote } from '#tests/support/questions.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

const today = new Date().toISOString().slice(0, 10);

test('the export of an account has all of its data and nothing of other members [PROFILE-18]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const classId = await ben.createClass();
  const leftId = await ben.createClass({ courseNumber: '9' });
  const silent = await ada.createClass({ courseNumber: '7' });
  const socket = await ada.connect();
  const other = await ben.connect();
  for (const id of [classId, leftId]) {
    await ada.join(id);
    await socket.subscribe(id);
    await other.subscribe(id);
  }
  const { me } = await socket.subscribe(classId);
  const ownMessage = await socket.post(classId, 'said by "ada"\nin two lines');
  const leftClassMessage = await socket.post(leftId, 'said before leaving');
  const deletedMessage = await socket.post(classId, 'taken back');
  const foreignMessage = await other.post(classId, 'a secret of ben');
  const ownQuestionId = await ask(socket, classId);
  const foreignQuestionId = await ask(other, classId, 'another secret of ben');
  await vote(socket, classId, foreignQuestionId);
  await Promise.all([
    socket.request({ type: 'delete', classId, messageId: deletedMessage.id }),
    socket.request({ type: 'react', classId, messageId: foreignMessage.id, emoji: '👍' }),
    other.request({ type: 'react', classId, messageId: ownMessage.id, emoji: '💩' }),
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
    devices: [{ name: 'A browser', signedInDay: today, notified: false }],
    notifications: { showText: false, quietHours: null, snoozedUntil: null, waitingWork: false },
  });

  const byId = new Map(file.classes.map((item) => [item.classId, item]));
  expect([...byId.keys()].toSorted()).toEqual([classId, leftId, silent].toSorted());
  expect(byId.get(classId)).toEqual({
    classId,
    label: 'CS 146',
    joinedDay: today,
    persona: { memberId: me.memberId, anonymousName: 'Anonymous', icon: me.memberId },
    staffPersona: null,
    messages: [
      {
        id: ownMessage.id,
        text: 'said by "ada"\nin two lines',
        createdAt: expect.any(Number),
        editedAt: null,
        replyTo: null,
        images: [],
      },
      {
        id: ownQuestionId,
        text: 'What is due?',
        createdAt: expect.any(Number),
        editedAt: null,
        replyTo: null,
        question: true,
        images: [],
      },
    ],
    votedQuestions: [foreignQuestionId],
    pollVotes: [],
    waitingTexts: [],
    privateTexts: [],
    preparedItems: [],
    reactions: [{ messageId: foreignMessage.id, emoji: '👍' }],
    reports: [],
    sanctions: [],
    preferences: { ignored: [], hidden: [], muted: false },
    notify: 'mentions',
  });
  expect(byId.get(leftId)).toMatchObject({
    joinedDay: null,
    messages: [{ id: leftClassMessage.id, text: 'said before leaving' }],
  });
  expect(byId.get(silent)).toMatchObject({ persona: null, messages: [], reactions: [] });
  for (const foreign of ['a secret of ben', 'another secret', ben.email, '💩', 'taken back']) {
    expect(text).not.toContain(foreign);
  }
});

test('the export of a long history is complete [PROFILE-18]', async () => {
  const ada = await app.createStudent();
  const classId = await ada.createClass();
  const socket = await ada.connectTo(classId);
  const texts = Array.from({ length: 6 }, (_, n) => `number ${n}`);
  for (const text of texts) {
    await socket.post(classId, text);
    // As if other members had posted many messages in between.
    await app.database.query(`update classes set seq = seq + 1500 where "classId" = '${classId}'`);
  }

  const file = accountExportSchema.parse(await ada.call('exportAccount', {}));

  expect(file.classes[0]!.messages.map(({ text }) => text)).toEqual(texts);
});
