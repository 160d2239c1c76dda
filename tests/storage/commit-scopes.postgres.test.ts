// Changes wait only for what they share with others: on one server, on several, and next to commands.
import { createSecretKey } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSessions } from '#server/accounts/sessions.ts';
import { deleteSessions } from '#server/accounts/sessions-queries.ts';
import { deleteAccount } from '#server/endings/account-deletion.ts';
import { joinClass } from '#server/chat/members/joining.ts';
import { listPendingRemovals } from '#server/chat/members/pending-removals.ts';
import { PreferenceStore } from '#server/chat/members/preferences.ts';
import { createReadMarks } from '#server/chat/members/read-marks.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { Scope } from '#server/store/commit-locks.ts';
import { fenceLock } from '#server/store/transactions.ts';
import { isEnrolled } from '#server/chat/classes/enrollments-queries.ts';
import { appendToLog, listLogEntries } from '#server/chat/messages/log-queries.ts';
import { deleteMetadata, writeMetadata } from '#server/store/server-metadata-queries.ts';
import type { Change } from '#server/store/changes.ts';
import {
  addAccount,
  addClass,
  openStorage,
  timesKey,
  type OpenedStorage,
} from './opened-storage.ts';

let one: OpenedStorage;
let other: OpenedStorage;
beforeAll(async () => {
  one = await openStorage();
  other = await openStorage(one.database);
});
afterAll(async () => {
  await other.close();
  await one.close();
});

const append =
  (classId: string): Change<unknown> =>
  ({ db }) =>
    appendToLog(db, classId, 'deleted', 'x');

/** Stops within a commit of the first server, as a server that is frozen. */
async function freezeIn(scope: Scope, change: Change<unknown> = async () => {}) {
  const reached = Promise.withResolvers<void>();
  const thawed = Promise.withResolvers<void>();
  const committed = one.commits.write(async (unitOfWork) => {
    await change(unitOfWork);
    reached.resolve();
    await thawed.promise;
  }, scope);
  await reached.promise;
  const thaw = async () => {
    thawed.resolve();
    await committed;
  };
  onTestFinished(thaw);
  return thaw;
}

async function timed(action: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action;
  return performance.now() - startedAt;
}

test('a session does not end while a commit of its call is open, and other calls of the account go on [AUTH-69]', async () => {
  const callerId = await addAccount(one);
  const classId = await addClass(one);
  const thaw = await freezeIn({ classId: await addClass(one), callerId });

  let isEnded = false;
  const ended = other.commits
    .write((unitOfWork) => deleteSessions(unitOfWork, callerId, 'all'), { accountId: callerId })
    .then(() => (isEnded = true));
  await other.commits.write(append(classId), { classId, callerId });
  expect(isEnded).toBe(false);

  await thaw();
  await ended;
});

describe('while a server is frozen within a commit of a class', () => {
  const accountId = createRandomId();
  const waiting: [string, (classId: string) => Scope, Change<unknown>][] = [
    ['a change of the same class', (classId) => ({ classId }), async () => {}],
    ['a change of the class and an account', (classId) => ({ classId, accountId }), async () => {}],
    ['a change of everything', () => 'everything', async () => {}],
    ['a change that needs its row', () => 'nothing', ({ db }) => writeMetadata(db, 'frozen', '')],
  ];

  test.each(waiting)(
    '%s waits, and other classes are acknowledged within a second [NODE-23]',
    async (_, scopeOf, change) => {
      const frozen = await addClass(one);
      const second = await addClass(one);
      const third = await addClass(one);
      await one.commits.write(({ db }) => deleteMetadata(db, 'frozen'), 'nothing');
      const thaw = await freezeIn({ classId: frozen }, ({ db }) => writeMetadata(db, 'frozen', ''));
      let isDone = false;
      const blocked = other.commits.write(change, scopeOf(frozen)).then(() => (isDone = true));

      for (let round = 0; round < 3; round++) {
        for (const classId of [second, third]) {
          expect(await timed(other.commits.write(append(classId), { classId }))).toBeLessThan(1000);
        }
      }
      expect(isDone).toBe(false);

      await thaw();
      await blocked;
    },
  );

  test('changes of one batch that wait for different rows delay the others together, not one after the other [NODE-23]', async () => {
    const frozen = await addClass(one);
    const second = await addClass(one);
    const names = Array.from({ length: 10 }, (_, n) => `frozen ${n}`);
    const writeAll: Change<unknown> = async ({ db }) => {
      for (const name of names) await writeMetadata(db, name, '');
    };
    const thaw = await freezeIn({ classId: frozen }, writeAll);

    const blocked = names.map((name) =>
      other.commits.write(({ db }) => writeMetadata(db, name, ''), 'nothing'),
    );
    expect(await timed(other.commits.write(append(second), { classId: second }))).toBeLessThan(
      1000,
    );

    await thaw();
    await Promise.all(blocked);
  });

  test('a change that waits for it is rejected after some seconds, and not applied later [NODE-23]', async () => {
    const classId = await addClass(one);
    const thaw = await freezeIn({ classId });

    const blocked = other.commits.write(append(classId), { classId });
    await expect(blocked).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    await thaw();
    expect(await listLogEntries(one.db, classId, 1, 10)).toEqual([]);
    expect(other.commits.health().isFailing).toBe(false);
  }, 10_000);
});

