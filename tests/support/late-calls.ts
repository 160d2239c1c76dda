// Calls of a session that change something, and a scene in which each of them reaches its commit.
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll } from 'vitest';
import { routes, routeUrl, type RouteName } from '#contract/routes.ts';
import { listCases, report } from './moderation.ts';
import { browserKeys, defaultSettings } from './notifications.ts';
import { jpeg } from './pictures.ts';
import type { RunningApp } from './running-app.ts';
import { quoteEmail, quoteSql } from './test-database.ts';
import { someClass, type TestClient } from './test-client.ts';
import { ground, requestUnmasking } from './unmasking.ts';

/** The settings with which the calls reach their commits. */
export const lateCallSettings = {
  UNMASKING: 'on',
  CLASS_CREATION: 'operators',
  PUSH_HOSTS: 'http://127.0.0.1:9',
};

export type Holder = 'operator' | 'moderator' | 'member' | 'staff';

export interface Scene {
  classId: string;
  messageId: string;
  memberId: string;
  caseId: string;
  version: number;
}

interface Made {
  params?: Record<string, string>;
  query?: Record<string, string>;
  /** Bytes, or what becomes JSON. */
  body?: unknown;
}

type Make = (by: TestClient, holder: Holder | null) => Made | Promise<Made>;

const unknownId = 'AAAAAAAAAAAAAAAA';
const reason = 'As the rules say';
const nobody = 'nobody@university.edu';

