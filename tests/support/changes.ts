// Every call, frame and background change that stores something, as steps that really change something in a class.
import { randomInt, randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { RouteName } from '#contract/routes.ts';
import type { ClientFrame } from '#contract/socket.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { endedTerm, endInTerm } from './ended-term.ts';
import { browserKeys, defaultSettings } from './notifications.ts';
import { listCases, report, waitForFollowedCommits } from './moderation.ts';
import { createJpeg, upload } from './pictures.ts';
import { askPoll, closePoll } from './polls.ts';
import { ask, markDone, replyTo, waitForQuestion } from './questions.ts';
import type { RunningApp } from './running-app.ts';
import { quoteEmail, quoteSql } from './test-database.ts';
import { createTestClient, someClass, type TestClient } from './test-client.ts';
import { confirmUnmasking, requestUnmasking } from './unmasking.ts';

/** All cases, as `npm run test:all` asks for. */
export const areAllCasesTested = process.env['BACKCHANNEL_TEST_PEOPLE'] !== undefined;

/** The settings with which all changes are possible. */
export const changeSettings = { UNMASKING: 'on', PUSH_HOSTS: 'http://127.0.0.1:9' };

/** Ada's message in a class that Ben is in. Ben has reported it. */
export interface Scene {
  app: RunningApp;
  classId: string;
  courseName: string;
  messageId: string;
  /** The memberId of Ada's persona. */
  memberId: string;
  caseId: string;
  ada: TestClient;
  /** Ada's other browser. */
  adaElsewhere: TestClient;
  ben: TestClient;
  /** Olga and Otto are operators. */
  olga: TestClient;
  otto: TestClient;
}

type Change = () => Promise<unknown>;
/** Takes the steps that must precede the change. @returns the change */
type Prepare = (scene: Scene) => Promise<Change> | Change;

/** Calls that store nothing by themselves, or that need another setting. */
export const callsWithoutChange: { [Name in RouteName]?: string } = {
  verifyEmail: 'This server verifies no addresses.',
  startSignOn: 'It stores nothing.',
  finishSignOn: 'This server has no provider.',
  mailSignOnLink: 'This server has no provider.',
  joinSignOn: 'This server has no provider.',
  unsubscribeDigest: 'This server sends no digests.',
  countInterfaceError: 'It stores nothing.',
  searchClasses: 'It stores nothing.',
  exportFoundAccount: 'It only adds an entry to the audit log, as findAccount does.',
};

export const framesWithoutChange: { [Type in ClientFrame['type']]?: string } = {
  subscribe: 'It stores nothing.',
  unsubscribe: 'It stores nothing.',
  typing: 'It stores nothing.',
  viewing: 'It stores nothing.',
  read: 'It is stored some seconds later, and may be lost.',
};

export async function setOperators(app: RunningApp): Promise<Pick<Scene, 'app' | 'olga' | 'otto'>> {
  const olga = await app.createStudent(`olga-${randomUUID()}`);
  const otto = await app.createStudent(`otto-${randomUUID()}`);
  for (const operator of [olga, otto]) {
    await app.database.query(
      `insert into roles ("accountId", "classId", role, "staffName")
       values (${toAccountIdSql(operator)}, '', 'operator', ${quoteSql(operator.name.slice(0, 20))})`,
    );
  }
  return { app, olga, otto };
}

const toAccountIdSql = ({ email }: TestClient) =>
  `(select id from accounts where email = ${quoteEmail(email)})`;

export async function setScene({
  app,
  olga,
  otto,
}: Pick<Scene, 'app' | 'olga' | 'otto'>): Promise<Scene> {
  // One word: the search also finds classes by parts of words and by similar ones.
  const courseName = randomUUID().replaceAll('-', '');
  const ada = await app.createStudent(`ada-${courseName}`);
  const adaElsewhere = ada.newBrowser({ userAgent: 'elsewhere' });
  await adaElsewhere.signIn();
  const ben = await app.createStudent(`ben-${courseName}`);
  const classId = await ben.createClass({ courseName });
  await ada.join(classId);
  const { id: messageId } = await ada.post(classId, 'Of Ada');
  const { memberId } = (await ada.snapshot(classId)).me;
  await report(ben, classId, { messageId });
  const [openCase] = await listCases(olga, { classId });
  const { caseId } = openCase!;
  return {
    app,
    olga,
    otto,
    ada,
    adaElsewhere,
    ben,
    classId,
    courseName,
    messageId,
    memberId,
    caseId,
  };
}

/** The same scene on another server of the same data. */
export function moveScene(scene: Scene, app: RunningApp): Scene {
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

const inTerm = { ...someClass, semesterSeason: 'Fall' as const, year: 2026 };
const reason = 'As the rules say';

/** Mutes Ada. @returns the id of the sanction */
async function addMute({ app, classId, memberId, caseId }: Scene): Promise<string> {
  const sanctionId = createRandomId();
  await app.database.query(
    `insert into sanctions
       ("sanctionId", "classId", "memberId", kind, until, reason, "staffName", day, "caseId", status)
     values ('${sanctionId}', '${classId}', '${memberId}', 'mute', ${Date.now() + 86_400_000},
       'Spam', 'Kim', 20000, '${caseId}', 'active')`,
  );
  return sanctionId;
}

/** Ada asks in a lecture in which questions wait. @returns the class and the id of the question */
async function askToWait({ ada, olga, classId }: Scene) {
  const body = { hours: 2, holdsQuestions: true };
  await olga.call('startLecture', { params: { classId }, body });
  const socket = await ada.connectTo(classId);
  const messageId = await ask(socket, classId);
  socket.close();
  return { classId, messageId };
}

/** Asks operators about the account behind Ada's persona. @returns the id of the review */
async function addEscalation({ app, caseId }: Scene): Promise<string> {
  const reviewId = createRandomId();
  await app.database.query(
    `insert into reviews
       ("reviewId", "classId", "memberId", "caseId", kind, subject, "subjectKind", day, status, version)
     select '${reviewId}', "classId", "memberId", "caseId", 'escalation', "caseId", null, 20000, 'open', 1
     from cases where "caseId" = '${caseId}'`,
  );
  return reviewId;
}

async function decideReview(scene: Scene): Promise<string> {
  const reviewId = await addEscalation(scene);
  const body = { version: 1, decision: 'suspend', days: 7, reason } as const;
  await scene.olga.call('decideReview', { params: { reviewId }, body });
  return reviewId;
}

async function decideCase(scene: Scene, kind: 'mute' | 'remove') {
  const { olga, classId, caseId } = scene;
  const decidedCase = (await listCases(olga, { classId })).find(
    (candidate) => candidate.caseId === caseId,
  );
  const sanction = kind === 'mute' ? { kind, hours: 24 as const } : { kind };
  const body = {
    version: decidedCase?.version ?? 1,
    decision: 'remove',
    reason,
    sanction,
  } as const;
  return olga.call('decideCase', { params: { caseId }, body });
}

/** Makes a pending decision due, as if its time to undo had passed, and waits until the server has applied it. */
function takeEffect(scene: Scene, table: 'cases' | 'reviews'): Change {
  const { query } = scene.app.database;
  const condition = `"caseId" = '${scene.caseId}' and status = 'pending'`;
  return async () => {
    await query(`update ${table} set "effectiveAt" = 1 where ${condition}`);
    // A change event makes the server look for due decisions.
    await query(
      `insert into "changeEvents" (seq, kind, ref)
       select coalesce(max(seq), 0) + 1, 'decision-stored', '' from "changeEvents"`,
    );
    await vi.waitFor(
      async () =>
        expect(await query(`select "caseId" from ${table} where ${condition}`)).toEqual([]),
      { timeout: 10_000 },
    );
    await waitForFollowedCommits();
  };
}

async function suspend(scene: Scene): Promise<string> {
  await decideReview(scene);
  await takeEffect(scene, 'reviews')();
  const [row] = await scene.app.database.query(
    `select "suspensionId" from suspensions where "caseId" = '${scene.caseId}'`,
  );
  return String(row!['suspensionId']);
}

/** Prepares a frame that Ada sends. */
const prepareFrame =
  (fields: (scene: Scene) => object): Prepare =>
  async (scene) => {
    const socket = await scene.ada.connect();
    return async () => {
      const reply = await socket.request({ classId: scene.classId, ...fields(scene) });
      socket.close();
      if (reply.type === 'nack') throw Object.assign(new Error(reply.message), reply);
    };
  };

const prepareOperatorCall =
  (name: 'endClass' | 'reopenClass' | 'deleteClass' | 'restoreClass'): Prepare =>
  ({ olga, classId }) =>
  () =>
    olga.call(name, { params: { classId } });

export const changes = {
  signUp:
    ({ app }) =>
    () =>
      app.createStudent(randomUUID()),
  signIn:
    ({ ada }) =>
    () =>
      ada.newBrowser().signIn(),
  signOut:
    ({ adaElsewhere }) =>
    () =>
      adaElsewhere.call('signOut', {}),
  requestPasswordReset:
    ({ ada }) =>
    () =>
      ada.call('requestPasswordReset', { body: { email: ada.email } }),
  async resetPassword({ app, ada, adaElsewhere }) {
    await adaElsewhere.call('requestPasswordReset', { body: { email: ada.email } });
    const mail = await app.waitForNextMailTo(ada);
    const token = /\/reset-password#token=(\S+)/.exec(mail)?.[1] ?? '';
    const body = { token, newPassword: 'another good one' };
    return () => app.visitor().call('resetPassword', { body });
  },
  signOutOtherDevices:
    ({ ada }) =>
    () =>
      ada.call('signOutOtherDevices', {}),
  async signOutDevice({ ada }) {
    const { devices } = await ada.call('listDevices', {});
    const { deviceId } = devices.find(({ current }) => !current)!;
    return () => ada.call('signOutDevice', { params: { deviceId } });
  },
  saveNotifications:
    ({ ada }) =>
    () =>
      ada.call('saveNotifications', { body: { ...defaultSettings, showText: true } }),
  saveDigest:
    ({ ada }) =>
    () =>
      ada.call('saveDigest', { body: { digest: false } }),
  subscribePush:
    ({ ada }) =>
    () => {
      const body = { endpoint: `http://127.0.0.1:9/${randomUUID()}`, keys: browserKeys };
      return ada.call('subscribePush', { body });
    },
  async unsubscribePush(scene) {
    await changes.subscribePush(scene)();
    return () => scene.ada.call('unsubscribePush', {});
  },
  changePassword:
    ({ ada }) =>
    () => {
      const body = { currentPassword: ada.password, newPassword: 'another good one' };
      return ada.call('changePassword', { body });
    },
  async appeal(scene) {
    const sanctionId = await addMute(scene);
    const body = { text: 'It was not me' };
    return () => scene.ada.call('appeal', { params: { sanctionId }, body });
  },
  deleteAccount:
    ({ ada }) =>
    () =>
      ada.call('deleteAccount', { body: { password: ada.password, messages: 'delete' } }),
  createClass:
    ({ ada, courseName }) =>
    () =>
      ada.createClass({ courseName: `${courseName} 2` }),
  joinClass:
    ({ otto, classId }) =>
    () =>
      otto.join(classId),
  leaveClass:
    ({ ada, classId }) =>
    () =>
      ada.leave(classId),
  changePersona:
    ({ ada, classId }) =>
    () =>
      ada.call('changePersona', { params: { classId }, body: { anonymousName: 'Blue Fox' } }),
  savePreferences:
    ({ ada, classId, messageId }) =>
    () =>
      ada.call('savePreferences', {
        params: { classId },
        body: { ignored: [], hidden: [messageId], muted: true, version: 0 },
      }),
  chooseNotifications:
    ({ ada, classId }) =>
    () =>
      ada.call('chooseNotifications', { params: { classId }, body: { notify: 'all' } }),
  async uploadImage({ ada, classId }) {
    const file = await createJpeg();
    return () => upload(ada, classId, file);
  },
  async deleteImage({ ada, classId }) {
    const { imageId } = await upload(ada, classId, await createJpeg());
    return () => ada.call('deleteImage', { params: { classId, imageId } });
  },
  reportMember:
    ({ ben, classId, memberId }) =>
    () =>
      report(ben, classId, { memberId }),
  changeClassSettings:
    ({ olga, classId, messageId }) =>
    () =>
      olga.call('changeClassSettings', {
        params: { classId },
        body: { version: 0, rules: 'Be kind.', readOnly: true, pins: [messageId] },
      }),
  startLecture:
    ({ olga, classId }) =>
    () =>
      olga.call('startLecture', { params: { classId }, body: { hours: 2 } }),
  async endLecture(scene) {
    await changes.startLecture(scene)();
    return () => scene.olga.call('endLecture', { params: { classId: scene.classId } });
  },
  async presentPoll(scene) {
    const { app, classId, messageId, olga } = scene;
    await changes.startLecture(scene)();
    await app.database.query(
      `update "classSettings" set lecture = replace(lecture, '}', ',"pollId":"${messageId}"}')
       where "classId" = '${classId}'`,
    );
    return () => olga.call('presentPoll', { params: { classId }, body: { messageId: null } });
  },
  async holdQuestions(scene) {
    await changes.startLecture(scene)();
    const input = { params: { classId: scene.classId }, body: { held: true } };
    return () => scene.olga.call('holdQuestions', input);
  },
  async releaseQuestion(scene) {
    const params = await askToWait(scene);
    return () => scene.olga.call('releaseQuestion', { params, body: { text: 'What is due?' } });
  },
  async returnQuestion(scene) {
    const params = await askToWait(scene);
    return () => scene.olga.call('returnQuestion', { params });
  },
  async sendWaiting(scene) {
    const params = await askToWait(scene);
    await scene.olga.call('returnQuestion', { params });
    return () => scene.ada.call('sendWaiting', { params });
  },
  async withdrawWaiting(scene) {
    const params = await askToWait(scene);
    return () => scene.ada.call('withdrawWaiting', { params });
  },
  async createPresenterLink(scene) {
    await changes.startLecture(scene)();
    return () => scene.olga.call('createPresenterLink', { params: { classId: scene.classId } });
  },
  async revokePresenterLinks(scene) {
    const step = await changes.createPresenterLink(scene);
    await step();
    return () => scene.olga.call('revokePresenterLinks', { params: { classId: scene.classId } });
  },
  decideCase: (scene) => () => decideCase(scene, 'remove'),
  async undoDecision(scene) {
    await decideCase(scene, 'remove');
    const params = { caseId: scene.caseId };
    return () => scene.olga.call('undoDecision', { params });
  },
  decideReview: (scene) => () => decideReview(scene),
  async undoReview(scene) {
    const reviewId = await decideReview(scene);
    return () => scene.olga.call('undoReview', { params: { reviewId } });
  },
  async liftSuspension(scene) {
    const suspensionId = await suspend(scene);
    const input = { params: { suspensionId }, body: { reason } };
    return () => scene.olga.call('liftSuspension', input);
  },
  async liftSanction(scene) {
    const { olga, classId, memberId } = scene;
    const sanctionId = await addMute(scene);
    const params = { classId, memberId, sanctionId };
    return () => olga.call('liftSanction', { params, body: { reason } });
  },
  grantRole:
    ({ olga, ada, classId }) =>
    () =>
      olga.call('grantRole', {
        body: { email: ada.email, role: 'staff', staffName: 'Prof. Lee', classId },
      }),
  async revokeRole(scene) {
    await changes.grantRole(scene)();
    const { roles } = await scene.olga.call('listGrantedRoles', {});
    const { roleId } = roles.find(({ classId }) => classId === scene.classId)!;
    return () => scene.olga.call('revokeRole', { params: { roleId } });
  },
  editClass:
    ({ olga, classId, courseName }) =>
    () =>
      olga.call('editClass', {
        params: { classId },
        body: { ...inTerm, courseName: `${courseName} edited` },
      }),
  endClass: prepareOperatorCall('endClass'),
  async reopenClass(scene) {
    await scene.olga.call('endClass', { params: { classId: scene.classId } });
    return prepareOperatorCall('reopenClass')(scene);
  },
  deleteClass: prepareOperatorCall('deleteClass'),
  async restoreClass(scene) {
    await scene.olga.call('deleteClass', { params: { classId: scene.classId } });
    return prepareOperatorCall('restoreClass')(scene);
  },
  /** The first step of a merge: the members join. */
  async mergeClass({ olga, otto, classId, courseName }) {
    const keptClassId = await otto.createClass({ courseName: `${courseName} kept` });
    return () => olga.call('mergeClass', { params: { classId }, body: { keptClassId } });
  },
  importClasses:
    ({ olga, courseName }) =>
    () => {
      const fields = { ...inTerm, courseName: `${courseName} imported` };
      return olga.call('importClasses', { body: { apply: true, lines: [{ line: 2, fields }] } });
    },
  async endTerm({ app, olga, classId }) {
    const year = 2015 + randomInt(5);
    await app.database.query(
      `update classes set "semesterSeason" = 'Fall', year = ${year} where "classId" = '${classId}'`,
    );
    return () => olga.call('endTerm', { body: { semesterSeason: 'Fall', year } });
  },
  async reopenTerm({ app, olga, classId }) {
    await endInTerm(app.database, classId);
    return () => olga.call('reopenTerm', { body: endedTerm });
  },
  findAccount:
    ({ olga, ada }) =>
    () =>
      olga.call('findAccount', { body: { email: ada.email } }),
  resendVerification:
    ({ olga, ada }) =>
    () =>
      olga.call('resendVerification', { body: { email: ada.email } }),
  sendResetLink:
    ({ olga, ada }) =>
    () =>
      olga.call('sendResetLink', { body: { email: ada.email } }),
  correctAddress:
    ({ olga, ada }) =>
    () =>
      olga.call('correctAddress', { body: { email: ada.email, newEmail: `new.${ada.email}` } }),
  endAccountSessions:
    ({ olga, ada }) =>
    () =>
      olga.call('endAccountSessions', { body: { email: ada.email } }),
  deleteFoundAccount:
    ({ olga, ada }) =>
    () =>
      olga.call('deleteFoundAccount', { body: { email: ada.email, repeatedEmail: ada.email } }),
  blockAddress:
    ({ olga, ada }) =>
    () =>
      olga.call('blockAddress', { body: { email: ada.email, blockReason: 'Left' } }),
  async unblockAddress({ olga, ada }) {
    await olga.call('blockAddress', {
      body: { email: `blocked.${ada.email}`, blockReason: 'Left' },
    });
    const { blocks } = await olga.call('listBlockedAddresses', {});
    const params = { blockId: blocks[0]?.blockId ?? '' };
    return () => olga.call('unblockAddress', { params });
  },
  announce:
    ({ olga, classId }) =>
    () =>
      olga.call('announce', { body: { classId, text: 'Later', endsAt: Date.now() + 3_600_000 } }),
  async withdrawAnnouncement({ olga, classId }) {
    const body = { classId, text: 'Later', endsAt: Date.now() + 3_600_000 };
    const params = await olga.call('announce', { body });
    return () => olga.call('withdrawAnnouncement', { params });
  },
  requestUnmasking:
    ({ olga, caseId }) =>
    () =>
      requestUnmasking(olga, caseId),
  async confirmUnmasking({ olga, otto, caseId }) {
    const request = await requestUnmasking(olga, caseId);
    return () => confirmUnmasking(otto, request);
  },
  async withdrawUnmasking({ olga, caseId }) {
    const { requestId } = await requestUnmasking(olga, caseId);
    return () => olga.call('withdrawUnmasking', { params: { requestId } });
  },

  post: prepareFrame(() => ({ type: 'post', id: randomUUID(), text: 'One more' })),
  edit: prepareFrame(({ messageId }) => ({ type: 'edit', messageId, text: 'Other words' })),
  delete: prepareFrame(({ messageId }) => ({ type: 'delete', messageId })),
  async react(scene) {
    const { id: messageId } = await scene.ben.post(scene.classId, 'Of Ben');
    return prepareFrame(() => ({ type: 'react', messageId, emoji: '👍' }))(scene);
  },
  /** Together with the number, which is published later. */
  async vote(scene) {
    const { ben, classId } = scene;
    const socket = await ben.connectTo(classId);
    const messageId = await ask(socket, classId);
    const change = await prepareFrame(() => ({ type: 'vote', messageId, voted: true }))(scene);
    return async () => {
      await change();
      await waitForQuestion(socket, messageId, { votes: 1 });
      socket.close();
    };
  },
  async choose(scene) {
    const socket = await scene.ben.connect();
    const messageId = await askPoll(socket, scene.classId, { resultsAfter: 'closing' });
    socket.close();
    return prepareFrame(() => ({ type: 'choose', messageId, choices: [1] }))(scene);
  },
  async closePoll({ ada, classId }) {
    const socket = await ada.connect();
    const messageId = await askPoll(socket, classId);
    socket.close();
    return () => closePoll(ada, classId, messageId);
  },
  async answer(scene) {
    const socket = await scene.ada.connect();
    const messageId = await ask(socket, scene.classId);
    const answerId = await replyTo(socket, scene.classId, messageId);
    socket.close();
    return prepareFrame(() => ({ type: 'answer', messageId, answerId }))(scene);
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

  /** The last step: the duplicate ends. */
  async 'a merge ends'(scene) {
    const step: Change = await changes.mergeClass(scene);
    await step();
    return step;
  },
  async 'a mute takes effect'(scene) {
    await decideCase(scene, 'mute');
    return takeEffect(scene, 'cases');
  },
  async 'a removal takes effect'(scene) {
    await decideCase(scene, 'remove');
    return takeEffect(scene, 'cases');
  },
  async 'a suspension takes effect'(scene) {
    await decideReview(scene);
    return takeEffect(scene, 'reviews');
  },
} satisfies Record<string, Prepare>;

export type ChangeName = keyof typeof changes;
export const changeNames = Object.keys(changes) as ChangeName[];

export function prepareChange(name: ChangeName, scene: Scene): Promise<Change> {
  const prepare: Prepare = changes[name];
  return Promise.resolve(prepare(scene));
}
