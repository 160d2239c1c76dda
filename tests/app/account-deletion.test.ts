import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { liftedLimits } from '#server/limits/read-rates.ts';
import type { Emoji } from '#contract/emojis.ts';
import { freePort } from '../../scripts/free-port.ts';
import { createStudent, type LiveEnd, type Student } from '../../scripts/student.ts';
import {
  ask,
  enter,
  joinClass,
  newClass,
  password,
  post,
  startApp,
  type RunningApp,
} from './running-app.ts';
import { startProcess } from './server-process.ts';
import { createTestDatabase } from './test-database.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

async function react(live: LiveEnd, classId: string, messageId: string, emoji: Emoji) {
  const answer = await ask(live, { type: 'react', classId, messageId, emoji });
  expect(answer).toMatchObject({ type: 'ack' });
}

const idOf = async ({ email }: Student) =>
  String((await app.database.query(`select id from accounts where email = '${email}'`))[0]?.['id']);

const countOf = async (student: Student, classId: string) =>
  (await student.call('readClass', { params: { classId } })).class.memberCount;

/** Ada with a message and a reaction of her own in a class that Ben watches. */
async function adaAndBen() {
  const [ada, ben] = [await app.newStudent(), await app.newStudent()];
  const classId = await newClass(ben);
  await joinClass(ada, classId);
  const [live, watching] = [await ada.connect(), await ben.connect()];
  const { me } = await enter(live, classId);
  await enter(watching, classId);
  const said = await post(live, classId, 'mine to take back');
  const answered = await post(watching, classId, 'and mine');
  await react(live, classId, answered.id, '❤️');
  return { ada, ben, classId, live, watching, me, said, answered };
}

describe('deleting an account', () => {
  test('asks for the password and for what happens to the messages [PROFILE-13]', async () => {
    const ada = await app.newStudent();
    const wrong = ada.call('deleteAccount', { body: { password: 'not it', messages: 'keep' } });
    await expect(wrong).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });
    const response = await ada.fetch('/api/me/deletion', {
      method: 'POST',
      body: JSON.stringify({ password }),
    });
    expect(response.status).toBe(400);
    expect(await ada.call('me', {})).not.toEqual({ account: null });
  });

  test('leaves no row of it, ends its sessions and sockets and corrects the counts [PROFILE-13]', async () => {
    const { ada, ben, classId, live } = await adaAndBen();
    const other = app.visitor(ada.email.split('@')[0]);
    await other.call('signIn', { body: { email: ada.email, password } });
    const otherLive = await other.connect();
    const [id, alone] = [await idOf(ada), await newClass(ada)];
    await ada.call('requestPasswordReset', { body: { email: ada.email } });
    expect(await countOf(ben, classId)).toBe(2);

    await ada.call('deleteAccount', { body: { password, messages: 'keep' } });
    expect(await Promise.all([live.closed, otherLive.closed])).toEqual([4001, 4001]);
    for (const browser of [ada, other]) {
      expect(await browser.call('me', {})).toEqual({ account: null });
    }
    expect([await countOf(ben, classId), await countOf(ben, alone)]).toEqual([1, 0]);
    const tables = JSON.stringify(await app.database.tables());
    expect(tables).not.toContain(id);
    expect(tables).not.toContain(ada.email);
    const signIn = other.call('signIn', { body: { email: ada.email, password } });
    await expect(signIn).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });
  });

  test('ends what its own sockets hear of a class when it has left it, and not at the end [LEAVE-10]', async () => {
    const { ada, ben, classId, live, watching } = await adaAndBen();
    // So much is there to delete that others speak meanwhile.
    for (let n = 0; n < 200; n++) await post(live, classId, `mine ${n}`);
    const deletion = ada.call('deleteAccount', { body: { password, messages: 'delete' } });
    const reset = await live.frame('reset');
    expect(reset).toMatchObject({ classId, reason: 'left' });
    await post(watching, classId, 'said while she goes');
    await deletion;
    expect(await live.closed).toBe(4001);
    expect(JSON.stringify(live.frames)).not.toContain('said while she goes');
    const after = live.frames.slice(live.frames.indexOf(reset) + 1);
    expect(after).toEqual([{ type: 'enrolment', classId, joined: false }]);
    expect((await enter(await ben.connect(), classId)).messages.length).toBeGreaterThan(0);
  });

  test('keeps the messages under their persona where that was chosen [PROFILE-14]', async () => {
    const { ada, ben, classId, me, said, answered } = await adaAndBen();
    await ada.call('deleteAccount', { body: { password, messages: 'keep' } });
    const { messages, personas } = await enter(await ben.connect(), classId);
    expect(messages.map(({ id, memberId }) => [id, memberId])).toContainEqual([
      said.id,
      me.memberId,
    ]);
    expect(messages.find(({ id }) => id === answered.id)?.reactions).toEqual({
      [me.memberId]: '❤️',
    });
    expect(personas.map(({ memberId }) => memberId)).toContain(me.memberId);
  });

  test('deletes them with the reactions in every class, left and deleted ones too, before the eyes of those who are there [PROFILE-15]', async () => {
    const { ada, ben, classId, live, watching, me, said, answered } = await adaAndBen();
    const [left, gone] = [await newClass(ben), await newClass(ben)];
    for (const other of [left, gone]) {
      await joinClass(ada, other);
      await enter(live, other);
      await post(live, other, `words of ada in ${other}`);
      const { id } = await post(watching, other, 'words of ben').catch(() => ({ id: '' }));
      expect(id).not.toBe('');
      await react(live, other, id, '👍');
    }
    await ada.call('leaveClass', { params: { classId: left } });
    await app.database.query(`update classes set status = 'deleted' where "classId" = '${gone}'`);
    const untouched = await newClass(ben);
    await post(watching, untouched, 'of ben alone');

    await ada.call('deleteAccount', { body: { password, messages: 'delete' } });
    await watching.frame('events', ({ items }) =>
      items.some((item) => item.kind === 'deleted' && item.messageId === said.id),
    );
    await watching.frame('events', ({ items }) =>
      items.some(
        (item) => item.kind === 'reacted' && item.messageId === answered.id && item.emoji === null,
      ),
    );
    const { messages, personas, seq } = await enter(watching, classId);
    expect(messages.map(({ text, reactions }) => [text, reactions])).toEqual([['and mine', {}]]);
    expect(JSON.stringify(personas)).not.toContain(me.memberId);
    // Who was away gets the same from the log.
    const { epoch } = await enter(await ben.connect(), classId);
    const away = await ben.connect();
    away.send({ type: 'subscribe', rid: 1, classId, epoch, after: 1 });
    const { items, to } = await away.frame('events');
    expect(to).toBe(seq);
    expect(items.filter(({ kind }) => kind === 'deleted')).toHaveLength(1);

    const tables = await app.database.tables();
    const live2 = tables['messages']!.filter(({ text }) => String(text).startsWith('words of ada'));
    expect(live2).toEqual([]);
    const rows = [...tables['personas']!, ...tables['reactions']!];
    expect(JSON.stringify(rows)).not.toContain(me.memberId);
    expect(tables['messages']!.filter(({ text }) => text === 'words of ben')).toHaveLength(2);
    expect(tables['messages']!.filter(({ text }) => text === 'of ben alone')).toHaveLength(1);
    for (const row of tables['messages']!) {
      if (row['memberId'] === me.memberId) expect([row['text'], row['digest']]).toEqual(['', '']);
    }
  });

  test('frees the address for a new account, which is nobody in any class [PROFILE-17]', async () => {
    const { ada, classId, me, said } = await adaAndBen();
    await ada.call('deleteAccount', { body: { password, messages: 'keep' } });
    const again = await app.newStudent(ada.email.split('@')[0]);
    expect(await again.call('listClasses', {})).toEqual({ classes: [] });
    await joinClass(again, classId);
    const live = await again.connect();
    const room = await enter(live, classId);
    expect(room.me.memberId).not.toBe(me.memberId);
    const deletion = { type: 'delete', classId, messageId: said.id };
    expect(await ask(live, deletion)).toMatchObject({ code: 'NOT_YOUR_MESSAGE' });
  });

  test('holds nobody up: others post while a long past is deleted [PROFILE-15]', async () => {
    const { ada, classId, live, watching } = await adaAndBen();
    await Promise.all(
      Array.from({ length: 200 }, (_, n) => post(live, classId, `one of many ${n}`)),
    );
    let over = false;
    const deletion = ada
      .call('deleteAccount', { body: { password, messages: 'delete' } })
      .finally(() => (over = true));
    let between = 0;
    while (!over) {
      expect(await post(watching, classId, 'meanwhile')).toMatchObject({ type: 'ack' });
      if (!over) between += 1;
    }
    await deletion;
    expect(between).toBeGreaterThan(3);
    const { messages } = await enter(watching, classId);
    expect(JSON.stringify(messages)).not.toContain('one of many');
  });
});

