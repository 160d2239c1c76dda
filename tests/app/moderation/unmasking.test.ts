// The unmasking of a persona by two operators with their passwords.
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadConfig } from '#server/config/config.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { applyDecisions, decide, grantRole, listCases, report } from '#tests/support/moderation.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import {
  listAuditedSince,
  confirmUnmasking,
  dayMs,
  ground,
  runLater,
  getNextAuditNumber,
  getUnmasking,
  createReportedAuthor,
  requestUnmasking,
  createTwoOperators,
} from '#tests/support/unmasking.ts';

let app: RunningApp;
let ann: TestClient;
let bob: TestClient;
beforeAll(async () => {
  app = await startApp({ UNMASKING: 'on' });
  [ann, bob] = await createTwoOperators(app);
});
afterAll(() => app.stop());
afterEach(() => vi.useRealTimers());

const toRejection = (code: string) => expect.objectContaining({ code });

test('two operators with their passwords see the address once, with each step in the audit log [UNMASK-3, UNMASK-6, UNMASK-8]', async () => {
  const { caseId, classId, author } = await createReportedAuthor(app, ann);
  const from = await getNextAuditNumber(ann);

  expect(await getUnmasking(ann, caseId)).toMatchObject({
    unmasking: { on: true },
    refusal: null,
    requests: [],
  });

  const request = await requestUnmasking(ann, caseId);
  expect(request).toMatchObject({ own: true, requestedBy: 'Ann', reason: ground, closedBy: null });
  expect(request.requestedAt % 60_000).toBe(0);
  expect(request.expiresAt - request.requestedAt).toBe(dayMs);
  const listRequests = async () => {
    const { requests } = await bob.call('listUnmaskings', {});
    return requests.filter(({ requestId }) => requestId === request.requestId);
  };
  expect(await listRequests()).toMatchObject([{ own: false, reason: ground }]);

  const path = `/api/moderation/unmaskings/${request.requestId}/confirmation`;
  const body = JSON.stringify({ password: bob.password });
  const response = await bob.fetch(path, { method: 'POST', body });
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toEqual({ address: author.email });
  await expect(confirmUnmasking(bob, request)).rejects.toEqual(toRejection('UNMASKING_CLOSED'));
  expect((await getUnmasking(bob, caseId)).requests).toMatchObject([
    { state: 'used', requestedBy: 'Ann', closedBy: 'Bob' },
  ]);
  expect(await listRequests()).toEqual([]);

  const { memberId } = (await author.snapshot(classId)).me;
  const expectedRequest = { classId, caseId, memberId, reason: ground };
  expect(await listAuditedSince(ann, from)).toMatchObject([
    { act: 'unmask-request', staffName: 'Ann', ...expectedRequest },
    { act: 'unmask-confirm', staffName: 'Bob', ...expectedRequest },
  ]);
  expect((await runAdminCommand(app.database.settings, 'verify-audit')).code).toBe(0);
});

test('an operator cannot confirm their own request [UNMASK-5]', async () => {
  const { caseId, author } = await createReportedAuthor(app, ann);
  const namesake = await app.createStudent();
  await grantRole(app, namesake, null, 'Ann');
  const request = await requestUnmasking(ann, caseId);
  const otherBrowser = ann.newBrowser();
  await otherBrowser.signIn();

  for (const browser of [ann, otherBrowser]) {
    await expect(confirmUnmasking(browser, request)).rejects.toEqual(toRejection('UNMASKING_OWN'));
  }
  expect((await getUnmasking(namesake, caseId)).requests).toMatchObject([{ own: false }]);
  expect(await confirmUnmasking(namesake, request)).toBe(author.email);
});

test('a reason has 20 to 500 characters, and a case has one open request [UNMASK-3, UNMASK-5]', async () => {
  const { caseId } = await createReportedAuthor(app, ann);
  const rejection = toRejection('UNMASKING_REASON');

  for (const reason of ['', 'x'.repeat(19), `${' '.repeat(30)}short`, 'x'.repeat(501)]) {
    await expect(requestUnmasking(ann, caseId, { reason })).rejects.toEqual(rejection);
  }
  await expect(
    requestUnmasking(ann, caseId, { reason: `${'x'.repeat(20)}\u0007` }),
  ).rejects.toEqual(toRejection('INVALID'));

  await requestUnmasking(ann, caseId, { reason: '🦊'.repeat(20) });
  for (const operator of [ann, bob]) {
    await expect(requestUnmasking(operator, caseId)).rejects.toEqual(
      toRejection('UNMASKING_PENDING'),
    );
  }
});

