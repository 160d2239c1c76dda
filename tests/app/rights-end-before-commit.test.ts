// A right or a session ends after a call has checked it and before the call commits. The commit must check it again: a
// password check or a long queue can lie in between.
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { routes, routeUrl, type RouteName } from '#contract/routes.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import { addSuspension, holderOf } from '#server/chat/staff/suspensions.ts';
import { loadCommandKeys } from '#server/commands/command-keys.ts';
import { writeChange } from '#server/commands/write-change.ts';
import { readConfig } from '#server/config/config.ts';
import { listCases, report } from '#tests/support/moderation.ts';
import { browserKeys, defaultSettings } from '#tests/support/notifications.ts';
import { jpeg } from '#tests/support/pictures.ts';
import { listRegisteredCalls } from '#tests/support/registered-calls.ts';
import { quoteEmail, quoteSql } from '#tests/support/test-database.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { someClass, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { ground, requestUnmasking } from '#tests/support/unmasking.ts';

/** Holds the commits of calls or of everything, between the check at the start and the commit. */
const gate = vi.hoisted(() => {
  let closed: { held: PromiseWithResolvers<void>; released: PromiseWithResolvers<void> } | null =
    null;
  let isForCalls = true;
  return {
    close(of: 'calls' | 'everything') {
      const closing = {
        held: Promise.withResolvers<void>(),
        released: Promise.withResolvers<void>(),
      };
      closed = closing;
      isForCalls = of === 'calls';
      return {
        /** Resolves when a change waits. */
        held: closing.held.promise,
        /** Later changes pass. What waits goes on waiting. */
        letPass: () => void (closed = null),
        open() {
          closed = null;
          closing.released.resolve();
        },
      };
    },
    async pass(of: 'calls' | 'everything') {
      if (!closed || isForCalls !== (of === 'calls')) return;
      const { held, released } = closed;
      held.resolve();
      await released.promise;
    },
  };
});
vi.mock(import('#server/http/call-commits.ts'), async (load) => {
  const original = await load();
  class CallCommits extends original.CallCommits {
    override async write<Result>(...asked: Parameters<Commits['write']>): Promise<Result> {
      await gate.pass('calls');
      return super.write(...asked) as Promise<Result>;
    }
  }
  return { ...original, CallCommits };
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
          await gate.pass('everything');
          return queue.write(change, scope);
        },
      };
    },
  };
});

const app = setUpApp({
  UNMASKING: 'on',
  CLASS_CREATION: 'operators',
  PUSH_HOSTS: 'http://127.0.0.1:9',
});
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

const idOf = ({ email }: TestClient) =>
  `(select id from accounts where email = ${quoteEmail(email)})`;

async function setRole(student: TestClient, classId: string, role: string): Promise<void> {
  await app.database.query(
    `insert into roles ("accountId", "classId", role, "staffName")
     values (${idOf(student)}, '${classId}', '${role}', ${quoteSql(student.name)})`,
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

async function setScene(): Promise<void> {
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
}

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
  query?: Record<string, string>;
  /** Bytes, or what becomes JSON. */
  body?: unknown;
}

type Make = (by: TestClient, holder: Holder | null) => Made | Promise<Made>;

/** Calls of a session that change something: who needs a right for it, and what makes them reach their commit. */
const calls: { [Name in RouteName]?: [Holder[], Make] } = {
  signOutOtherDevices: [[], () => ({})],
  signOutDevice: [[], () => ({ params: { deviceId: unknownId } })],
  saveNotifications: [[], () => ({ body: { ...defaultSettings, showText: true } })],
  saveDigest: [[], () => ({ body: { digest: false } })],
  subscribePush: [[], () => ({ body: { endpoint: 'http://127.0.0.1:9/late', keys: browserKeys } })],
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
    async (_, holder) => ({
      query: holder === 'staff' ? { as: 'staff' } : {},
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

/** They have a body, and change nothing. */
const searches = ['searchClasses', 'searchIndex', 'searchFacetValues'];

async function makeCall(name: RouteName, by: TestClient, { params, query, body }: Made) {
  const { classId, caseId, memberId } = scene;
  const path = routeUrl(name, { params: { classId, caseId, memberId, ...params }, query });
  const isJson = body !== undefined && !(body instanceof Uint8Array);
  return by.fetch(path, {
    method: routes[name].method,
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as BodyInit) }),
    ...(isJson ? {} : { headers: { 'content-type': 'application/octet-stream' } }),
  });
}

/** Ends something while the act waits for its commit. */
async function endBeforeCommit<Result>(
  end: () => Promise<unknown>,
  act: () => Promise<Result>,
  of: 'calls' | 'everything' = 'calls',
) {
  const { held, letPass, open } = gate.close(of);
  try {
    const acting = act();
    const early = await Promise.race([held.then(() => null), acting]);
    expect(early, 'the act must reach its commit').toBeNull();
    letPass();
    await end();
    open();
    return await acting;
  } finally {
    open();
  }
}

const refusals = { operator: 403, moderator: 403, member: 404, staff: 403 };

test('What ends before the commit has a case for each call of a session that changes something [MOD-92, AUTH-69]', () => {
  const changing = listRegisteredCalls()
    .filter(({ name, access }) => access === 'signedIn' && routes[name].method !== 'GET')
    .map(({ name }) => name);
  expect([...Object.keys(calls), ...searches].toSorted()).toEqual(changing.toSorted());
});

describe('a right that ends before the commit', () => {
  beforeEach(setScene);

  const cases = Object.entries(calls).flatMap(([name, [who]]) =>
    who.map((holder) => ({ name: name as RouteName, holder })),
  );

  test.each(cases)('of a $holder makes the call $name fail [MOD-92]', async ({ name, holder }) => {
    const by = holders[holder];
    const made = await calls[name]![1](by, holder);

    const response = await endBeforeCommit(
      () => endRight(holder),
      () => makeCall(name, by, made),
    );

    const reply = await response.text();
    expect([response.status, reply]).toEqual([refusals[holder], expect.not.stringContaining('@')]);
  });

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

      const reply = await endBeforeCommit(
        () => endRight(holder),
        () => sockets[holder].request({ classId, ...frame() }),
        'everything',
      );

      expect(reply).toMatchObject({
        type: 'nack',
        code: holder === 'staff' ? 'NOT_ALLOWED' : 'NOT_FOUND',
      });
    },
  );
});

