// Escalation and suspension: operators suspend the account behind a persona without learning whose it is.
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { routes } from '#contract/routes.ts';
import { closeCodes } from '#contract/socket-address.ts';
import { acceptClock } from '#tests/support/digests.ts';
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
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { changeStoredSessions } from '#tests/support/stored-accounts.ts';
import { getToday } from '#server/base/days.ts';

const app = setUpApp();
let operator: TestClient;
beforeAll(async () => {
  operator = await app.createStudent();
  await grantRole(app, operator, null, 'Sam');
});

let author: TestClient;
let reporter: TestClient;
let classId: string;
let messageId: string;
beforeEach(async () => {
  ({ author, reporter, classId, messageId } = await reportAuthor(app));
});

async function reportAuthor(runningApp: RunningApp) {
  const writing = await runningApp.createStudent();
  const reading = await runningApp.createStudent();
  const createdId = await writing.createClass();
  await reading.join(createdId);
  const { id } = await writing.post(createdId, 'bad words');
  await report(reading, createdId, { messageId: id });
  return { author: writing, reporter: reading, classId: createdId, messageId: id };
}

async function getErrorCode(call: Promise<unknown>): Promise<string | null> {
  return call.then(
    () => null,
    (error: { code: string }) => error.code,
  );
}

const getAccount = async (client: TestClient) => (await client.call('me', {})).account;
const listOwnSanctions = async (client: TestClient) =>
  (await client.call('listOwnSanctions', {})).sanctions;
const listAccountRows = async () => {
  const tables = await app.database.tables();
  const { accounts, sessions, registers, roles } = tables;
  // Read positions are written at a random time.
  const otherRegisters = registers!.filter(({ kind }) => kind !== 'readMarks');
  return { accounts, sessions, otherRegisters, roles };
};

describe('an escalation', () => {
  test('an escalation takes effect with the decision about the message [SUSP-1, SUSP-2]', async () => {
    const moderator = await app.createStudent();
    await grantRole(app, moderator, classId, 'Robin');
    const operatorSocket = await operator.connect();
    const sanction = { kind: 'mute', hours: 24 } as const;
    const body = { decision: 'remove', sanction, escalate: true, reason: 'Serious' } as const;
    const { caseId } = await decide(moderator, messageId, body);
    await operatorSocket.waitFor('moderationChanged');

    expect(await listCases(operator, { classId, state: 'escalated' })).toEqual([]);

    await applyDecisions(app);
    for (const moderating of [moderator, operator]) {
      const [escalatedCase] = await listCases(moderating, { classId, state: 'escalated' });
      expect(escalatedCase).toMatchObject({
        caseId,
        state: 'decided',
        decision: 'remove',
        shown: 'removed',
        reviews: [{ kind: 'escalation', text: 'Serious', state: 'open', sanction: null }],
      });
    }

    const entries = await operator.call('listAuditLog', { query: {} });
    const acts = entries.entries.filter((entry) => entry.caseId === caseId).map(({ act }) => act);
    expect(acts.toSorted()).toEqual(['escalate', 'mute', 'remove']);
  });

  test('an escalation is undone with its decision [SUSP-1]', async () => {
    const { caseId } = await decide(operator, messageId, { escalate: true });
    await operator.call('undoDecision', { params: { caseId } });
    await decide(operator, messageId, {});

    await applyDecisions(app);

    expect(await listCases(operator, { classId, state: 'escalated' })).toEqual([]);
    expect(await listCases(operator, { classId, state: 'decided' })).toMatchObject([
      { reviews: [] },
    ]);
  });

  test('only operators decide an escalation, and can undo the decision [SUSP-2, SUSP-3]', async () => {
    const moderator = await app.createStudent();
    await grantRole(app, moderator, classId, 'Robin');
    const otherOperator = await app.createStudent();
    await grantRole(app, otherOperator, null, 'Olga');
    const escalatedCase = await decide(moderator, messageId, { escalate: true });
    await applyDecisions(app);
    const deciding = decideReview(moderator, escalatedCase, { decision: 'suspend', days: 7 });

    expect(await getErrorCode(deciding)).toBe('NOT_ALLOWED');

    const decidedCase = await decideReview(operator, escalatedCase, { decision: 'dismiss' });
    const { reviewId, version } = decidedCase.reviews[0]!;
    expect(decidedCase.reviews).toMatchObject([{ state: 'decided', decidedBy: 'Sam', version: 2 }]);
    const params = { reviewId };
    const body = { version, decision: 'dismiss', reason: 'No' } as const;
    await expect(otherOperator.call('decideReview', { params, body })).rejects.toMatchObject({
      code: 'ALREADY_DECIDED',
      message: 'Sam has already decided this.',
    });

    await operator.call('undoReview', { params });
    expect(await getErrorCode(otherOperator.call('decideReview', { params, body }))).toBe(
      'CASE_CHANGED',
    );
    const missing = { ...body, version: 3, reason: ' ' };
    expect(await getErrorCode(otherOperator.call('decideReview', { params, body: missing }))).toBe(
      'REASON_MISSING',
    );
    const keep = { ...body, version: 3, decision: 'keep' } as const;
    expect(await getErrorCode(otherOperator.call('decideReview', { params, body: keep }))).toBe(
      'INVALID',
    );

    await otherOperator.call('decideReview', { params, body: { ...body, version: 3 } });
    await applyDecisions(app);
    expect(await getErrorCode(operator.call('undoReview', { params }))).toBe('DECISION_APPLIED');

    // The moderator sees the escalation, but not the decision of the operators.
    const [seenCase] = await listCases(moderator, { classId, state: 'decided' });
    expect(seenCase!.reviews).toMatchObject([
      { kind: 'escalation', state: 'decided', decision: null, reason: null, decidedBy: null },
    ]);
    expect(await getAccount(author)).toMatchObject({ suspended: false });
  });
});

