// The address of an unmasked person is in one answer, and requests tell nothing about the account.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listCases, report } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import {
  confirmUnmasking,
  getUnmasking,
  createReportedAuthor,
  requestUnmasking,
  createTwoOperators,
} from '#tests/support/unmasking.ts';
import { findMarks } from './marks.ts';
import { normalize } from './transcript.ts';
import {
  changeStoredAccounts,
  findStoredAccount,
  listStoredAccounts,
} from '#tests/support/stored-accounts.ts';

let app: RunningApp;
let ann: TestClient;
let bob: TestClient;
beforeAll(async () => {
  app = await startApp({ UNMASKING: 'on' });
  [ann, bob] = await createTwoOperators(app);
});
afterAll(() => app.stop());

const toErrorWith = (code: string) => expect.objectContaining({ code });

/** Another browser of the person, with everything that it received. */
async function openWatchedBrowser(person: TestClient) {
  const bodies: { path: string; body: string }[] = [];
  const browser = person.newBrowser({
    async onResponse(response) {
      const headers = JSON.stringify([...response.headers]);
      bodies.push({
        path: new URL(response.url).pathname,
        body: headers + (await response.text()),
      });
    },
  });
  await browser.signIn();
  return { browser, bodies };
}

const accountTables = ['accounts', 'sessions', 'registers'];

describe('an unmasked account', () => {
  test('an unmasked account is in the answer to the confirmation and nowhere else [UNMASK-11, ANON-1]', async () => {
    const { caseId, classId, author, member } = await createReportedAuthor(app, ann);
    const name = `canary${randomBytes(8).toString('hex')}`;
    const email = `${name}@university.edu`;
    await changeStoredAccounts(app.database, author.email, { email });
    const { id } = await findStoredAccount(app.database, email);
    const marks = { address: name, account: id };
    const watchedBrowsers = await Promise.all([ann, bob, member].map(openWatchedBrowser));
    const [requester, confirmer] = watchedBrowsers as [
      (typeof watchedBrowsers)[0],
      (typeof watchedBrowsers)[0],
    ];
    const sockets = await Promise.all(watchedBrowsers.map(({ browser }) => browser.connect()));
    await sockets[2]!.subscribe(classId);

    const request = await requestUnmasking(requester.browser, caseId);
    expect(await confirmUnmasking(confirmer.browser, request)).toBe(`${name}@university.edu`);
    await expect(confirmUnmasking(confirmer.browser, request)).rejects.toEqual(
      toErrorWith('UNMASKING_CLOSED'),
    );

    for (const { browser } of watchedBrowsers.slice(0, 2)) {
      await getUnmasking(browser, caseId);
      for (const call of ['listUnmaskings', 'readSiteTransparency', 'exportAccount'] as const) {
        await browser.call(call, {});
      }
      await browser.call('listAuditLog', { query: {} });
      await listCases(browser);
      await browser.fetch('/metrics');
    }
    await expect
      .poll(() => sockets[1]!.frames.map(({ type }) => type))
      .toContain('moderationChanged');

    const answers = watchedBrowsers.flatMap(({ bodies }) => bodies);
    const leaking = answers.filter(({ body }) => findMarks(marks, body).length > 0);
    expect(leaking.map(({ path }) => path)).toEqual([
      `/api/moderation/unmaskings/${request.requestId}/confirmation`,
    ]);
    expect(answers.length).toBeGreaterThan(15);

    const frames = JSON.stringify(sockets.map((socket) => socket.frames));
    expect(frames.length).toBeGreaterThan(500);
    expect(findMarks(marks, frames)).toEqual([]);
    expect(findMarks(marks, app.logLines.join('\n'))).toEqual([]);
    expect(findMarks(marks, app.mails().join('\n'))).toEqual([]);

    const tables = await app.database.tables();
    const requestRows = tables['unmaskings']!.filter((row) => row['caseId'] === caseId);
    expect(requestRows).toHaveLength(1);
    for (const [table, rows] of Object.entries(tables)) {
      if (accountTables.includes(table)) continue;
      expect(findMarks(marks, JSON.stringify(rows)), table).toEqual([]);
    }

    // The server's own restart writes what it holds back.
    await app.restart();
    const laterTables = JSON.stringify({ ...(await app.database.tables()), accounts: [] });
    expect(findMarks({ address: name }, laterTables)).toEqual([]);
  });

  test('the rows of an unmasking are the same for any account [UNMASK-11, MOD-27]', async () => {
    const { caseId, classId, author } = await createReportedAuthor(app, ann);
    const tablesBefore = await app.database.tables();
    const request = await requestUnmasking(ann, caseId);
    await confirmUnmasking(bob, request);
    const next = await requestUnmasking(ann, caseId);

    const tablesAfter = await app.database.tables();
    const changedTables = Object.keys(tablesAfter).filter(
      (table) => JSON.stringify(tablesAfter[table]) !== JSON.stringify(tablesBefore[table]),
    );
    // Mails of the requests are queued, or already sent.
    expect(changedTables.filter((table) => table !== 'outgoingMails').toSorted()).toEqual([
      'auditLog',
      'unmaskings',
    ]);

    const rows = tablesAfter['unmaskings']!.filter((row) => row['caseId'] === caseId);
    expect(rows).toHaveLength(2);
    expect(Object.keys(rows[0]!).toSorted()).toEqual([
      ...['caseId', 'classId', 'closedBy', 'number', 'reason', 'requestId', 'requestedAt'],
      ...['requestedBy', 'requester', 'status'],
    ]);

    const { memberId } = (await author.snapshot(classId)).me;
    const stored = await listStoredAccounts(app.database);
    const ids = stored.flatMap(({ id, email }) => [id, email]);
    const text = JSON.stringify([
      rows,
      tablesAfter['unmaskingHistory'],
      tablesAfter['reportCounts'],
    ]);
    expect([...ids, memberId].filter((id) => text.includes(id))).toEqual([]);
    // Two requests of one operator look like those of two.
    expect(rows[0]!['requester']).not.toBe(rows[1]!['requester']);

    await ann.call('withdrawUnmasking', { params: { requestId: next.requestId } });
  });
});

