// Questions of a lecture that wait until staff release them.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ask, publishVotesSoon } from '#tests/support/questions.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

publishVotesSoon();
const app = setUpApp();

/** Ada is staff and holds a lecture in which questions wait. Ben asks, and Cem is another member. */
async function createLecture({ held = true } = {}) {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const cem = await app.createStudent(`cem-${randomUUID()}`);
  await cem.join(classId);
  await grantStaff(app, ada, classId, 'Prof. Lee');
  await ada.call('startLecture', { params: { classId }, body: { hours: 2, holdsQuestions: held } });
  return { ada, ben, cem, classId, asker: await ben.connectTo(classId) };
}

const listWaiting = async (staff: TestClient, classId: string) =>
  (await staff.call('listWaitingQuestions', { params: { classId } })).waitingQuestions;
const listOwn = async (asker: TestClient, classId: string) =>
  (await asker.call('listOwnWaiting', { params: { classId } })).ownWaiting;
const listTexts = async (client: TestClient, classId: string) =>
  (await client.snapshot(classId)).messages.map(({ text }) => text);
const hold = (staff: TestClient, classId: string, areHeld: boolean) =>
  staff.call('holdQuestions', { params: { classId }, body: { held: areHeld } });
/** Releases the question with the text that staff read. */
const release = (staff: TestClient, classId: string, messageId: string, text = 'What is due?') =>
  staff.call('releaseQuestion', { params: { classId, messageId }, body: { text } });
const giveBack = (staff: TestClient, classId: string, messageId: string) =>
  staff.call('returnQuestion', { params: { classId, messageId } });
const sendAgain = (asker: TestClient, classId: string, messageId: string) =>
  asker.call('sendWaiting', { params: { classId, messageId } });
const withdraw = (asker: TestClient, classId: string, messageId: string) =>
  asker.call('withdrawWaiting', { params: { classId, messageId } });

function post(socket: TestSocket, classId: string, fields: object) {
  const frame = { type: 'post', classId, id: randomUUID(), text: 'Why?', question: true };
  return socket.request({ ...frame, ...fields });
}