test('a deletion that a killed server left undone is asked for again, and completes [PROFILE-16]', async () => {
  const database = await createTestDatabase();
  const port = await freePort();
  const start = async (more: Record<string, string> = {}) => {
    const started = startProcess('node', {
      ...database.settings,
      ...liftedLimits,
      PORT: String(port),
      ...more,
    });
    await started.printed('data folder');
    return started;
  };
  let server = await start();
  const kill = async () => {
    server.child.kill('SIGKILL');
    await server.ended;
  };
  try {
    const origin = `http://127.0.0.1:${port}`;
    const ada = createStudent(origin, 'ada@university.edu', password);
    await ada.call('signUp', { body: { email: ada.email, password } });
    const classId = await newClass(ada);
    const live = await ada.connect();
    await enter(live, classId);
    await Promise.all(Array.from({ length: 200 }, () => post(live, classId, 'of ada')));
    const left = async () => {
      const [row] = await database.query(
        `select count(*) as n from messages where text = 'of ada'`,
      );
      return Number(row!['n']);
    };
    const deleteAll = () => ada.call('deleteAccount', { body: { password, messages: 'delete' } });

    // Dies of itself after the eighth commit: some messages are gone by then.
    await kill();
    const preload = fileURLToPath(new URL('../faults/preload/end-at-moment.ts', import.meta.url));
    const dying = { FAULT_MOMENT: 'committed', FAULT_COUNT: '8' };
    server = await start({ ...dying, NODE_OPTIONS: `--import=${preload}` });
    await expect.poll(() => ada.call('me', {})).toMatchObject({ account: { email: ada.email } });
    await expect(deleteAll()).rejects.toThrow('fetch failed');
    expect(await server.ended).toBe('SIGKILL');
    expect(await left()).toBeGreaterThan(0);
    expect(await left()).toBeLessThan(200);

    server = await start();
    await expect.poll(() => ada.call('me', {})).toMatchObject({ account: { email: ada.email } });
    await deleteAll();
    expect(await left()).toBe(0);
    const tables = await database.tables();
    for (const name of ['accounts', 'sessions', 'credentials', 'enrolments', 'personas']) {
      expect(tables[name], name).toEqual([]);
    }
    expect(tables['classes']!.map(({ memberCount }) => memberCount)).toEqual([0]);
  } finally {
    await kill();
    await database.drop();
  }
});
