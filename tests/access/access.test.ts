import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { errors } from '#contract/errors.ts';
import { http } from '#contract/http.ts';
import { type RouteName, routes } from '#contract/routes.ts';
import { clientFrame, type ClientFrame } from '#contract/socket.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { listCases, report } from '#tests/support/moderation.ts';
import { ask } from '#tests/support/questions.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import {
  expectedOfCalls,
  expectedOfFrames,
  people,
  type FrameOutcome,
  type Person,
} from './expectations.ts';
import { quoteEmail } from '#tests/support/test-database.ts';
import { unknownId } from '#tests/support/example-inputs.ts';
import { frames, makeCall, type Scene } from './requests.ts';

let app: RunningApp;
const students = {} as Record<Person, TestClient>;
const sockets: Partial<Record<Person, TestSocket>> = {};
/** A second socket of the author that observes what the class receives. */
let listener: TestSocket;
let listenedTo: string | null = null;

beforeAll(async () => {
  app = await startApp({
    EMAIL_VERIFICATION: 'required',
    UNMASKING: 'on',
    // Nothing answers there.
    PUSH_HOSTS: 'http://127.0.0.1:9',
  });
  for (const person of people) {
    const student = app.visitor(person.toLowerCase());
    students[person] = student;
    if (person === 'signedOut') continue;
    await student.signUp();
    const token = /token=(\S+)/.exec(await app.waitForNextMailTo(student))![1]!;
    await student.call('verifyEmail', { body: { token: decodeURIComponent(token), password } });
    if (person === 'unverified') {
      // As an account is that was made before verification was required.
      await app.database.query(
        `update accounts set "emailVerified" = false where email = ${quoteEmail(student.email)}`,
      );
      continue;
    }
    sockets[person] = await student.connect();
  }
  listener = await students.author.connect();
  await grant('operator', '', 'operator');
  await grant('otherModerator', await students.author.createClass(), 'moderator');
});
afterAll(() => app.stop());

async function grant(person: Person, classId: string, role: 'operator' | 'moderator' | 'staff') {
  await app.database.query(
    `insert into roles ("accountId", "classId", role, "staffName")
     select id, '${classId}', '${role}', '${person}' from accounts
     where email = ${quoteEmail(students[person].email)}`,
  );
}

async function signIn(student: TestClient): Promise<void> {
  await student.signIn();
}

let lastRid = 5_000_000;

/** Creates a class for each row, so that rows do not affect each other. */
async function setScene(): Promise<Scene> {
  const { author, member, former } = students;
  const classId = await author.createClass();
  for (const student of [member, former]) await student.join(classId);
  const authors = await ask(sockets.author!, classId, 'from the author?');
  const { id: formers } = await sockets.former!.post(classId, 'from one who left');
  await former.leave(classId);
  // One connection cannot follow the classes of all rows.
  if (listenedTo) listener.send({ type: 'unsubscribe', classId: listenedTo });
  const { me } = await listener.subscribe(classId);
  listenedTo = classId;
  await grant('moderator', classId, 'moderator');
  await grant('staff', classId, 'staff');
  await report(member, classId, { messageId: authors });
  const [reported] = await listCases(students.operator, { classId });
  const reviewId = randomBytes(12).toString('base64url');
  await app.database.query(
    `insert into reviews
       ("reviewId", "classId", "memberId", "caseId", kind, subject, day, status, version)
     select '${reviewId}', "classId", "memberId", "caseId", 'escalation', "caseId", 20000, 'open', 1
     from cases where "caseId" = '${reported?.caseId}'`,
  );
  return {
    classId,
    getMessageId: (person) => (person === 'former' ? formers : authors),
    memberId: me.memberId,
    caseId: reported?.caseId ?? '',
    reviewId,
  };
}

async function send(
  type: ClientFrame['type'],
  person: Person,
  { classId, getMessageId }: Scene,
): Promise<FrameOutcome> {
  const socket = sockets[person];
  if (!socket) {
    await expect(students[person].connect()).rejects.toThrow('401');
    return '401';
  }
  // A typing frame requires a subscription to the room, so subscribe first. People without access are rejected
  // there.
  if (type === 'typing') socket.send(frames.subscribe({ classId, messageId: '' }, ++lastRid));
  if (type === 'typing') await answerTo(socket, lastRid);
  const heardBefore = listener.frames.filter((frame) => frame.type === 'typing').length;
  const rid = ++lastRid;
  socket.send(frames[type]({ classId, messageId: getMessageId(person) }, rid));
  if ('rid' in frames[type]({ classId, messageId: '' }, rid)) return answerTo(socket, rid);

  // The server answers frames in order, so every effect has arrived before this answer.
  await echo(socket);
  await echo(listener);
  const heardCount = listener.frames.filter((frame) => frame.type === 'typing').length;
  return heardCount > heardBefore ? 'heard' : 'silence';
}