describe('a suspension', () => {
  test('a suspension closes sockets and rejects calls immediately [SUSP-4, SUSP-5, SUSP-6]', async () => {
    const escalatedCase = await decide(operator, messageId, { escalate: true });
    await applyDecisions(app);
    const socket = await author.connect();
    await socket.subscribe(classId);
    const bystander = await reporter.connect();

    await decideReview(operator, escalatedCase, { decision: 'suspend', days: 7 }, 'Threats');

    expect((await author.call('listClasses', {})).classes).toHaveLength(1);
    expect(await socket.closed).toBe(closeCodes.signedOut);
    for (const call of [
      () => author.call('listClasses', {}),
      () => author.call('createClass', { body: {} as never }),
      () => author.call('listDevices', {}),
      () => author.call('leaveClass', { params: { classId } }),
    ]) {
      expect(await getErrorCode(call())).toBe('SUSPENDED');
    }
    await expect(author.connect()).rejects.toThrow('401');
    expect(await getAccount(author)).toMatchObject({
      suspended: true,
      roles: [],
      email: author.email,
    });

    const [sanction] = await listOwnSanctions(author);
    expect(sanction).toMatchObject({
      kind: 'suspension',
      reason: 'Threats',
      active: true,
      appeal: null,
    });
    const weekMs = 7 * 24 * 60 * 60_000;
    expect(Math.abs(sanction!.until! - Date.now() - weekMs)).toBeLessThan(60_000);
    expect(await getAccount(reporter)).toMatchObject({ suspended: false });

    await bystander.post(classId, 'I stay');
  }, 60_000);

  test('a suspended account keeps the export, the deletion and the appeal [SUSP-6]', async () => {
    await suspend(app, operator, messageId);
    const open = [];
    for (const [name, { method, path }] of Object.entries(routes)) {
      const url = path.replaceAll(/:(classId)/g, classId).replaceAll(/:\w+/g, 'AAAAAAAAAAAAAAAA');
      if (/^sign|SignOn|^verify|Reset|resetPassword/.test(name)) continue;
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' };
      const response = await author.fetch(url, { method, ...body });
      const text = await response.text();
      if (!text.includes('SUSPENDED')) open.push(name);
    }

    expect(open.toSorted()).toEqual(
      [
        'appeal',
        'countInterfaceError',
        'deleteAccount',
        'exchangeHallCode',
        'exportAccount',
        'listOwnSanctions',
        'me',
        'proveFactor',
        'readPresentation',
        'readSiteTransparency',
        'reportFromOutside',
        'schoolTheme',
        'startProof',
        'takeDataCopy',
        'unsubscribeDigest',
      ].toSorted(),
    );
    expect((await author.fetch('/images/AAAAAAAAAAAAAAAA.webp')).status).toBe(404);
  });

  test('a suspension ends at its time [SUSP-4]', async () => {
    // An app whose clock is set forward does its daily work, which changes the rows of all accounts.
    const ownApp = await startApp();
    onTestFinished(() => ownApp.stop());
    const sam = await ownApp.createStudent();
    await grantRole(ownApp, sam, null, 'Sam');
    const { author: suspended, messageId: reported } = await reportAuthor(ownApp);

    await suspend(ownApp, sam, reported);

    expect(await getAccount(suspended)).toMatchObject({ suspended: true });

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * 24 * 60 * 60_000 });
    try {
      expect(await getAccount(suspended)).toMatchObject({ suspended: false });
      expect(await listOwnSanctions(suspended)).toMatchObject([{ active: false }]);

      vi.setSystemTime(Date.now() + 31 * 24 * 60 * 60_000);
      await ownApp.restart(() => acceptClock(ownApp));
      // The link to the account is erased 30 days later.
      await suspended.signIn();
      await expect.poll(() => listOwnSanctions(suspended), { timeout: 10_000 }).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  }, 60_000);

  test('the sign-in reveals a suspension only after the password [SUSP-6, SUSP-7]', async () => {
    await suspend(app, operator, messageId, { days: null });
    const browser = author.newBrowser();

    expect(await getErrorCode(browser.signIn('not the password'))).toBe('WRONG_CREDENTIALS');
    expect(await getAccount(browser)).toBeNull();

    await browser.signIn();
    expect(await getAccount(browser)).toMatchObject({ suspended: true });
    expect(await getErrorCode(browser.call('listClasses', {}))).toBe('SUSPENDED');

    await browser.call('requestPasswordReset', { body: { email: author.email } });
    const token = /token=(\S+)/.exec(await app.waitForNextMailTo(author))![1]!;
    const newPassword = 'another horse battery';
    await browser.call('resetPassword', {
      body: { token: decodeURIComponent(token), newPassword },
    });
    const newBrowser = author.newBrowser();
    await newBrowser.signIn(newPassword);
    expect(await getErrorCode(newBrowser.call('listClasses', {}))).toBe('SUSPENDED');

    await newBrowser.call('signOut', {});
    expect(await getAccount(newBrowser)).toBeNull();
  });

  test('a new account of a suspended address is suspended [SUSP-7, SUSP-8]', async () => {
    await suspend(app, operator, messageId);
    expect(await author.call('exportAccount', {})).toMatchObject({
      suspensions: [{ kind: 'suspension', reason: 'Threats', active: true }],
    });

    const body = { password: author.password, messages: 'delete' } as const;
    await author.call('deleteAccount', { body });
    expect(await getAccount(author)).toBeNull();

    const newBrowser = author.newBrowser();
    await newBrowser.signUp();
    expect(await getAccount(newBrowser)).toMatchObject({ suspended: true });
    expect(await getErrorCode(newBrowser.call('listClasses', {}))).toBe('SUSPENDED');
    expect(await listOwnSanctions(newBrowser)).toMatchObject([
      { kind: 'suspension', reason: 'Threats' },
    ]);
  });

  test('operators can lift a suspension with a reason [SUSP-4, SUSP-2]', async () => {
    const { caseId } = await suspend(app, operator, messageId);

    const [suspendedCase] = await listCases(operator, { classId, state: 'decided' });

    expect(suspendedCase).toMatchObject({ caseId, suspension: { active: true, staffName: 'Sam' } });
    const params = { suspensionId: suspendedCase!.suspension!.suspensionId };
    const lift = (client: TestClient, reason: string) =>
      client.call('liftSuspension', { params, body: { reason } });
    expect(await getErrorCode(lift(reporter, 'Please'))).toBe('NOT_ALLOWED');
    expect(await getErrorCode(lift(operator, ''))).toBe('REASON_MISSING');

    await lift(operator, 'A mistake');
    expect((await author.call('listClasses', {})).classes).toHaveLength(1);
    expect(await getAccount(author)).toMatchObject({ suspended: false });
    expect(await getErrorCode(lift(operator, 'Again'))).toBe('NOT_FOUND');

    const { entries } = await operator.call('listAuditLog', { query: {} });
    expect(entries.slice(0, 2)).toMatchObject([
      { act: 'lift-suspension', reason: 'A mistake', caseId },
      { act: 'suspend', reason: 'Threats', caseId },
    ]);
    expect((await runAdminCommand(app.database.settings, 'verify-audit')).code).toBe(0);

    const [{ content } = {}] = await app.database.query('select content from suspensions');
    await app.restart();
    expect(await getAccount(author)).toMatchObject({ suspended: false });
    expect(String(content)).not.toContain('Threats');
  });

  test('the reply to a suspension does not reveal whether the account exists [SUSP-5, SUSP-11]', async () => {
    const formerStudent = await app.createStudent();
    await formerStudent.join(classId);
    const { id: deletedAuthorMessageId } = await formerStudent.post(classId, 'bad words');
    const { id: authorMessageId } = await author.post(classId, 'bad words');
    const { id: leaverMessageId } = await reporter.post(classId, 'bad words');
    await reporter.leave(classId);
    const witness = await app.createStudent();
    await witness.join(classId);
    for (const id of [deletedAuthorMessageId, authorMessageId, leaverMessageId]) {
      await report(witness, classId, { messageId: id });
    }
    await suspend(app, operator, messageId);
    await formerStudent.call('deleteAccount', {
      body: { password: formerStudent.password, messages: 'keep' },
    });
    const replies = [];

    for (const id of [authorMessageId, leaverMessageId, deletedAuthorMessageId]) {
      const reply = await suspend(app, operator, id);
      const [now] = await listCases(operator, { classId, state: 'decided' });
      const seenCase = (await listCases(operator, { classId, state: 'decided' })).find(
        (candidate) => candidate.caseId === reply.caseId,
      );
      expect(now).toBeDefined();
      replies.push(removeIds(reply), removeIds(seenCase));
    }
    expect(replies[2]).toEqual(replies[0]);
    expect(replies[4]).toEqual(replies[0]);
    expect(replies[3]).toEqual(replies[1]);
    expect(replies[5]).toEqual(replies[1]);
    expect(await getAccount(reporter)).toMatchObject({ suspended: true });
  }, 120_000);

  test('a suspended operator has no rights, and another operator decides the suspension [SUSP-12, MOD-91]', async () => {
    const secondOperator = await app.createStudent();
    await grantRole(app, secondOperator, null, 'Olga');
    await secondOperator.join(classId);
    const { id } = await secondOperator.post(classId, 'bad words');
    await report(reporter, classId, { messageId: id });
    const escalatedCase = await decide(operator, id, { escalate: true });
    await applyDecisions(app);
    const { caseId } = escalatedCase;
    const ownCase = secondOperator.call('listCases', { query: { caseId } });

    expect(await getErrorCode(ownCase)).toBe('NOT_FOUND');

    await decideReview(operator, escalatedCase, { decision: 'suspend', days: 30 });
    await applyDecisions(app);
    expect(await getErrorCode(listCases(secondOperator))).toBe('SUSPENDED');
    expect(await getAccount(secondOperator)).toMatchObject({ suspended: true, roles: [] });
    expect((await listCases(operator, { classId, state: 'decided' }))[0]).toMatchObject({
      suspension: { active: true },
    });
  });

  test('two copies of the database do not reveal whose account is suspended [SUSP-13]', async () => {
    const escalatedCase = await decide(operator, messageId, { escalate: true });
    await applyDecisions(app);
    await author.call('me', {});
    // A session whose renewal is due is the only row that a visit could change.
    await changeStoredSessions(app.database, { endDay: getToday() + 20 });
    const rowsBefore = await listAccountRows();
    await decideReview(operator, escalatedCase, { decision: 'suspend', days: 7 });

    await applyDecisions(app);

    expect(await getAccount(author)).toMatchObject({ suspended: true });
    expect(await listOwnSanctions(author)).toHaveLength(1);

    await getErrorCode(author.call('listClasses', {}));
    expect(sortRows(await listAccountRows())).toEqual(sortRows(rowsBefore));

    // The same visit of another account does renew, and changes the row of its own session only.
    await getAccount(reporter);
    const rowsLeft = Object.values(sortRows(await listAccountRows())).flat();
    const changedRows = Object.values(sortRows(rowsBefore))
      .flat()
      .filter((row) => !rowsLeft.includes(row));
    expect(changedRows).toHaveLength(1);

    const { suspensions, accounts, reviews, auditLog, cases } = await app.database.tables();
    const text = JSON.stringify([suspensions, reviews, auditLog, cases]);

    for (const { id, email, mailboxKey } of accounts!) {
      for (const secret of [id, email, mailboxKey]) expect(text).not.toContain(String(secret));
    }
    expect(new Set(suspensions!.map(({ content }) => String(content).length)).size).toBe(1);
  }, 60_000);
});

function sortRows(tables: Record<string, unknown[] | undefined>) {
  return Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => [
      name,
      (rows ?? []).map((row) => JSON.stringify(row)).toSorted(),
    ]),
  );
}

/** Removes ids, times and names of personas, which differ between cases. */
function removeIds(value: unknown): unknown {
  const hiddenKeys =
    /^(caseId|messageId|memberId|reviewId|suspensionId|icon|createdAt|effectiveAt|until)$/;
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (hiddenKeys.test(key) ? '' : inner)),
  ) as unknown;
}
