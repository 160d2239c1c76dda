// What becomes of a change that the database does not take: by triggers, and by its lock.
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enter, joinClass, newClass, post, startApp, type RunningApp } from './running-app.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('a join or leave whose count cannot be kept is none: both are there, or neither [JOIN-4, JOIN-26, LEAVE-1]', async () => {
  const [ada, ben] = [await app.newStudent(), await app.newStudent()];
  const classId = await newClass(ada);
  const state = async () => {
    const { class: read, joined } = await ben.call('readClass', { params: { classId } });
    return { count: read.memberCount, joined };
  };
  const refuse = { code: 'UNAVAILABLE' };
  const guard = `create trigger counted before update of "memberCount" on classes
    begin select raise(abort, 'not now'); end`;

  await app.database.query(guard);
  await expect(joinClass(ben, classId)).rejects.toMatchObject(refuse);
  expect(await state()).toEqual({ count: 1, joined: false });
  await app.database.query('drop trigger counted');
  await joinClass(ben, classId);
  expect(await state()).toEqual({ count: 2, joined: true });

  await app.database.query(guard);
  const leaving = ben.call('leaveClass', { params: { classId } });
  await expect(leaving).rejects.toMatchObject(refuse);
  expect(await state()).toEqual({ count: 2, joined: true });
  await app.database.query('drop trigger counted');
  await ben.call('leaveClass', { params: { classId } });
  expect(await state()).toEqual({ count: 1, joined: false });
});

test('while nothing can be saved writes say so, reading goes on, and afterwards all is well [ERROR-6]', async () => {
  const ada = await app.newStudent();
  const classId = await newClass(ada);
  const live = await ada.connect();
  await post(live, classId, 'before');
  const sentence = 'The server cannot save anything right now. Please try again.';
  const refused = { code: 'UNAVAILABLE', message: sentence };

  const other = new SQLite(join(app.database.settings.DATA_DIR, 'backchannel.sqlite'));
  other.exec('begin immediate');
  const posting = post(live, classId, 'not now');
  expect((await enter(await ada.connect(), classId)).messages).toMatchObject([{ text: 'before' }]);
  expect(await posting).toMatchObject({ type: 'nack', ...refused });
  await expect(newClass(ada)).rejects.toMatchObject(refused);
  expect((await ada.call('listClasses', {})).classes).toHaveLength(1);
  other.exec('rollback');
  other.close();

  expect(await post(live, classId, 'again')).toMatchObject({ type: 'ack', seq: 2 });
  const { messages } = await enter(live, classId);
  expect(messages.map(({ text }) => text)).toEqual(['before', 'again']);
});
