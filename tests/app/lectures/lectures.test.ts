// A lecture: its time, its questions, what staff mark, and what is printed.
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { accountExportSchema } from '#contract/account.ts';
import {
  ask,
  markAnswer,
  markDone,
  publishVotesSoon,
  replyTo,
  waitForQuestion,
} from '#tests/support/questions.ts';
import { askPoll, waitForPoll } from '#tests/support/polls.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { revokeRoleByCommand } from '#tests/support/roles.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { shortenIntervals } from '#tests/support/shorten-timers.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';

/** The interval at which the server looks for classes that begin. */
shortenIntervals(15_000, 50);
publishVotesSoon();
const app = setUpApp();

afterEach(() => void vi.useRealTimers());

/** Ada is staff, and Ben a member. */
async function createRoom() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  await grantStaff(app, ada, classId, 'Prof. Lee');
  return { ada, ben, classId, member: await ben.connectTo(classId) };
}

const startLecture = (client: TestClient, classId: string, hours = 2) =>
  client.call('startLecture', { params: { classId }, body: { hours } });
const endLecture = (client: TestClient, classId: string) =>
  client.call('endLecture', { params: { classId } });
const listPrinted = async (client: TestClient, classId: string) =>
  (await client.call('listLectureQuestions', { params: { classId } })).lectureQuestions;

async function findLecture(client: TestClient, classId: string) {
  const { settings } = await client.call('readClassSettings', { params: { classId } });
  return settings.lecture;
}

/** Ends the lecture as if its time had passed. */
async function passTime(classId: string): Promise<void> {
  await app.database.query(
    `update "classSettings" set lecture = replace(lecture, '"lastsUntil":1', '"lastsUntil":')
     where "classId" = '${classId}'`,
  );
}

describe('a lecture', () => {
  test('all members learn of a lecture that staff start and end [LECT-1, LECT-2, LECT-5]', async () => {
    const { ada, ben, classId, member } = await createRoom();

    const startTime = Date.now();
    await startLecture(ada, classId, 3);
    await startLecture(ada, classId, 1);
    await endLecture(ada, classId);

    const { items } = await member.waitFor(
      'events',
      (frame) => frame.items[0]?.kind === 'settings',
    );
    expect(items).toMatchObject([{ settings: { version: 0, lecture: { lastSeq: null } } }]);
    const lecture = await findLecture(ben, classId);
    expect(lecture).toEqual({
      lectureId: expect.any(String) as string,
      firstSeq: 0,
      lastSeq: 1,
      lastsUntil: expect.any(Number) as number,
    });
    expect(lecture!.lastsUntil - startTime).toBeGreaterThan(3 * 3_600_000 - 1);
    expect(lecture!.lastsUntil % 60_000).toBe(0);
    expect((await ben.snapshot(classId)).settings?.lecture).toEqual(lecture);
  });

  test('the audit log says who started and ended a lecture [LECT-5]', async () => {
    const { ada, classId } = await createRoom();
    await startLecture(ada, classId);
    await endLecture(ada, classId);

    const rows = await app.database.query(
      `select "staffName", act, reason from "auditLog" where "classId" = '${classId}'
       and act = 'settings' order by number`,
    );

    expect(rows).toEqual([
      { staffName: 'Prof. Lee', act: 'settings', reason: 'lectureStart' },
      { staffName: 'Prof. Lee', act: 'settings', reason: 'lectureEnd' },
    ]);
  });

  test('a change of the settings keeps the lecture [LECT-2]', async () => {
    const { ada, classId } = await createRoom();
    await grantRole(app, ada, classId, 'Prof. Lee');
    await startLecture(ada, classId);

    await ada.call('changeClassSettings', {
      params: { classId },
      body: { version: 0, rules: 'x' },
    });

    expect(await findLecture(ada, classId)).toMatchObject({ lastSeq: null });
  });

  test('a poll that closes with the lecture closes when staff end it, and others stay open [LECT-2, POLL-4]', async () => {
    const { ada, classId, member } = await createRoom();
    await startLecture(ada, classId);
    const withLecture = await askPoll(member, classId, { minutes: 0 });
    const other = await askPoll(member, classId, { minutes: 120 });
    const { lastsUntil } = (await findLecture(ada, classId))!;
    const findClosing = async () => {
      const { messages } = await ada.call('listMessages', { params: { classId }, query: {} });
      return messages.map(({ id, poll }) => [id, poll?.closesAt]);
    };
    expect(await findClosing()).toContainEqual([withLecture, lastsUntil]);

    await endLecture(ada, classId);

    await waitForPoll(member, withLecture, { closesAt: null });
    expect(await findClosing()).toContainEqual([other, expect.any(Number)]);
  });

  test('a poll that is to close with a lecture closes an hour later if none is on [LECT-93]', async () => {
    const { classId, member } = await createRoom();

    const pollId = await askPoll(member, classId, { minutes: 0 });

    const { items } = await member.waitFor('events', (frame) => frame.items[0]?.kind === 'posted');
    const [item] = items;
    const message = item?.kind === 'posted' ? item.message : null;
    expect(message?.id).toBe(pollId);
    expect(message?.poll?.closesAt).toBe(message!.createdAt + 3_600_000);
  });

  test('only questions that were asked while it was on are those of the lecture [LECT-3]', async () => {
    const { ada, ben, classId, member } = await createRoom();
    await ask(member, classId, 'Too early?');
    await startLecture(ada, classId);
    await ask(member, classId, 'In time?');
    await member.post(classId, 'no question');
    await endLecture(ada, classId);
    await ask(member, classId, 'Too late?');

    expect(await listPrinted(ben, classId)).toEqual([
      { text: 'In time?', votes: 0, done: false, answerTexts: [] },
    ]);
  });

  test('after its time a lecture is over, and the next one begins without its questions [LECT-2, LECT-3]', async () => {
    const { ada, classId, member } = await createRoom();
    await startLecture(ada, classId);
    await ask(member, classId, 'The first?');
    await passTime(classId);

    await startLecture(ada, classId);
    await ask(member, classId, 'The second?');

    expect((await listPrinted(ada, classId)).map(({ text }) => text)).toEqual(['The second?']);
  });
});

