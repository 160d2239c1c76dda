// The role of staff moves from one member to another. What others receive must not tell whose it is.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import { grantStaff } from '#tests/support/staff.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { createJpeg, upload } from '#tests/support/pictures.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { normalize } from './transcript.ts';
import { addStoredRole } from '#tests/support/roles.ts';

const app = setUpApp();
const picture = await createJpeg();

let scenes = 0;

/** Ann and Zoe speak under their anonymous names. One of them speaks as staff, too. */
async function play(holder: 'ann' | 'zoe', { text = 'Quiz on Friday' } = {}): Promise<unknown[]> {
  const scene = ++scenes;
  const observer = await app.createStudent(`observer${scene}`);
  const moderator = await app.createStudent(`moderator${scene}`);
  const classId = await observer.createClass();
  const students = {
    ann: await app.createStudent(`ann${scene}`),
    zoe: await app.createStudent(`zoe.with.a.longer.name${scene}`),
  };
  for (const student of [students.ann, students.zoe]) await student.join(classId);
  await addStoredRole(app.database, {
    email: moderator.email,
    classId,
    role: 'moderator',
    staffName: 'Sam',
  });
  const lee = students[holder];
  await grantStaff(app, lee, classId, 'Prof. Lee');

  const socket = await observer.connect();
  const light = await observer.connect();
  light.send({ type: 'subscribe', rid: 1, classId, light: true });
  await light.waitFor('unread');
  const { me } = await socket.subscribe(classId);
  const ann = await students.ann.connect();
  const zoe = await students.zoe.connect();
  const ids = {
    ann: (await ann.subscribe(classId)).me.memberId,
    zoe: (await zoe.subscribe(classId)).me.memberId,
  };
  const holderSocket = holder === 'ann' ? ann : zoe;
  const staff = (await holderSocket.waitFor('live')).staff?.persona.memberId ?? '';
  const names = new Map([
    [ids.ann, 'ANN'],
    [ids.zoe, 'ZOE'],
    [staff, 'STAFF'],
    [me.memberId, 'OBSERVER'],
    [classId, 'CLASS'],
  ]);
  const sendFrame = async (end: typeof holderSocket, frame: object) =>
    expect(await end.request({ classId, ...frame })).toMatchObject({ type: 'ack' });
  const post = async (end: typeof holderSocket, messageText: string, fields: object = {}) => {
    const id = randomUUID();
    names.set(id, `MESSAGE ${names.size}`);
    await sendFrame(end, { type: 'post', id, text: messageText, ...fields });
    return id;
  };

  const question = await post(ann, 'When is the quiz?');
  await post(zoe, 'Yes, when?');
  const answer = await post(holderSocket, text, { staff: true, replyTo: question });
  // Either of them reacts to another's message and mentions the staff persona.
  const questionId = await post(socket, `Thank you ${toMentionToken(staff)}`);
  await sendFrame(ann, { type: 'react', messageId: questionId, emoji: '👍' });
  await sendFrame(zoe, { type: 'react', messageId: questionId, emoji: '👍' });
  await post(ann, `And ${toMentionToken(staff)}, where?`);
  await post(zoe, `And ${toMentionToken(staff)}, in which room?`);
  await sendFrame(holderSocket, { type: 'edit', messageId: answer, text: `${text}!` });
  const { imageId } = await upload(lee, classId, picture, { as: 'staff' });
  names.set(imageId, 'PICTURE');
  const images = [{ imageId, alt: 'The board' }];
  const last = await post(holderSocket, '', { staff: true, images });
  for (const end of [ann, zoe]) end.send({ type: 'read', classId, seq: 5 });
  const change = (student: TestClient, anonymousName: string) =>
    student.call('changePersona', { params: { classId }, body: { anonymousName } });
  await change(students.ann, 'Blue Fox');
  await change(students.zoe, 'Red Owl');
  await observer.call('reportMember', {
    params: { classId },
    body: { messageId: answer, reason: 'spam' },
  });
  await sendFrame(holderSocket, { type: 'delete', messageId: last });
  const { seq } = await socket.subscribe(classId);
  await light.waitFor('activity', (frame) => frame.seq === seq);

  const params = { classId };
  const { cases } = await moderator.call('listCases', { query: {} });
  const caseId = cases[0]?.caseId ?? '';
  names.set(caseId, 'CASE');
  const answers: unknown[] = [
    cases,
    await moderator.call('readCaseContext', { params: { caseId } }),
    await observer.call('listMessages', { params, query: {} }),
    await observer.call('searchMessages', { params, query: { query: 'quiz' } }),
    await observer.call('listClasses', {}),
  ];
  for (const memberId of [ids.ann, ids.zoe, staff]) {
    answers.push(await moderator.call('readModeratedMember', { params: { classId, memberId } }));
  }
  const frames = [...socket.frames, ...light.frames];
  return [...frames, ...answers].map((value) => {
    const normal = normalize(value, names) as object;
    return 'rid' in normal ? { ...normal, rid: 0 } : normal;
  });
}

test('other members receive the same, whichever member speaks as staff [STAFF-7, ANON-20]', async () => {
  const transcript = await play('ann');

  for (const word of ['ANN', 'ZOE', 'STAFF', 'Prof. Lee', 'Red Owl', 'Quiz on Friday!']) {
    expect(JSON.stringify(transcript)).toContain(word);
  }
  expect(await play('zoe')).toEqual(transcript);
});

test('transcripts differ if one letter of a staff message differs [STAFF-7]', async () => {
  expect(await play('ann', { text: 'Quiz on friday' })).not.toEqual(await play('ann'));
});