test('both operators need their password, and a wrong one counts as at the sign-in [UNMASK-7]', async () => {
  const limited = await startApp({ UNMASKING: 'on', LIMITS: 'failedSignIns=10/10m' });
  try {
    const [firstOperator, secondOperator] = await createTwoOperators(limited);
    const { caseId, author } = await createReportedAuthor(limited, firstOperator);
    const from = await getNextAuditNumber(firstOperator);
    vi.useFakeTimers({ toFake: ['performance'] });
    const wrongPassword = { password: secondOperator.password.toUpperCase() };

    await expect(requestUnmasking(firstOperator, caseId, wrongPassword)).rejects.toEqual(
      toRejection('WRONG_PASSWORD'),
    );

    const request = await requestUnmasking(firstOperator, caseId);
    for (let tries = 0; tries < 10; tries++) {
      await expect(
        confirmUnmasking(secondOperator, request, wrongPassword.password),
      ).rejects.toEqual(toRejection('WRONG_PASSWORD'));
    }
    await expect(confirmUnmasking(secondOperator, request, wrongPassword.password)).rejects.toEqual(
      toRejection('TOO_MANY'),
    );

    const entries = await listAuditedSince(firstOperator, from);
    expect(entries.map(({ act, staffName, reason }) => [act, staffName, reason])).toEqual([
      ['unmask-password', 'Ann', ''],
      ['unmask-request', 'Ann', ground],
      ...Array.from({ length: 10 }, () => ['unmask-password', 'Bob', '']),
    ]);

    vi.advanceTimersByTime(1_100);
    expect(await confirmUnmasking(secondOperator, request)).toBe(author.email);
  } finally {
    await limited.stop();
  }
});

test('a request ends after 24 hours or when an operator withdraws it [UNMASK-5]', async () => {
  const { caseId } = await createReportedAuthor(app, ann);
  const request = await requestUnmasking(ann, caseId);

  await runLater(dayMs, async () => {
    expect((await getUnmasking(bob, caseId)).requests).toMatchObject([{ state: 'expired' }]);
    expect((await bob.call('listUnmaskings', {})).requests).toEqual([]);
    await expect(confirmUnmasking(bob, request)).rejects.toEqual(toRejection('UNMASKING_CLOSED'));
    const { requestId } = request;
    await expect(bob.call('withdrawUnmasking', { params: { requestId } })).rejects.toEqual(
      toRejection('UNMASKING_CLOSED'),
    );
  });
  for (const operator of [ann, bob]) {
    const newRequest = await runLater(dayMs, async () => {
      const openRequest = await requestUnmasking(ann, caseId);
      const { requestId } = openRequest;
      const from = await getNextAuditNumber(ann);
      const reply = await operator.call('withdrawUnmasking', { params: { requestId } });
      expect(reply.requests[0]).toMatchObject({ state: 'withdrawn' });
      expect(await listAuditedSince(ann, from)).toMatchObject([
        { act: 'unmask-withdraw', reason: ground, staffName: operator === ann ? 'Ann' : 'Bob' },
      ]);
      await expect(confirmUnmasking(bob, openRequest)).rejects.toEqual(
        toRejection('UNMASKING_CLOSED'),
      );
      return openRequest;
    });
    await expect(confirmUnmasking(bob, newRequest)).rejects.toEqual(
      toRejection('UNMASKING_CLOSED'),
    );
  }
});

test('a request of a former operator is void [UNMASK-5]', async () => {
  const { caseId } = await createReportedAuthor(app, ann);
  const former = await app.createStudent();
  await grantRole(app, former, null, 'Dan');
  const request = await requestUnmasking(former, caseId);

  const { code } = await runAdminCommand(app.database.settings, 'revoke-role', former.email);

  expect(code).toBe(0);
  await expect(confirmUnmasking(bob, request)).rejects.toEqual(toRejection('UNMASKING_CLOSED'));
});