describe('the questions of a lecture', () => {
  test('staff mark a question as done, and it counts as answered for everyone [LECT-4]', async () => {
    const { ada, classId, member } = await createRoom();
    await startLecture(ada, classId);
    const messageId = await ask(member, classId);
    const staff = await ada.connectTo(classId);
    const mark = (done: boolean) => markDone(staff, classId, messageId, done);

    await mark(true);
    await waitForQuestion(member, messageId, { done: true });
    expect(await listPrinted(ada, classId)).toMatchObject([{ done: true }]);
    await mark(false);

    expect(await listPrinted(ada, classId)).toMatchObject([{ done: false }]);
  });

  test('a deleted question loses the mark [LECT-4]', async () => {
    const { ada, classId, member } = await createRoom();
    const messageId = await ask(member, classId);
    await markDone(await ada.connectTo(classId), classId, messageId);

    await member.request({ type: 'delete', classId, messageId });

    const [row] = await app.database.query(`select done from messages where id = '${messageId}'`);
    expect(row).toEqual({ done: 0 });
  });

  test('the printed list has whole answers, and no name [LECT-3]', async () => {
    const { ada, ben, classId, member } = await createRoom();
    await startLecture(ada, classId);
    const { me } = await ben.snapshot(classId);
    const mention = `<@${me.memberId}>`;
    const questionId = await ask(member, classId, `What did ${mention} say?`);
    const answerId = await replyTo(member, classId, questionId, `${'long '.repeat(100)}${mention}`);
    await markAnswer(member, classId, questionId, answerId);

    const list = await listPrinted(ben, classId);

    expect(list).toEqual([
      {
        text: 'What did @… say?',
        votes: 0,
        done: false,
        answerTexts: [`${'long '.repeat(100)}@…`],
      },
    ]);
  });
});

