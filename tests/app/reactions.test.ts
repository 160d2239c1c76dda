import { afterAll, beforeAll, expect, test } from 'vitest';
import { enter, joinClass, newClass, post, startApp, type RunningApp } from './running-app.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('may be each of four emojis, and no other, however alike [REACT-1]', async () => {
  const [ada, ben] = [await app.newStudent(), await app.newStudent()];
  const classId = await newClass(ada);
  await joinClass(ben, classId);
  const { id: messageId } = await post(await ada.connect(), classId, 'And?');
  const live = await ben.connect();
  const { memberId } = (await enter(live, classId)).me;
  let rid = 1000;
  const react = (emoji: unknown) => {
    live.sendText(JSON.stringify({ type: 'react', rid: ++rid, classId, messageId, emoji }));
    return live.answer(rid);
  };
  for (const emoji of ['❤️', '👍', '👎', '💩']) {
    expect(await react(emoji), emoji).toMatchObject({ type: 'ack' });
    const { messages } = await enter(live, classId);
    expect(messages[0]?.reactions).toEqual({ [memberId]: emoji });
  }
  for (const other of ['🙂', '❤', '👍🏽', 'heart', '', '👍👎']) {
    expect(await react(other), other).toMatchObject({ type: 'nack', code: 'INVALID' });
  }
});
