// The session of a call ends, or its account is suspended, after the call has checked them and before it commits.
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { RouteName } from '#contract/routes.ts';
import { addSuspension, toAccountHashes } from '#server/chat/staff/suspensions.ts';
import { loadCommandKeys } from '#server/commands/command-keys.ts';
import { writeChange } from '#tests/support/write-change.ts';
import { loadConfig } from '#server/config/config.ts';
import type { CallCommits as RealCommits } from '#server/http/call-commits.ts';
import { calls } from '#tests/calls/calls.ts';
import type { RightHolder, Scene } from '#tests/calls/facts.ts';
import {
  lateCallNames,
  lateCallSettings,
  listRightHolders,
  setUpLateCalls,
} from '#tests/calls/late-calls.ts';
import { openToSuspended } from '#tests/calls/outcomes.ts';
import { addRole, toAccountIdSql } from '#tests/calls/scene.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const gate = await vi.hoisted(async () =>
  (await import('#tests/support/commit-gate.ts')).createCommitGate(),
);
vi.mock(import('#server/http/call-commits.ts'), async (load) => {
  const original = await load();
  class CallCommits extends original.CallCommits {
    override async write<Result>(...parameters: Parameters<RealCommits['write']>): Promise<Result> {
      await gate.pass();
      return super.write(...parameters) as Promise<Result>;
    }
  }
  return { ...original, CallCommits };
});

const app = setUpApp(lateCallSettings);
const { setScene, prepare } = setUpLateCalls(app);
let scene: Scene;
/** The preparation of some calls changes what the next one finds. */
let needsNewScene = true;

function prepareInScene(name: RouteName, caller: TestClient, holder: RightHolder | null) {
  needsNewScene = calls[name].ownScene !== undefined;
  return prepare(name, caller, holder);
}

describe('before the commit', () => {
  // Only one of each may be open, and each test makes its own. No decision takes effect in a later test.
  beforeEach(async () => {
    await app.database.query('delete from unmaskings');
    await app.database.query('delete from reviews');
    await app.database.query(`delete from cases where status = 'pending'`);
    if (needsNewScene) scene = await setScene();
    needsNewScene = false;
  });

  const cases = lateCallNames.map((name) => ({
    name,
    holder: listRightHolders(name)[0] ?? null,
  }));

  /** A new account with the right, in two browsers. */
  async function addCaller(holder: RightHolder | null) {
    const owner = await app.createStudent();
    if (holder === 'member') await owner.join(scene.classId);
    else if (holder) await addRole(app, owner, holder, holder === 'operator' ? '' : scene.classId);
    const other = owner.newBrowser();
    await other.signIn();
    return { owner, other };
  }

  /** Stored as another server does, so that this one has not followed it when the call commits. */
  async function suspend(client: TestClient): Promise<void> {
    const config = loadConfig({ ...app.database.settings });
    const { suspendedAccountKeys } = loadCommandKeys(config);
    const [account] = await app.database.query(`select ${toAccountIdSql(app, client)} as id`);
    const holder = toAccountHashes(suspendedAccountKeys, {
      id: String(account!['id']),
      email: client.email,
    });
    const { classId, memberId, caseId } = scene;
    const suspension = { classId, memberId, caseId, reason: 'Threats', staffName: 'Kim' };
    await writeChange(config.database, (unitOfWork) =>
      addSuspension(unitOfWork, suspendedAccountKeys, suspension, holder, 7),
    );
  }

  /** What ends the session or suspends the account changes the first ones, and work in the background the others. */
  const unwatched = new Set([
    ...['sessions', 'suspensions', 'changeEvents'],
    ...['outgoingMails', 'registers', 'commitReceipts'],
  ]);

  async function listUnchangedRows(): Promise<Record<string, unknown[]>> {
    const tables = await app.database.tables();
    return Object.fromEntries(
      Object.entries(tables).map(([name, rows]) => [
        name,
        unwatched.has(name) ? [] : rows.map((row) => JSON.stringify(row)).toSorted(),
      ]),
    );
  }

  test.each(cases)(
    'the call $name stores nothing if its session ends before the commit [AUTH-69]',
    async ({ name, holder }) => {
      const { owner, other } = await addCaller(holder);
      const call = await prepareInScene(name, other, holder);
      const rowsBefore = await listUnchangedRows();

      const response = await gate.endBeforeCommit(
        () => owner.call('signOutOtherDevices', {}),
        call,
      );

      expect(await response.json()).toMatchObject({ code: 'UNAUTHENTICATED' });
      expect(await listUnchangedRows()).toEqual(rowsBefore);
    },
  );

  test('a call stores nothing if its caller leaves before the commit [LOG-95]', async () => {
    const { owner, other } = await addCaller('member');
    const { classId } = scene;
    const leaving = new AbortController();
    const changeName = (anonymousName: string, signal: AbortSignal | null = null) =>
      owner.fetch(`/api/classes/${classId}/persona`, {
        method: 'PATCH',
        body: JSON.stringify({ anonymousName }),
        headers: { 'content-type': 'application/json' },
        signal,
      });

    const answer = gate.endBeforeCommit(
      async () => {
        leaving.abort();
        await other.call('me', {});
      },
      () => changeName('Too Late', leaving.signal),
    );
    await expect(answer).rejects.toThrow('aborted');
    await other.call('chooseNotifications', { params: { classId }, body: { notify: 'all' } });

    const reply = await other.call('listMembers', { params: { classId }, query: {} });
    expect(JSON.stringify(reply)).not.toContain('Too Late');
  });

  test.each(cases.filter(({ name }) => !openToSuspended.has(name)))(
    'the call $name stores nothing if its account is suspended before the commit [AUTH-69, SUSP-4]',
    async ({ name, holder }) => {
      const { owner } = await addCaller(holder);
      const call = await prepareInScene(name, owner, holder);
      const rowsBefore = await listUnchangedRows();

      const response = await gate.endBeforeCommit(() => suspend(owner), call);

      expect(await response.json()).toMatchObject({ code: 'SUSPENDED' });
      expect(await listUnchangedRows()).toEqual(rowsBefore);
    },
  );

  test.each(lateCallNames.filter((name) => openToSuspended.has(name)))(
    'the call %s is open to a suspended account [AUTH-69, SUSP-6]',
    async (name) => {
      const { owner } = await addCaller(null);
      const call = await prepareInScene(name, owner, null);

      const response = await gate.endBeforeCommit(() => suspend(owner), call);

      // There is nothing to appeal against.
      expect(response.status).toBe(name === 'appeal' ? 404 : 200);
    },
  );
});