test('a commit writes nothing while a restore or a new key uses the database alone [NODE-24]', async () => {
  const classId = await addClass(one);
  const command = new pg.Client(one.database.settings['DATABASE_URL']);
  await command.connect();
  await command.query(`select pg_advisory_lock(${fenceLock})`);

  const fenced = one.commits.write(append(classId), { classId });
  await expect(fenced).rejects.toMatchObject({ code: 'UNAVAILABLE' });

  await command.end();
  await expect
    .poll(() => one.commits.write(append(classId), { classId }))
    .toMatchObject({ seq: 1 });
});

const listWaiting = () =>
  one.database.query(`select 1 from pg_locks join pg_database on oid = database
    where datname = current_database() and not granted`);

test('the renewal of a session waits while another server seals all rows of accounts, so neither is lost [ANON-52]', async () => {
  const { db, commits } = other;
  const cookieSecret = 'a secret for this test alone, of 32 characters';
  const sessions = createSessions({ db, commits, timesKey, cookieSecret, isHttps: false });
  const accountId = await addAccount(one);
  const { cookie } = await commits.write(
    (unitOfWork) => sessions.begin(unitOfWork, accountId, ''),
    {
      accountId,
    },
  );
  const header = cookie.split(';')[0] ?? '';
  const found = await sessions.find(header);
  const thaw = await freezeIn('allAccounts');

  const renewing = sessions.renew(found!, header);
  await expect.poll(listWaiting).not.toEqual([]);

  await thaw();
  expect(await renewing).toContain(header);
});

describe('the deletion of an account, next to another server,', () => {
  const personaKey = createSecretKey(Buffer.alloc(32, 2));
  const createKey = (n: number) => createSecretKey(Buffer.alloc(32, n));

  async function deleteBeside(accountId: string, isDue?: () => Promise<boolean>) {
    const { db, commits } = other;
    const readMarks = createReadMarks({
      db,
      commits,
      keys: { ids: createKey(3), positions: createKey(4) },
    });
    const keys = { ids: createKey(5), contents: createKey(6), journal: createKey(7) };
    const preferences = new PreferenceStore({ db, commits, keys, isShared: false });
    await deleteAccount(
      { db, commits, personaKey, mailKey: createKey(8), readMarks, preferences },
      { accountId, email: '', keepMessages: false, ...(isDue && { isDue }) },
      null,
    );
    await readMarks.stop();
    await preferences.stop();
  }

  /** Begins the deletion while the change has not committed yet. */
  async function race(accountId: string, change: Change<unknown>, scope: Scope) {
    const thaw = await freezeIn(scope, change);
    const deleting = deleteBeside(accountId);
    await expect.poll(listWaiting).not.toEqual([]);
    await thaw();
    await deleting;
  }

  test('the deletion of an account, next to another server, counts a class that the account joins at the same time [JOIN-26, PROFILE-30]', async () => {
    const accountId = await addAccount(one);
    const classId = await addClass(one);
    const scope = { classId, accountId };

    await race(
      accountId,
      (unitOfWork) => joinClass(unitOfWork, timesKey, accountId, classId),
      scope,
    );

    expect(await isEnrolled(one.db, accountId, classId)).toBe(false);
    const removals = await listPendingRemovals(one.db, personaKey);
    expect(removals).toContainEqual(expect.objectContaining({ classId, isCounted: true }));
  });

  test('the deletion of an account, next to another server, does not happen if the account signs in at the same time [RETAIN-5]', async () => {
    const accountId = await addAccount(one);
    const sessions = () =>
      one.database.query(`select id from sessions where "userId" = '${accountId}'`);
    const day = '2030-01-01T00:00:00.000Z';
    const signIn: Change<unknown> = ({ db }) =>
      db
        .insertInto('sessions')
        .values({
          id: createRandomId(),
          token: createRandomId(),
          userId: accountId,
          expiresAt: day,
          createdAt: day,
          updatedAt: day,
        })
        .execute();
    const thaw = await freezeIn({ accountId }, signIn);

    const deleting = deleteBeside(accountId, async () => (await sessions()).length === 0);
    await expect.poll(listWaiting).not.toEqual([]);
    await thaw();
    await deleting;

    expect(await sessions()).toHaveLength(1);
  });
});
