// Calls of a session that change something, and a scene in which each of them reaches its commit.
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll } from 'vitest';
import { routes, toRouteUrl, type RouteName } from '#contract/routes.ts';
import { listCases, report } from './moderation.ts';
import { findHolders, type Holder } from '#tests/access/expectations.ts';
import { endInTerm } from './ended-term.ts';
import { createExampleInput, type ExampleInput } from './example-inputs.ts';
import { createJpeg } from './pictures.ts';
import { askPoll } from './polls.ts';
import { listRegisteredCalls } from './registered-calls.ts';
import { ask } from './questions.ts';
import type { RunningApp } from './running-app.ts';
import { quoteEmail, quoteSql } from './test-database.ts';
import type { TestClient } from './test-client.ts';
import { requestUnmasking } from './unmasking.ts';

/** The settings with which the calls reach their commits. */
export const lateCallSettings = {
  UNMASKING: 'on',
  CLASS_CREATION: 'operators',
  PUSH_HOSTS: 'http://127.0.0.1:9',
};

export interface Scene {
  classId: string;
  messageId: string;
  memberId: string;
  caseId: string;
  version: number;
}

const names = listRegisteredCalls()
  // A search has a body and changes nothing.
  .filter(({ name, access }) => access === 'signedIn' && name !== 'searchClasses')
  .map(({ name }) => name)
  .filter((name) => routes[name].method !== 'GET');

/** Holders of a right that expectations.ts does not list, because the right depends on a setting or on the input. */
const furtherHolders: { [Name in RouteName]?: Holder[] } = {
  createClass: ['operator'],
  uploadImage: ['staff'],
};

/** Returns changes to the example input, and prepares the data that it names, so that the call reaches its commit. */
type Step = (
  caller: TestClient,
  holder: Holder | null,
) => Partial<ExampleInput> | Promise<Partial<ExampleInput>>;

