// Two accounts swap their personas. An observer must not notice a difference.
import { expect, test } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import { toRouteUrl, routes, type RouteName } from '#contract/routes.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { createOnePage } from '#tests/support/pdf-files.ts';
import { createJpeg, upload } from '#tests/support/pictures.ts';
import { applyDecisions, decideReview, listCases } from '#tests/support/moderation.ts';
import { browserKeys, chooseNotifications, saveSettings } from '#tests/support/notifications.ts';
import { somePoll } from '#tests/support/polls.ts';
import { askPrivately } from '#tests/support/private-questions.ts';
import { publishVotesSoon } from '#tests/support/questions.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { normalize, normalizeHeaders } from './transcript.ts';
import { addStoredRole } from '#tests/support/roles.ts';

publishVotesSoon();
// Nothing answers at that push service.
const app = setUpApp({ PUSH_HOSTS: 'http://127.0.0.1:9', PUSH_DELAY: '0' });
const files = { one: await createJpeg(), two: createOnePage({}) };

let scenes = 0;

/** The accounts differ in every property. The scene is the same except for which account plays which role. */
async function play(
  swapped: boolean,
  { text = 'I agree', ignores = false, isNotified = false, voter = 'second' } = {},
): Promise<unknown[]> {
  const scene = ++scenes;
  const answers: Response[] = [];
  const early = await app.createStudent(`aaron.early${scene}`, { userAgent: 'Early Browser' });
  const owner = await app.createStudent(`owner${scene}`, { userAgent: 'Owner' });
  const observer = await app.createStudent(`observer${scene}`, {
    userAgent: 'Observer',
    onResponse: (response) => void answers.push(response),
  });
  const lateStudent = await app.createStudent(`zoe.a.much.longer.name.late${scene}`, {
    userAgent: 'Late Browser',
  });
  for (const courseNumber of ['1', '2', '3']) await early.createClass({ courseNumber });
  const classId = await owner.createClass();
  for (const student of [early, observer, lateStudent]) await student.join(classId);
  await early.leave(classId);
  await early.join(classId);

  const [first, second] = swapped ? [lateStudent, early] : [early, lateStudent];
  const socket = await observer.connect();
  const light = await observer.connect();
  light.send({ type: 'subscribe', rid: 1, classId, light: true });
  await light.waitFor('unread');
  const { me: observerPersona, epoch, seq } = await socket.subscribe(classId);
  const firstSocket = await first.connect();
  const secondSocket = await second.connect();
  const names = new Map([
    [(await firstSocket.subscribe(classId)).me.memberId, 'FIRST'],
    [(await secondSocket.subscribe(classId)).me.memberId, 'SECOND'],
    [observerPersona.memberId, 'OBSERVER'],
    [classId, 'CLASS'],
  ]);
  const toUuid = (n: number) => `0000000${n}-0000-4000-8000-000000000000`;
  const waitForItem = (kind: string) =>
    socket.waitFor('events', ({ items }) => items.some((item) => item.kind === kind));
  const change = (student: TestClient, body: { anonymousName?: string; icon?: string }) =>
    student.call('changePersona', { params: { classId }, body });
  const sendFrame = async (end: typeof firstSocket, frame: object) => {
    expect(await end.request({ classId, ...frame })).toMatchObject({ type: 'ack' });
  };

  if (ignores) {
    const ignored = [observerPersona.memberId];
    const body = { ignored, hidden: [toUuid(2)], muted: true, version: 0 };
    await first.call('savePreferences', { params: { classId }, body });
  }
  if (isNotified) {
    await first.call('subscribePush', {
      body: { endpoint: 'http://127.0.0.1:9/a', keys: browserKeys },
    });
    await chooseNotifications(first, classId, 'all');
    await saveSettings(first, { showText: true });
    firstSocket.send({ type: 'viewing', classId, inView: true });
  }
  await socket.post(classId, 'Said by the observer', toUuid(8));
  await firstSocket.post(classId, 'First words', toUuid(1));
  await secondSocket.post(classId, text, toUuid(2));
  await change(first, { anonymousName: 'Blue Fox' });
  await change(second, { icon: `${(await secondSocket.subscribe(classId)).me.memberId}.4` });
  await waitForItem('persona');
  await firstSocket.post(classId, 'Regrettable', toUuid(3));
  await sendFrame(firstSocket, { type: 'edit', messageId: toUuid(1), text: 'First words, edited' });
  await sendFrame(secondSocket, { type: 'react', messageId: toUuid(1), emoji: '👍' });
  await sendFrame(firstSocket, { type: 'delete', messageId: toUuid(3) });
  await sendFrame(secondSocket, {
    type: 'post',
    id: toUuid(4),
    text: 'An answer',
    replyTo: toUuid(1),
  });
  const question = { type: 'post', id: toUuid(9), text: 'What is due?', question: true };
  await sendFrame(socket, question);
  const poll = { ...somePoll, options: ['Monday', 'Friday'] };
  await sendFrame(socket, { type: 'post', id: toUuid(0), text: 'When?', poll });
  const voterSocket = voter === 'first' ? firstSocket : secondSocket;
  await sendFrame(voterSocket, { type: 'vote', messageId: toUuid(9), voted: true });
  await sendFrame(voterSocket, { type: 'choose', messageId: toUuid(0), choices: [1] });
  await waitForItem('question');
  await observer.call('closePoll', { params: { classId, messageId: toUuid(0) } });
  await waitForItem('poll');
  // The observer is staff, and reads what the same person asks staff alone.
  const observersRole = { classId, role: 'staff', staffName: 'Prof. Lee' } as const;
  await addStoredRole(app.database, { email: observer.email, ...observersRole });
  await socket.subscribe(classId);
  const { staff } = await socket.waitFor('live', (frame) => frame.staff !== undefined);
  names.set(staff!.persona.memberId, 'STAFF');
  const questionId = '0000000a-0000-8000-8000-000000000000';
  await askPrivately(voter === 'first' ? first : second, classId, 'Alone?', questionId);
  await socket.waitFor('privateChanged');
  for (const [n, uploader] of [first, second].entries()) {
    const images = [];
    for (const [part, file] of Object.entries(files)) {
      const { imageId } = await upload(uploader, classId, file);
      names.set(imageId, `PICTURE ${part} OF ${n}`);
      images.push({ imageId, alt: `Picture ${part}` });
    }
    await sendFrame(n === 0 ? firstSocket : secondSocket, {
      type: 'post',
      id: toUuid(5 + n),
      text: '',
      images,
    });
  }
  const moderator = await app.createStudent(`moderator${scene}`, {
    userAgent: 'Moderator',
    onResponse: (response) => void answers.push(response),
  });
  await addStoredRole(app.database, {
    email: moderator.email,
    classId,
    role: 'moderator',
    staffName: 'Sam',
  });
  const report = (reporter: TestClient, messageId: string) =>
    reporter.call('reportMember', { params: { classId }, body: { messageId, reason: 'spam' } });
  await report(observer, toUuid(1));
  await report(second, toUuid(1));
  await report(observer, toUuid(2));
  await report(observer, toUuid(6));
  await sendFrame(secondSocket, { type: 'edit', messageId: toUuid(2), text: `${text}!` });
  const suspendedId = (await firstSocket.subscribe(classId)).me.memberId;
  const mentioned = (await firstSocket.subscribe(classId)).me.memberId;
  await sendFrame(secondSocket, {
    type: 'post',
    id: toUuid(7),
    text: `Ask ${toMentionToken(mentioned)}`,
    question: true,
  });
  await sendFrame(secondSocket, { type: 'edit', messageId: toUuid(7), text: 'Ask someone' });
  firstSocket.send({ type: 'read', classId, seq: 3 });
  secondSocket.send({ type: 'typing', classId });
  await socket.waitFor('typing');
  await first.leave(classId);
  await waitForItem('deleted');
  socket.send({ type: 'subscribe', rid: 2, classId, epoch, after: seq });
  await socket.waitFor('live', (frame) => frame.rid === 2);
  const { seq: last } = await socket.subscribe(classId);
  // Reads every readable resource completely.
  answers.length = 0;
  const params = { classId, key: 'default' };
  for (const name of Object.keys(routes) as RouteName[]) {
    if (routes[name].method === 'GET') await observer.fetch(toRouteUrl(name, { params }));
  }
  const { cases } = await moderator.call('listCases', { query: {} });
  for (const [n, { caseId, persona, version }] of cases.entries()) {
    names.set(caseId, `CASE ${n}`);
    await moderator.call('readCaseContext', { params: { caseId } });
    const member = { classId, memberId: persona.memberId };
    await moderator.call('readModeratedMember', { params: member });
    const sanction = { kind: 'mute', hours: 24 } as const;
    const escalate = persona.memberId === suspendedId;
    const body = { version, decision: 'keep', reason: 'Harmless', sanction, escalate } as const;
    await moderator.call('decideCase', { params: { caseId }, body });
  }
  // An operator suspends the account of the first, who appeals.
  const operator = await app.createStudent(`operator${scene}`, {
    userAgent: 'Operator',
    onResponse: (response) => void answers.push(response),
  });
  await addStoredRole(app.database, {
    email: operator.email,
    classId: null,
    role: 'operator',
    staffName: 'Olga',
  });
  const desk = await operator.connect();
  await applyDecisions(app);
  const [escalated] = await listCases(operator, { classId, state: 'escalated' });
  const { length } = answers;
  await decideReview(operator, escalated!, { decision: 'suspend', days: 30 });
  answers.length = length;
  await applyDecisions(app);
  await firstSocket.closed;
  const { sanctions } = await first.call('listOwnSanctions', {});
  const { sanctionId } = sanctions.find(({ kind }) => kind === 'suspension')!;
  await first.call('appeal', { params: { sanctionId }, body: { text: 'I object' } });
  await desk.waitFor('moderationChanged');
  const reviewed = await listCases(operator, { classId, state: 'appeals' });
  for (const { messageId } of reviewed) expect(messageId).toBe(toUuid(1));
  await listCases(moderator, { classId, state: 'appeals' });
  await moderator.call('listCases', { query: { state: 'decided' } });
  // As through a proxy: no student gets this page, which counts the work of all scenes.
  await observer.fetch('/metrics', { headers: { 'x-forwarded-for': '203.0.113.5' } });
  await light.waitFor('activity', ({ seq: activitySeq }) => activitySeq === last);
  const frames = [...socket.frames, ...light.frames].map((frame) => ({
    ...(normalize(frame, names) as object),
    rid: 0,
  }));
  const bodies = [];
  for (const answer of answers) {
    // The observer's own data: their accounts differ between scenes.
    if (/\/api\/(me(\/\w+)?|classes)$/.test(answer.url)) continue;
    const body: unknown = await answer
      .text()
      .then((raw) => (raw.startsWith('{') ? JSON.parse(raw) : raw));
    bodies.push([answer.status, normalizeHeaders(answer.headers, names), normalize(body, names)]);
  }
  return [...frames, ...bodies];
}

