// Questions that only staff see, and their answers.
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import {
  addTurn,
  askPrivately,
  decide,
  listForStaff,
  listOwn,
  setState,
  withdraw,
} from '#tests/support/private-questions.ts';
import {
  applyDecisions,
  decide as decideCase,
  grantRole,
  listCases,
  report,
} from '#tests/support/moderation.ts';
import { holdPublications } from '#tests/support/questions.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';

const publications = holdPublications();
const app = setUpApp();

/** Ada is staff, Ben asks, and Cem is another member. */
async function createScene() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const cem = await app.createStudent(`cem-${randomUUID()}`);
  await cem.join(classId);
  await grantStaff(app, ada, classId, 'Prof. Lee');
  return { ada, ben, cem, classId };
}

/** The random moment comes, or a second one for what happened shortly before the first. Resolves when Cem has got the frame. */
async function publish(cem: TestClient, classId: string): Promise<void> {
  const socket = await cem.connectTo(classId);
  while ((await countUnpublished(classId)) > 0) {
    (await publications.take()).fire();
    await vi.waitUntil(
      async () => publications.isTimerWaiting() || (await countUnpublished(classId)) === 0,
      { timeout: 10_000 },
    );
  }
  await socket.waitFor('privateChanged', (frame) => frame.classId === classId);
  socket.close();
}

async function countUnpublished(classId: string): Promise<number> {
  const rows = await app.database.query(
    `select 1 from "privateQuestions" where "nextState" is not null and "classId" = '${classId}'
     union all select 1 from "privateTurns" where held = 1 and "classId" = '${classId}'`,
  );
  return rows.length;
}

/** No test takes a moment of an earlier one. */
afterEach(async () => {
  while (publications.isTimerWaiting()) (await publications.take()).fire();
});

/** Ben has asked, and staff see it. */
async function createQuestion() {
  const scene = await createScene();
  const questionId = await askPrivately(scene.ben, scene.classId);
  await publish(scene.cem, scene.classId);
  return { ...scene, questionId };
}

const listTexts = (questions: readonly { turns: readonly { text: string }[] }[]) =>
  questions.map(({ turns }) => turns.map(({ text }) => text));

const countRows = async (table: string, classId: string) =>
  (await app.database.tables())[table]!.filter((row) => row['classId'] === classId).length;

