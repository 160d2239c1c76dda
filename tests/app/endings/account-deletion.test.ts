import { afterEach, describe, expect, test, vi } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import type { Emoji } from '#contract/emojis.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { ask } from '#tests/support/questions.ts';
import { loadSecret } from '#tests/support/change-key.ts';
import { listStoredRemovals } from '#tests/support/stored-removals.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { shortenIntervals } from '#tests/support/shorten-timers.ts';
import { quoteAddressKey } from '#tests/support/stored-accounts.ts';

/** The intervals at which the server checks for due removals: in production, and in this test. */
const checkEveryMs = 10_000;
const shorterMs = 50;
const waitForChecks = shortenIntervals(checkEveryMs, shorterMs);
const app = setUpApp();

afterEach(() => vi.useRealTimers());

const hourMs = 60 * 60_000;
const patience = { timeout: 40_000, interval: 50 };

/** Advances the clock by this many hours, for the server too. */
function passHours(hours: number): void {
  const now = Date.now() + hours * hourMs;
  vi.useFakeTimers({ toFake: ['Date'], now });
}

async function waitUntilNoneIsDue(): Promise<void> {
  const { settings } = app.database;
  const countDue = async () => {
    const removals = await listStoredRemovals(settings, loadSecret(settings));
    return removals.filter(({ dueAt }) => dueAt <= Date.now()).length;
  };
  await expect.poll(countDue, patience).toBe(0);
}

async function react(socket: TestSocket, classId: string, messageId: string, emoji: Emoji) {
  const answer = await socket.request({ type: 'react', classId, messageId, emoji });
  expect(answer).toMatchObject({ type: 'ack' });
}

const findAccountId = async ({ email }: TestClient) =>
  String(
    (
      await app.database.query(
        `select id from accounts where "addressKey" = ${quoteAddressKey(app.database, email)}`,
      )
    )[0]?.['id'],
  );

const countMembers = async (student: TestClient, classId: string) =>
  (await student.call('readClass', { params: { classId } })).class.memberCount;

/** Ada has a message and a reaction in a class that Ben has open. */
async function createAdaAndBen() {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const classId = await ben.createClass();
  await ada.join(classId);
  const socket = await ada.connect();
  const bensSocket = await ben.connect();
  const { me } = await socket.subscribe(classId);
  await bensSocket.subscribe(classId);
  const ownMessage = await socket.post(classId, 'mine to take back');
  const bensMessage = await bensSocket.post(classId, 'and mine');
  await react(socket, classId, bensMessage.id, '❤️');
  return { ada, ben, classId, socket, bensSocket, me, ownMessage, bensMessage };
}