/** Call it outside of tests, for an app with these settings. */
export function setUpLateCalls(app: RunningApp) {
  let scene: Scene;
  /** An operator who creates the class, a report and requests. The tests never take this role away. */
  let second: TestClient;
  let author: TestClient;
  let reporter: TestClient;

  beforeAll(async () => {
    second = await app.createStudent('second');
    author = await app.createStudent('author');
    reporter = await app.createStudent('reporter');
    await setRole(second, '', 'operator');
  });

  const toAccountIdSql = ({ email }: TestClient) =>
    `(select id from accounts where email = ${quoteEmail(email)})`;

  async function setRole(student: TestClient, classId: string, role: string): Promise<void> {
    await app.database.query(
      `insert into roles ("accountId", "classId", role, "staffName")
       values (${toAccountIdSql(student)}, '${classId}', '${role}', ${quoteSql(student.name)})`,
    );
  }

  /** Creates another class with a case. */
  async function setScene(): Promise<Scene> {
    const classId = await second.createClass({ courseName: randomUUID() });
    for (const student of [author, reporter]) await student.join(classId);
    const { id: messageId } = await author.post(classId, 'a threat');
    const { memberId } = (await author.snapshot(classId)).me;
    for (const student of [second, reporter]) await report(student, classId, { messageId });
    const [openCase] = await listCases(second, { classId });
    const { caseId, version } = openCase!;
    scene = { classId, messageId, memberId, caseId, version };
    return scene;
  }

  /** @returns the id of an open review of the scene's case */
  async function addReview(kind: 'escalation' | 'appeal'): Promise<string> {
    const reviewId = randomBytes(12).toString('base64url');
    const subjectKind = kind === 'appeal' ? "'mute'" : 'null';
    await app.database.query(
      `insert into reviews
         ("reviewId", "classId", "memberId", "caseId", kind, subject, "subjectKind", day, status, version)
       select '${reviewId}', "classId", "memberId", "caseId", '${kind}', "caseId", ${subjectKind}, 20000, 'open', 1
       from cases where "caseId" = '${scene.caseId}'`,
    );
    return reviewId;
  }

  async function askToUnmask(operator: TestClient): Promise<string> {
    return (await requestUnmasking(operator, scene.caseId)).requestId;
  }

  async function startLecture(): Promise<void> {
    await second.call('startLecture', { params: { classId: scene.classId }, body: { hours: 2 } });
  }

  /** @returns the params of a question that waits for release */
  async function askToWait(asker: TestClient) {
    const { classId } = scene;
    const params = { classId };
    await second.call('startLecture', { params, body: { hours: 2 } });
    await second.call('holdQuestions', { params, body: { held: true } });
    const socket = await asker.connectTo(classId);
    const messageId = await ask(socket, classId);
    socket.close();
    return { params: { classId, messageId } };
  }

  const steps: { [Name in RouteName]?: Step } = {
    // The server has no mail server.
    saveDigest: () => ({ body: { digest: false } }),
    uploadImage: async (_, holder) => ({
      ...(holder === 'staff' && { query: { as: 'staff' } }),
      body: await createJpeg(),
    }),
    async closePoll(caller) {
      const socket = await caller.connect();
      const messageId = await askPoll(socket, scene.classId);
      socket.close();
      return { params: { classId: scene.classId, messageId } };
    },
    async decideReview(_, holder) {
      const { kind, decision } = toReview(holder);
      const reviewId = await addReview(kind);
      return { params: { reviewId }, body: { version: 1, decision, reason: 'As the rules say' } };
    },
    undoReview: async (_, holder) => ({
      params: { reviewId: await addReview(toReview(holder).kind) },
    }),
    async endTerm() {
      await app.database.query(
        `update classes set "semesterSeason" = 'Fall', year = 1999
         where "classId" = '${scene.classId}'`,
      );
      return {};
    },
    async reopenTerm() {
      // The class of the scene stays active, because later calls need it.
      await endInTerm(app.database, await second.createClass({ courseName: randomUUID() }));
      return {};
    },
    async endLecture() {
      await startLecture();
      return {};
    },
    async holdQuestions() {
      await startLecture();
      return {};
    },
    releaseQuestion: () => askToWait(author),
    returnQuestion: () => askToWait(author),
    async sendWaiting(caller) {
      const step = await askToWait(caller);
      await second.call('returnQuestion', step);
      return step;
    },
    withdrawWaiting: askToWait,
    async createPresenterLink() {
      await startLecture();
      return {};
    },
    async presentPoll() {
      await startLecture();
      return {};
    },
    async revokePresenterLinks() {
      await startLecture();
      await second.call('createPresenterLink', { params: { classId: scene.classId } });
      return {};
    },
    confirmUnmasking: async () => ({ params: { requestId: await askToUnmask(second) } }),
    withdrawUnmasking: async () => ({ params: { requestId: await askToUnmask(second) } }),
  };

  /** @returns a function that makes the call in the scene */
  async function prepare(name: RouteName, client: TestClient, holder: Holder | null) {
    const { caseId, memberId, version: caseVersion, ...ids } = scene;
    const { email, password } = client;
    const example = createExampleInput(name, {
      email,
      password,
      supportedEmail: author.email,
      caseVersion,
      ...ids,
      ids: { caseId, memberId },
    });
    const step = await steps[name]?.(client, holder);
    const { query, body } = { ...example, ...step };
    const path = toRouteUrl(name, { params: { ...example.params, ...step?.params }, query });
    const isJson = body !== undefined && !(body instanceof Uint8Array);
    return () =>
      client.fetch(path, {
        method: routes[name].method,
        ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as BodyInit) }),
        ...(isJson ? {} : { headers: { 'content-type': 'application/octet-stream' } }),
      });
  }

  return {
    names,
    /** The holders of a right to the call that a stranger does not have. */
    listAllHolders: (name: RouteName): readonly Holder[] => [
      ...findHolders(name),
      ...(furtherHolders[name] ?? []),
    ],
    toAccountIdSql,
    setRole,
    setScene,
    prepare,
  };
}

/** Operators decide escalations, and moderators appeals. */
function toReview(holder: Holder | null) {
  return holder === 'operator'
    ? ({ kind: 'escalation', decision: 'dismiss' } as const)
    : ({ kind: 'appeal', decision: 'keep' } as const);
}
