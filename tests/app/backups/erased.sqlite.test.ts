// Erased content must disappear from the database's files while the server runs.
import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

const within = { timeout: 20_000, interval: 100 };

// In the first run, the scrub at the start could erase it.
test.each(['at first', 'and again'])(
  'deleted and edited text disappears from the database and its -wal file, %s [DELETE-8]',
  async () => {
    const student = await app.createStudent();
    const classId = await student.createClass();
    const socket = await student.connectTo(classId);
    const deleted = randomUUID();
    const edited = randomUUID();
    const kept = randomUUID();
    const said = await socket.post(classId, `this goes ${deleted}`);
    const changed = await socket.post(classId, `this becomes something else ${edited}`);
    await socket.post(classId, `this stays ${kept}`);
    const before = await app.database.content();
    for (const mark of [deleted, edited, kept]) expect(before).toContain(mark);

    const answers = await Promise.all([
      socket.request({ type: 'delete', classId, messageId: said.id }),
      socket.request({ type: 'edit', classId, messageId: changed.id, text: 'else' }),
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ type: 'ack' });
    await vi.waitFor(async () => {
      const content = await app.database.content();
      for (const mark of [deleted, edited]) expect(content).not.toContain(mark);
      expect(content).toContain(kept);
    }, within);
    expect(await socket.post(classId, 'the room goes on')).toMatchObject({ type: 'ack' });
  },
);

test('a name that was given up leaves them too [DELETE-8, PERSONA-18]', async () => {
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
  }, within);
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

async function inBatches<Item>(items: Item[], act: (item: Item) => Promise<unknown>) {
  for (let from = 0; from < items.length; from += 50) {
    await Promise.all(items.slice(from, from + 50).map(act));
  }
}

interface Posted {
  classId: string;
  id: string;
  mark: string;
}

async function postAll(socket: TestSocket, classIds: string[], count: number): Promise<Posted[]> {
  const posted: Posted[] = [];
  const numbers = Array.from({ length: count }, (_, n) => n);
  await inBatches(numbers, async (n) => {
    const { mark, text } = createText(n);
    const classId = classIds[n % classIds.length]!;
    const answer = await socket.post(classId, text);
    expect(answer).toMatchObject({ type: 'ack' });
    posted.push({ classId, id: answer.id, mark });
  });
  return posted;
}

test('of thousands of texts in pages that split, none that was erased is left in a file [DELETE-18]', async () => {
  const student = await app.createStudent();
  const socket = await student.connect();
  const classIds = [];
  for (let n = 0; n < 5; n++) classIds.push(await student.createClass());
  for (const classId of classIds) await socket.subscribe(classId);
  const erased: Posted[] = [];
  const kept: Posted[] = [];
  for (let round = 0; round < 6; round++) {
    const posted = await postAll(socket, classIds, 500);
    kept.push(...posted.filter((_, n) => n % 5 >= 3));
    const changing = posted.filter((_, n) => n % 5 < 3);
    await inBatches(changing, async (one) => {
      const { classId, id: messageId } = one;
      const change =
        Math.random() < 0.5
          ? { type: 'delete', classId, messageId }
          : { type: 'edit', classId, messageId, text: `else ${'y'.repeat(500 * Math.random())}` };
      expect(await socket.request(change)).toMatchObject({ type: 'ack' });
      erased.push(one);
    });
  }
  const ending = classIds[0]!;
  const [row] = await app.database.query(`select salt from classes where "classId" = '${ending}'`);
  const salt = String(row!['salt']);
  expect(await runAdminCommand(app.database.settings, 'archive-class', ending)).toMatchObject({
    code: 0,
  });

  const left = async () => {
    const content = await app.database.content();
    const marks = listMarks(content);
    for (const { mark } of kept) expect(marks).toContain(mark);
    return erased.filter(({ mark }) => marks.has(mark)).length + Number(content.includes(salt));
  };
  await expect.poll(left, { timeout: 60_000, interval: 1000 }).toBe(0);
  expect(await app.database.query('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);

  // Pages in the server's memory must not bring the texts back either.
  await postAll(socket, classIds.slice(1), 1000);
  await app.restart();
  expect(await left()).toBe(0);
});
