// The table in spec/moderation.md of what muted and removed members can do.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { applyDecisions, decide, grantRole, report } from '#tests/support/moderation.ts';
import { createJpeg, upload } from '#tests/support/pictures.ts';
import { askPoll } from '#tests/support/polls.ts';
import { ask } from '#tests/support/questions.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

const app = setUpApp();
let operator: TestClient;
beforeAll(async () => {
  operator = await app.createStudent();
  await grantRole(app, operator, null, 'Sam');
});

let author: TestClient;
let reporter: TestClient;
let classId: string;
let memberId: string;
let ownMessageId: string;
let reported: string;
let othersMessageId: string;
let ownQuestionId: string;
let othersQuestionId: string;
let pollId: string;
let picture: string;
let unsent: string;

async function applySanction(sanction: NonNullable<Parameters<typeof decide>[2]['sanction']>) {
  author = await app.createStudent();
  reporter = await app.createStudent();
  classId = await author.createClass();
  await reporter.join(classId);
  const socket = await author.connect();
  ({ id: ownMessageId } = await socket.post(classId, 'own words'));
  ({ id: reported } = await socket.post(classId, 'bad words'));
  ({ id: othersMessageId } = await reporter.post(classId, 'words of another'));
  ownQuestionId = await ask(socket, classId);
  const reporterSocket = await reporter.connect();
  othersQuestionId = await ask(reporterSocket, classId);
  pollId = await askPoll(reporterSocket, classId);
  reporterSocket.close();
  await socket.request({ type: 'react', classId, messageId: othersMessageId, emoji: '👍' });
  const image = await upload(author, classId, await createJpeg());
  picture = image.imageUrl;
  const images = [{ imageId: image.imageId }];
  await socket.request({ type: 'post', classId, id: randomUUID(), text: '', images });
  ({ imageId: unsent } = await upload(author, classId, await createJpeg(5)));
  ({ memberId } = (await socket.subscribe(classId)).me);
  socket.close();
  await report(reporter, classId, { messageId: reported });
  await decide(operator, reported, { sanction, reason: 'Three warnings' });
  await applyDecisions(app);
}

/** @returns the error code of a call; null if it succeeds */
async function getErrorCode(call: Promise<unknown>): Promise<string | null> {
  return call.then(
    () => null,
    (error: { code: string }) => error.code,
  );
}

/** @returns the error code of each action of the table, by name */
async function tryEverything(socket: TestSocket): Promise<Record<string, string | null>> {
  const params = { classId };
  const sendFrame = async (fields: object) => {
    const reply = await socket.request({ classId, ...fields });
    return reply.type === 'nack' ? reply.code : null;
  };
  const post = (id: string, text: string) => sendFrame({ type: 'post', id, text });
  return {
    history: await getErrorCode(author.call('listMessages', { params, query: {} })),
    search: await getErrorCode(
      author.call('searchMessages', { params, query: { query: 'words' } }),
    ),
    members: await getErrorCode(author.call('listMembers', { params, query: {} })),
    picture: (await author.fetch(picture)).ok ? null : 'rejected',
    'own reports': await getErrorCode(author.call('listOwnReports', { params })),
    report: await getErrorCode(report(author, classId, { messageId: othersMessageId })),
    post: await post(randomUUID(), 'more words'),
    'repeated post': await post(ownMessageId, 'own words'),
    edit: await sendFrame({ type: 'edit', messageId: ownMessageId, text: 'edited' }),
    react: await sendFrame({ type: 'react', messageId: othersMessageId, emoji: '👎' }),
    'take back a reaction': await sendFrame({
      type: 'react',
      messageId: othersMessageId,
      emoji: null,
    }),
    vote: await sendFrame({ type: 'vote', messageId: othersQuestionId, voted: true }),
    'take back a vote': await sendFrame({
      type: 'vote',
      messageId: othersQuestionId,
      voted: false,
    }),
    'vote in a poll': await sendFrame({ type: 'choose', messageId: pollId, choices: [0] }),
    'take back a vote in a poll': await sendFrame({
      type: 'choose',
      messageId: pollId,
      choices: [],
    }),
    'mark an answer': await sendFrame({
      type: 'answer',
      messageId: ownQuestionId,
      answerId: othersMessageId,
    }),
    delete: await sendFrame({ type: 'delete', messageId: ownMessageId }),
    upload: await getErrorCode(upload(author, classId, await createJpeg())),
    'delete an upload': await getErrorCode(
      author.call('deleteImage', { params: { classId, imageId: unsent } }),
    ),
    name: await getErrorCode(
      author.call('changePersona', { params, body: { anonymousName: 'Blue Otter' } }),
    ),
    preferences: await getErrorCode(
      author.call('savePreferences', {
        params,
        body: { ignored: [], hidden: [othersMessageId], muted: true, version: 0 },
      }),
    ),
    export: await getErrorCode(author.call('exportAccount', {})),
  };
}

