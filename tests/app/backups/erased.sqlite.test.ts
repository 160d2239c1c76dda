// Erased content must disappear from the database's files while the server runs.
import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

const patience = { timeout: 20_000, interval: 100 };

// In the first run, the scrub at the start could erase it.
test.each(['at first', 'and again'])(
  'deleted and edited text leaves the database file and its WAL, %s [DELETE-18]',
  async () => {
    const student = await app.createStudent();
    const classId = await student.createClass();
    const socket = await student.connectTo(classId);
    const deletedText = randomUUID();
    const editedText = randomUUID();
    const keptText = randomUUID();
    const deletedMessage = await socket.post(classId, `this goes ${deletedText}`);
    const editedMessage = await socket.post(classId, `this becomes something else ${editedText}`);
    await socket.post(classId, `this stays ${keptText}`);

    const contentBefore = await app.database.content();
    for (const mark of [deletedText, editedText, keptText]) expect(contentBefore).toContain(mark);

    const answers = await Promise.all([
      socket.request({ type: 'delete', classId, messageId: deletedMessage.id }),
      socket.request({ type: 'edit', classId, messageId: editedMessage.id, text: 'else' }),
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ type: 'ack' });

    await vi.waitFor(async () => {
      const content = await app.database.content();
      for (const mark of [deletedText, editedText]) expect(content).not.toContain(mark);
      expect(content).toContain(keptText);
    }, patience);
    expect(await socket.post(classId, 'the room goes on')).toMatchObject({ type: 'ack' });
  },
);

test('a former anonymous name leaves the database file and its WAL [DELETE-18, DELETE-7]', async () => {
  const student = await app.createStudent();
  const classId = await student.createClass();
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
  }, patience);
});

/** Text lengths up to the maximum. Long texts use overflow pages. */
const lengths = [0, 20, 60, 150, 400, 900, 1500, 3900];
const createText = (n: number) => {
  const mark = randomUUID().replaceAll('-', '');
  return { mark, text: `mark${mark} ${'x'.repeat(lengths[n % lengths.length]!)}` };
};

/** All marks in the files, also in truncated texts. */
const listMarks = (content: string) =>
  new Set(Array.from(content.matchAll(/mark([0-9a-f]{32})/g), ([, mark]) => mark));

async function runInBatches<Item>(items: Item[], act: (item: Item) => Promise<unknown>) {
  for (let from = 0; from < items.length; from += 50) {
    await Promise.all(items.slice(from, from + 50).map(act));
  }
}

interface PostedMessage {
  classId: string;
  id: string;
  mark: string;
}

async function postAll(
  socket: TestSocket,
  classIds: string[],
  count: number,
): Promise<PostedMessage[]> {
  const messages: PostedMessage[] = [];
  const numbers = Array.from({ length: count }, (_, n) => n);
  await runInBatches(numbers, async (n) => {
    const { mark, text } = createText(n);
    const classId = classIds[n % classIds.length]!;
    const answer = await socket.post(classId, text);
    expect(answer).toMatchObject({ type: 'ack' });
    messages.push({ classId, id: answer.id, mark });
  });
  return messages;
}

test('no file has an erased text after thousands of texts have split its pages [DELETE-18]', async () => {
  const student = await app.createStudent();
  const socket = await student.connect();
  const classIds = [];
  for (let n = 0; n < 5; n++) classIds.push(await student.createClass());
  for (const classId of classIds) await socket.subscribe(classId);
  const erasedMessages: PostedMessage[] = [];
  const keptMessages: PostedMessage[] = [];
  for (let round = 0; round < 6; round++) {
    const newMessages = await postAll(socket, classIds, 500);
    keptMessages.push(...newMessages.filter((_, n) => n % 5 >= 3));
    const changedMessages = newMessages.filter((_, n) => n % 5 < 3);
    await runInBatches(changedMessages, async (message) => {
      const { classId, id: messageId } = message;
      const change =
        Math.random() < 0.5
          ? { type: 'delete', classId, messageId }
          : { type: 'edit', classId, messageId, text: `else ${'y'.repeat(500 * Math.random())}` };
      expect(await socket.request(change)).toMatchObject({ type: 'ack' });
      erasedMessages.push(message);
    });
  }
  const ending = classIds[0]!;

  const [row] = await app.database.query(`select salt from classes where "classId" = '${ending}'`);
  const salt = String(row!['salt']);
  expect(await runAdminCommand(app.database.settings, 'archive-class', ending)).toMatchObject({
    code: 0,
  });

  const countLeftMarks = async () => {
    const content = await app.database.content();
    const marks = listMarks(content);
    for (const { mark } of keptMessages) expect(marks).toContain(mark);
    return (
      erasedMessages.filter(({ mark }) => marks.has(mark)).length + Number(content.includes(salt))
    );
  };
  await expect.poll(countLeftMarks, { timeout: 60_000, interval: 1000 }).toBe(0);
  expect(await app.database.query('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);

  // Pages in the server's memory must not bring the texts back either.
  await postAll(socket, classIds.slice(1), 1000);
  await app.restart();
  expect(await countLeftMarks()).toBe(0);
});