test('if the account is gone, the operators learn that unmasking is impossible [UNMASK-9]', async () => {
  const endings: ((stage: Awaited<ReturnType<typeof createReportedAuthor>>) => Promise<unknown>)[] =
    [
      ({ author, classId }) => author.leave(classId),
      ({ author: { call, password } }) =>
        call('deleteAccount', { body: { password, messages: 'keep' } }),
      ({ classId }) => runAdminCommand(app.database.settings, 'archive-class', classId),
      // The class can be reopened, so the key could still find the account.
      ({ classId }) => ann.call('endClass', { params: { classId } }),
    ];
  for (const end of endings) {
    const stage = await createReportedAuthor(app, ann);
    const request = await requestUnmasking(ann, stage.caseId);
    const from = await getNextAuditNumber(ann);
    await end(stage);
    const impossible = toRejection('UNMASKING_IMPOSSIBLE');
    await expect(confirmUnmasking(bob, request)).rejects.toEqual(impossible);
    const audited = await listAuditedSince(ann, from);
    expect(audited.filter(({ act }) => act.startsWith('unmask'))).toMatchObject([
      { act: 'unmask-impossible', staffName: 'Bob', reason: ground, caseId: stage.caseId },
    ]);
    expect((await getUnmasking(ann, stage.caseId)).requests).toMatchObject([
      { state: 'impossible', closedBy: 'Bob' },
    ]);
  }

  const endedScene = await createReportedAuthor(app, ann);
  await runAdminCommand(app.database.settings, 'archive-class', endedScene.classId);
  expect((await getUnmasking(ann, endedScene.caseId)).refusal).toBe('ended');
  await expect(requestUnmasking(ann, endedScene.caseId)).rejects.toEqual(
    toRejection('UNMASKING_IMPOSSIBLE'),
  );
});

test('a removed member can be unmasked, and a deleted class has no requests [UNMASK-9, MOD-29]', async () => {
  const { caseId, classId, messageId, author } = await createReportedAuthor(app, ann);
  await decide(ann, messageId, { decision: 'remove', sanction: { kind: 'remove' } });
  await applyDecisions(app);
  const request = await requestUnmasking(ann, caseId);

  expect(await confirmUnmasking(bob, request)).toBe(author.email);

  const nextRequest = await requestUnmasking(ann, caseId);
  expect((await runAdminCommand(app.database.settings, 'delete-class', classId)).code).toBe(0);
  await expect(confirmUnmasking(bob, nextRequest)).rejects.toEqual(toRejection('NOT_FOUND'));
  await expect(getUnmasking(bob, caseId)).rejects.toEqual(toRejection('NOT_FOUND'));

  const { requests } = await bob.call('listUnmaskings', {});
  expect(requests.filter((candidate) => candidate.caseId === caseId)).toEqual([]);
});

test('all operators get a mail without content, which no limit stops [UNMASK-10]', async () => {
  const mailed = await startApp({ UNMASKING: 'on', LIMITS: 'mails=1/1h' });
  try {
    const [firstOperator, secondOperator] = await createTwoOperators(mailed);
    const { caseId, author } = await createReportedAuthor(mailed, firstOperator);
    for (const { email } of [firstOperator, secondOperator]) {
      await firstOperator.call('requestPasswordReset', { body: { email } });
    }
    await requestUnmasking(firstOperator, caseId);
    const listRequestMails = () =>
      mailed.mails().filter((mail) => mail.includes('A request to unmask'));

    await expect.poll(() => listRequestMails().length, { timeout: 10_000 }).toBe(2);
    for (const mail of listRequestMails()) {
      expect(mail).toContain('/moderation');
      // The address of the recipient may contain the names of others.
      const content = mail.replace(/^To: .*$/m, '');
      for (const secret of [caseId, ground, author.email, 'Ann', 'CS146']) {
        expect(content).not.toContain(secret);
      }
    }
    for (const { email } of [firstOperator, secondOperator]) {
      expect(listRequestMails().filter((mail) => mail.includes(`To: ${email}`))).toHaveLength(1);
    }
  } finally {
    await mailed.stop();
  }
});