describe('a question that only staff see', () => {
  test('its asker and, from a random moment on, staff see it, and nothing else changes for anyone [PRIV-1, PRIV-6]', async () => {
    const { ada, ben, cem, classId } = await createScene();
    const before = await cem.snapshot(classId);
    const sockets = await Promise.all([ada, ben, cem].map((client) => client.connectTo(classId)));

    const questionId = await askPrivately(ben, classId);

    const turns = [{ turnId: questionId, turnPersona: null, text: 'May I hand in late?' }];
    expect(await listOwn(ben, classId)).toEqual([{ questionId, state: 'open', turns }]);
    expect(await listForStaff(ada, classId)).toEqual([]);
    const publication = await publications.take();
    expect(publication.delayMs).toBeGreaterThanOrEqual(5_000);
    publication.fire();
    for (const socket of sockets) await socket.waitFor('privateChanged');
    expect(await listForStaff(ada, classId)).toEqual([{ questionId, state: 'open', turns }]);
    expect(await listOwn(cem, classId)).toEqual([]);
    for (const { frames } of sockets) {
      expect(frames.filter(({ type }) => type === 'privateChanged')).toEqual([
        { type: 'privateChanged', classId },
      ]);
      expect(JSON.stringify(frames)).not.toContain(questionId);
    }
    expect(await cem.snapshot(classId)).toMatchObject({ seq: before.seq, messages: [] });
    expect((await ben.snapshot(classId)).me.hasAppeared).toBe(false);
    const { privateQuestions, privateTurns, ...otherTables } = await app.database.tables();
    expect(privateQuestions!.concat(privateTurns!).length).toBeGreaterThan(1);
    expect(JSON.stringify(otherTables)).not.toContain(questionId);
  });

  test('what a stopped server did not publish is published by the next one [PRIV-6, QUEST-7]', async () => {
    const { ada, ben, classId } = await createScene();
    const questionId = await askPrivately(ben, classId);
    await publications.take();

    await app.restart();

    await vi.waitFor(
      async () => {
        if (publications.isTimerWaiting()) (await publications.take()).fire();
        expect(await listForStaff(ada, classId)).toMatchObject([{ questionId, state: 'open' }]);
      },
      { timeout: 10_000 },
    );
  });

  test('two questions of one person have no value in common with each other or with the persona [PRIV-2]', async () => {
    const { ada, ben, cem, classId } = await createScene();
    const ids = [
      await askPrivately(ben, classId, 'One?'),
      await askPrivately(ben, classId, 'Two?'),
    ];
    await publish(cem, classId);

    const { privateQuestions = [] } = await app.database.tables();

    const rows = privateQuestions.filter((row) => ids.includes(String(row['id'])));
    const askerIds = rows.map((row) => String(row['askerId']));
    expect(new Set(askerIds).size).toBe(2);
    const reply = JSON.stringify(await listForStaff(ada, classId));
    const { memberId } = (await ben.snapshot(classId)).me;
    for (const value of [...askerIds, memberId]) expect(reply).not.toContain(value);
    const { privateQuestions: _, ...otherTables } = await app.database.tables();
    for (const askerId of askerIds) expect(JSON.stringify(otherTables)).not.toContain(askerId);
  });

  test('a repeated call changes nothing, also after an answer or a withdrawal [PRIV-5]', async () => {
    const { ada, ben, cem, classId, questionId } = await createQuestion();
    const turnId = await addTurn(ada, { classId, questionId }, 'Until Monday', { asStaff: true });
    await addTurn(ada, { classId, questionId, turnId }, 'Until Monday', { asStaff: true });
    await askPrivately(ben, classId, 'May I hand in late?', questionId);

    expect(listTexts(await listOwn(ben, classId))).toEqual([
      ['May I hand in late?', 'Until Monday'],
    ]);
    await expect(askPrivately(cem, classId, 'Mine?', questionId)).rejects.toMatchObject({
      code: 'ID_CONFLICT',
    });
    const turn = addTurn(ben, { classId, questionId, turnId }, 'Why?');
    await expect(turn).rejects.toMatchObject({ code: 'ID_CONFLICT' });
    expect(await ben.post(classId, 'In the room', questionId)).toMatchObject({ code: 'INVALID' });

    await withdraw(ben, classId, questionId);
    await publish(cem, classId);
    await askPrivately(ben, classId, 'May I hand in late?', questionId);
    await withdraw(ben, classId, questionId);

    expect(await listOwn(ben, classId)).toEqual([]);
    expect(await listForStaff(ada, classId)).toEqual([]);
    expect(await countUnpublished(classId)).toBe(0);
  });

  test('a withdrawal erases the texts of both sides when staff no longer see it [PRIV-8]', async () => {
    const { ada, ben, cem, classId, questionId } = await createQuestion();
    await addTurn(ada, { classId, questionId }, 'Until Monday', { asStaff: true });
    await withdraw(cem, classId, questionId);
    expect(await listForStaff(ada, classId)).toHaveLength(1);

    await withdraw(ben, classId, questionId);

    expect(await listOwn(ben, classId)).toEqual([]);
    expect(await listForStaff(ada, classId)).toHaveLength(1);
    await publish(cem, classId);
    expect(await listForStaff(ada, classId)).toEqual([]);
    expect(await countRows('privateTurns', classId)).toBe(0);
    const late = addTurn(ada, { classId, questionId }, 'Late', { asStaff: true });
    await expect(late).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('one person has at most three open ones, and a conversation twenty turns [PRIV-3]', async () => {
    const { ada, ben, cem, classId, questionId } = await createQuestion();
    for (const text of ['Two?', 'Three?']) await askPrivately(ben, classId, text);
    const tooMany = { message: expect.stringMatching('several open questions') };
    await expect(askPrivately(ben, classId, 'Four?')).rejects.toMatchObject(tooMany);
    await setState(ada, classId, questionId, 'done');
    await askPrivately(ben, classId, 'Four?');
    await expect(addTurn(ben, { classId, questionId }, 'And?')).rejects.toMatchObject(tooMany);

    await setState(ada, classId, questionId, 'open');
    for (const n of [1, 2]) await addTurn(ben, { classId, questionId }, `${n}`);
    await expect(addTurn(ben, { classId, questionId }, 'And?')).rejects.toMatchObject({
      message: expect.stringMatching('not answered your last three messages'),
    });
    for (let n = 3; n < limits.privateTurns; n++) {
      await addTurn(n % 2 === 0 ? ben : ada, { classId, questionId }, `${n}`, {
        asStaff: n % 2 === 1,
      });
    }

    await expect(addTurn(ben, { classId, questionId }, 'More')).rejects.toMatchObject({
      message: expect.stringMatching('has 20 messages'),
    });
    await publish(cem, classId);
  });

  test('one person has at most fifty with those withdrawn, and can still open one again [PRIV-3, PRIV-4]', async () => {
    const { ada, ben, cem, classId, questionId } = await createQuestion();
    await setState(ada, classId, questionId, 'done');
    for (let n = 1; n < limits.ownPrivateQuestions; n++) {
      await withdraw(ben, classId, await askPrivately(ben, classId));
    }
    await expect(askPrivately(ben, classId)).rejects.toMatchObject({ code: 'TOO_MANY_WAITING' });

    await addTurn(ben, { classId, questionId }, 'And the other sheet?');

    await publish(cem, classId);
    expect(await listForStaff(ada, classId)).toMatchObject([{ state: 'open', turns: [{}, {}] }]);
  });

  test('a class has at most 200 that are not done [PRIV-3]', async () => {
    const { ben, classId } = await createScene();
    const rows = Array.from(
      { length: limits.privateQuestions },
      (_, n) => `('${classId}', 'q${n}', 'a${n}', ${n}, 'open')`,
    );
    await app.database.query(
      `insert into "privateQuestions" ("classId", id, "askerId", place, state) values ${rows.join(',')}`,
    );

    await expect(askPrivately(ben, classId)).rejects.toMatchObject({
      message: expect.stringMatching('many open questions'),
    });
  });

  test('without anyone who speaks as staff, no one can ask [PRIV-3]', async () => {
    const { ada, classId } = await createClassWithTwoMembers(app);
    const params = { classId };

    expect(await ada.call('listOwnPrivate', { params })).toMatchObject({ hasStaff: false });
    await expect(askPrivately(ada, classId)).rejects.toMatchObject({ code: 'NO_STAFF' });
  });
});

describe('an answer', () => {
  test('both sides write turns, staff under their name, and a turn opens what was done [PRIV-4]', async () => {
    const { ada, ben, cem, classId, questionId } = await createQuestion();
    await addTurn(ada, { classId, questionId }, 'Until Monday', { asStaff: true });
    await setState(ada, classId, questionId, 'done');
    await addTurn(ben, { classId, questionId }, 'Thank you');

    expect(listTexts(await listOwn(ben, classId))).toEqual([
      ['May I hand in late?', 'Until Monday', 'Thank you'],
    ]);
    expect(await listForStaff(ada, classId)).toMatchObject([
      {
        state: 'done',
        turns: [
          { turnPersona: null },
          { turnPersona: { anonymousName: 'Prof. Lee', staff: true } },
        ],
      },
    ]);
    await publish(cem, classId);
    expect(await listForStaff(ada, classId)).toMatchObject([
      { state: 'open', turns: [{}, {}, { turnPersona: null, text: 'Thank you' }] },
    ]);
  });

  test('a turn that staff have not seen opens what they mark as done [PRIV-4]', async () => {
    const { ada, ben, cem, classId, questionId } = await createQuestion();
    await addTurn(ben, { classId, questionId }, 'One more thing');

    await setState(ada, classId, questionId, 'done');
    await publish(cem, classId);

    expect(await listForStaff(ada, classId)).toMatchObject([{ state: 'open', turns: [{}, {}] }]);
  });

  test('the asker cannot write a turn as staff [PRIV-4]', async () => {
    const { ben, classId, questionId } = await createQuestion();

    const asStaff = addTurn(ben, { classId, questionId }, 'Me', { asStaff: true });
    await expect(asStaff).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
  });

  test('a question of staff shows them as any asker, and they do not see it early [PRIV-2, PRIV-6]', async () => {
    const { ada, cem, classId } = await createScene();
    const questionId = await askPrivately(ada, classId, 'A test?');

    expect(await listForStaff(ada, classId)).toEqual([]);
    const early = setState(ada, classId, questionId, 'done');
    await expect(early).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await publish(cem, classId);

    expect(await listForStaff(ada, classId)).toMatchObject([{ turns: [{ turnPersona: null }] }]);
  });
});

describe('a publication', () => {
  test('staff ask, the asker decides, and staff see the decision at a random moment [PRIV-7]', async () => {
    const { ada, ben, cem, classId, questionId } = await createQuestion();
    const unasked = decide(ben, classId, questionId, true);
    await expect(unasked).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await setState(ada, classId, questionId, 'asked');
    await expect(decide(cem, classId, questionId, true)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });

    for (const agreed of [true, false, true]) await decide(ben, classId, questionId, agreed);

    expect(await listOwn(ben, classId)).toMatchObject([{ state: 'agreed' }]);
    expect(await listForStaff(ada, classId)).toMatchObject([{ state: 'asked' }]);
    await publish(cem, classId);
    expect(await listForStaff(ada, classId)).toMatchObject([{ state: 'agreed' }]);
    await setState(ada, classId, questionId, 'asked');
    expect(await listOwn(ben, classId)).toMatchObject([{ state: 'agreed' }]);
    expect((await cem.snapshot(classId)).messages).toEqual([]);
  });
});

describe('a report', () => {
  test('moderators get the conversation and no persona, and whom they remove, also if they left meanwhile, is muted only for private questions [PRIV-10]', async () => {
    const { ada, ben, cem, classId, questionId } = await createQuestion();
    const moderator = await app.createStudent();
    await grantRole(app, moderator, classId, 'Mo');
    await expect(report(cem, classId, { messageId: questionId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(report(ben, classId, { messageId: questionId })).rejects.toMatchObject({
      code: 'OWN_REPORT',
    });
    const { memberId } = (await ben.snapshot(classId)).me;
    await ben.leave(classId);

    await report(ada, classId, { messageId: questionId });

    const [openCase] = await listCases(moderator, { classId });
    expect(openCase).toMatchObject({
      messageId: questionId,
      shown: 'visible',
      persona: { anonymousName: '👤' },
      evidence: { text: '👤: May I hand in late?' },
    });
    expect(JSON.stringify(openCase)).not.toContain(memberId);
    await decideCase(moderator, questionId, {
      decision: 'remove',
      sanction: { kind: 'remove' },
    });
    await applyDecisions(app);
    await publish(cem, classId);
    expect(await listForStaff(ada, classId)).toEqual([]);
    await ben.join(classId);
    await expect(askPrivately(ben, classId)).rejects.toMatchObject({
      code: 'MUTED',
      message: 'You cannot write to staff here. In the room you can.',
    });
    await ben.post(classId, 'In the room');
    const { sanctions } = await ben.call('listOwnSanctions', {});
    expect(sanctions).toMatchObject([{ classId, kind: 'mute', private: true, active: true }]);
    const params = { sanctionId: sanctions[0]!.sanctionId };
    await ben.call('appeal', { params, body: { text: 'It was no insult' } });
  });

  test('a removal without a sanction is among the decisions that its asker reads [PRIV-10]', async () => {
    const { ada, ben, cem, classId, questionId } = await createQuestion();
    const moderator = await app.createStudent();
    await grantRole(app, moderator, classId, 'Mo');
    await report(ada, classId, { messageId: questionId });

    await decideCase(moderator, questionId, { decision: 'remove' });
    await applyDecisions(app);
    await publish(cem, classId);

    const { decisions } = await ben.call('listOwnDecisions', {});
    expect(decisions).toMatchObject([{ classId, kind: 'message-removed' }]);
    expect((await cem.call('listOwnDecisions', {})).decisions).toEqual([]);
  });

  test('the asker reports an answer of staff, and the case names the staff persona [PRIV-10]', async () => {
    const { ada, ben, classId, questionId } = await createQuestion();
    const moderator = await app.createStudent();
    await grantRole(app, moderator, classId, 'Mo');
    await ada.call('changePersona', { params: { classId }, body: { anonymousName: 'Red Owl' } });
    const turnId = await addTurn(ada, { classId, questionId }, 'No!', { asStaff: true });

    await report(ben, classId, { messageId: turnId });

    const [openCase] = await listCases(moderator, { classId });
    expect(openCase).toMatchObject({
      messageId: turnId,
      evidence: { text: '👤: May I hand in late?\n\n🎓 Prof. Lee: No!' },
    });
  });
});

describe('what is deleted', () => {
  test('the asker who left finds what they wrote in the export, and the questions after joining again [PRIV-9]', async () => {
    const { ada, ben, classId, questionId } = await createQuestion();
    await addTurn(ada, { classId, questionId }, 'Until Monday', { asStaff: true });

    await ben.leave(classId);

    const { classes } = await ben.call('exportAccount', {});
    expect(classes).toMatchObject([{ classId, privateTexts: ['May I hand in late?'] }]);
    await ben.join(classId);
    expect(await listOwn(ben, classId)).toMatchObject([{ questionId }]);
  });

  test('the questions of a deleted account are erased, also in a class that it has left [PRIV-9]', async () => {
    const { ben, cem, classId } = await createQuestion();
    await askPrivately(ben, classId, 'Two?');
    await publish(cem, classId);
    await ben.leave(classId);
    await ben.call('deleteAccount', { body: { password: ben.password, messages: 'keep' } });
    expect(await countRows('privateQuestions', classId)).toBe(2);
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + 25 * 3_600_000);

    await expect.poll(() => countRows('privateQuestions', classId), { timeout: 20_000 }).toBe(0);

    expect(await countRows('privateTurns', classId)).toBe(0);
    vi.useRealTimers();
  });
});
