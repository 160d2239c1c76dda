// No moderator decides about themselves, in any state of the class and of the server key.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { RouteName } from '#contract/routes.ts';
import { routes, toRouteUrl } from '#contract/routes.ts';
import { changeKey, signUpAgain } from '#tests/support/change-key.ts';
import { mergeAll } from '#tests/support/merging.ts';
import { applyDecisions, decide, grantRole, listCases, report } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const shared = setUpApp();
let app: RunningApp;

interface Stage {
  /** Moderates the class, and wrote the reported message. */
  author: TestClient;
  /** Moderates the class. */
  moderator: TestClient;
  operator: TestClient;
  classId: string;
  caseId: string;
  memberId: string;
}
let stage: Stage;

async function grantModeration({
  author,
  moderator,
  operator,
  classId,
}: Pick<Stage, 'author' | 'moderator' | 'operator' | 'classId'>): Promise<void> {
  await grantRole(app, operator, null, 'Olga');
  const staff = [
    ['Ana', author],
    ['Mo', moderator],
  ] as const;
  for (const [staffName, { email }] of staff) {
    const body = { email, classId, role: 'moderator', staffName } as const;
    await operator.call('grantRole', { body });
  }
}

async function setStage(): Promise<void> {
  const author = await app.createStudent();
  const moderator = await app.createStudent();
  const operator = await app.createStudent();
  const reporter = await app.createStudent();
  const classId = await reporter.createClass();
  await author.join(classId);
  await grantModeration({ author, moderator, operator, classId });
  const { id } = await author.post(classId, 'I wrote this');
  await report(reporter, classId, { messageId: id });
  const [openCase] = await listCases(operator, { classId });
  const { memberId } = (await author.snapshot(classId)).me;
  stage = { author, moderator, operator, classId, caseId: openCase!.caseId, memberId };
}

const getClassParams = () => ({ params: { classId: stage.classId } });

/** The changes of the class before someone decides, by name. */
const changes: Record<string, () => Promise<unknown>> = {
  'is active': async () => {},
  'has ended and can be reopened': () => stage.operator.call('endClass', getClassParams()),
  'was reopened': async () => {
    await stage.operator.call('endClass', getClassParams());
    await stage.operator.call('reopenClass', getClassParams());
  },
  'has lost its links': () =>
    runAdminCommand(app.database.settings, 'archive-class', stage.classId),
  'was deleted': () => stage.operator.call('deleteClass', getClassParams()),
  'was restored': async () => {
    await stage.operator.call('deleteClass', getClassParams());
    await stage.operator.call('restoreClass', getClassParams());
  },
  'was deleted and restored without links': async () => {
    await runAdminCommand(app.database.settings, 'archive-class', stage.classId);
    await stage.operator.call('deleteClass', getClassParams());
    await stage.operator.call('restoreClass', getClassParams());
  },
  'was merged into another': async () => {
    await mergeAll(stage.operator, stage.classId, await stage.operator.createClass());
  },
};

/** Changes the key, signs everyone in, and finds the persona, which the new key renames. */
async function replaceKey(oldKey: 'there' | 'lost'): Promise<void> {
  await changeKey(app, oldKey);
  for (const client of [stage.author, stage.moderator, stage.operator]) {
    await (oldKey === 'lost' ? signUpAgain(client, stage.classId) : client.signIn());
  }
  if (oldKey === 'lost') await grantModeration(stage);
  const [row] = await app.database.query(`select "memberId" from cases`);
  stage.memberId = String(row!['memberId']);
}

/** Creates an open appeal against the sanction of the case. */
async function addAppeal(): Promise<string> {
  const reviewId = randomBytes(12).toString('base64url');
  await app.database.query(
    `insert into reviews
       ("reviewId", "classId", "memberId", "caseId", kind, subject, "subjectKind", day, status, version)
     select '${reviewId}', "classId", "memberId", "caseId", 'appeal', '${reviewId}', 'mute', 20000, 'open', 1
     from cases where "caseId" = '${stage.caseId}'`,
  );
  return reviewId;
}

const reason = 'As the rules say';

/** Each call that decides about a persona. */
const decisions: {
  [Name in RouteName]?: () => Promise<{ params?: Record<string, string>; body?: unknown }>;
} = {
  decideCase: async () => {
    const [row] = await app.database.query(
      `select version from cases where "caseId" = '${stage.caseId}'`,
    );
    return { body: { version: Number(row!['version']), decision: 'keep', reason } };
  },
  undoDecision: async () => ({}),
  liftSanction: async () => ({ params: { sanctionId: 'AAAAAAAAAAAAAAAA' }, body: { reason } }),
  decideReview: async () => ({
    params: { reviewId: await addAppeal() },
    body: { version: 1, decision: 'keep', reason },
  }),
  undoReview: async () => ({ params: { reviewId: await addAppeal() } }),
};

