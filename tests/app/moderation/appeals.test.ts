// A sanctioned member appeals once against each sanction, and someone else decides.
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  applyDecisions,
  decide,
  decideReview,
  grantRole,
  listCases,
  report,
  suspend,
} from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const app = setUpApp();
let operator: TestClient;
let second: TestClient;
beforeAll(async () => {
  operator = await app.createStudent();
  second = await app.createStudent();
  await grantRole(app, operator, null, 'Sam');
  await grantRole(app, second, null, 'Olga');
});

let author: TestClient;
let reporter: TestClient;
let moderator: TestClient;
let classId: string;
let messageId: string;
beforeEach(async () => {
  author = await app.createStudent();
  reporter = await app.createStudent();
  moderator = await app.createStudent();
  classId = await author.createClass();
  await reporter.join(classId);
  await grantRole(app, moderator, classId, 'Robin');
  ({ id: messageId } = await author.post(classId, 'bad words'));
  await report(reporter, classId, { messageId });
});

const week = { kind: 'mute', hours: 168 } as const;

async function applySanction(
  decider: TestClient,
  sanction: typeof week | { kind: 'remove' } = week,
) {
  const decidedCase = await decide(decider, messageId, { sanction, reason: 'Insults' });
  await applyDecisions(app);
  return decidedCase;
}

const listOwnSanctions = async (student: TestClient) =>
  (await student.call('listOwnSanctions', {})).sanctions;

async function appeal(student: TestClient, text = 'It was a quotation', n = 0) {
  const sanctionId = (await listOwnSanctions(student))[n]?.sanctionId ?? 'AAAAAAAAAAAAAAAA';
  return student.call('appeal', { params: { sanctionId }, body: { text } });
}

async function getErrorCode(call: Promise<unknown>): Promise<string | null> {
  return call.then(
    () => null,
    (error: { code: string }) => error.code,
  );
}

