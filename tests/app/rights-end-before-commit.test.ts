// A right ends after a call has checked it and before the call commits. The commit must check it again: a password check or a
// long queue can lie in between.
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { routes, routeUrl, type RouteName } from '#contract/routes.ts';
import { listCases, report } from '#tests/support/moderation.ts';
import { jpeg, sendFile } from '#tests/support/pictures.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { someClass, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { ground, requestUnmasking } from '#tests/support/unmasking.ts';

/** The real commit queues, which can be held between the checks of a call and its commit. */
const gate = vi.hoisted(() => {
  let opened: Promise<void> | null = null;
  let open = () => {};
  let onHeld = () => {};
  return {
    /** @returns resolves when a change waits */
    close(): Promise<void> {
      opened = new Promise((resolve) => {
        open = resolve;
      });
      return new Promise((resolve) => {
        onHeld = resolve;
      });
    },
    open() {
      opened = null;
      open();
    },
    async pass() {
      if (!opened) return;
      onHeld();
      await opened;
    },
  };
});
vi.mock(import('#server/store/commit-queue.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    createCommitQueue(options) {
      const queue = original.createCommitQueue(options);
      return {
        ...queue,
        async write(change, scope) {
          await gate.pass();
          return queue.write(change, scope);
        },
      };
    },
  };
});

const app = setUpApp({ UNMASKING: 'on', CLASS_CREATION: 'operators' });
type Holder = 'operator' | 'moderator' | 'member' | 'staff';
const holders = {} as Record<Holder, TestClient>;
const sockets = {} as Record<'member' | 'staff', TestSocket>;
/** Makes what the others act on. Keeps its role. */
let second: TestClient;
let author: TestClient;

beforeAll(async () => {
  for (const holder of ['operator', 'moderator', 'member', 'staff'] as const) {
    holders[holder] = await app.newStudent(holder);
  }
  second = await app.newStudent('second');
  author = await app.newStudent('author');
  await setRole(second, '', 'operator');
  sockets.member = await holders.member.connect();
  sockets.staff = await holders.staff.connect();
});

const idOf = ({ email }: TestClient) => `(select id from accounts where email = '${email}')`;

async function setRole(student: TestClient, classId: string, role: string): Promise<void> {
  await app.database.query(
    `insert into roles ("accountId", "classId", role, "staffName")
     values (${idOf(student)}, '${classId}', '${role}', '${student.name}')`,
  );
}

async function endRight(holder: Holder): Promise<void> {
  const table = holder === 'member' ? 'enrolments' : 'roles';
  await app.database.query(`delete from ${table} where "accountId" = ${idOf(holders[holder])}`);
}

interface Scene {
  classId: string;
  messageId: string;
  memberId: string;
  caseId: string;
  version: number;
  /** Of the member. */
  ownMessageId: string;
}
let scene: Scene;

beforeEach(async () => {
  for (const holder of ['operator', 'moderator', 'staff'] as const) await endRight(holder);
  await setRole(holders.operator, '', 'operator');
  const classId = await second.createClass({ courseName: randomUUID() });
  for (const one of [author, holders.member, holders.staff]) await one.join(classId);
  await setRole(holders.moderator, classId, 'moderator');
  await setRole(holders.staff, classId, 'staff');
  const { id: messageId } = await author.post(classId, 'a threat');
  const { id: ownMessageId } = await sockets.member.post(classId, 'of the member');
  const { memberId } = (await author.snapshot(classId)).me;
  await report(second, classId, { messageId }).catch(() => {});
  await report(holders.member, classId, { messageId });
  const [found] = await listCases(second, { classId });
  const { caseId, version } = found!;
  scene = { classId, messageId, memberId, caseId, version, ownMessageId };
});

const unknownId = 'AAAAAAAAAAAAAAAA';
const reason = 'As the rules say';
const nobody = 'nobody@university.edu';

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

interface Made {
  params?: Record<string, string>;
  body?: unknown;
}

