// A person whose question is answered gets a notification of it.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  chooseNotifications,
  createPushBarrier,
  openClass,
  saveSettings,
  turnOnNotifications,
} from '#tests/support/notifications.ts';
import type { PushBrowser } from '#tests/support/push-service.ts';
import { addTurn, askPrivately } from '#tests/support/private-questions.ts';
import { ask, markAnswer, publishVotesSoon, replyTo } from '#tests/support/questions.ts';
import { setUpPushApp } from '#tests/support/set-up-push-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

publishVotesSoon();
const { app, service } = setUpPushApp();
let waitForNotifications: () => Promise<void>;
beforeAll(async () => {
  waitForNotifications = await createPushBarrier(app, service);
});

let ada: TestClient;
let ben: TestClient;
let classId: string;
let askerSocket: TestSocket;
let staffSocket: TestSocket;
let device: PushBrowser;
let questionId: string;
let answerId: string;

/** Ada has asked and has read the reply. Ben is staff. */
beforeEach(async () => {
  ({ ada, ben, classId } = await createClassWithTwoMembers(app));
  const other = await app.createStudent();
  await other.join(classId);
  await grantStaff(app, ben, classId, 'Dr. Ito');
  askerSocket = await ada.connect();
  staffSocket = await ben.connect();
  questionId = await ask(askerSocket, classId, 'What is due?');
  answerId = await replyTo(await other.connect(), classId, questionId, 'Chapter 3');
  device = await turnOnNotifications(ada, service);
  await openClass(ada, classId);
});

test('a person whose question is answered gets a notification [QUEST-11]', async () => {
  await saveSettings(ada, { showText: true });

  await markAnswer(staffSocket, classId, questionId, answerId);

  const { payload } = await device.waitFor(classId);
  expect(payload).toMatchObject({
    title: 'Your question in CS 146 was answered',
    text: expect.stringMatching(/^[A-Z][a-z]+ [A-Z][a-z]+: Chapter 3$/),
  });
});

test('a notification of an answer without text says nothing but the class [QUEST-11, PUSH-12]', async () => {
  await markAnswer(staffSocket, classId, questionId, answerId);

  const { payload } = await device.waitFor(classId);
  expect(payload).toEqual({
    classId,
    title: 'New messages in CS 146',
    unread: expect.any(Number),
    close: [],
  });
});

test('a private question notifies staff, and the answer its asker, of nothing but the class, also with texts [PRIV-11]', async () => {
  const staffDevice = await turnOnNotifications(ben, service);
  for (const client of [ada, ben]) await saveSettings(client, { showText: true });
  const title = 'New messages in CS 146';
  const onlyClass = { classId, title, unread: expect.any(Number), close: [] };

  const privateId = await askPrivately(ada, classId);

  expect((await staffDevice.waitFor(classId)).payload).toEqual(onlyClass);
  await waitForNotifications();
  expect(device.received).toEqual([]);
  await addTurn(ben, { classId, questionId: privateId }, 'Until Monday', { asStaff: true });
  expect((await device.waitFor(classId)).payload).toEqual(onlyClass);
});

test.each([
  ['the own mark', async () => void (await markAnswer(askerSocket, classId, questionId, answerId))],
  [
    'an answer if answers are turned off',
    async () => {
      await saveSettings(ada, { answers: false });
      await markAnswer(staffSocket, classId, questionId, answerId);
    },
  ],
  [
    'an answer in a class without notifications',
    async () => {
      await chooseNotifications(ada, classId, 'none');
      await markAnswer(staffSocket, classId, questionId, answerId);
    },
  ],
])('there is no notification of %s [QUEST-11]', async (_, mark) => {
  await mark();

  await waitForNotifications();
  expect(device.received).toEqual([]);
});