describe('deleting an account', () => {
  test('deleting an account requires the password and a choice about the messages [PROFILE-28]', async () => {
    const ada = await app.createStudent();
    const deletion = ada.call('deleteAccount', { body: { password: 'not it', messages: 'keep' } });
    await expect(deletion).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });

    const response = await ada.fetch('/api/me/deletion', {
      method: 'POST',
      body: JSON.stringify({ password }),
    });
    expect(response.status).toBe(400);
    expect(await ada.call('me', {})).not.toEqual({ account: null });
  });

  test('deleting an account removes all rows of the account and ends its sessions and sockets [PROFILE-29]', async () => {
    const { ada, socket } = await createAdaAndBen();
    const other = ada.newBrowser();
    await other.call('signIn', { body: { email: ada.email, password } });
    const otherSocket = await other.connect();
    const id = await findAccountId(ada);
    await ada.call('requestPasswordReset', { body: { email: ada.email } });

    await ada.call('deleteAccount', { body: { password, messages: 'keep' } });
    expect(await Promise.all([socket.closed, otherSocket.closed])).toEqual([4001, 4001]);
    for (const browser of [ada, other]) {
      expect(await browser.call('me', {})).toEqual({ account: null });
    }

    const tables = JSON.stringify(await app.database.tables());
    expect(tables).not.toContain(id);
    expect(tables).not.toContain(ada.email);

    const signIn = other.call('signIn', { body: { email: ada.email, password } });
    await expect(signIn).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });
  });

  test('deleting an account leaves no id of it in the database, also after an administrator ended its sessions [PROFILE-15, PROFILE-29]', async () => {
    const ada = await app.createStudent();
    const id = await findAccountId(ada);
    await ada.createClass();

    await runAdminCommand(app.database.settings, 'end-sessions', ada.email);
    expect(JSON.stringify(await app.database.tables())).toContain(id);

    await ada.signIn();
    await ada.call('deleteAccount', { body: { password, messages: 'keep' } });
    expect(JSON.stringify(await app.database.tables())).not.toContain(id);
  });

  test.each(['keep', 'delete'] as const)(
    'other members see a deletion later, in each class at another moment (messages: %s) [PROFILE-30]',
    async (messages) => {
      const ada = await app.createStudent();
      const ben = await app.createStudent();
      const socket = await ada.connect();
      const bensSocket = await ben.connect();
      const classIds: string[] = [];
      for (let n = 0; n < 6; n++) {
        const classId = await ben.createClass();
        classIds.push(classId);
        await ada.join(classId);
        for (const memberSocket of [socket, bensSocket]) await memberSocket.subscribe(classId);
        await socket.post(classId, 'of ada');
      }
      const listStates = async () => {
        const states = [];
        for (const classId of classIds) {
          const { messages: history } = await ben.call('listMessages', {
            params: { classId },
            query: {},
          });
          states.push([await countMembers(ben, classId), history.length]);
        }
        return states;
      };
      const countChangedClasses = async () =>
        (await listStates()).filter(([count]) => count === 1).length;

      const statesBefore = await listStates();
      expect(statesBefore).toEqual(Array.from({ length: 6 }, () => [2, 1]));

      await ada.call('deleteAccount', { body: { password, messages } });
      expect(await listStates()).toEqual(statesBefore);

      const rows = await app.database.tables();
      // The rows must not reveal which removals are pending, or in which class.
      const values = rows['serverMetadata']!.map(({ value }) => value);
      for (const classId of classIds) expect(values.join()).not.toContain(classId);

      const counts = [];
      for (const hours of [6, 6, 6]) {
        passHours(hours);
        await waitForChecks();
        counts.push(await countChangedClasses());
      }
      passHours(7);
      await expect.poll(countChangedClasses, patience).toBe(6);
      // All six fall into the same quarter of the day about once in a thousand runs.
      expect(new Set([...counts, 6]).size).toBeGreaterThan(1);

      const expectedState = messages === 'keep' ? [1, 1] : [1, 0];
      expect(await listStates()).toEqual(Array.from({ length: 6 }, () => expectedState));

      const events = bensSocket.frames.filter((frame) => frame.type === 'events');
      const deletions = events.flatMap(({ items }) => items).filter((i) => i.kind === 'deleted');
      expect(deletions).toHaveLength(messages === 'keep' ? 0 : 6);
    },
  );

  test('deleting an account spreads out removals that became due while the server was down, and a later restart puts none off [PROFILE-30]', async () => {
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    const classIds: string[] = [];
    for (let n = 0; n < 6; n++) {
      const classId = await ben.createClass();
      classIds.push(classId);
      await ada.join(classId);
    }
    const total = async () => {
      const counts = await Promise.all(classIds.map((classId) => countMembers(ben, classId)));
      return counts.reduce((sum, count) => sum + count, 0);
    };
    await ada.call('deleteAccount', { body: { password, messages: 'delete' } });
    await app.restart(async () => passHours(25));

    await waitUntilNoneIsDue();
    expect(await total()).toBeGreaterThan(9);

    passHours(1);
    // A restart would spread what is still due.
    await waitUntilNoneIsDue();
    await app.restart();
    passHours(1);
    await expect.poll(total, patience).toBe(6);
  });

  test('deleting an account keeps the messages under their persona if the member chose that [PROFILE-15]', async () => {
    const { ada, ben, classId, me, ownMessage, bensMessage } = await createAdaAndBen();

    await ada.call('deleteAccount', { body: { password, messages: 'keep' } });
    passHours(25);
    await expect.poll(() => countMembers(ben, classId), patience).toBe(1);

    const { messages, personas } = await ben.snapshot(classId);
    expect(messages.map(({ id, memberId }) => [id, memberId])).toContainEqual([
      ownMessage.id,
      me.memberId,
    ]);
    expect(messages.find(({ id }) => id === bensMessage.id)?.reactions).toEqual({
      [me.memberId]: '❤️',
    });
    expect(personas.map(({ memberId }) => memberId)).toContain(me.memberId);
  });

  test.each(['keep', 'delete'] as const)(
    'deleting an account deletes its questions that wait for release, also with the choice %s [LECT-17]',
    async (messages) => {
      const { ada, ben, classId, socket, me } = await createAdaAndBen();
      await grantStaff(app, ben, classId, 'Prof. Lee');
      const body = { hours: 2, holdsQuestions: true };
      await ben.call('startLecture', { params: { classId }, body });
      await ask(socket, classId);
      const listRows = () =>
        app.database.query(`select 1 from "waitingQuestions" where "memberId" = '${me.memberId}'`);
      expect(await listRows()).toHaveLength(1);

      await ada.call('deleteAccount', { body: { password, messages } });
      passHours(25);

      await expect.poll(listRows, patience).toEqual([]);
    },
  );

  /** Ben holds a lecture in a class that Ada has not appeared in, and Ada asks a question that waits. */
  async function createWaitingQuestion() {
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    const classId = await ben.createClass();
    await ada.join(classId);
    await grantStaff(app, ben, classId, 'Prof. Lee');
    const params = { classId };
    await ben.call('startLecture', { params, body: { hours: 2, holdsQuestions: true } });
    const socket = await ada.connectTo(classId);
    const messageId = await ask(socket, classId);
    const release = () =>
      ben.call('releaseQuestion', {
        params: { classId, messageId },
        body: { text: 'What is due?' },
      });
    return { ada, ben, classId, socket, release };
  }

  test('deleting an account also deletes a question that staff released after its asker had left [LECT-17]', async () => {
    const { ada, ben, classId, release } = await createWaitingQuestion();
    await ada.call('leaveClass', { params: { classId } });
    await ada.call('deleteAccount', { body: { password, messages: 'delete' } });
    await release();
    expect((await ben.snapshot(classId)).messages).toMatchObject([{ text: 'What is due?' }]);

    passHours(25);

    const listTexts = async () => (await ben.snapshot(classId)).messages.map(({ text }) => text);
    await expect.poll(listTexts, patience).toEqual([]);
  });

  test('waiting questions are deleted before the messages, so that no release adds one that stays [LECT-17]', async () => {
    const { ada, ben, classId, socket } = await createWaitingQuestion();
    for (let n = 0; n < 30; n++) await socket.post(classId, `Message ${n}`);
    const bensSocket = await ben.connectTo(classId);
    await ada.call('deleteAccount', { body: { password, messages: 'delete' } });

    passHours(25);

    await bensSocket.waitFor('events', ({ items }) => items.some(({ kind }) => kind === 'deleted'));
    expect(
      await app.database.query(`select 1 from "waitingQuestions" where "classId" = '${classId}'`),
    ).toEqual([]);
  });

  test('deleting an account deletes its messages and reactions in every class if the member chose that [PROFILE-15, MENTION-13]', async () => {
    const { ada, ben, classId, socket, bensSocket, me, ownMessage, bensMessage } =
      await createAdaAndBen();
    const leftId = await ben.createClass();
    const deletedId = await ben.createClass();
    const endedId = await ben.createClass();
    const ownMemberIds = new Set([me.memberId]);
    for (const other of [leftId, deletedId, endedId]) {
      await ada.join(other);
      ownMemberIds.add((await socket.subscribe(other)).me.memberId);
      await bensSocket.subscribe(other);
      await socket.post(other, `words of ada in ${other}`);
      const { id } = await bensSocket.post(other, 'words of ben').catch(() => ({ id: '' }));
      expect(id).not.toBe('');
      await react(socket, other, id, '👍');
    }
    await ada.call('leaveClass', { params: { classId: leftId } });
    await app.database.query(
      `update classes set status = 'deleted' where "classId" = '${deletedId}'`,
    );
    const listPersonasOfAda = async () => {
      const { personas } = await app.database.tables();
      return personas!.filter(({ memberId }) => ownMemberIds.has(String(memberId)));
    };

    const mentioning = await bensSocket.post(classId, `Ask ${toMentionToken(me.memberId)}`);
    expect((await app.database.tables())['mentions']).toHaveLength(1);

    const untouched = await ben.createClass();
    await bensSocket.post(untouched, 'of ben alone');

    await ada.call('deleteAccount', { body: { password, messages: 'delete' } });
    // The pending removals are already stored. The ended class's salt can no longer find them.
    await runAdminCommand(app.database.settings, 'archive-class', endedId);
    passHours(25);
    await expect.poll(listPersonasOfAda, patience).toEqual([]);

    await bensSocket.waitFor('events', ({ items }) =>
      items.some((item) => item.kind === 'deleted' && item.messageId === ownMessage.id),
    );
    await bensSocket.waitFor('events', ({ items }) =>
      items.some(
        (item) =>
          item.kind === 'reacted' && item.messageId === bensMessage.id && item.emoji === null,
      ),
    );
    const { messages, personas, seq } = await bensSocket.subscribe(classId);
    expect(messages.map(({ text, reactions }) => [text, reactions])).toEqual([
      ['and mine', {}],
      [`Ask ${toMentionToken(me.memberId)}`, {}],
    ]);

    const edit = { type: 'edit', classId, messageId: mentioning.id, text: 'Ask someone' };
    expect(await bensSocket.request(edit)).toMatchObject({ type: 'ack' });
    expect(JSON.stringify(personas)).not.toContain(me.memberId);

    // A member who was offline gets the same changes from the log.
    const { epoch } = await ben.snapshot(classId);
    const lateSocket = await ben.connect();
    lateSocket.send({ type: 'subscribe', rid: 1, classId, epoch, after: 1 });
    const { items, to } = await lateSocket.waitFor('events');
    expect(to).toBe(seq + 1);
    expect(items.filter(({ kind }) => kind === 'deleted')).toHaveLength(1);

    const tables = await app.database.tables();
    const live2 = tables['messages']!.filter(({ text }) => String(text).startsWith('words of ada'));
    expect(live2).toEqual([]);

    const rows = [...tables['personas']!, ...tables['reactions']!, ...tables['mentions']!];
    expect(JSON.stringify(rows)).not.toContain(me.memberId);
    expect(tables['messages']!.filter(({ text }) => text === 'words of ben')).toHaveLength(3);
    expect(tables['messages']!.filter(({ text }) => text === 'of ben alone')).toHaveLength(1);
    for (const row of tables['messages']!) {
      if (row['memberId'] === me.memberId) expect([row['text'], row['digest']]).toEqual(['', '']);
    }
  });

  test('deleting an account frees the address for a new account, which is a member of no class [PROFILE-17]', async () => {
    const { ada, classId, me, ownMessage } = await createAdaAndBen();
    await ada.call('deleteAccount', { body: { password, messages: 'keep' } });
    const newAda = await app.createStudent(ada.name);

    expect(await newAda.call('listClasses', {})).toEqual({ classes: [] });

    await newAda.join(classId);
    const socket = await newAda.connect();
    const room = await socket.subscribe(classId);
    expect(room.me.memberId).not.toBe(me.memberId);

    const deletion = { type: 'delete', classId, messageId: ownMessage.id };
    expect(await socket.request(deletion)).toMatchObject({ code: 'NOT_YOUR_MESSAGE' });
  });

  test('deleting an account does not delay other members’ posts while many messages are deleted [PROFILE-15]', async () => {
    const { ada, classId, socket, bensSocket } = await createAdaAndBen();
    await Promise.all(
      Array.from({ length: 200 }, (_, n) => socket.post(classId, `one of many ${n}`)),
    );
    await ada.call('deleteAccount', { body: { password, messages: 'delete' } });
    passHours(25);
    const listItems = () =>
      bensSocket.frames.flatMap((frame) => (frame.type === 'events' ? frame.items : []));
    const listDeletions = () => listItems().filter(({ kind }) => kind === 'deleted');

    while (listDeletions().length < 201) {
      expect(await bensSocket.post(classId, 'meanwhile')).toMatchObject({ type: 'ack' });
    }
    const seqs = listDeletions().map(({ seq }) => seq);
    const first = Math.min(...seqs);
    const last = Math.max(...seqs);
    const postedItems = listItems().filter(
      ({ kind, seq }) => kind === 'posted' && first < seq && seq < last,
    );
    expect(postedItems.length).toBeGreaterThan(3);

    const { messages } = await bensSocket.subscribe(classId);
    expect(JSON.stringify(messages)).not.toContain('one of many');
  });
});
