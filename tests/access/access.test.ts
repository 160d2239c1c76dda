import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errors } from '#contract/errors.ts';
import { http, type CallInput } from '#contract/http.ts';
import { routeUrl } from '#contract/route-url.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import { clientFrame, type ClientFrame } from '#contract/socket.ts';
import type { LiveEnd, Student } from '../../scripts/student.ts';
import {
  ask,
  enter,
  joinClass,
  newClass,
  password,
  post,
  someClass,
  startApp,
  type RunningApp,
} from '../app/running-app.ts';
import {
  expectedOfCalls,
  expectedOfFrames,
  people,
  type FrameOutcome,
  type Person,
} from './expectations.ts';

let app: RunningApp;
const students = {} as Record<Person, Student>;
const sockets: Partial<Record<Person, LiveEnd>> = {};
/** A second socket of the author that observes what the class receives. */
let listener: LiveEnd;

beforeAll(async () => {
  app = await startApp({ EMAIL_VERIFICATION: 'required' });
  for (const person of people) {
    const student = app.visitor(person);
    students[person] = student;
    if (person === 'signedOut') continue;
    await student.call('signUp', { body: { email: student.email, password } });
    const token = /token=(\S+)/.exec(await app.nextMailTo(student))![1]!;
    await student.call('verifyEmail', { body: { token: decodeURIComponent(token), password } });
    if (person === 'unverified') {
      // As an account is that was made before verification was required.
      await app.database.query(
        `update accounts set "emailVerified" = false where email = '${student.email}'`,
      );
      continue;
    }
    sockets[person] = await student.connect();
  }
  listener = await students.author.connect();
});
afterAll(() => app.stop());

async function signIn(student: Student): Promise<void> {
  await student.call('signIn', { body: { email: student.email, password } });
}

interface Scene {
  classId: string;
  /**
   * The message that the person tries to change: the former member and the author use their own, all others
   * use the author's.
   */
  messageOf(person: Person): string;
}

let lastRid = 5_000_000;

/** Creates a class for each row, so that rows do not affect each other. */
async function setScene(): Promise<Scene> {
  const { author, member, former } = students;
  const classId = await newClass(author);
  for (const student of [member, former]) await joinClass(student, classId);
  const { id: authors } = await post(sockets.author!, classId, 'from the author');
  const { id: formers } = await post(sockets.former!, classId, 'from one who left');
  await former.call('leaveClass', { params: { classId } });
  await enter(listener, classId);
  return { classId, messageOf: (person) => (person === 'former' ? formers : authors) };
}

/** The id of a device or picture that does not exist. */
const unknownId = 'AAAAAAAAAAAAAAAA';

/** The bodies of the calls that take one. */
const bodies: { [Name in RouteName]?: (person: Person) => unknown } = {
  signUp: () => ({ email: `${randomUUID()}@university.edu`, password }),
  signIn: (person) => ({ email: students[person].email, password }),
  requestPasswordReset: (person) => ({ email: students[person].email }),
  resetPassword: () => ({ token: 'none', newPassword: password }),
  verifyEmail: () => ({ token: 'none', password }),
  changePassword: () => ({ currentPassword: 'not this one', newPassword: `${password} 2` }),
  deleteAccount: () => ({ password: 'not this one', messages: 'delete' }),
  createClass: () => someClass,
  changePersona: (person) => ({ anonymousName: `Blue ${person}` }),
  searchClasses: () => ({ requests: [{ indexName: 'classSearch', query: '' }] }),
} satisfies { [Name in RouteName]?: (person: Person) => CallInput<Name>[keyof CallInput<Name>] };

