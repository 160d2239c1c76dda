// Tries every call and every frame of the contract, for each kind of person and in each state of a class.
import { deepStrictEqual } from 'node:assert';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errors } from '#contract/errors.ts';
import { http, type Who } from '#contract/http.ts';
import type { RouteName } from '#contract/routes.ts';
import type { ClientFrame } from '#contract/socket.ts';
import { callNames, calls } from '#tests/calls/calls.ts';
import {
  nothing,
  people,
  states,
  type Access,
  type ByPerson,
  type CallOutcome,
  type FrameOutcome,
  type Person,
} from '#tests/calls/facts.ts';
import { frames, frameTypes } from '#tests/calls/frames.ts';
import {
  entitledPeople,
  findCallOutcome,
  findFrameOutcome,
  findWho,
  isAboutClass,
} from '#tests/calls/outcomes.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import {
  endRolesIn,
  findMessageId,
  loadRows,
  makeCall,
  setScene,
  setUpStage,
  stageSettings,
  type Scene,
  type Stage,
} from './stage.ts';

type FrameType = ClientFrame['type'];

let app: RunningApp;
let stage: Stage;
/** A second socket of the author that observes what the class receives. */
let listener: TestSocket;
beforeAll(async () => {
  app = await startApp(stageSettings);
  stage = await setUpStage(app);
  listener = await stage.clients.author.connect();
});
afterAll(() => app.stop());

async function call(name: RouteName, person: Person, scene: Scene): Promise<CallOutcome> {
  const client = stage.clients[person];
  const response = await makeCall(name, { person, client }, scene);
  const reply = (await response.json()) as { code: keyof typeof errors };
  if (name === 'signOut' && stage.sockets[person]) {
    await client.signIn();
    stage.sockets[person] = await client.connect();
    if (person === 'author') listener = await client.connect();
  }
  if (!response.ok) {
    expect(Object.keys(reply)).toEqual(expect.arrayContaining(['code', 'message']));
    return reply.code;
  }
  http[name].reply.parse(reply);
  return 'ok';
}

let lastRid = 5_000_000;

async function send(type: FrameType, person: Person, scene: Scene): Promise<FrameOutcome> {
  const socket = stage.sockets[person];
  if (!socket) {
    await expect(stage.clients[person].connect()).rejects.toThrow('401');
    return 'UNAUTHENTICATED';
  }
  const { classId } = scene;
  const rid = ++lastRid;
  const messageId = type === 'choose' ? scene.pollId : findMessageId(scene, person);
  const frame = frames[type].frame({ classId, messageId }, rid);
  if (type !== 'typing') {
    socket.send(frame);
    if ('rid' in frame) return waitForOutcome(socket, rid);
    await waitForTurn(socket);
    return 'silence';
  }
  // A notice of typing requires a subscription, so people without access are rejected there.
  listener.send({ type: 'subscribe', rid: ++lastRid, classId });
  await waitForOutcome(listener, lastRid);
  socket.send({ type: 'subscribe', rid: ++lastRid, classId });
  await waitForOutcome(socket, lastRid);
  const countTyping = () => listener.frames.filter((notice) => notice.type === type).length;
  const countBefore = countTyping();
  socket.send(frame);
  // The server answers frames in order, so every effect has arrived before this answer.
  await waitForTurn(socket);
  await waitForTurn(listener);
  const count = countTyping();
  // One connection cannot follow the classes of all rows.
  for (const follower of [listener, socket]) follower.send({ type: 'unsubscribe', classId });
  return count > countBefore ? 'heard' : 'silence';
}

