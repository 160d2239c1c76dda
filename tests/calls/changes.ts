// Every call, frame and background change that stores something, as steps that really change something in a class.
import { randomUUID } from 'node:crypto';
import { AppError, type ErrorBody } from '#contract/errors.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import type { ClientFrame } from '#contract/socket.ts';
import { ask, markDone, waitForQuestion } from '#tests/support/questions.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { callNames, calls } from './calls.ts';
import type { Scene } from './facts.ts';
import { frames, frameTypes } from './frames.ts';
import { prepareCall } from './make-call.ts';
import { isOfStaff } from './outcomes.ts';
import { addReview, addRole, createCourseName, createScene, reason, takeEffect } from './scene.ts';

/** All cases, as `npm run test:all` asks for. */
export const areAllCasesTested = process.env['BACKCHANNEL_TEST_PEOPLE'] !== undefined;

/** The settings with which all changes are possible. */
export const changeSettings = { UNMASKING: 'on', PUSH_HOSTS: 'http://127.0.0.1:9' };

/** Ada's message in a class that Ben is in. Ben has reported it. */
export interface ChangeScene extends Scene {
  /** Ada's other browser. */
  adaElsewhere: TestClient;
  /** Olga and Otto are operators. */
  olga: TestClient;
}

export type Operators = Pick<ChangeScene, 'app' | 'olga' | 'otto'>;

export async function setOperators(app: RunningApp): Promise<Operators> {
  const olga = await app.createStudent(`olga-${randomUUID()}`);
  const otto = await app.createStudent(`otto-${randomUUID()}`);
  for (const operator of [olga, otto]) await addRole(app, operator, 'operator');
  return { app, olga, otto };
}

/** @param nameEnd makes Ada's address longer */
export async function setScene({ app, olga, otto }: Operators, nameEnd = ''): Promise<ChangeScene> {
  const courseName = createCourseName();
  const ada = await app.createStudent(`ada-${courseName}${nameEnd}`);
  const adaElsewhere = ada.newBrowser({ userAgent: 'elsewhere' });
  await adaElsewhere.signIn();
  const ben = await app.createStudent(`ben-${courseName}`);
  const scene = await createScene({ app, courseName, creator: ben, ada, ben, otto });
  return { ...scene, adaElsewhere, olga };
}

/** The same scene on another server of the same data. */
export function moveScene(scene: ChangeScene, app: RunningApp): ChangeScene {
  const move = (person: TestClient) =>
    createTestClient(app.origin, person.email, {
      cookie: person.cookie(),
      password: person.password,
    });
  const { ada, adaElsewhere, ben, olga, otto } = scene;
  return {
    ...scene,
    app,
    ada: move(ada),
    adaElsewhere: move(adaElsewhere),
    ben: move(ben),
    olga: move(olga),
    otto: move(otto),
  };
}

type Change = () => Promise<unknown>;
/** Takes the steps that must precede the change. @returns the change */
type Prepare = (scene: ChangeScene) => Promise<Change>;

function findCaller(name: RouteName, scene: ChangeScene): TestClient {
  const { changedBy } = calls[name];
  if (changedBy === 'newBrowser') return scene.ada.newBrowser();
  return scene[changedBy ?? (isOfStaff(name) ? 'olga' : 'ada')];
}

async function prepareChangingCall(name: RouteName, scene: ChangeScene): Promise<Change> {
  const right = isOfStaff(name) ? 'operator' : null;
  const call = await prepareCall(name, { ...scene, caller: findCaller(name, scene), right });
  return async () => {
    const response = await call();
    const reply = (await response.json()) as ErrorBody;
    if (!response.ok) throw new AppError(reply.code, reply.message);
  };
}

/** Prepares a frame that Ada sends. */
async function prepareFrame(type: ClientFrame['type'], scene: ChangeScene): Promise<Change> {
  const prepared = await frames[type].prepare?.(scene);
  const { classId, messageId } = { ...scene, ...prepared };
  const ids = { classId, messageId, ...(prepared?.answerId && { answerId: prepared.answerId }) };
  const socket = await scene.ada.connect();
  return async () => {
    const { rid: _, ...frame } = frames[type].frame(ids, 0) as { rid: number };
    const reply = await socket.request(frame);
    socket.close();
    if (reply.type === 'nack') throw new AppError(reply.code, reply.message);
  };
}

async function decideCase(
  { olga, caseId, caseVersion }: Scene & Operators,
  kind: 'mute' | 'remove',
) {
  const sanction = kind === 'mute' ? { kind, hours: 24 as const } : { kind };
  const body = { version: caseVersion, decision: 'remove', reason, sanction } as const;
  await olga.call('decideCase', { params: { caseId }, body });
}

/** Changes in the background, and those of which the calls and frames are only a part. */
const furtherChanges = {
  /** Together with the number, which is published later. */
  async vote(scene) {
    const { ben, classId } = scene;
    const socket = await ben.connectTo(classId);
    const messageId = await ask(socket, classId);
    const change = await prepareFrame('vote', { ...scene, messageId });
    return async () => {
      await change();
      await waitForQuestion(socket, messageId, { votes: 1 });
      socket.close();
    };
  },
  async done({ ada, olga, classId }) {
    const socket = await ada.connect();
    const messageId = await ask(socket, classId);
    socket.close();
    await olga.join(classId);
    const operatorSocket = await olga.connect();
    return async () => {
      await markDone(operatorSocket, classId, messageId);
      operatorSocket.close();
    };
  },
  async 'a merge ends'(scene) {
    return prepareChangingCall('mergeClass', scene);
  },
  async 'a mute takes effect'(scene) {
    await decideCase(scene, 'mute');
    return () => takeEffect(scene, 'cases');
  },
  async 'a removal takes effect'(scene) {
    await decideCase(scene, 'remove');
    return () => takeEffect(scene, 'cases');
  },
  async 'a suspension takes effect'(scene) {
    const { reviewId, review } = await addReview({ ...scene, right: 'operator' });
    const body = { version: 1, ...review, reason };
    await scene.olga.call('decideReview', { params: { reviewId }, body });
    return () => takeEffect(scene, 'reviews');
  },
} satisfies Record<string, Prepare>;

export type ChangeName = RouteName | ClientFrame['type'] | keyof typeof furtherChanges;

export const changeNames = [
  ...callNames.filter((name) => routes[name].method !== 'GET' && !calls[name].changesNothing),
  ...frameTypes.filter((type) => !frames[type].changesNothing && !(type in furtherChanges)),
  ...Object.keys(furtherChanges),
] as ChangeName[];

export function prepareChange(name: ChangeName, scene: ChangeScene): Promise<Change> {
  const prepare = (furtherChanges as { [Name in ChangeName]?: Prepare })[name];
  if (prepare) return prepare(scene);
  return Object.hasOwn(frames, name)
    ? prepareFrame(name as ClientFrame['type'], scene)
    : prepareChangingCall(name as RouteName, scene);
}
