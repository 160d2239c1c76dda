// The session of a call ends, or its account is suspended, after the call has checked them and before it commits.
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RouteName } from '#contract/routes.ts';
import { addSuspension, toAccountHashes } from '#server/chat/staff/suspensions.ts';
import { loadCommandKeys } from '#server/commands/command-keys.ts';
import { writeChange } from '#server/commands/write-change.ts';
import { loadConfig } from '#server/config/config.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import type { Holder } from '#tests/access/expectations.ts';
import { lateCallSettings, setUpLateCalls, type Scene } from '#tests/support/late-calls.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const gate = await vi.hoisted(async () =>
  (await import('#tests/support/commit-gate.ts')).createCommitGate(),
);
vi.mock(import('#server/http/call-commits.ts'), async (load) => {
  const original = await load();
  class CallCommits extends original.CallCommits {
    override async write<Result>(...parameters: Parameters<Commits['write']>): Promise<Result> {
      await gate.pass();
      return super.write(...parameters) as Promise<Result>;
    }
  }
  return { ...original, CallCommits };
});

const app = setUpApp(lateCallSettings);
const { names, listAllHolders, toAccountIdSql, setRole, setScene, prepare } = setUpLateCalls(app);
let scene: Scene;

describe('before the commit', () => {
  beforeAll(async () => {
    scene = await setScene();
  });
  // Only one of each may be open, and each test makes its own.
  beforeEach(async () => {
    await app.database.query('delete from unmaskings');
    await app.database.query('delete from reviews');
  });

  const cases = names.map((name) => ({ name, holder: listAllHolders(name)[0] ?? null }));

  /** A new account with the right, in two browsers. */
  async function addCaller(holder: Holder | null) {
    const owner = await app.createStudent();
    if (holder === 'member') await owner.join(scene.classId);
    else if (holder) await setRole(owner, holder === 'operator' ? '' : scene.classId, holder);
    const other = owner.newBrowser();
    await other.signIn();
    return { owner, other };
  }

  /** Stored as another server does, so that this one has not followed it when the call commits. */
  async function suspend(client: TestClient): Promise<void> {
    const config = loadConfig({ ...app.database.settings });
    const { suspendedAccountKeys } = loadCommandKeys(config);
    const [account] = await app.database.query(`select ${toAccountIdSql(client)} as id`);
    const holder = toAccountHashes(suspendedAccountKeys, {
      id: String(account!['id']),
      email: client.email,
    });
    const suspension = { ...scene, reason: 'Threats', staffName: 'Kim' };
    await writeChange(config.database, (unitOfWork) =>
      addSuspension(unitOfWork, suspendedAccountKeys, suspension, holder, 7),
    );
  }

  /** What ends the session or suspends the account changes the first ones, and work in the background the others. */
  const unwatched = new Set([
    ...['sessions', 'suspensions', 'changeEvents'],
    ...['outgoingMails', 'readMarks', 'commitReceipts'],
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
      const call = await prepare(name, other, holder);
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

  /** A suspended account keeps the rights to its data, and can appeal. */
  const openToSuspended: RouteName[] = ['appeal', 'deleteAccount'];

  test.each(cases.filter(({ name }) => !openToSuspended.includes(name)))(
    'the call $name stores nothing if its account is suspended before the commit [AUTH-69, SUSP-4]',
    async ({ name, holder }) => {
      const { owner } = await addCaller(holder);
      const call = await prepare(name, owner, holder);
      const rowsBefore = await listUnchangedRows();

      const response = await gate.endBeforeCommit(() => suspend(owner), call);

      expect(await response.json()).toMatchObject({ code: 'SUSPENDED' });
      expect(await listUnchangedRows()).toEqual(rowsBefore);
    },
  );

  test.each(openToSuspended)(
    'the call %s is open to a suspended account [AUTH-69, SUSP-6]',
    async (name) => {
      const { owner } = await addCaller(null);
      const call = await prepare(name, owner, null);

      const response = await gate.endBeforeCommit(() => suspend(owner), call);

      // There is nothing to appeal against.
      expect(response.status).toBe(name === 'appeal' ? 404 : 200);
    },
  );
});