async function listErrorCodes(client: TestClient) {
  const codes: Record<string, string> = {};
  for (const [name, make] of Object.entries(decisions) as [
    RouteName,
    typeof decisions.undoReview,
  ][]) {
    const { params, body } = await make!();
    const { classId, caseId, memberId } = stage;
    const path = toRouteUrl(name, { params: { classId, caseId, memberId, ...params } });
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await client.fetch(path, { method: routes[name].method, ...init });
    const reply = (await response.json()) as { code?: string };
    codes[name] = reply.code ?? 'done';
  }
  // Others can decide the open case again.
  await app.database.query(`update cases set status = 'open'`);
  return codes;
}

const createOutcomes = (code: string) =>
  Object.fromEntries(Object.keys(decisions).map((name) => [name, code]));
/** There is no such sanction. */
const allowedOutcomes = { ...createOutcomes('done'), liftSanction: 'NOT_FOUND' };
const missing = createOutcomes('NOT_FOUND');
/** The case looks like a missing one (MOD-96). */
const hiddenOutcomes = { ...missing, liftSanction: 'NOT_ALLOWED' };

describe('a change of the class', () => {
  beforeEach(async () => {
    app = shared;
    await setStage();
  });

  test.each([
    ['is active', hiddenOutcomes, allowedOutcomes, allowedOutcomes],
    ['has ended and can be reopened', hiddenOutcomes, allowedOutcomes, allowedOutcomes],
    ['was reopened', hiddenOutcomes, allowedOutcomes, allowedOutcomes],
    ['has lost its links', hiddenOutcomes, hiddenOutcomes, allowedOutcomes],
    ['was deleted', missing, missing, missing],
    ['was restored', hiddenOutcomes, allowedOutcomes, allowedOutcomes],
    ['was deleted and restored without links', hiddenOutcomes, hiddenOutcomes, allowedOutcomes],
    ['was merged into another', hiddenOutcomes, allowedOutcomes, allowedOutcomes],
  ])(
    'when the class %s, no moderator decides about themselves [MOD-91]',
    async (change, authorCodes, moderatorCodes, operatorCodes) => {
      await changes[change]!();

      expect(await listErrorCodes(stage.author)).toEqual(authorCodes);
      expect(await listErrorCodes(stage.moderator)).toEqual(moderatorCodes);
      expect(await listErrorCodes(stage.operator)).toEqual(operatorCodes);
    },
  );
});

describe('with a new server key', () => {
  beforeEach(async () => {
    app = await startApp();
    await setStage();
  });
  afterEach(() => app.stop());

  test.each([
    ['there', allowedOutcomes],
    ['lost', hiddenOutcomes],
  ] as const)(
    'no moderator decides about themselves if the old key is %s [MOD-91]',
    async (oldKey, moderatorCodes) => {
      await replaceKey(oldKey);

      expect(await listErrorCodes(stage.author)).toEqual(hiddenOutcomes);
      expect(await listErrorCodes(stage.moderator)).toEqual(moderatorCodes);
      expect(await listErrorCodes(stage.operator)).toEqual(allowedOutcomes);
    },
  );
});

test('operators with one name decide the appeals of each other, but not their own [APPEAL-11]', async () => {
  const addresses = ['first@university.edu', 'other@university.edu'];
  app = await startApp({ EMAIL_VERIFICATION: 'required', OPERATORS: addresses.join(',') });
  onTestFinished(() => app.stop());
  const signUpVerified = async (name: string) => {
    const student = app.visitor(name);
    await student.signUp();
    const token = decodeURIComponent(/token=(\S+)/.exec(await app.waitForNextMailTo(student))![1]!);
    await student.call('verifyEmail', { body: { token, password: student.password } });
    return student;
  };
  const firstOperator = await signUpVerified('first');
  const otherOperator = await signUpVerified('other');
  const author = await signUpVerified('author');
  const reporter = await signUpVerified('reporter');
  const classId = await author.createClass();
  await reporter.join(classId);
  const { id } = await author.post(classId, 'bad words');
  await report(reporter, classId, { messageId: id });
  await decide(firstOperator, id, { sanction: { kind: 'mute', hours: 168 } });
  await applyDecisions(app);
  const { sanctions } = await author.call('listOwnSanctions', {});
  const { sanctionId } = sanctions[0]!;
  await author.call('appeal', { params: { sanctionId }, body: { text: 'A quotation' } });
  const [appealedCase] = await listCases(firstOperator, { classId, state: 'appeals' });
  const { reviewId, version } = appealedCase!.reviews[0]!;
  const keep = (client: TestClient) =>
    client.call('decideReview', {
      params: { reviewId },
      body: { version, decision: 'keep', reason },
    });

  await expect(keep(firstOperator)).rejects.toMatchObject({ code: 'OWN_DECISION' });
  expect((await keep(otherOperator)).case.reviews[0]).toMatchObject({ decision: 'keep' });
});
