import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { unlimitedRates } from '#server/limits/read-rates.ts';
import type { Emoji } from '#contract/emojis.ts';
import { freePort } from '../../scripts/free-port.ts';
import { createStudent, type LiveEnd, type Student } from '../../scripts/student.ts';
import { admin } from './admin-process.ts';
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

afterEach(() => vi.useRealTimers());

const hourMs = 60 * 60_000;
const within = { timeout: 40_000, interval: 200 };

/**
 * Advances the clock by this many hours, for the server too. The server checks for due work every ten
 * seconds.
 */
function passHours(hours: number): void {
  const now = Date.now() + hours * hourMs;
  vi.useFakeTimers({ toFake: ['Date'], now });
}

async function react(live: LiveEnd, classId: string, messageId: string, emoji: Emoji) {
  const answer = await ask(live, { type: 'react', classId, messageId, emoji });
  expect(answer).toMatchObject({ type: 'ack' });
}

const idOf = async ({ email }: Student) =>
  String((await app.database.query(`select id from accounts where email = '${email}'`))[0]?.['id']);

const countOf = async (student: Student, classId: string) =>
  (await student.call('readClass', { params: { classId } })).class.memberCount;

/** Ada has a message and a reaction in a class that Ben has open. */
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
  test('requires the password and a choice about the messages [PROFILE-28]', async () => {
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

  test('removes all rows of the account and ends its sessions and sockets [PROFILE-29]', async () => {
    const { ada, live } = await adaAndBen();
    const other = app.visitor(ada.email.split('@')[0]);
    await other.call('signIn', { body: { email: ada.email, password } });
    const otherLive = await other.connect();
    const id = await idOf(ada);
    await ada.call('requestPasswordReset', { body: { email: ada.email } });

    await ada.call('deleteAccount', { body: { password, messages: 'keep' } });
    expect(await Promise.all([live.closed, otherLive.closed])).toEqual([4001, 4001]);
    for (const browser of [ada, other]) {
      expect(await browser.call('me', {})).toEqual({ account: null });
    }
    const tables = JSON.stringify(await app.database.tables());
    expect(tables).not.toContain(id);
    expect(tables).not.toContain(ada.email);
    const signIn = other.call('signIn', { body: { email: ada.email, password } });
    await expect(signIn).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });
  });

  test('closes the account’s sockets, which receive nothing more from any class [LEAVE-10]', async () => {
    const { ada, classId, live, watching } = await adaAndBen();
    await ada.call('deleteAccount', { body: { password, messages: 'delete' } });
    await post(watching, classId, 'said after she left');
    expect(await live.closed).toBe(4001);
    expect(JSON.stringify(live.frames)).not.toContain('said after she left');
  });

  test.each(['keep', 'delete'] as const)(
    'others see nothing of it at that moment, and each class at another one (%s) [PROFILE-30]',
    async (messages) => {
      const [ada, ben] = [await app.newStudent(), await app.newStudent()];
      const [live, watching] = [await ada.connect(), await ben.connect()];
      const classIds: string[] = [];
      for (let n = 0; n < 6; n++) {
        const classId = await newClass(ben);
        classIds.push(classId);
        await joinClass(ada, classId);
        for (const one of [live, watching]) await enter(one, classId);
        await post(live, classId, 'of ada');
      }
      const seen = async () => {
        const states = [];
        for (const classId of classIds) {
          const { messages: history } = await ben.call('listMessages', {
            params: { classId },
            query: {},
          });
          states.push([await countOf(ben, classId), history.length]);
        }
        return states;
      };
      const changed = async () => (await seen()).filter(([count]) => count === 1).length;
      const before = await seen();
      expect(before).toEqual(Array.from({ length: 6 }, () => [2, 1]));

      await ada.call('deleteAccount', { body: { password, messages } });
      expect(await seen()).toEqual(before);
      const rows = await app.database.tables();
      // The rows must not reveal which removals are pending, or in which class.
      const [pending] = rows['facts']!.filter(({ name }) => name === 'pendingRemovals');
      for (const classId of classIds) expect(pending!['value']).not.toContain(classId);

      const counts = [];
      for (const hours of [6, 6, 6]) {
        passHours(hours);
        await sleep(11_000);
        counts.push(await changed());
      }
      passHours(7);
      await expect.poll(changed, within).toBe(6);
      // All six fall into the same quarter of the day about once in a thousand runs.
      expect(new Set([...counts, 6]).size).toBeGreaterThan(1);
      const after = messages === 'keep' ? [1, 1] : [1, 0];
      expect(await seen()).toEqual(Array.from({ length: 6 }, () => after));
      const events = watching.frames.filter((frame) => frame.type === 'events');
      const deletions = events.flatMap(({ items }) => items).filter((i) => i.kind === 'deleted');
      expect(deletions).toHaveLength(messages === 'keep' ? 0 : 6);
    },
  );

  test('spreads out removals that became due while the server was down [PROFILE-30]', async () => {
    const [ada, ben] = [await app.newStudent(), await app.newStudent()];
    const classIds: string[] = [];
    for (let n = 0; n < 6; n++) {
      const classId = await newClass(ben);
      classIds.push(classId);
      await joinClass(ada, classId);
    }
    const total = async () => {
      const counts = await Promise.all(classIds.map((classId) => countOf(ben, classId)));
      return counts.reduce((sum, count) => sum + count, 0);
    };
    await ada.call('deleteAccount', { body: { password, messages: 'delete' } });
    await app.restart(async () => passHours(25));
    await sleep(1000);
    expect(await total()).toBeGreaterThan(9);
    passHours(2);
    await expect.poll(total, within).toBe(6);
  });

  test('keeps the messages under their persona if the member chose that [PROFILE-14]', async () => {
    const { ada, ben, classId, me, said, answered } = await adaAndBen();
    await ada.call('deleteAccount', { body: { password, messages: 'keep' } });
    passHours(25);
    await expect.poll(() => countOf(ben, classId), within).toBe(1);
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

  test('deletes the messages and reactions in every class, left and deleted ones too, and notifies open rooms [PROFILE-15]', async () => {
    const { ada, ben, classId, live, watching, me, said, answered } = await adaAndBen();
    const [left, gone, ended] = [await newClass(ben), await newClass(ben), await newClass(ben)];
    const mine = new Set([me.memberId]);
    for (const other of [left, gone, ended]) {
      await joinClass(ada, other);
      mine.add((await enter(live, other)).me.memberId);
      await enter(watching, other);
      await post(live, other, `words of ada in ${other}`);
      const { id } = await post(watching, other, 'words of ben').catch(() => ({ id: '' }));
      expect(id).not.toBe('');
      await react(live, other, id, '👍');
    }
    await ada.call('leaveClass', { params: { classId: left } });
    await app.database.query(`update classes set status = 'deleted' where "classId" = '${gone}'`);
    const ofAda = async () => {
      const { personas } = await app.database.tables();
      return personas!.filter(({ memberId }) => mine.has(String(memberId)));
    };
    const untouched = await newClass(ben);
    await post(watching, untouched, 'of ben alone');

    await ada.call('deleteAccount', { body: { password, messages: 'delete' } });
    // The pending removals are already stored. The ended class's salt can no longer find them.
    await admin(app.database.settings, 'end-term', ended);
    passHours(25);
    await expect.poll(ofAda, within).toEqual([]);
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
    // A member who was offline gets the same changes from the log.
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
    expect(tables['messages']!.filter(({ text }) => text === 'words of ben')).toHaveLength(3);
    expect(tables['messages']!.filter(({ text }) => text === 'of ben alone')).toHaveLength(1);
    for (const row of tables['messages']!) {
      if (row['memberId'] === me.memberId) expect([row['text'], row['digest']]).toEqual(['', '']);
    }
  });

  test('frees the address for a new account, which is a member of no class [PROFILE-17]', async () => {
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

  test('does not delay other members’ posts while many messages are deleted [PROFILE-15]', async () => {
    const { ada, classId, live, watching } = await adaAndBen();
    await Promise.all(
      Array.from({ length: 200 }, (_, n) => post(live, classId, `one of many ${n}`)),
    );
    await ada.call('deleteAccount', { body: { password, messages: 'delete' } });
    passHours(25);
    const items = () =>
      watching.frames.flatMap((frame) => (frame.type === 'events' ? frame.items : []));
    const deletions = () => items().filter(({ kind }) => kind === 'deleted');
    while (deletions().length < 201) {
      expect(await post(watching, classId, 'meanwhile')).toMatchObject({ type: 'ack' });
    }
    const seqs = deletions().map(({ seq }) => seq);
    const [first, last] = [Math.min(...seqs), Math.max(...seqs)];
    const between = items().filter(
      ({ kind, seq }) => kind === 'posted' && first < seq && seq < last,
    );
    expect(between.length).toBeGreaterThan(3);
    const { messages } = await enter(watching, classId);
    expect(JSON.stringify(messages)).not.toContain('one of many');
  });
});

test('is atomic when the server is killed, and the removals continue at the next start [PROFILE-31]', async () => {
  const database = await createTestDatabase();
  const port = await freePort();
  const start = async (more: Record<string, string> = {}) => {
    const started = startProcess('node', {
      ...database.settings,
      ...unlimitedRates,
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
    const preload = (name: string) =>
      `--import=${fileURLToPath(new URL(`../faults/preload/${name}.ts`, import.meta.url))}`;

    // The server is killed before the deletion commits, so nothing changes.
    await kill();
    const dying = { FAULT_MOMENT: 'written', FAULT_COUNT: '2' };
    server = await start({ ...dying, NODE_OPTIONS: preload('end-at-moment') });
    await expect.poll(() => ada.call('me', {})).toMatchObject({ account: { email: ada.email } });
    await expect(deleteAll()).rejects.toThrow('fetch failed');
    expect(await server.ended).toBe('SIGKILL');
    server = await start();
    expect(await ada.call('me', {})).toMatchObject({ account: { email: ada.email } });

    // The server is killed right after the commit: the account is gone, and the pending removals are stored.
    await kill();
    const after = { FAULT_MOMENT: 'committed', FAULT_COUNT: '2' };
    server = await start({ ...after, NODE_OPTIONS: preload('end-at-moment') });
    await expect.poll(() => ada.call('me', {})).toMatchObject({ account: { email: ada.email } });
    await expect(deleteAll()).rejects.toThrow('fetch failed');
    expect(await server.ended).toBe('SIGKILL');
    for (const name of ['accounts', 'sessions', 'credentials', 'enrolments']) {
      expect((await database.tables())[name], name).toEqual([]);
    }
    expect(await left()).toBe(200);

    // A day later the server crashes in the middle of the removal, and the next start continues it.
    const later = { FAULT_SHIFT_MS: String(25 * hourMs) };
    const dyingLater = { FAULT_MOMENT: 'committed', FAULT_COUNT: '5' };
    const both = `${preload('end-at-moment')} ${preload('shift-clock')}`;
    const doomed = startProcess('node', {
      ...database.settings,
      ...unlimitedRates,
      ...later,
      ...dyingLater,
      PORT: String(port),
      NODE_OPTIONS: both,
    });
    expect(await doomed.ended).toBe('SIGKILL');
    expect(await left()).toBe(100);
    server = await start({ ...later, NODE_OPTIONS: preload('shift-clock') });
    await expect.poll(left, within).toBe(0);
    const counts = async () => {
      const { classes } = await database.tables();
      return classes!.map(({ memberCount }) => Number(memberCount));
    };
    await expect.poll(counts, within).toEqual([0]);
    expect((await database.tables())['personas']).toEqual([]);
  } finally {
    await kill();
    await database.drop();
  }
});