describe('an appeal', () => {
  test('only the sanctioned member can appeal, once, with at most 1,000 characters [APPEAL-1, APPEAL-2]', async () => {
    expect(await listOwnSanctions(author)).toEqual([]);

    await applySanction(moderator);
    const [sanction] = await listOwnSanctions(author);
    expect(sanction).toMatchObject({
      classId,
      kind: 'mute',
      reason: 'Insults',
      active: true,
      appeal: null,
      label: expect.any(String) as string,
      until: expect.any(Number) as number,
    });
    expect(JSON.stringify(sanction)).not.toContain('Robin');
    expect(await listOwnSanctions(reporter)).toEqual([]);
    const params = { sanctionId: sanction!.sanctionId };
    const send = (student: TestClient, text: string) =>
      student.call('appeal', { params, body: { text } });
    expect(await getErrorCode(send(reporter, 'For a friend'))).toBe('NOT_FOUND');
    expect(await getErrorCode(send(author, ' \n'))).toBe('APPEAL_EMPTY');
    expect(await getErrorCode(send(author, '👍'.repeat(1001)))).toBe('APPEAL_TOO_LONG');
    expect(await getErrorCode(send(author, 'a\u0007b'))).toBe('INVALID');
    const longest = '👍'.repeat(1000);
    expect(await send(author, longest)).toEqual({ appealed: true });
    expect(await send(author, 'And another thing')).toEqual({ appealed: true });
    expect(await listOwnSanctions(author)).toMatchObject([
      { appeal: { text: longest, state: 'open', reason: null } },
    ]);

    const cases = await listCases(moderator, { classId, state: 'appeals' });
    expect(cases).toHaveLength(1);
    expect(cases[0]!.reviews).toMatchObject([
      {
        kind: 'appeal',
        text: longest,
        state: 'open',
        sanction: { kind: 'mute', reason: 'Insults', staffName: 'Robin', active: true },
      },
    ]);
  });

  test('a burst of equal appeals is one appeal [APPEAL-2]', async () => {
    await applySanction(moderator);

    await Promise.all(Array.from({ length: 5 }, () => appeal(author)));

    const [appealedCase] = await listCases(operator, { classId, state: 'appeals' });
    expect(appealedCase!.reviews).toHaveLength(1);
  });

  test('a removed member can appeal, and gets in again when the sanction is lifted [APPEAL-1, APPEAL-4]', async () => {
    await applySanction(moderator, { kind: 'remove' });
    const frames = await operator.connect();
    await appeal(author);
    await frames.waitFor('moderationChanged');
    const [appealedCase] = await listCases(operator, { classId, state: 'appeals' });

    await decideReview(operator, appealedCase!, { decision: 'lift' }, 'You are right');

    expect(await listOwnSanctions(author)).toMatchObject([
      { appeal: { state: 'open', reason: null } },
    ]);

    await applyDecisions(app);
    expect(await listOwnSanctions(author)).toMatchObject([
      { active: false, appeal: { state: 'lifted', reason: 'You are right' } },
    ]);

    await author.post(classId, 'Thank you');
    expect(await listCases(operator, { classId, state: 'appeals' })).toEqual([]);
    expect((await runAdminCommand(app.database.settings, 'verify-audit')).code).toBe(0);
  });

  test('the moderator who sanctioned cannot decide the appeal if someone else can [APPEAL-11]', async () => {
    await applySanction(moderator);
    await appeal(author);
    const [appealedCase] = await listCases(moderator, { classId, state: 'appeals' });

    expect(await getErrorCode(decideReview(moderator, appealedCase!, { decision: 'keep' }))).toBe(
      'OWN_DECISION',
    );

    await decideReview(operator, appealedCase!, { decision: 'keep' }, 'It stays');
    await applyDecisions(app);
    expect(await listOwnSanctions(author)).toMatchObject([
      { active: true, appeal: { state: 'kept', reason: 'It stays' } },
    ]);
    // A second appeal gets the same reply and changes nothing.
    expect(await appeal(author, 'Again')).toEqual({ appealed: true });
    expect(await listCases(operator, { classId, state: 'appeals' })).toEqual([]);
  });

  test('only operators decide an appeal against a suspension, and lifting ends it [APPEAL-4, APPEAL-5, SUSP-2, MOD-100]', async () => {
    await suspend(app, operator, messageId);
    const countAppeals = async (viewer: TestClient) =>
      (await viewer.call('readWaitingWork', {})).appeals;
    const countBefore = [await countAppeals(operator), await countAppeals(second)];

    await appeal(author, 'I was quoting');

    expect(await listCases(moderator, { classId, state: 'appeals' })).toEqual([]);

    const [decidedCase] = await listCases(moderator, { classId, state: 'decided' });
    expect(decidedCase).toMatchObject({ suspension: null, reviews: [{ kind: 'escalation' }] });

    const [appealedCase] = await listCases(second, { classId, state: 'appeals' });
    const ownDecision = decideReview(operator, appealedCase!, { decision: 'lift' });
    expect(await getErrorCode(ownDecision)).toBe('OWN_DECISION');
    expect([await countAppeals(operator), await countAppeals(second)]).toEqual([
      countBefore[0],
      countBefore[1]! + 1,
    ]);
    const review = appealedCase!.reviews.find(({ kind }) => kind === 'appeal')!;
    const params = { reviewId: review.reviewId };
    const body = { version: 1, decision: 'lift', reason: 'Yes' } as const;
    expect(await getErrorCode(moderator.call('decideReview', { params, body }))).toBe(
      'NOT_ALLOWED',
    );

    await decideReview(second, appealedCase!, { decision: 'lift' }, 'A mistake');
    await applyDecisions(app);
    expect((await author.call('listClasses', {})).classes).toHaveLength(1);
    expect(await listOwnSanctions(author)).toMatchObject([
      { kind: 'suspension', active: false, appeal: { state: 'lifted', reason: 'A mistake' } },
    ]);
  });

  test('an appeal is closed when its sanction is lifted, and cannot be sent after that [APPEAL-4, APPEAL-1]', async () => {
    await applySanction(moderator);
    await appeal(author);
    const [{ persona } = { persona: null! }] = await listCases(moderator, {
      classId,
      state: 'decided',
    });
    const { memberId } = persona;
    const memberParams = { classId, memberId };
    const { sanctions } = await moderator.call('readModeratedMember', { params: memberParams });
    const params = { ...memberParams, sanctionId: sanctions[0]!.sanctionId };

    await moderator.call('liftSanction', { params, body: { reason: 'Sorry' } });

    expect(await listOwnSanctions(author)).toMatchObject([
      { active: false, appeal: { state: 'lifted', reason: 'Sorry' } },
    ]);

    await app.database.query(`delete from reviews`);
    expect(await getErrorCode(appeal(author))).toBe('NOTHING_TO_APPEAL');
  });

  test('the text of an appeal is in the export and is erased 30 days after the decision [PROFILE-18, APPEAL-9]', async () => {
    await applySanction(moderator);
    await appeal(author, 'Words of my appeal');
    const exportClass = async () =>
      (await author.call('exportAccount', {})).classes.find((entry) => entry.classId === classId);

    expect((await exportClass())!.sanctions).toMatchObject([
      { kind: 'mute', appeal: { text: 'Words of my appeal', state: 'open' } },
    ]);

    const [appealedCase] = await listCases(operator, { classId, state: 'appeals' });
    await decideReview(operator, appealedCase!, { decision: 'keep' });
    const otherMessage = await reporter.post(classId, 'more bad words');
    await report(author, classId, { messageId: otherMessage.id });
    const withoutAppeal = await decide(moderator, otherMessage.id, {});
    await applyDecisions(app);
    const findEvidence = async (caseId: string) => {
      const decidedCases = await listCases(operator, { classId, state: 'decided' });
      return decidedCases.find((candidate) => candidate.caseId === caseId)!.evidence;
    };
    const monthAgo = Date.now() - 31 * 24 * 60 * 60_000;
    // The evidence of the case stays as long as the appeal needs it.
    await app.restart(() => app.database.query(`update cases set "effectiveAt" = ${monthAgo}`));
    await expect.poll(() => findEvidence(withoutAppeal.caseId)).toBeNull();
    expect(await findEvidence(appealedCase!.caseId)).not.toBeNull();

    await app.restart(() => app.database.query(`update reviews set "effectiveAt" = ${monthAgo}`));
    await expect
      .poll(async () => (await listOwnSanctions(author))[0]?.appeal)
      .toEqual({ text: null, state: 'kept', reason: 'As the rules say' });
    await expect.poll(() => findEvidence(appealedCase!.caseId)).toBeNull();
  });

  test('an account can send 20 appeals a day [LIMIT-24]', async () => {
    const limited = await startApp({ LIMIT_FACTOR: '1' });
    try {
      const student = await limited.createStudent();
      const params = { sanctionId: 'AAAAAAAAAAAAAAAA' };
      const send = () => getErrorCode(student.call('appeal', { params, body: { text: 'Please' } }));

      for (let attemptCount = 0; attemptCount < 20; attemptCount++) {
        expect(await send()).toBe('NOT_FOUND');
      }
      expect(await send()).toBe('TOO_MANY_APPEALS');
    } finally {
      await limited.stop();
    }
  });

  test('an appeal survives the end and the deletion of its class as the rules say [APPEAL-10]', async () => {
    await suspend(app, operator, messageId);

    await runAdminCommand(app.database.settings, 'archive-class', classId);

    expect(await listOwnSanctions(author)).toMatchObject([{ kind: 'suspension', active: true }]);

    await appeal(author);
    await runAdminCommand(app.database.settings, 'delete-class', classId);
    const [appealedCase] = await listCases(second, { state: 'appeals' });
    expect(appealedCase).toMatchObject({ classId, suspension: { active: true } });

    await app.restart(() =>
      app.database.query(`update classes set "deletedDay" = 1 where "classId" = '${classId}'`),
    );
    await expect
      .poll(async () => (await author.call('me', {})).account?.suspended, { timeout: 10_000 })
      .toBe(false);
    const query = `select status from suspensions where "classId" = '${classId}'`;
    expect(await app.database.query(query)).toEqual([]);
  });

  test('an appeal is deleted with the messages of its account [APPEAL-9]', async () => {
    await applySanction(moderator);
    await appeal(author);
    const listReviews = () =>
      app.database.query(`select kind from reviews where "classId" = '${classId}'`);

    expect(await listReviews()).toHaveLength(1);

    const body = { password: author.password, messages: 'delete' } as const;
    await author.call('deleteAccount', { body });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 60 * 60_000 });
    await expect.poll(listReviews, { timeout: 40_000, interval: 200 }).toEqual([]);

    vi.useRealTimers();
  }, 60_000);
});