describe('a question that waits', () => {
  test('only its asker and staff learn of it, and it changes nothing that others get [LECT-10, LECT-11]', async () => {
    const { ada, ben, cem, classId, asker } = await createLecture();
    const previousState = await cem.snapshot(classId);
    const other = await cem.connectTo(classId);

    const id = randomUUID();
    expect(await post(asker, classId, { id })).toMatchObject({ type: 'ack', waits: true });

    expect(previousState.settings?.lecture).toMatchObject({ holdsQuestions: true });
    expect(await listOwn(ben, classId)).toEqual([{ messageId: id, text: 'Why?', returned: false }]);
    expect(await listOwn(cem, classId)).toEqual([]);
    expect(await listWaiting(ada, classId)).toMatchObject([{ messageId: id, text: 'Why?' }]);
    expect(await cem.snapshot(classId)).toMatchObject({ seq: previousState.seq, messages: [] });
    await cem.post(classId, 'later');
    await other.waitFor('events', ({ items }) => items.some(({ kind }) => kind === 'posted'));
    expect(JSON.stringify(other.frames)).not.toContain(id);
    const { memberId } = (await ben.snapshot(classId)).me;
    expect(JSON.stringify(other.frames)).not.toContain(memberId);
  });

  test('it is on no screen of the hall and in no list before its release [LECT-11]', async () => {
    const { ada, cem, classId, asker } = await createLecture();
    const params = { classId };
    const { presenterToken } = await ada.call('createPresenterLink', { params });

    await ask(asker, classId);

    const presentation = await cem.fetch('/api/presentation', {
      headers: { 'presenter-token': presenterToken },
    });
    expect(await presentation.json()).toMatchObject({ presentedQuestions: [] });
    expect(await cem.call('listQuestions', { params })).toMatchObject({ questions: [] });
    expect(await cem.call('listLectureQuestions', { params })).toEqual({ lectureQuestions: [] });
  });

  test('messages that are no question, and questions as staff, do not wait [LECT-11]', async () => {
    const { ada, classId, asker } = await createLecture();
    const staffSocket = await ada.connectTo(classId);

    expect(await post(asker, classId, { question: undefined })).not.toHaveProperty('waits');
    expect(await post(staffSocket, classId, { staff: true })).not.toHaveProperty('waits');
    expect(await post(staffSocket, classId, {})).toHaveProperty('waits');
  });

  test('a repeated post changes nothing, and another text replaces the first [LECT-11]', async () => {
    const { ada, cem, classId, asker } = await createLecture();
    const id = randomUUID();

    for (const text of ['Why?', 'Why?', 'Why so?']) {
      expect(await post(asker, classId, { id, text })).toMatchObject({ waits: true });
    }

    expect(await listWaiting(ada, classId)).toMatchObject([{ messageId: id, text: 'Why so?' }]);
    const other = await cem.connectTo(classId);
    expect(await post(other, classId, { id })).toMatchObject({ code: 'ID_CONFLICT' });
  });

  test('a muted member cannot replace its text, and only learns that it still waits [LECT-13]', async () => {
    const { ada, ben, classId, asker } = await createLecture();
    const id = await ask(asker, classId);
    await mute(ben, classId);

    expect(await post(asker, classId, { id, text: 'Rude' })).toMatchObject({ code: 'MUTED' });
    expect(await post(asker, classId, { id, text: 'What is due?' })).toMatchObject({ waits: true });

    expect(await listWaiting(ada, classId)).toMatchObject([{ text: 'What is due?' }]);
  });

  test('a new text of one that came back is kept for its asker [LECT-11]', async () => {
    const { ada, ben, classId, asker } = await createLecture();
    const id = await ask(asker, classId);
    await giveBack(ada, classId, id);

    expect(await post(asker, classId, { id, text: 'Why so?' })).toMatchObject({ waits: true });

    expect(await listOwn(ben, classId)).toEqual([
      { messageId: id, text: 'Why so?', returned: true },
    ]);
    expect(await listWaiting(ada, classId)).toEqual([]);
  });

  test('a member has at most five of them, of text only [LECT-13]', async () => {
    const { classId, asker } = await createLecture();
    const { id: replyTo } = await asker.post(classId, 'hello');
    expect(await post(asker, classId, { replyTo })).toMatchObject({ code: 'QUESTION_NOT_PLAIN' });

    const ids = [];
    for (const text of ['1', '2', '3', '4', '5']) ids.push(await ask(asker, classId, text));

    expect(await post(asker, classId, {})).toMatchObject({ code: 'TOO_MANY_WAITING' });
  });

  test('at most 200 wait in a class [LECT-13]', async () => {
    const { ada, classId, asker } = await createLecture();
    const rows = Array.from(
      { length: 200 },
      (_, n) => `('${classId}', 'id ${n}', 'member ${n}', 'Why ${n}?', ${n + 1}, 0)`,
    );
    await app.database.query(
      `insert into "waitingQuestions" ("classId", id, "memberId", text, place, returned)
       values ${rows.join(',')}`,
    );

    expect(await post(asker, classId, {})).toMatchObject({ code: 'TOO_MANY_WAITING' });
    await app.database.query(`delete from "waitingQuestions" where "classId" = '${classId}'`);
    await ask(asker, classId, 'the only one');
    expect(await listWaiting(ada, classId)).toHaveLength(1);
  });

  test('the list for staff has at most 256 KiB, and the questions behind it follow [LECT-12]', async () => {
    const { ada, classId } = await createLecture();
    const rows = Array.from({ length: 100 }, (_, n) => {
      const id = randomUUID();
      return `('${classId}', '${id}', '${'m'.repeat(16)}', '${'x'.repeat(4000)}', ${n + 1}, 0)`;
    });
    await app.database.query(
      `insert into "waitingQuestions" ("classId", id, "memberId", text, place, returned)
       values ${rows.join(',')}`,
    );

    const first = await listWaiting(ada, classId);
    for (const { messageId } of first) await giveBack(ada, classId, messageId);

    expect(first).toHaveLength(65);
    expect(await listWaiting(ada, classId)).toHaveLength(35);
  });

  test('a muted member, and a member of a read-only class, cannot ask [LECT-13]', async () => {
    const { ada, classId, asker } = await createLecture();
    await grantRole(app, ada, classId, 'Prof. Lee');
    await ada.call('changeClassSettings', {
      params: { classId },
      body: { version: 0, readOnly: true },
    });

    expect(await post(asker, classId, {})).toMatchObject({ code: 'READ_ONLY' });
  });
});