describe('before the commit', () => {
  beforeAll(setScene);
  // Only one of each may be open, and each test makes its own.
  beforeEach(async () => {
    await app.database.query('delete from unmaskings');
    await app.database.query('delete from reviews');
  });

  const cases = Object.entries(calls).map(([name, [[holder = null]]]) => ({
    name: name as RouteName,
    holder,
  }));

  /** A new account with the right, in two browsers. */
  async function addCaller(holder: Holder | null) {
    const owner = await app.newStudent();
    if (holder === 'member') await owner.join(scene.classId);
    else if (holder) await setRole(owner, holder === 'operator' ? '' : scene.classId, holder);
    const other = owner.newBrowser();
    await other.signIn();
    return { owner, other };
  }

  /** Stored as another server does, so that this one has not followed it when the call commits. */
  async function suspend({ email }: TestClient): Promise<void> {
    const config = readConfig({ ...app.database.settings });
    const { holderKeys } = loadCommandKeys(config);
    const [account] = await app.database.query(
      `select id from accounts where email = ${quoteEmail(email)}`,
    );
    const holder = holderOf(holderKeys, { id: String(account!['id']), email });
    const about = { ...scene, reason, staffName: 'Kim' };
    await writeChange(
      (unitOfWork) => addSuspension(unitOfWork, holderKeys, about, holder, 7),
      {},
      config.database,
    );
  }

  /** What ends the session or suspends the account changes them, and mails are sent meanwhile. */
  const unwatched = new Set(['sessions', 'suspensions', 'revocations', 'outgoingMails']);

  async function readRows(): Promise<Record<string, unknown[]>> {
    const tables = await app.database.tables();
    return Object.fromEntries(
      Object.entries(tables).map(([name, rows]) => [
        name,
        unwatched.has(name) ? [] : rows.map((row) => JSON.stringify(row)).toSorted(),
      ]),
    );
  }

  test.each(cases)(
    'the end of its session makes the call $name fail, and nothing is stored [AUTH-69]',
    async ({ name, holder }) => {
      const { owner, other } = await addCaller(holder);
      const made = await calls[name]![1](other, holder);
      const before = await readRows();

      const response = await endBeforeCommit(
        () => owner.call('signOutOtherDevices', {}),
        () => makeCall(name, other, made),
      );

      expect(await response.json()).toMatchObject({ code: 'UNAUTHENTICATED' });
      expect(await readRows()).toEqual(before);
    },
  );

  /** A suspended account keeps the rights to its data, and can appeal. */
  const openToSuspended: RouteName[] = ['appeal', 'deleteAccount'];

  test.each(cases.filter(({ name }) => !openToSuspended.includes(name)))(
    'a suspension of its account makes the call $name fail, and nothing is stored [AUTH-69, SUSP-4]',
    async ({ name, holder }) => {
      const { owner } = await addCaller(holder);
      const made = await calls[name]![1](owner, holder);
      const before = await readRows();

      const response = await endBeforeCommit(
        () => suspend(owner),
        () => makeCall(name, owner, made),
      );

      expect(await response.json()).toMatchObject({ code: 'SUSPENDED' });
      expect(await readRows()).toEqual(before);
    },
  );

  test.each(openToSuspended)(
    'a suspension of its account does not stop the call %s [AUTH-69, SUSP-6]',
    async (name) => {
      const { owner } = await addCaller(null);
      const made = await calls[name]![1](owner, null);

      const response = await endBeforeCommit(
        () => suspend(owner),
        () => makeCall(name, owner, made),
      );

      // There is nothing to appeal against.
      expect(response.status).toBe(name === 'appeal' ? 404 : 200);
    },
  );
});