describe('a muted member', () => {
  beforeEach(() => applySanction({ kind: 'mute', hours: 1 }));

  test('a muted member can read, report and delete, but not write [MOD-20, MOD-21, QUEST-2, QUEST-4, POLL-2]', async () => {
    const socket = await author.connect();

    const { me } = await socket.subscribe(classId);

    const sanction = {
      kind: 'mute',
      until: expect.any(Number) as number,
      reason: 'Three warnings',
    };
    expect(me).toMatchObject({ sanction });
    expect(await socket.waitFor('live')).toMatchObject({ sanction });

    const rejectedFrames = Object.entries(await tryEverything(socket)).filter(
      ([, code]) => code !== null,
    );
    expect(Object.fromEntries(rejectedFrames)).toEqual({
      post: 'MUTED',
      edit: 'MUTED',
      react: 'MUTED',
      vote: 'MUTED',
      'vote in a poll': 'MUTED',
      'mark an answer': 'MUTED',
      upload: 'MUTED',
      name: 'MUTED',
    });

    const { message, ...nack } = (await socket.request({
      type: 'post',
      classId,
      id: randomUUID(),
      text: 'again',
    })) as { message: string };
    expect(message).toContain('muted');
    expect(nack).toMatchObject({ sanction });

    const ofOthers = await reporter.snapshot(classId);
    expect(JSON.stringify(ofOthers)).not.toContain('Three warnings');
    expect(ofOthers.me).not.toHaveProperty('sanction');

    socket.close();
  });

  test('a muted member stays muted after leaving and joining [MOD-19, MOD-21]', async () => {
    const reporterSocket = await reporter.connectTo(classId);
    const socket = await author.connectTo(classId);
    socket.send({ type: 'typing', classId });
    await socket.request({ type: 'delete', classId, messageId: ownMessageId });
    await reporterSocket.waitFor('events', ({ items }) => items[0]?.kind === 'deleted');

    expect(reporterSocket.frames.filter(({ type }) => type === 'typing')).toEqual([]);

    await author.leave(classId);
    await author.join(classId);
    expect(await author.post(classId, 'back')).toMatchObject({ code: 'MUTED' });
    for (const end of [reporterSocket, socket]) end.close();
  });

  test('a muted member reads of the mute instead of slow mode [MOD-20, CSET-11]', async () => {
    const body = { version: 0, slowModeSeconds: 3600 };
    await operator.call('changeClassSettings', { params: { classId }, body });

    expect(await author.post(classId, 'more words')).toMatchObject({ code: 'MUTED' });
  });

  test('a member can write when the mute has ended [MOD-21]', async () => {
    const [row] = await app.database.query(
      `select until from sanctions where "classId" = '${classId}'`,
    );

    const msLeft = Number(row!['until']) - Date.now();
    expect(msLeft).toBeGreaterThan(55 * 60_000);
    expect(msLeft).toBeLessThanOrEqual(60 * 60_000);

    await app.database.query(
      `update sanctions set until = ${Date.now() - 1} where "classId" = '${classId}'`,
    );
    expect((await author.snapshot(classId)).me).not.toHaveProperty('sanction');
    expect(await author.post(classId, 'better words')).toMatchObject({ type: 'ack' });
  });
});