describe('the setting UNMASKING', () => {
  test('the setting UNMASKING is off by default [UNMASK-1]', () => {
    expect(loadConfig({}).unmasking).toBe('off');
    expect(loadConfig({ UNMASKING: 'on' }).unmasking).toBe('on');
    expect(() => loadConfig({ UNMASKING: 'yes' })).toThrow('UNMASKING is "yes"');
  });

  test('UNMASKING opens nothing that was written before it was on [UNMASK-1, UNMASK-2]', async () => {
    const site = await startApp();
    try {
      const [firstOperator, secondOperator] = await createTwoOperators(site);
      const getSetting = async () =>
        (await firstOperator.call('readSiteTransparency', {})).unmasking;
      const oldCase = await createReportedAuthor(site, firstOperator);
      const oldPerson = await createReportedAuthor(site, firstOperator, 'member');

      expect(await getSetting()).toEqual({ on: false, since: null });
      const rejection = toRejection('UNMASKING_OFF');
      await expect(requestUnmasking(firstOperator, oldCase.caseId)).rejects.toEqual(rejection);

      const from = await getNextAuditNumber(firstOperator);
      await site.restart(undefined, { UNMASKING: 'on' });
      const today = new Date().toISOString().slice(0, 10);

      expect(await getSetting()).toEqual({ on: true, since: today });
      const tooOld = toRejection('UNMASKING_TOO_OLD');
      for (const { caseId } of [oldCase, oldPerson]) {
        expect((await getUnmasking(firstOperator, caseId)).refusal).toBe('too-old');
        await expect(requestUnmasking(firstOperator, caseId)).rejects.toEqual(tooOld);
      }

      // The author of a new message is the author of the old one.
      await oldCase.author.post(oldCase.classId, 'A new message');
      const lastMessage = (await oldCase.author.snapshot(oldCase.classId)).messages.at(-1)!;
      await report(oldCase.member, oldCase.classId, { messageId: lastMessage.id });
      const newCase = (await listCases(firstOperator, { classId: oldCase.classId })).find(
        ({ messageId }) => messageId === lastMessage.id,
      )!;
      await expect(requestUnmasking(firstOperator, newCase.caseId)).rejects.toEqual(tooOld);

      // The member of the same class wrote nothing before.
      const { id } = await oldCase.member.post(oldCase.classId, 'My first message');
      await report(oldCase.author, oldCase.classId, { messageId: id });
      const [first] = await listCases(firstOperator, { classId: oldCase.classId });
      const open = await requestUnmasking(firstOperator, first!.caseId);

      await site.restart(undefined, { UNMASKING: 'on' });
      expect(await listAuditedSince(firstOperator, from)).toMatchObject([
        { act: 'unmasking-on', staffName: '', memberId: null },
        { act: 'unmask-request' },
      ]);

      await site.restart(undefined, { UNMASKING: 'off' });
      expect(await getSetting()).toEqual({ on: false, since: null });
      await expect(confirmUnmasking(secondOperator, open)).rejects.toEqual(rejection);

      await site.restart(undefined, { UNMASKING: 'on' });
      await expect(confirmUnmasking(secondOperator, open)).rejects.toEqual(tooOld);

      const history = await site.database.query(
        'select number, state from "unmaskingHistory" order by number',
      );
      expect(history.map(({ number, state }) => [Number(number), state])).toEqual([
        [1, 'on'],
        [2, 'off'],
        [3, 'on'],
      ]);

      const acts = (await listAuditedSince(firstOperator, from)).map(({ act }) => act);
      expect(acts.filter((act) => act.startsWith('unmasking'))).toEqual([
        'unmasking-on',
        'unmasking-off',
        'unmasking-on',
      ]);

      const nextCase = await createReportedAuthor(site, firstOperator);
      const request = await requestUnmasking(firstOperator, nextCase.caseId);
      expect(await confirmUnmasking(secondOperator, request)).toBe(nextCase.author.email);
    } finally {
      await site.stop();
    }
  });

  test('UNMASKING reaches a persona without messages only in a younger class [UNMASK-2]', async () => {
    const silent = await app.createStudent();
    const member = await app.createStudent();
    const createCase = async (): Promise<string> => {
      const classId = await member.createClass();
      await silent.join(classId);
      const body = { anonymousName: 'A Threat' };
      const { persona } = await silent.call('changePersona', { params: { classId }, body });
      await report(member, classId, { memberId: persona.memberId });
      return (await listCases(ann, { classId }))[0]!.caseId;
    };

    expect((await getUnmasking(ann, await createCase())).refusal).toBe('too-old');
    await runLater(dayMs, async () => {
      const caseId = await createCase();
      expect((await getUnmasking(ann, caseId)).refusal).toBeNull();
      expect(await confirmUnmasking(bob, await requestUnmasking(ann, caseId))).toBe(silent.email);
    });
  });
});