describe('staff', () => {
  test('release questions, which are then ordinary questions of their askers [LECT-12]', async () => {
    const { ada, ben, cem, classId, asker } = await createLecture();
    const { seq } = await ben.snapshot(classId);
    const firstId = await ask(asker, classId, 'First?');
    const secondId = await ask(asker, classId, 'Second?');
    const startTime = Date.now();

    expect(await release(ada, classId, secondId, 'Second?')).toEqual({ released: true });

    const { message, persona } = await waitForPost(asker, secondId);
    const { me } = await ben.snapshot(classId);
    expect(message).toMatchObject({
      seq: seq + 1,
      memberId: me.memberId,
      text: 'Second?',
      question: { votes: 0 },
    });
    expect(message.createdAt).toBeGreaterThanOrEqual(startTime);
    expect(persona).toMatchObject({ memberId: me.memberId, anonymousName: 'Anonymous' });
    expect(await listTexts(cem, classId)).toEqual(['Second?']);
    expect(await listOwn(ben, classId)).toMatchObject([{ messageId: firstId }]);
    expect(await post(asker, classId, { id: secondId, text: 'Second?' })).toMatchObject({
      type: 'ack',
      seq: seq + 1,
    });
    await expect(release(ada, classId, secondId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('release only the text that they read [LECT-12]', async () => {
    const { ada, cem, classId, asker } = await createLecture();
    const id = await ask(asker, classId);

    await post(asker, classId, { id, text: 'Something rude' });
    await expect(release(ada, classId, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });

    expect(await listTexts(cem, classId)).toEqual([]);
    expect(await listWaiting(ada, classId)).toMatchObject([{ text: 'Something rude' }]);
  });

  test('release texts that askers cannot edit while new questions wait [LECT-83]', async () => {
    const { ada, cem, classId, asker } = await createLecture();
    const id = await ask(asker, classId);
    await release(ada, classId, id);
    const staffSocket = await ada.connectTo(classId);
    const staffId = randomUUID();
    await post(staffSocket, classId, { id: staffId, staff: true });
    const { id: plainId } = await asker.post(classId, 'hello');
    const edit = (socket: TestSocket, messageId: string) =>
      socket.request({ type: 'edit', classId, messageId, text: 'Edited' });

    expect(await edit(asker, id)).toMatchObject({ code: 'NOT_ALLOWED' });
    expect(await edit(staffSocket, staffId)).toMatchObject({ type: 'ack' });
    expect(await edit(asker, plainId)).toMatchObject({ type: 'ack' });
    expect(await listTexts(cem, classId)).toEqual(['What is due?', 'Edited', 'Edited']);

    await hold(ada, classId, false);
    expect(await edit(asker, id)).toMatchObject({ type: 'ack' });
  });

  test('see the questions in the order in which they were asked, with the personas [LECT-12]', async () => {
    const { ada, ben, classId, asker } = await createLecture();
    await ben.call('changePersona', { params: { classId }, body: { anonymousName: 'Otter' } });
    for (const text of ['First?', 'Second?', 'Third?']) await ask(asker, classId, text);

    const list = await ada.call('listWaitingQuestions', { params: { classId } });

    expect(list.waitingQuestions.map(({ text }) => text)).toEqual(['First?', 'Second?', 'Third?']);
    expect(list.personas).toMatchObject([{ anonymousName: 'Otter' }]);
  });

  test('give questions back, and the asker sends them again or takes them back [LECT-15]', async () => {
    const { ada, ben, classId, asker } = await createLecture();
    const id = await ask(asker, classId);

    await giveBack(ada, classId, id);

    expect(await listWaiting(ada, classId)).toEqual([]);
    expect(await listOwn(ben, classId)).toMatchObject([{ messageId: id, returned: true }]);
    // A late retry of the post does not put it back.
    expect(await post(asker, classId, { id })).toMatchObject({ waits: true });
    expect(await listWaiting(ada, classId)).toEqual([]);
    await sendAgain(ben, classId, id);
    expect(await listWaiting(ada, classId)).toMatchObject([{ messageId: id }]);
    await withdraw(ben, classId, id);
    expect(await listWaiting(ada, classId)).toEqual([]);
    expect(await listOwn(ben, classId)).toEqual([]);
  });

  test('switch the release on and off during the lecture, and what waits stays [LECT-10]', async () => {
    const { ada, ben, cem, classId, asker } = await createLecture({ held: false });
    await ask(asker, classId, 'Immediately?');
    await hold(ada, classId, true);
    const id = await ask(asker, classId, 'Later?');
    await hold(ada, classId, false);
    await ask(asker, classId, 'Immediately again?');

    expect(await listTexts(cem, classId)).toEqual(['Immediately?', 'Immediately again?']);
    expect(await listOwn(ben, classId)).toMatchObject([{ messageId: id, returned: false }]);
    await release(ada, classId, id, 'Later?');
    expect(await listTexts(cem, classId)).toContain('Later?');
  });

  test('cannot make a sanctioned member write: the question goes back [LECT-12]', async () => {
    const { ada, ben, cem, classId, asker } = await createLecture();
    const id = await ask(asker, classId);
    await mute(ben, classId);

    expect(await release(ada, classId, id)).toEqual({ released: false });

    expect(await listTexts(cem, classId)).toEqual([]);
    expect(await listOwn(ben, classId)).toMatchObject([{ returned: true }]);
    await expect(sendAgain(ben, classId, id)).rejects.toMatchObject({ code: 'MUTED' });
  });

  test('no row and no frame says who released a question, and none when it was asked [LECT-5]', async () => {
    const { ada, ben, classId, asker } = await createLecture();
    const id = await ask(asker, classId);
    const [row] = await app.database.query(`select * from "waitingQuestions" where id = '${id}'`);
    await hold(ada, classId, false);
    await release(ada, classId, id);

    expect(row).toEqual({
      classId,
      id,
      memberId: (await ben.snapshot(classId)).me.memberId,
      text: 'What is due?',
      place: 1,
      returned: 0,
      topicId: null,
    });
    const entries = await app.database.query(
      `select reason, "staffName" from "auditLog" where "classId" = '${classId}' order by number`,
    );
    expect(entries.map(({ reason }) => reason).slice(-2)).toEqual([
      'lectureStart',
      'lectureNoHold',
    ]);
  });
});

describe('a withdrawn question', () => {
  test('is neither published nor held by a late retry of its post [LECT-15]', async () => {
    const { ada, ben, cem, classId, asker } = await createLecture();
    const firstId = await ask(asker, classId);
    const secondId = await ask(asker, classId);
    const retry = (id: string, text = 'What is due?') => post(asker, classId, { id, text });
    for (const id of [firstId, secondId]) await withdraw(ben, classId, id);

    expect(await retry(firstId)).toMatchObject({ waits: true });
    expect(await listWaiting(ada, classId)).toEqual([]);
    await hold(ada, classId, false);
    expect(await retry(firstId)).toMatchObject({ waits: true });
    await ada.call('endLecture', { params: { classId } });
    expect(await retry(secondId, 'Edited in this browser')).toMatchObject({ waits: true });

    await withdraw(ben, classId, firstId);
    await expect(sendAgain(ben, classId, firstId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await listTexts(cem, classId)).toEqual([]);
    expect(await listOwn(ben, classId)).toEqual([]);
  });

  test('leaves neither its text nor its asker in the database [LECT-15]', async () => {
    const { ada, ben, classId, asker } = await createLecture();
    const returnedId = await ask(asker, classId, 'Returned?');
    await giveBack(ada, classId, returnedId);
    const ids = [returnedId, await ask(asker, classId)];

    for (const id of ids) await withdraw(ben, classId, id);

    const rows = await app.database.query(
      `select id, "memberId", text from "waitingQuestions" where "classId" = '${classId}'`,
    );
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(expect.arrayContaining(ids.map((id) => ({ id, memberId: '', text: '' }))));
    for (const text of ['1', '2', '3', '4', '5']) await ask(asker, classId, text);
  });
});

describe('the end of a lecture', () => {
  test('returns what waits to the askers, who send it as an ordinary question [LECT-15]', async () => {
    const { ada, ben, cem, classId, asker } = await createLecture();
    const id = await ask(asker, classId);

    await ada.call('endLecture', { params: { classId } });

    expect(await listOwn(ben, classId)).toMatchObject([{ messageId: id, returned: true }]);
    expect(await listWaiting(ada, classId)).toEqual([]);
    await expect(release(ada, classId, id)).rejects.toMatchObject({ code: 'NO_LECTURE' });
    await sendAgain(ben, classId, id);
    expect(await listTexts(cem, classId)).toEqual(['What is due?']);
    expect(await listOwn(ben, classId)).toEqual([]);
  });

  test('the next lecture does not take over what came back [LECT-15]', async () => {
    const { ada, ben, classId, asker } = await createLecture();
    const params = { classId };
    await ask(asker, classId);
    await ada.call('endLecture', { params });

    await ada.call('startLecture', { params, body: { hours: 1, holdsQuestions: true } });

    expect(await listWaiting(ada, classId)).toEqual([]);
    expect(await listOwn(ben, classId)).toMatchObject([{ returned: true }]);
  });
});

describe('what is deleted', () => {
  test('the export of an account has the texts of its waiting questions [LECT-17]', async () => {
    const { ben, classId, asker } = await createLecture();
    await ask(asker, classId, 'Only mine?');

    const exported = await ben.call('exportAccount', {});

    expect(exported.classes.find((item) => item.classId === classId)).toMatchObject({
      waitingTexts: ['Only mine?'],
    });
  });
});

async function mute(client: TestClient, classId: string): Promise<void> {
  const { memberId } = (await client.snapshot(classId)).me;
  await app.database.query(
    `insert into sanctions
       ("sanctionId", "classId", "memberId", kind, until, reason, "staffName", day, "caseId", status)
     values ('${randomUUID()}', '${classId}', '${memberId}', 'mute', null, 'Rude', 'Mo', 20000, '', 'active')`,
  );
}

async function waitForPost(socket: TestSocket, messageId: string) {
  const isIt = (item: { kind: string }) =>
    'message' in item && (item.message as { id: string }).id === messageId;
  const { items } = await socket.waitFor('events', (frame) => frame.items.some(isIt));
  const item = items.find(isIt);
  if (item?.kind !== 'posted') throw new Error('The message was not posted.');
  return item;
}