describe('a lecture until a time', () => {
  test('staff start a lecture until a time, of at most four hours, or for some hours, not both [LECT-1]', async () => {
    const { ada, classId } = await createRoom();
    const start = (until: number) =>
      ada.call('startLecture', { params: { classId }, body: { until } });
    const now = Math.floor(Date.now() / 60_000) * 60_000;

    await expect(start(now - 60_000)).rejects.toMatchObject({ code: 'INVALID' });
    await expect(start(now + 5 * 3_600_000)).rejects.toMatchObject({ code: 'INVALID' });
    const until = now + 75 * 60_000;
    const both = ada.call('startLecture', { params: { classId }, body: { hours: 2, until } });
    await expect(both).rejects.toMatchObject({ code: 'INVALID' });
    await start(until);

    expect(await findLecture(ada, classId)).toMatchObject({ lastsUntil: until });
  });
});

describe('lectures at the hours of the class', () => {
  const timeZone = 'America/New_York';
  /** A Monday. The class meets from 14:00 to 15:15 in UTC. */
  const beforeClass = Date.UTC(2026, 10, 30, 13, 59);
  const weekMs = 7 * 86_400_000;

  async function createPlannedClass(endClassTime = '10:15') {
    const room = await createRoom();
    const params = { classId: room.classId };
    await app.database.query(
      `update classes set "classSchedule" = '["Monday"]', "beginClassTime" = '09:00',
       "endClassTime" = '${endClassTime}' where "classId" = '${room.classId}'`,
    );
    await room.ada.call('planLectures', { params, body: { timeZone } });
    return { ...room, params };
  }
  const setTime = (now: number) => vi.useFakeTimers({ toFake: ['Date'], now });
  async function readStart(classId: string): Promise<number> {
    const [row] = await app.database.query(
      `select "lectureStartedAt" from "classSettings" where "classId" = '${classId}'`,
    );
    return Number(row!['lectureStartedAt']);
  }
  const ends = (week: number) => beforeClass + week * weekMs + 76 * 60_000;

  test('a lecture starts and ends with the class, and only once for each meeting [LECT-26]', async () => {
    setTime(beforeClass);
    const { ada, ben, classId, params } = await createPlannedClass();
    expect(await ada.call('readPreparation', { params })).toMatchObject({
      startsAtClassTime: true,
    });
    expect(await findLecture(ben, classId)).toBeUndefined();

    setTime(beforeClass + 60_000);
    await expect
      .poll(() => findLecture(ben, classId))
      .toMatchObject({ lastSeq: null, lastsUntil: ends(0) });

    await endLecture(ada, classId);
    const { lectureId } = (await findLecture(ada, classId))!;
    expect(await readStart(classId)).toBe(beforeClass + 60_000);
    setTime(beforeClass + weekMs + 60_000);
    await expect
      .poll(() => findLecture(ben, classId))
      .toMatchObject({ lastSeq: null, lastsUntil: ends(1) });
    expect((await findLecture(ben, classId))!.lectureId).not.toBe(lectureId);
  });

  test('a lecture of a class that takes longer ends after four hours [LECT-1, LECT-26]', async () => {
    setTime(beforeClass);
    const { ben, classId } = await createPlannedClass('18:00');

    // The end is rounded up to the minute.
    setTime(beforeClass + 90_000);
    await expect
      .poll(() => findLecture(ben, classId))
      .toMatchObject({ lastsUntil: beforeClass + 120_000 + 4 * 3_600_000 });
  });

  test('a lecture that staff have started goes on, and the choice can be taken back [LECT-26]', async () => {
    setTime(beforeClass);
    const { ada, classId, params } = await createPlannedClass();
    await startLecture(ada, classId, 4);
    const lecture = await findLecture(ada, classId);

    setTime(beforeClass + 60_000);
    await expect.poll(() => readStart(classId)).toBe(beforeClass + 60_000);
    expect(await findLecture(ada, classId)).toEqual(lecture);

    await ada.call('planLectures', { params, body: { timeZone: null } });
    expect(await ada.call('readPreparation', { params })).toMatchObject({
      startsAtClassTime: false,
    });
  });

  test('a class that has lost its staff has no lectures by its hours [LECT-26]', async () => {
    setTime(beforeClass);
    const { ada, ben, classId } = await createPlannedClass();
    await revokeRoleByCommand(app.database.settings, { email: ada.email, classId });

    setTime(beforeClass + 60_000);
    await expect.poll(() => readStart(classId)).toBe(beforeClass + 60_000);
    expect(await findLecture(ben, classId)).toBeUndefined();
  });

  test('a class without fixed hours has no lectures by its hours [LECT-26]', async () => {
    const { ada, classId } = await createRoom();
    await app.database.query(
      `update classes set "beginClassTime" = null, "endClassTime" = null where "classId" = '${classId}'`,
    );

    await expect(
      ada.call('planLectures', { params: { classId }, body: { timeZone } }),
    ).rejects.toMatchObject({ code: 'INVALID' });
  });
});