async function call(name: RouteName, person: Person, { classId }: Scene) {
  const { method } = routes[name];
  const params = { classId, key: 'default', deviceId: unknownId, imageId: unknownId };
  const path = routeUrl(name, { params });
  const body = bodies[name]?.(person);
  return students[person].fetch(path, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
}

const frames: {
  [Type in ClientFrame['type']]: (
    ids: { classId: string; messageId: string },
    rid: number,
  ) => Extract<ClientFrame, { type: Type }>;
} = {
  subscribe: ({ classId }, rid) => ({ type: 'subscribe', rid, classId }),
  unsubscribe: ({ classId }) => ({ type: 'unsubscribe', classId }),
  post: ({ classId }, rid) => ({ type: 'post', rid, classId, id: randomUUID(), text: 'a new one' }),
  edit: (ids, rid) => ({ type: 'edit', rid, ...ids, text: `another text ${rid}` }),
  delete: (ids, rid) => ({ type: 'delete', rid, ...ids }),
  react: (ids, rid) => ({ type: 'react', rid, ...ids, emoji: '👍' }),
  read: ({ classId }) => ({ type: 'read', classId, seq: 1 }),
  typing: ({ classId }) => ({ type: 'typing', classId }),
};

async function send(
  type: ClientFrame['type'],
  person: Person,
  { classId, messageOf }: Scene,
): Promise<FrameOutcome> {
  const live = sockets[person];
  if (!live) {
    await expect(students[person].connect()).rejects.toThrow('401');
    return '401';
  }
  // A typing frame requires a subscription to the room, so subscribe first. People without access are refused
  // there.
  if (type === 'typing') live.send(frames.subscribe({ classId, messageId: '' }, ++lastRid));
  if (type === 'typing') await answerTo(live, lastRid);
  // The member has just typed, and a class hears of it once in two seconds. LIMIT-44
  if (type === 'typing' && person === 'author') await sleep(2050);
  const heardBefore = listener.frames.filter((frame) => frame.type === 'typing').length;
  const rid = ++lastRid;
  live.send(frames[type]({ classId, messageId: messageOf(person) }, rid));
  if ('rid' in frames[type]({ classId, messageId: '' }, rid)) return answerTo(live, rid);

  // The server answers frames in order, so every effect has arrived before this answer.
  await echo(live);
  await echo(listener);
  const heard = listener.frames.filter((frame) => frame.type === 'typing').length;
  return heard > heardBefore ? 'heard' : 'silence';
}

async function answerTo(live: LiveEnd, rid: number): Promise<FrameOutcome> {
  for (;;) {
    const answer = live.frames.find((frame) => 'rid' in frame && frame.rid === rid);
    if (answer?.type === 'ack') return 'ack';
    if (answer?.type === 'nack') return answer.code as FrameOutcome;
    if (answer) return 'room';
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function echo(live: LiveEnd): Promise<void> {
  expect(await ask(live, {})).toMatchObject({ code: 'INVALID' });
}

describe('every call and every frame', () => {
  test('of the contract has an expectation for every kind of person [HTTP-30]', () => {
    expect(Object.keys(expectedOfCalls).toSorted()).toEqual(Object.keys(routes).toSorted());
    const types = clientFrame.options.map(({ shape }) => shape.type.value);
    expect(Object.keys(expectedOfFrames).toSorted()).toEqual(types.toSorted());
    for (const row of [...Object.values(expectedOfCalls), ...Object.values(expectedOfFrames)]) {
      expect(row).toHaveLength(people.length);
    }
  });
});

describe.each(Object.keys(expectedOfCalls) as RouteName[])('the call %s', (name) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await setScene();
  });

  test.each(people.map((person, column) => ({ person, column })))(
    'returns the expected status for $person [HTTP-30, HTTP-3, AUTH-17, AUTH-22, SEND-13, LEAVE-8]',
    async ({ person, column }) => {
      const response = await call(name, person, scene);
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

describe.each(Object.keys(expectedOfFrames) as ClientFrame['type'][])('the frame %s', (type) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await setScene();
  });

  test.each(people.map((person, column) => ({ person, column })))(
    'has the expected outcome for $person [HTTP-30, WIRE-2, SEND-13, SEND-15, DELETE-3, REACT-3, LEAVE-8]',
    async ({ person, column }) => {
      expect(await send(type, person, scene)).toBe(expectedOfFrames[type][column]);
    },
  );
});

test('a refused change leaves all data as it was [HTTP-30, SEND-13]', async () => {
  const scene = await setScene();
  const before = await enter(listener, scene.classId);
  for (const person of ['signedOut', 'unverified', 'stranger', 'former'] as const) {
    for (const type of Object.keys(frames) as ClientFrame['type'][])
      await send(type, person, scene);
  }
  for (const type of ['edit', 'delete'] as const) await send(type, 'member', scene);
  const after = await enter(listener, scene.classId);
  expect({ ...after, rid: 0 }).toEqual({ ...before, rid: 0 });
});

test('an error that reveals a member is never sent to other people [HTTP-3, ERROR-2]', async () => {
  const scene = await setScene();
  const nowhere = { classId: 'AAAAAAAAAAAAAAAA', messageOf: () => randomUUID() };
  const { message } = errors.NOT_FOUND;
  for (const there of [scene, nowhere]) {
    const response = await call('listMessages', 'stranger', there);
    expect([response.status, await response.json()]).toEqual([404, { code: 'NOT_FOUND', message }]);
    for (const type of ['subscribe', 'post', 'edit', 'delete', 'react'] as const) {
      expect(await send(type, 'stranger', there)).toBe('NOT_FOUND');
    }
  }
});