/** Calls that need a right, and what makes them succeed. */
const calls: { [Name in RouteName]?: [Holder[], (by: TestClient) => Made | Promise<Made>] } = {
  createClass: [['operator'], () => ({ body: someClass })],
  changePersona: [['member'], () => ({ body: { anonymousName: randomUUID().slice(0, 20) } })],
  savePreferences: [
    ['member'],
    () => ({ body: { ignored: [], hidden: [], muted: true, version: 0 } }),
  ],
  chooseNotifications: [['member'], () => ({ body: { notify: 'all' } })],
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
    async (by) => {
      const isOperator = by === holders.operator;
      const decision = isOperator ? 'dismiss' : 'keep';
      const reviewId = await addReview(isOperator ? 'escalation' : 'appeal');
      return { params: { reviewId }, body: { version: 1, decision, reason } };
    },
  ],
  undoReview: [
    ['moderator', 'operator'],
    async (by) => ({
      params: { reviewId: await addReview(by === holders.operator ? 'escalation' : 'appeal') },
    }),
  ],
  liftSuspension: [['operator'], () => ({ params: { suspensionId: unknownId }, body: { reason } })],
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

/** Calls that write and need no more than a session, if that. */
const ofEveryone = [
  ...['signUp', 'signIn', 'signOut', 'requestPasswordReset', 'resetPassword', 'verifyEmail'],
  ...['startSignOn', 'finishSignOn', 'mailSignOnLink', 'joinSignOn'],
  ...['signOutOtherDevices', 'signOutDevice', 'saveNotifications', 'saveDigest', 'subscribePush'],
  ...['unsubscribePush', 'changePassword', 'appeal', 'deleteAccount', 'joinClass', 'leaveClass'],
  ...['unsubscribeDigest', 'searchClasses', 'countInterfaceError'],
];

/** `uploadImage` has no JSON body. */
const tested = [...Object.keys(calls), 'uploadImage'];

const cases = Object.entries(calls).flatMap(([name, [who]]) =>
  who.map((holder) => ({ name: name as RouteName, holder })),
);

/** Ends the right while the act waits for its commit. */
async function endBeforeCommit<Result>(holder: Holder, act: () => Promise<Result>) {
  const held = gate.close();
  try {
    const acting = act();
    const early = await Promise.race([held.then(() => null), acting]);
    expect(early, 'the act must reach its commit').toBeNull();
    await endRight(holder);
    gate.open();
    return await acting;
  } finally {
    gate.open();
  }
}

const refusals = { operator: 403, moderator: 403, member: 404, staff: 403 };

describe('a right that ends before the commit', () => {
  test('a right that ends before the commit has a case for each call that writes and needs more than a session [MOD-92]', () => {
    const writing = Object.entries(routes)
      .filter(([, { method }]) => method !== 'GET')
      .map(([name]) => name);
    expect([...tested, ...ofEveryone].toSorted()).toEqual(writing.toSorted());
  });

  test.each(cases)('of a $holder makes the call $name fail [MOD-92]', async ({ name, holder }) => {
    const by = holders[holder];
    const { classId, caseId, memberId } = scene;
    const { params = {}, body } = await calls[name]![1](by);
    const path = routeUrl(name, { params: { classId, caseId, memberId, ...params } });
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const { method } = routes[name];

    const response = await endBeforeCommit(holder, () => by.fetch(path, { method, ...init }));

    const reply = await response.text();
    expect([response.status, reply]).toEqual([refusals[holder], expect.not.stringContaining('@')]);
  });

  test.each(['member', 'staff'] as const)(
    'of a $0 makes an upload fail [MOD-92, PIC-1]',
    async (holder) => {
      const { classId } = scene;
      const query = holder === 'staff' ? { as: 'staff' as const } : {};
      const picture = await jpeg();

      const response = await endBeforeCommit(holder, () =>
        sendFile(holders[holder], classId, picture, undefined, query),
      );

      expect(response.status).toBe(refusals[holder]);
    },
  );

  test.each([
    ['post', 'member', () => ({ type: 'post', id: randomUUID(), text: 'too late' })],
    [
      'post as staff',
      'staff',
      () => ({ type: 'post', id: randomUUID(), text: 'late', staff: true }),
    ],
    ['edit', 'member', () => ({ type: 'edit', messageId: scene.ownMessageId, text: 'too late' })],
    ['delete', 'member', () => ({ type: 'delete', messageId: scene.ownMessageId })],
    ['react', 'member', () => ({ type: 'react', messageId: scene.messageId, emoji: '👍' })],
  ] as const)(
    'a right that ends before the commit makes the frame %s of a %s fail [MOD-92, SEND-13]',
    async (_, holder, frame) => {
      const { classId } = scene;

      const reply = await endBeforeCommit(holder, () =>
        sockets[holder].request({ classId, ...frame() }),
      );

      expect(reply).toMatchObject({
        type: 'nack',
        code: holder === 'staff' ? 'NOT_ALLOWED' : 'NOT_FOUND',
      });
    },
  );
});