async function answerTo(socket: TestSocket, rid: number): Promise<FrameOutcome> {
  for (;;) {
    const answer = socket.frames.find((frame) => 'rid' in frame && frame.rid === rid);
    if (answer?.type === 'ack') return 'ack';
    if (answer?.type === 'nack') return answer.code as FrameOutcome;
    if (answer) return 'room';
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function echo(socket: TestSocket): Promise<void> {
  expect(await socket.request({})).toMatchObject({ code: 'INVALID' });
}

describe('every call and every frame', () => {
  test('every call and every frame of the contract has an expectation for every kind of person [HTTP-30]', () => {
    expect(Object.keys(expectedOfCalls).toSorted()).toEqual(Object.keys(routes).toSorted());

    const types = clientFrame.options.map(({ shape }) => shape.type.value);
    expect(Object.keys(expectedOfFrames).toSorted()).toEqual(types.toSorted());
    for (const row of [...Object.values(expectedOfCalls), ...Object.values(expectedOfFrames)]) {
      expect(row).toHaveLength(people.length);
    }
  });
});

/** Calls that name a version, which the first who may make the call changes. */
const versioned: readonly RouteName[] = ['changeClassSettings', 'decideCase'];

describe.each(Object.keys(expectedOfCalls) as RouteName[])('the call %s', (name) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await setScene();
  });
  beforeEach(async () => {
    if (versioned.includes(name)) scene = await setScene();
  });

  test.each(people.map((person, column) => ({ person, column })))(
    `the call ${name} returns the expected status for $person [HTTP-30, MOD-1, HTTP-3, AUTH-17, AUTH-22, SEND-13, LEAVE-8]`,
    async ({ person, column }) => {
      const response = await makeCall(name, { name: person, client: students[person] }, scene);

      const expected = expectedOfCalls[name][column];
      expect(response.status).toBe(expected);

      const reply = (await response.json()) as unknown;
      if (response.ok) http[name].reply.parse(reply);
      else expect(reply).toEqual({ code: expect.any(String), message: expect.any(String) });
      if (name === 'signOut' && sockets[person]) {
        await signIn(students[person]);
        sockets[person] = await students[person].connect();
      }
      if (name === 'signOut' && person === 'author') listener = await students.author.connect();
    },
  );
});

/** Frames after which others have another outcome: a deleted message, and a notice of typing each two seconds (LIMIT-44). */
const changing: readonly ClientFrame['type'][] = ['delete', 'typing'];

describe.each(Object.keys(expectedOfFrames) as ClientFrame['type'][])('the frame %s', (type) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await setScene();
  });

  beforeEach(async () => {
    if (changing.includes(type)) scene = await setScene();
  });

  test.each(people.map((person, column) => ({ person, column })))(
    `the frame ${type} has the expected outcome for $person [HTTP-30, MOD-1, WIRE-2, SEND-13, SEND-15, DELETE-3, REACT-3, LEAVE-8]`,
    async ({ person, column }) => {
      expect(await send(type, person, scene)).toBe(expectedOfFrames[type][column]);
    },
  );
});

test('a light subscription is for the same people as a full one [HTTP-30, SEND-13, WIRE-42]', async () => {
  const { classId } = await setScene();
  for (const [column, person] of people.entries()) {
    const socket = sockets[person];
    if (!socket) continue;
    socket.send({ type: 'subscribe', rid: ++lastRid, classId, light: true });
    expect(await answerTo(socket, lastRid)).toBe(expectedOfFrames.subscribe[column]);
    socket.send({ type: 'unsubscribe', classId });
  }
});

test('a rejected change leaves all data as it was [HTTP-30, SEND-13]', async () => {
  const scene = await setScene();
  const roomBefore = await listener.subscribe(scene.classId);
  for (const person of ['signedOut', 'unverified', 'stranger', 'former'] as const) {
    for (const type of Object.keys(frames) as ClientFrame['type'][]) {
      await send(type, person, scene);
    }
  }
  for (const type of ['edit', 'delete'] as const) await send(type, 'member', scene);
  const roomAfter = await listener.subscribe(scene.classId);

  expect({ ...roomAfter, rid: 0 }).toEqual({ ...roomBefore, rid: 0 });
});

test('an error that reveals a member is never sent to other people [HTTP-3, ERROR-2]', async () => {
  const scene = await setScene();

  const nowhere: Scene = {
    classId: 'AAAAAAAAAAAAAAAA',
    getMessageId: () => randomUUID(),
    memberId: unknownId,
    caseId: unknownId,
    reviewId: unknownId,
  };
  const { message } = errors.NOT_FOUND;
  for (const place of [scene, nowhere]) {
    const response = await makeCall(
      'listMessages',
      { name: 'stranger', client: students.stranger },
      place,
    );
    expect([response.status, await response.json()]).toEqual([404, { code: 'NOT_FOUND', message }]);
    for (const type of ['subscribe', 'post', 'edit', 'delete', 'react'] as const) {
      expect(await send(type, 'stranger', place)).toBe('NOT_FOUND');
    }
  }
});
