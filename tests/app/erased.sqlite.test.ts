// What somebody has taken back is nowhere in the database's files, while the server goes on.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ask, enter, newClass, post, startApp, type RunningApp } from './running-app.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const within = { timeout: 20_000, interval: 100 };

// The first time it may be the start that erases.
test.each(['at first', 'and again'])(
  'a text that was deleted, and one that was edited, leaves the database and its -wal file, %s [DELETE-8]',
  async () => {
    const student = await app.newStudent();
    const classId = await newClass(student);
    const live = await student.connect();
    await enter(live, classId);
    const [deleted, edited, kept] = [randomUUID(), randomUUID(), randomUUID()];
    const said = await post(live, classId, `this goes ${deleted}`);
    const changed = await post(live, classId, `this becomes something else ${edited}`);
    await post(live, classId, `this stays ${kept}`);
    const before = await app.database.content();
    for (const mark of [deleted, edited, kept]) expect(before).toContain(mark);

    const answers = await Promise.all([
      ask(live, { type: 'delete', classId, messageId: said.id }),
      ask(live, { type: 'edit', classId, messageId: changed.id, text: 'else' }),
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ type: 'ack' });
    await vi.waitFor(async () => {
      const content = await app.database.content();
      for (const mark of [deleted, edited]) expect(content).not.toContain(mark);
      expect(content).toContain(kept);
    }, within);
    expect(await post(live, classId, 'the room goes on')).toMatchObject({ type: 'ack' });
  },
);

test('a name that was given up leaves them too [DELETE-8, PERSONA-18]', async () => {
  const student = await app.newStudent();
  const classId = await newClass(student);
  const rename = (anonymousName: string) =>
    student.call('changePersona', { params: { classId }, body: { anonymousName } });
  await rename('Zyxwvutsr Qponmlkjih');
  expect(await app.database.content()).toContain('Zyxwvutsr Qponmlkjih');
  await rename('Otter');
  await vi.waitFor(async () => {
    const content = await app.database.content();
    expect(content).toContain('Otter');
    expect(content).not.toContain('Zyxwvutsr');
    expect(content).not.toContain('zyxwvutsr');
  }, within);
});
