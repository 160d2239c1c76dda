// The students whom `npm run demo` simulates.
import { expect, test, vi } from 'vitest';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { demoClasses, type DemoMessage } from '../../scripts/demo/classes.ts';
import { Conversation } from '../../scripts/demo/conversation.ts';

const app = setUpApp();

async function createConversation(messages: readonly DemoMessage[]) {
  const students = await Promise.all(Array.from({ length: 3 }, () => app.createStudent()));
  const [creator, ...others] = students as [(typeof students)[0], ...typeof students];
  const classId = await creator.createClass();
  for (const student of others) await student.join(classId);
  const participants = await Promise.all(
    students.map(async (student) => {
      return { student, socket: await student.connect(), classId, memberId: null };
    }),
  );
  return { students, classId, conversation: new Conversation(participants, messages) };
}

test('The demo goes on when the server rejects the picture of a student', async () => {
  const picture = { files: [{ file: 'region', alt: 'A region' }] as const, text: '' };
  const { students, classId, conversation } = await createConversation([picture]);
  for (const student of students) await student.leave(classId);
  const logged = vi.spyOn(console, 'error').mockReturnValue();

  await conversation.tryToContinue();

  expect(logged).toHaveBeenCalledOnce();
  logged.mockRestore();
});

test('A student of the demo answers others only, and the one who asked says thank you', async () => {
  const messages = demoClasses[0]!.messages.slice(0, 4);
  const { students, classId, conversation } = await createConversation(messages);

  for (const _ of messages) await conversation.continue();

  const snapshot = await students[0]!.snapshot(classId);
  const authors = snapshot.messages.map(({ memberId }) => memberId);
  expect(authors).toHaveLength(4);
  expect(authors[1]).not.toBe(authors[0]);
  expect(authors[2]).not.toBe(authors[1]);
  expect(authors[3]).toBe(authors[0]);
});
