// A class with a report, in which a call is prepared so that it changes something, or reaches its commit.
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { listCases, report, waitForFollowedCommits } from '#tests/support/moderation.ts';
import { askPrivately } from '#tests/support/private-questions.ts';
import { ask } from '#tests/support/questions.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { nothing, type Scene, type Subject } from './facts.ts';
import { quoteAddressKey } from '#tests/support/stored-accounts.ts';
import { addStoredRole } from '#tests/support/roles.ts';

type Cast = Pick<Scene, 'app' | 'ada' | 'ben' | 'otto'>;

/** One word: the search also finds classes by parts of words and by similar ones. */
export const createCourseName = () => randomUUID().replaceAll('-', '');

export async function createScene(
  cast: Cast & { courseName: string; creator: TestClient },
): Promise<Scene> {
  const { courseName, creator, ada, ben, otto } = cast;
  const classId = await creator.createClass({ courseName });
  for (const student of [ada, ben]) await student.join(classId);
  const { id: messageId } = await ada.post(classId, 'A threat');
  const { memberId } = (await ada.snapshot(classId)).me;
  await report(ben, classId, { messageId });
  const [openCase] = await listCases(otto, { classId });
  const { caseId, version: caseVersion } = openCase!;
  const ids = { classId, messageId, memberId, caseId, caseVersion };
  return { ...nothing, ...cast, ...ids, supportedEmail: ada.email, caller: ada, right: null };
}

export const toAccountIdSql = ({ database }: Pick<RunningApp, 'database'>, { email }: TestClient) =>
  `(select id from accounts where "addressKey" = ${quoteAddressKey(database, email)})`;

/** @param classId '' for an operator */
export async function addRole(
  { database }: Pick<RunningApp, 'database'>,
  person: TestClient,
  role: 'operator' | 'moderator' | 'staff',
  classId = '',
): Promise<void> {
  const staffName = person.name.slice(0, 20);
  await addStoredRole(database, { email: person.email, classId: classId || null, role, staffName });
}

export const reason = 'As the rules say';

const createId = () => randomBytes(12).toString('base64url');

type Persona = Pick<Scene, 'app' | 'classId' | 'memberId' | 'caseId'>;

export async function addMute({ app, classId, memberId, caseId }: Persona) {
  const sanctionId = createId();
  await app.database.query(
    `insert into sanctions
       ("sanctionId", "classId", "memberId", kind, until, reason, "staffName", day, "caseId", status)
     values ('${sanctionId}', '${classId}', '${memberId}', 'mute', null, 'Spam', 'Kim', 20000, '${caseId}', 'active')`,
  );
  return { sanctionId };
}

/** Operators decide escalations, and moderators appeals. */
export async function addReview({ app, caseId, right }: Pick<Scene, 'app' | 'caseId' | 'right'>) {
  const reviewId = createId();
  const kind = right === 'moderator' ? 'appeal' : 'escalation';
  const subjectKind = kind === 'appeal' ? "'mute'" : 'null';
  await app.database.query(
    `insert into reviews
       ("reviewId", "classId", "memberId", "caseId", kind, subject, "subjectKind", day, status, version)
     select '${reviewId}', "classId", "memberId", "caseId", '${kind}', "caseId", ${subjectKind}, 20000, 'open', 1
     from cases where "caseId" = '${caseId}'`,
  );
  const review: Subject['review'] =
    kind === 'appeal' ? { decision: 'keep' } : { decision: 'suspend', days: 7 };
  return { reviewId, review };
}

/** Makes a pending decision due, as if its time to undo had passed, and waits until the server has applied it. */
export async function takeEffect({ app, otto, caseId }: Scene, table: 'cases' | 'reviews') {
  const { query } = app.database;
  const condition = `"caseId" = '${caseId}' and status = 'pending'`;
  await query(`update ${table} set "effectiveAt" = 1 where ${condition}`);
  await vi.waitFor(
    async () => expect(await query(`select "caseId" from ${table} where ${condition}`)).toEqual([]),
    { timeout: 10_000 },
  );
  // The rows may show a commit of which the server has not yet got the answer. A later change waits for that answer.
  const body = { version: 1_000, decision: 'keep', reason } as const;
  const late = otto.call('decideCase', { params: { caseId }, body });
  await expect(late).rejects.toBeInstanceOf(AppError);
  await waitForFollowedCommits();
}

/** Suspends Ada. */
export async function suspend(scene: Scene) {
  const { reviewId, review } = await addReview({ ...scene, right: 'operator' });
  const body = { version: 1, ...review, reason };
  await scene.otto.call('decideReview', { params: { reviewId }, body });
  await takeEffect(scene, 'reviews');
  const [row] = await scene.app.database.query(
    `select "suspensionId" from suspensions where "caseId" = '${scene.caseId}'`,
  );
  return { suspensionId: String(row!['suspensionId']) };
}

export async function startLecture({ otto, classId }: Scene) {
  await otto.call('startLecture', { params: { classId }, body: { hours: 2 } });
}

/** A member asks staff alone, who ask whether they may publish it. */
export async function askStaff({ app, otto, classId, ...scene }: Scene, asker = scene.ada) {
  await addRole(app, otto, 'staff', classId);
  const questionId = await askPrivately(asker, classId);
  await publishPrivately(app, questionId);
  return { questionId };
}

/** Publishes a private question without the wait, as if staff had asked whether they may publish it. */
export async function publishPrivately(
  { database }: Pick<RunningApp, 'database'>,
  questionId: string,
): Promise<void> {
  await database.query(
    `update "privateQuestions" set state = 'asked', "nextState" = null where id = '${questionId}'`,
  );
  await database.query(`update "privateTurns" set held = 0 where "questionId" = '${questionId}'`);
}

/** A question waits for release. */
export async function askToWait(scene: Scene, asker = scene.ada) {
  const { classId, otto } = scene;
  await startLecture(scene);
  await otto.call('holdQuestions', { params: { classId }, body: { held: true } });
  const socket = await asker.connectTo(classId);
  const waitingId = await ask(socket, classId);
  socket.close();
  return { waitingId };
}