async function waitForOutcome(socket: TestSocket, rid: number): Promise<FrameOutcome> {
  for (;;) {
    const answer = socket.frames.find((frame) => 'rid' in frame && frame.rid === rid);
    if (answer?.type === 'ack') return 'ack';
    if (answer?.type === 'nack') return answer.code;
    if (answer) return 'room';
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function waitForTurn(socket: TestSocket): Promise<void> {
  expect(await socket.request({})).toMatchObject({ code: 'INVALID' });
}

describe.each(states)('a class that is %s', (state) => {
  let shared: Scene;
  /** Only people without the right try here, so nothing may change. */
  let forbidden: Scene;
  let forbiddenRows: Record<string, string[]>;
  beforeAll(async () => {
    shared = await setScene(stage, state);
    forbidden = await setScene(stage, state);
    await endRolesIn(stage, forbidden);
    forbiddenRows = await loadRows(stage, forbidden);
  });
  afterAll(async () => {
    deepStrictEqual(await loadRows(stage, forbidden), forbiddenRows);
    // A member can be in 200 classes.
    await app.database.query(`delete from registers where kind = 'members'`);
  });

  async function tryAll<Outcome extends string>(
    { who, ownScene }: { who: Who } & Pick<Access<Outcome>, 'ownScene'>,
    expected: ByPerson<Outcome>,
    attempt: (person: Person, scene: Scene) => Promise<Outcome>,
  ): Promise<ByPerson<Outcome>> {
    const outcomes: { [P in Person]?: Outcome } = {};
    let ownClass: Scene | null = null;
    for (const person of people) {
      const isEntitled = entitledPeople[who].includes(person);
      const isGranted = ['ok', 'ack', 'heard'].includes(expected[person] ?? '');
      if (ownScene && isEntitled && isGranted && (!ownClass || ownScene === 'forPerson')) {
        ownClass = await setScene(stage, state);
      }
      outcomes[person] = await attempt(person, isEntitled ? (ownClass ?? shared) : forbidden);
    }
    return outcomes;
  }

  test.each(callNames.filter((name) => state === 'active' || isAboutClass(name)))(
    'the call %s has the expected outcome for everyone [HTTP-30, MOD-1, CSET-4, FIND-1]',
    async (name) => {
      const expected = mapPeople((person) => findCallOutcome(name, person, state));
      const outcomes = await tryAll<CallOutcome>(
        { ...calls[name], who: findWho(name) },
        expected,
        (person, scene) => call(name, person, scene),
      );

      expect(outcomes).toEqual(expected);
    },
  );

  test.each(frameTypes)(
    'the frame %s has the expected outcome for everyone [HTTP-30, HTTP-53]',
    async (type) => {
      const expected = mapPeople((person) => findFrameOutcome(type, person, state));
      const outcomes = await tryAll<FrameOutcome>(frames[type], expected, (person, scene) =>
        send(type, person, scene),
      );

      expect(outcomes).toEqual(expected);
    },
  );
});

function mapPeople<Outcome>(find: (person: Person) => Outcome): ByPerson<Outcome> {
  return Object.fromEntries(people.map((person) => [person, find(person)]));
}

test('a light subscription is for the same people as a full one [HTTP-30, WIRE-42]', async () => {
  const { classId } = await setScene(stage, 'active');
  for (const person of people) {
    const socket = stage.sockets[person];
    if (!socket) continue;
    socket.send({ type: 'subscribe', rid: ++lastRid, classId, light: true });
    const outcome = await waitForOutcome(socket, lastRid);
    expect(outcome).toBe(findFrameOutcome('subscribe', person, 'active'));
    socket.send({ type: 'unsubscribe', classId });
  }
});

test('an error that reveals a member is never sent to other people [HTTP-3, ERROR-1]', async () => {
  const scene = await setScene(stage, 'active');
  const nowhere: Scene = { ...scene, ...nothing };
  const { message } = errors.NOT_FOUND;
  for (const place of [scene, nowhere]) {
    const sender = { person: 'stranger', client: stage.clients.stranger } as const;
    const response = await makeCall('listMessages', sender, place);
    expect([response.status, await response.json()]).toEqual([404, { code: 'NOT_FOUND', message }]);
    for (const type of ['subscribe', 'post', 'edit', 'delete', 'react'] as const) {
      expect(await send(type, 'stranger', place)).toBe('NOT_FOUND');
    }
  }
});
