// A lecture: its time, its questions, what staff mark, and what is printed.
import { describe, expect, test } from 'vitest';
import {
  ask,
  markAnswer,
  markDone,
  publishVotesSoon,
  replyTo,
  waitForQuestion,
} from '#tests/support/questions.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';

publishVotesSoon();
const app = setUpApp();

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

  test('only questions that were asked while it was on are those of the lecture [LECT-3, LECT-9]', async () => {
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

  test('the printed list has whole answers, and no name [LECT-9]', async () => {
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