describe('prepared polls and questions', () => {
  const poll = {
    options: ['Yes', 'No'],
    several: false,
    resultsAfter: 'vote' as const,
    minutes: 0,
  };

  async function prepare(client: TestClient, classId: string, text: string) {
    const messageId = randomUUID();
    const body = { text, poll };
    await client.call('savePrepared', { params: { classId, messageId }, body });
    return { messageId, ...body };
  }
  const listPrepared = async (client: TestClient, classId: string) =>
    (await client.call('readPreparation', { params: { classId } })).preparedItems;
  const listRegisters = async (classId: string) =>
    (await app.database.tables())['registers']!.filter(
      (row) => row['classId'] === classId && row['kind'] === 'prepared',
    );

  test('only who prepared a poll sees, changes and deletes it [LECT-25]', async () => {
    const { ada, ben, classId } = await createRoom();
    await grantStaff(app, ben, classId, 'Dr. Kim');
    const first = await prepare(ada, classId, 'Balanced?');
    const second = await prepare(ada, classId, 'Clear?');
    const params = { classId, messageId: first.messageId };

    expect(await listPrepared(ada, classId)).toEqual([first, second]);
    expect(await listPrepared(ben, classId)).toEqual([]);
    const body = { text: 'Still balanced?', poll: null };
    await ada.call('savePrepared', { params, body });
    await ben.call('deletePrepared', { params });
    const changed = { messageId: first.messageId, ...body };
    expect(await listPrepared(ada, classId)).toEqual([changed, second]);
    await ada.call('deletePrepared', { params });
    expect(await listPrepared(ada, classId)).toEqual([second]);
    const { classes } = accountExportSchema.parse(await (await ada.fetch('/api/me/export')).json());
    expect(classes).toMatchObject([{ preparedItems: [second] }]);
  });

  test('a member prepares nothing, and staff at most twenty polls with different options [LECT-25]', async () => {
    const { ada, ben, classId } = await createRoom();
    await expect(prepare(ben, classId, 'Mine?')).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
    const params = { classId, messageId: randomUUID() };
    const body = { text: 'Same?', poll: { ...poll, options: ['Yes', 'Yes '] } };
    await expect(ada.call('savePrepared', { params, body })).rejects.toMatchObject({
      code: 'INVALID',
    });
    for (let count = 0; count < 20; count++) await prepare(ada, classId, `Number ${count}?`);

    await expect(prepare(ada, classId, 'One more?')).rejects.toMatchObject({ code: 'INVALID' });
  });

  test('what staff prepared is stored encrypted, and deleted with the role [LECT-25]', async () => {
    const { ada, classId } = await createRoom();
    await prepare(ada, classId, 'A secret question?');
    const [row] = await listRegisters(classId);
    expect(String(row!['content'])).not.toContain('A secret');

    await revokeRoleByCommand(app.database.settings, { email: ada.email, classId });
    await grantStaff(app, ada, classId, 'Prof. Lee');

    expect(await listPrepared(ada, classId)).toEqual([]);
  });
});