test('an observer’s transcripts are equal, whichever account is behind a persona [ANON-20, ANON-3, MOD-4]', async () => {
  const transcript = await play(false);

  expect(transcript.length).toBeGreaterThan(20);
  for (const word of [
    'FIRST',
    'SECOND',
    'Blue Fox',
    'SECOND.4',
    'First words, edited',
    'CASE 0',
    'Harmless',
    'I object',
  ]) {
    expect(JSON.stringify(transcript)).toContain(word);
  }
  expect(await play(true)).toEqual(transcript);
});

test('an observer’s transcript is equal, whether or not someone ignores them, hides a message and mutes the class [SELF-12, ANON-20]', async () => {
  const transcript = await play(false);

  expect(JSON.stringify(transcript)).toContain('Said by the observer');
  expect(await play(false, { ignores: true })).toEqual(transcript);
});

test('an observer’s transcript is equal, whether or not someone gets notifications and has the class in view [PUSH-17, ANON-20]', async () => {
  const transcript = await play(false);

  expect(JSON.stringify(transcript)).toContain('Said by the observer');
  expect(await play(false, { isNotified: true })).toEqual(transcript);
});

test('an observer’s transcript is equal, whichever of two members votes for a question and in a poll, and asks staff alone [QUEST-3, POLL-3, PRIV-2, ANON-20]', async () => {
  const transcript = await play(false, { voter: 'first' });

  expect(JSON.stringify(transcript)).toContain('"votes":1');
  expect(JSON.stringify(transcript)).toContain('Alone?');
  expect(await play(false, { voter: 'second' })).toEqual(transcript);
});

test('transcripts differ if one letter of a message differs [ANON-20]', async () => {
  const firstTranscript = await play(false);

  const secondTranscript = await play(false, { text: 'I agred' });

  expect(secondTranscript).not.toEqual(firstTranscript);
});
