import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, enter, joinClass, newClass, post, startApp, type RunningApp } from './running-app.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('a member can react with four emojis and no others, however similar [REACT-1]', async () => {
  const [ada, ben] = [await app.newStudent(), await app.newStudent()];
  const classId = await newClass(ada);
  await joinClass(ben, classId);
  const { id: messageId } = await post(await ada.connect(), classId, 'And?');
  const live = await ben.connect();
  const { memberId } = (await enter(live, classId)).me;
  const react = (emoji: unknown) => ask(live, { type: 'react', classId, messageId, emoji });
  for (const emoji of ['❤️', '👍', '👎', '💩']) {
    expect(await react(emoji), emoji).toMatchObject({ type: 'ack' });
    const { messages } = await enter(live, classId);
    expect(messages[0]?.reactions).toEqual({ [memberId]: emoji });
  }
  for (const other of ['🙂', '❤', '👍🏽', 'heart', '', '👍👎']) {
    expect(await react(other), other).toMatchObject({ type: 'nack', code: 'INVALID' });
  }
});