/** Call it outside of tests, for an app with these settings. */
export function setUpLateCalls(app: RunningApp) {
  let scene: Scene;
  /** Makes what the others act on. Keeps its role. */
  let second: TestClient;
  let author: TestClient;
  let reporter: TestClient;

  beforeAll(async () => {
    second = await app.newStudent('second');
    author = await app.newStudent('author');
    reporter = await app.newStudent('reporter');
    await setRole(second, '', 'operator');
  });

  const idOf = ({ email }: TestClient) =>
    `(select id from accounts where email = ${quoteEmail(email)})`;

  async function setRole(student: TestClient, classId: string, role: string): Promise<void> {
    await app.database.query(
      `insert into roles ("accountId", "classId", role, "staffName")
       values (${idOf(student)}, '${classId}', '${role}', ${quoteSql(student.name)})`,
    );
  }

  /** Makes another class with a case. */
  async function setScene(): Promise<Scene> {
    const classId = await second.createClass({ courseName: randomUUID() });
    for (const one of [author, reporter]) await one.join(classId);
    const { id: messageId } = await author.post(classId, 'a threat');
    const { memberId } = (await author.snapshot(classId)).me;
    for (const one of [second, reporter]) await report(one, classId, { messageId });
    const [found] = await listCases(second, { classId });
    const { caseId, version } = found!;
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

  async function askToUnmask(by: TestClient): Promise<string> {
    return (await requestUnmasking(by, scene.caseId)).requestId;
  }

  /** Calls of a session that change something: who needs a right for it, and what makes them reach their commit. */
  const calls: { [Name in RouteName]?: [Holder[], Make] } = {
    signOutOtherDevices: [[], () => ({})],
    signOutDevice: [[], () => ({ params: { deviceId: unknownId } })],
    saveNotifications: [[], () => ({ body: { ...defaultSettings, showText: true } })],
    saveDigest: [[], () => ({ body: { digest: false } })],
    subscribePush: [
      [],
      () => ({ body: { endpoint: 'http://127.0.0.1:9/late', keys: browserKeys } }),
    ],
    unsubscribePush: [[], () => ({})],
    changePassword: [
      [],
      ({ password }) => ({ body: { currentPassword: password, newPassword: 'another good one' } }),
    ],
    appeal: [[], () => ({ params: { sanctionId: unknownId }, body: { text: 'It was not me' } })],
    deleteAccount: [[], ({ password }) => ({ body: { password, messages: 'keep' } })],
    joinClass: [[], () => ({})],
    leaveClass: [[], () => ({})],
    createClass: [['operator'], () => ({ body: someClass })],
    changePersona: [['member'], () => ({ body: { anonymousName: randomUUID().slice(0, 20) } })],
    savePreferences: [
      ['member'],
      () => ({ body: { ignored: [], hidden: [], muted: true, version: 0 } }),
    ],
    chooseNotifications: [['member'], () => ({ body: { notify: 'all' } })],
    uploadImage: [
      ['member', 'staff'],
      async (_, holder): Promise<Made> => ({
        ...(holder === 'staff' && { query: { as: 'staff' } }),
        body: await jpeg(),
      }),
    ],
    deleteImage: [['member'], () => ({ params: { imageId: unknownId } })],
    reportMember: [
      ['member'],
      () => ({ body: { memberId: scene.memberId, reason: 'spam', text: '' } }),
    ],
    changeClassSettings: [
      ['moderator', 'operator'],
      () => ({ body: { version: 0, rules: 'Be kind.' } }),
    ],
    decideCase: [
      ['moderator', 'operator'],
      () => ({ body: { version: scene.version, decision: 'keep', reason } }),
    ],
    undoDecision: [['moderator', 'operator'], () => ({})],
    decideReview: [
      ['moderator', 'operator'],
      async (_, holder) => {
        const isOperator = holder === 'operator';
        const decision = isOperator ? 'dismiss' : 'keep';
        const reviewId = await addReview(isOperator ? 'escalation' : 'appeal');
        return { params: { reviewId }, body: { version: 1, decision, reason } };
      },
    ],
    undoReview: [
      ['moderator', 'operator'],
      async (_, holder) => ({
        params: { reviewId: await addReview(holder === 'operator' ? 'escalation' : 'appeal') },
      }),
    ],
    liftSuspension: [
      ['operator'],
      () => ({ params: { suspensionId: unknownId }, body: { reason } }),
    ],
    liftSanction: [
      ['moderator', 'operator'],
      () => ({ params: { sanctionId: unknownId }, body: { reason } }),
    ],
    grantRole: [
      ['operator'],
      () => ({
        body: {
          ...{ email: author.email, role: 'staff', staffName: 'Prof. Lee' },
          classId: scene.classId,
        },
      }),
    ],
    revokeRole: [['operator'], () => ({ params: { roleId: unknownId } })],
    editClass: [['operator'], () => ({ body: { ...someClass, year: 2026 } })],
    endClass: [['operator'], () => ({})],
    reopenClass: [['operator'], () => ({})],
    deleteClass: [['operator'], () => ({})],
    restoreClass: [['operator'], () => ({})],
    mergeClass: [['operator'], () => ({ body: { keptClassId: unknownId } })],
    importClasses: [
      ['operator'],
      () => ({ body: { apply: true, lines: [{ line: 2, fields: { ...someClass, year: 2026 } }] } }),
    ],
    endTerm: [
      ['operator'],
      async () => {
        await app.database.query(
          `update classes set "semesterSeason" = 'Fall', year = 2021
           where "classId" = '${scene.classId}'`,
        );
        return { body: { semesterSeason: 'Fall', year: 2021 } };
      },
    ],
    findAccount: [['operator'], () => ({ body: { email: author.email } })],
    exportFoundAccount: [['operator'], () => ({ body: { email: author.email } })],
    resendVerification: [['operator'], () => ({ body: { email: author.email } })],
    sendResetLink: [['operator'], () => ({ body: { email: author.email } })],
    correctAddress: [['operator'], () => ({ body: { email: author.email, newEmail: nobody } })],
    endAccountSessions: [['operator'], () => ({ body: { email: nobody } })],
    deleteFoundAccount: [
      ['operator'],
      () => ({ body: { email: author.email, repeatedEmail: author.email } }),
    ],
    announce: [
      ['operator'],
      () => ({ body: { classId: null, text: 'Later', endsAt: Date.now() + 3_600_000 } }),
    ],
    withdrawAnnouncement: [['operator'], () => ({ params: { announcementId: unknownId } })],
    requestUnmasking: [['operator'], ({ password }) => ({ body: { reason: ground, password } })],
    confirmUnmasking: [
      ['operator'],
      async ({ password }) => ({
        params: { requestId: await askToUnmask(second) },
        body: { password },
      }),
    ],
    withdrawUnmasking: [
      ['operator'],
      async () => ({ params: { requestId: await askToUnmask(second) } }),
    ],
  };

  /** @returns makes the call in the scene */
  async function prepare(name: RouteName, by: TestClient, holder: Holder | null) {
    const { params, query, body } = await calls[name]![1](by, holder);
    const { classId, caseId, memberId } = scene;
    const path = routeUrl(name, { params: { classId, caseId, memberId, ...params }, query });
    const isJson = body !== undefined && !(body instanceof Uint8Array);
    return () =>
      by.fetch(path, {
        method: routes[name].method,
        ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as BodyInit) }),
        ...(isJson ? {} : { headers: { 'content-type': 'application/octet-stream' } }),
      });
  }

  const names = Object.keys(calls) as RouteName[];
  return {
    names,
    /** Who needs a right for the call. */
    holdersOf: (name: RouteName): readonly Holder[] => calls[name]?.[0] ?? [],
    idOf,
    setRole,
    setScene,
    prepare,
  };
}