describe('a removed member', () => {
  test('a removal ends the access to the class without a change to a row of the account [MOD-19, MOD-21, MOD-22, MOD-49]', async () => {
    const listAccountRows = async () => {
      const { accounts, registers, sessions, classes } = await app.database.tables();
      const counts = classes!.map((row) => ({ of: row['classId'], count: row['memberCount'] }));
      // Read positions are written at a random time.
      const otherRegisters = registers!.filter(({ kind }) => kind !== 'readMarks');
      // PostgreSQL's row order changes, so that it tells nothing.
      return [accounts!, otherRegisters, sessions!, counts].map((rows) =>
        rows.map((row) => JSON.stringify(row)).toSorted(),
      );
    };
    author = await app.createStudent();
    reporter = await app.createStudent();
    classId = await author.createClass();
    await reporter.join(classId);
    const early = await author.post(classId, 'bad words');
    await report(reporter, classId, { messageId: early.id });
    const rowsBefore = await listAccountRows();
    await decide(operator, early.id, { sanction: { kind: 'remove' } });

    await applyDecisions(app);

    expect(await listAccountRows()).toEqual(rowsBefore);

    await applySanction({ kind: 'remove' });
    const socket = await author.connect();

    const subscribing = await socket.request({ type: 'subscribe', classId });

    expect(subscribing).toMatchObject({
      code: 'REMOVED_FROM_CLASS',
      sanction: { kind: 'removed', until: null, reason: 'Three warnings' },
    });

    const lightReply = await socket.request({ type: 'subscribe', classId, light: true });
    expect(lightReply).toMatchObject({ code: 'REMOVED_FROM_CLASS' });

    const codes = await tryEverything(socket);
    expect(codes).toMatchObject({ export: null, picture: 'rejected' });
    for (const [name, code] of Object.entries(codes)) {
      if (name === 'export' || name === 'picture') continue;
      expect([name, code]).toEqual([name, 'REMOVED_FROM_CLASS']);
    }
    expect((await author.call('listClasses', {})).classes).toEqual([]);
    const getClass = async (student: TestClient) =>
      student.call('readClass', { params: { classId } });
    expect(await getClass(author)).toMatchObject({
      joined: false,
      sanction: { kind: 'removed', until: null, reason: 'Three warnings' },
    });
    for (const other of [reporter, await app.createStudent()]) {
      expect(await getClass(other)).toMatchObject({ sanction: null });
    }

    const rejoin = await author.fetch(`/api/classes/${classId}/membership`, { method: 'PUT' });
    expect([rejoin.status, await rejoin.json()]).toMatchObject([
      403,
      { code: 'REMOVED_FROM_CLASS', sanction: { reason: 'Three warnings' } },
    ]);

    await author.leave(classId);
    expect(await getErrorCode(author.join(classId))).toBe('REMOVED_FROM_CLASS');

    socket.close();
  });

  test('a removed member gets the class back when the sanction is lifted [MOD-20, MOD-22, MOD-56]', async () => {
    author = await app.createStudent();
    reporter = await app.createStudent();
    classId = await author.createClass();
    await reporter.join(classId);
    const { id } = await author.post(classId, 'bad words');
    ({ memberId } = (await author.snapshot(classId)).me);
    // An operator also learns of decisions of earlier tests that take effect.
    const moderator = await app.createStudent();
    const staff = await moderator.connect();
    await grantRole(app, moderator, classId, 'Who counts frames');
    await staff.waitFor('moderationChanged');
    await report(reporter, classId, { messageId: id });
    const fullSocket = await author.connectTo(classId);
    const lightSocket = await author.connect();
    lightSocket.send({ type: 'subscribe', rid: 1, classId, light: true });
    await lightSocket.waitFor('unread');
    const reporterSocket = await reporter.connectTo(classId);
    const { caseId } = await decide(operator, id, { sanction: { kind: 'remove' } });
    const applied = { timeout: 20_000 };

    for (const socket of [fullSocket, lightSocket]) {
      await expect
        .poll(() => socket.frames.find(({ type }) => type === 'reset'), applied)
        .toEqual({ type: 'reset', classId, reason: 'removed' });
      expect(await socket.waitFor('sanction')).toMatchObject({ sanction: { kind: 'removed' } });
    }
    // The role, the report, the decision and its effect have one frame each.
    await expect
      .poll(() => staff.frames.filter(({ type }) => type === 'moderationChanged').length)
      .toBe(4);

    await reporter.post(classId, 'after it');
    await reporterSocket.waitFor('events');
    expect(fullSocket.frames.filter(({ type }) => type === 'events')).toEqual([]);
    expect(reporterSocket.frames.map(({ type }) => type)).not.toContain('sanction');
    expect(reporterSocket.frames.map(({ type }) => type)).not.toContain('moderationChanged');

    const params = { classId, memberId };
    const { sanctions } = await operator.call('readModeratedMember', { params });
    await operator.call('liftSanction', {
      params: { ...params, sanctionId: sanctions[0]!.sanctionId },
      body: { reason: 'By mistake' },
    });

    expect((await author.snapshot(classId)).messages).toHaveLength(2);

    const { entries } = await operator.call('listAuditLog', { query: {} });
    expect(entries[0]).toMatchObject({ act: 'lift', caseId, reason: 'By mistake', memberId });
    for (const socket of [fullSocket, lightSocket, reporterSocket, staff]) socket.close();
  }, 40_000);
});