describe('operators', () => {
  /** Two accounts that differ in everything. One of them is reported. */
  async function play(swapped: boolean): Promise<unknown> {
    const scene = randomBytes(3).toString('hex');
    const firstStudent = await app.createStudent(`early${scene}`);
    const owner = await app.createStudent();
    const lastStudent = await app.createStudent(`zoe.a.much.longer.name.late${scene}`);
    const classId = await owner.createClass();
    for (const student of [firstStudent, lastStudent]) await student.join(classId);
    const [first, second] = swapped ? [lastStudent, firstStudent] : [firstStudent, lastStudent];
    const { id } = await first.post(classId, 'I will find you');
    await second.post(classId, 'Please do not');
    const { memberId } = (await first.snapshot(classId)).me;
    await report(owner, classId, { messageId: id });
    const [{ caseId } = { caseId: '' }] = await listCases(ann, { classId });
    const request = await requestUnmasking(ann, caseId);
    const replies: unknown[] = [
      await bob.call('listUnmaskings', {}),
      await getUnmasking(bob, caseId),
    ];
    const { requestId } = request;
    replies.push(await ann.call('withdrawUnmasking', { params: { requestId } }));
    const secondRequest = await requestUnmasking(ann, caseId);
    await first.leave(classId);
    await expect(confirmUnmasking(bob, secondRequest)).rejects.toEqual(
      toErrorWith('UNMASKING_IMPOSSIBLE'),
    );
    replies.push(await getUnmasking(ann, caseId), await ann.call('readSiteTransparency', {}));
    const { entries } = await ann.call('listAuditLog', { query: {} });
    replies.push(entries.slice(0, 4).map((entry) => ({ ...entry, number: 0 })));
    const names = new Map([
      ...[requestId, secondRequest.requestId]
        .toSorted()
        .map((unmaskingId) => [unmaskingId, 'REQUEST'] as const),
      ...[[caseId, 'CASE'] as const, [classId, 'CLASS'] as const, [memberId, 'FIRST'] as const],
    ]);
    return JSON.parse(
      JSON.stringify(normalize(replies, names)).replaceAll(
        /"(requestedAt|expiresAt)":\d+/g,
        '"$1":0',
      ),
    );
  }

  test('operators see the same of a request, whichever account is behind the persona [UNMASK-11, ANON-20]', async () => {
    const transcript = await play(false);

    expect(JSON.stringify(transcript)).toContain('impossible');
    expect(await play(true)).toEqual(transcript);
  });
});

describe('a new server key', () => {
  test('a new server key ends open requests, and operators can make new ones [ADMIN-9, MOD-28]', async () => {
    const site = await startApp({ UNMASKING: 'on' });
    const [requester, confirmer] = await createTwoOperators(site);
    const { caseId, classId, author } = await createReportedAuthor(site, requester);
    const request = await requestUnmasking(requester, caseId);
    const memberIdBefore = (await author.snapshot(classId)).me.memberId;
    const next = randomBytes(32).toString('base64url');
    const { settings } = site.database;
    const newSettings = settings.SECRET_KEY ? { SECRET_KEY: next } : undefined;
    await site.restart(async () => {
      const withNext = newSettings ? { ...settings, NEW_SECRET_KEY: next } : settings;
      const { code, errors } = await runAdminCommand(withNext, 'new-key', '--yes');
      expect([code, errors]).toEqual([0, []]);
    }, newSettings);

    for (const person of [requester, confirmer, author]) await person.signIn();
    expect((await author.snapshot(classId)).me.memberId).not.toBe(memberIdBefore);
    expect((await getUnmasking(confirmer, caseId)).requests).toMatchObject([
      { requestId: request.requestId, state: 'expired', own: false },
    ]);
    await expect(confirmUnmasking(confirmer, request)).rejects.toEqual(
      toErrorWith('UNMASKING_CLOSED'),
    );

    const fresh = await requestUnmasking(requester, caseId);
    expect(await confirmUnmasking(confirmer, fresh)).toBe(author.email);
    expect((await runAdminCommand({ ...settings, ...newSettings }, 'verify-audit')).code).toBe(0);

    await site.stop();
  });
});
