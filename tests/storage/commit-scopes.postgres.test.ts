// Changes wait only for what they share with others: on one server, on several, and next to commands.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSessionCookie } from '#server/accounts/cookies.ts';
import { createSessions } from '#server/accounts/sessions.ts';
import { deleteAccount } from '#server/endings/account-deletion.ts';
import { listPendingRemovals } from '#server/chat/members/pending-removals.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { Scope } from '#server/store/commit-locks.ts';
import {
  createReceipt,
  formatSaveReceipt,
  isReceiptSaved,
} from '#server/store/commit-receipts-queries.ts';
import { fenceLock } from '#server/store/transactions.ts';
import { Memberships } from '#server/chat/members/memberships.ts';
import { appendToLog, listLogEntries } from '#server/chat/messages/log-queries.ts';
import { deleteMetadata, writeMetadata } from '#server/store/server-metadata-queries.ts';
import type { Change } from '#server/store/changes.ts';
import {
  accountRecords,
  addAccount,
  addClass,
  openStorage,
  enroll,
  sessionRecords,
  testKeys,
  type OpenedStorage,
} from './opened-storage.ts';

let firstServer: OpenedStorage;
let secondServer: OpenedStorage;
beforeAll(async () => {
  firstServer = await openStorage();
  secondServer = await openStorage(firstServer.database);
});
afterAll(async () => {
  await secondServer.close();
  await firstServer.close();
});

const append =
  (classId: string): Change<unknown> =>
  ({ db }) =>
    appendToLog(db, classId, 'deleted', 'x');

/** Stops within a commit of the first server, as a server that is frozen. */
async function freezeIn(scope: Scope, change: Change<unknown> = async () => {}) {
  const freeze = Promise.withResolvers<void>();
  const thawing = Promise.withResolvers<void>();
  const committed = firstServer.commits.write(async (unitOfWork) => {
    await change(unitOfWork);
    freeze.resolve();
    await thawing.promise;
  }, scope);
  await freeze.promise;
  const thaw = async () => {
    thawing.resolve();
    await committed;
  };
  onTestFinished(thaw);
  return thaw;
}

/**
 * Waits for a change. On a slow machine, one that waits for a frozen commit can give up before the commit goes on.
 *
 * @returns whether the change was applied
 */
async function settleBlocked(blocked: Promise<unknown>): Promise<boolean> {
  try {
    await blocked;
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'UNAVAILABLE' });
    return false;
  }
}

test('a session does not end while a commit of its call is open [AUTH-69]', async () => {
  const callerId = await addAccount(firstServer);
  const classId = await addClass(firstServer);
  const thaw = await freezeIn({ classId: await addClass(firstServer), callerId });

  let isEnded = false;
  const sessionEnd = secondServer.commits
    .write((unitOfWork) => sessionRecords.end(unitOfWork, callerId, 'all'), { accountId: callerId })
    .then(() => (isEnded = true));
  await secondServer.commits.write(append(classId), { classId });
  expect(isEnded).toBe(false);

  await thaw();
  await sessionEnd;
});

describe('while a server is frozen within a commit of a class', () => {
  const accountId = createRandomId();
  const waiting: [string, (classId: string) => Scope, Change<unknown>][] = [
    ['a change of the same class', (classId) => ({ classId }), async () => {}],
    ['a change of the class and an account', (classId) => ({ classId, accountId }), async () => {}],
    ['a change of everything', () => 'everything', async () => {}],
    [
      'a change that needs its row',
      () => 'independent',
      ({ db }) => writeMetadata(db, 'frozen', ''),
    ],
  ];

  test.each(waiting)(
    '%s waits for a frozen commit, and other classes do not [NODE-23]',
    async (_, scopeOf, change) => {
      const frozen = await addClass(firstServer);
      const second = await addClass(firstServer);
      const third = await addClass(firstServer);
      await firstServer.commits.write(({ db }) => deleteMetadata(db, 'frozen'), 'independent');
      const thaw = await freezeIn({ classId: frozen }, ({ db }) => writeMetadata(db, 'frozen', ''));
      let isDone = false;
      const blocked = settleBlocked(
        secondServer.commits.write(change, scopeOf(frozen)).then(() => (isDone = true)),
      );

      // If one of them waited, too, it would be rejected, because the frozen commit goes on after them.
      for (let round = 0; round < 3; round++) {
        for (const classId of [second, third]) {
          await secondServer.commits.write(append(classId), { classId });
        }
      }
      expect(isDone).toBe(false);

      await thaw();
      expect(await blocked).toBe(isDone);
    },
  );

  test.each([
    { moment: 'in its batch', isLater: false, scopeOf: () => ({ accountId }) },
    { moment: 'when its lock is free', isLater: true, scopeOf: (classId: string) => ({ classId }) },
  ])(
    'a change $moment does not overtake an earlier one of the same class or account [NODE-23]',
    async ({ isLater, scopeOf }) => {
      const frozen = await addClass(firstServer);
      const other = await addClass(firstServer);
      const thaw = await freezeIn({ classId: frozen });
      const order: string[] = [];
      const write = (name: string, scope: Scope) =>
        settleBlocked(secondServer.commits.write(async () => void order.push(name), scope));

      const earlier = write('earlier', { classId: frozen, accountId });
      const inBatch = isLater ? null : write('later', scopeOf(frozen));
      // The batch commits without the change that waits.
      await secondServer.commits.write(append(other), { classId: other });
      await thaw();
      await (inBatch ?? write('later', scopeOf(frozen)));

      expect(await earlier).toBe(true);
      expect(order).toEqual(['earlier', 'later']);
    },
  );

  test('a change of another class that waits for one of its member keeps no one else waiting [NODE-23]', async () => {
    const frozen = await addClass(firstServer);
    const classId = await addClass(firstServer);
    const thaw = await freezeIn({ classId: frozen });
    const callerId = createRandomId();
    let isDone = false;
    const write = (id: string) =>
      secondServer.commits.write(async () => {}, { classId: id, callerId });

    const blocked = settleBlocked(write(frozen));
    const ordered = settleBlocked(write(classId).then(() => (isDone = true)));
    await expect(
      secondServer.commits.write(append(classId), { classId, callerId: createRandomId() }),
    ).resolves.toMatchObject({ seq: 1 });
    expect(isDone).toBe(false);

    await thaw();
    await Promise.all([blocked, ordered]);
  }, 10_000);

  test('a change does not fall behind a later one of its batch that waits for a row [NODE-23]', async () => {
    const frozen = await addClass(firstServer);
    const classId = await addClass(firstServer);
    const writeRow: Change<unknown> = ({ db }) => writeMetadata(db, 'frozen', '');
    await firstServer.commits.write(({ db }) => deleteMetadata(db, 'frozen'), 'independent');
    const thaw = await freezeIn({ classId: frozen }, writeRow);
    let isLaterDone = false;

    const earlier = secondServer.commits.write(append(classId), { classId });
    const later = settleBlocked(
      secondServer.commits.write(writeRow, { classId }).then(() => (isLaterDone = true)),
    );
    // If it waited for the later change, it would be rejected.
    await expect(earlier).resolves.toMatchObject({ seq: 1 });
    expect(isLaterDone).toBe(false);

    await thaw();
    await later;
  }, 10_000);

  test('changes of a batch that wait for different rows wait at the same time [NODE-23]', async () => {
    const frozen = await addClass(firstServer);
    const second = await addClass(firstServer);
    const names = Array.from({ length: 10 }, (_, n) => `frozen ${n}`);
    const writeAll: Change<unknown> = async ({ db }) => {
      for (const name of names) await writeMetadata(db, name, '');
    };
    const thaw = await freezeIn({ classId: frozen }, writeAll);

    const blocked = names.map((name) =>
      settleBlocked(
        secondServer.commits.write(({ db }) => writeMetadata(db, name, ''), 'independent'),
      ),
    );
    // If it waited for ten rows one after the other, it would be rejected.
    await expect(
      secondServer.commits.write(append(second), { classId: second }),
    ).resolves.toBeDefined();

    await thaw();
    await Promise.all(blocked);
  });

  test('a change that waits for a frozen commit is rejected after some seconds and never applied [NODE-23]', async () => {
    const classId = await addClass(firstServer);
    const thaw = await freezeIn({ classId });

    const blocked = secondServer.commits.write(append(classId), { classId });
    await expect(blocked).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    await thaw();
    expect(await listLogEntries(firstServer.db, classId, 1, 10)).toEqual([]);
    expect(secondServer.commits.health().isFailing).toBe(false);
  }, 10_000);
});

test('a change whose statement takes too long is rejected without the other changes of its commit [LOG-86]', async () => {
  const slow = await addClass(firstServer);
  const quick = await addClass(firstServer);

  const answers = await Promise.allSettled([
    firstServer.commits.write(append(quick), { classId: quick }),
    firstServer.commits.write(
      async ({ db }) => {
        await sql`set local statement_timeout = 50`.execute(db);
        await sql`select pg_sleep(10)`.execute(db);
      },
      { classId: slow },
    ),
    firstServer.commits.write(append(quick), { classId: quick }),
  ]);

  expect(answers).toMatchObject([
    { value: { seq: 1 } },
    { status: 'rejected', reason: { code: 'UNAVAILABLE' } },
    { value: { seq: 2 } },
  ]);
  expect(firstServer.commits.health().isFailing).toBe(false);
});

test('a commit writes nothing while a restore or a new key uses the database alone [NODE-24]', async () => {
  const classId = await addClass(firstServer);
  const command = new pg.Client(firstServer.database.settings['DATABASE_URL']);
  await command.connect();
  await command.query(`select pg_advisory_lock(${fenceLock})`);

  const fenced = firstServer.commits.write(append(classId), { classId });
  await expect(fenced).rejects.toMatchObject({ code: 'UNAVAILABLE' });

  await command.end();
  await expect
    .poll(() => firstServer.commits.write(append(classId), { classId }))
    .toMatchObject({ seq: 1 });
});

const listWaiting = () =>
  firstServer.database.query(`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);

test('the outcome of the first commit of a queue is unknown until PostgreSQL has ended it [LOG-82]', async () => {
  const receipt = createReceipt(createRandomId());
  const written = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const commit = firstServer.db.transaction().execute(async (transaction) => {
    await sql.raw(formatSaveReceipt(receipt)).execute(transaction);
    written.resolve();
    await ending.promise;
  });
  onTestFinished(() => ending.resolve());
  await written.promise;

  let isKnown = false;
  const isSaved = isReceiptSaved(secondServer.db, receipt).finally(() => (isKnown = true));
  await expect.poll(async () => isKnown || (await listWaiting()).length > 0).toBe(true);
  ending.resolve();
  await commit;

  expect(await isSaved).toBe(true);
  expect(await isReceiptSaved(secondServer.db, createReceipt(createRandomId()))).toBe(false);
});

test('the renewal of a session waits while another server seals all rows of accounts [ANON-52]', async () => {
  const { db, commits } = secondServer;
  const sessionCookie = createSessionCookie(
    'a secret for this test alone, of 32 characters',
    false,
  );
  const sessions = createSessions(db, commits, sessionRecords, sessionCookie);
  const accountId = await addAccount(firstServer);
  const account = (await accountRecords.findById(db, accountId))!;
  const { cookie } = await commits.write((unitOfWork) => sessions.begin(unitOfWork, account, ''), {
    accountId,
  });
  const header = cookie.split(';')[0] ?? '';
  const session = await sessions.find(header);
  const thaw = await freezeIn('allAccounts');

  // The row is written when it would end before the cookie.
  const renewing = sessions.renew({ ...session!, rowEndDay: 0 }, header);
  await expect.poll(listWaiting).not.toEqual([]);

  await thaw();
  expect(await renewing).toContain(header);
});

describe('the deletion of an account, next to another server,', () => {
  const personaKey = testKeys.personas;

  async function deleteOnSecondServer(accountId: string, isDue?: () => Promise<boolean>) {
    const { db, site, commits } = secondServer;
    const memberships = new Memberships(personaKey, { isShared: true });
    memberships.catchUp = () => memberships.load(db);
    await deleteAccount(
      { db, site, commits, sessionRecords, memberships },
      commits,
      { accountId, email: '', keepMessages: false, ...(isDue && { isDue }) },
      null,
    );
  }

  /** Begins the deletion while the change has not committed yet. */
  async function race(accountId: string, change: Change<unknown>, scope: Scope) {
    const thaw = await freezeIn(scope, change);
    const deleting = deleteOnSecondServer(accountId);
    await expect.poll(listWaiting).not.toEqual([]);
    await thaw();
    await deleting;
  }

  test('the deletion of an account also counts a class that the account joins at the same time [JOIN-26, PROFILE-30]', async () => {
    const accountId = await addAccount(firstServer);
    const classId = await addClass(firstServer);
    const scope = { classId, accountId };

    await race(accountId, (unitOfWork) => enroll(unitOfWork, accountId, classId), scope);

    const removals = await listPendingRemovals(firstServer);
    expect(removals).toContainEqual(expect.objectContaining({ classId, deletedId: accountId }));
  });

  test('an account that signs in at the same time is not deleted [RETAIN-5]', async () => {
    const accountId = await addAccount(firstServer);
    const { sessionGroup } = (await accountRecords.findById(firstServer.db, accountId))!;
    const listSessions = () =>
      firstServer.database.query(
        `select id from sessions where "sessionGroup" = '${sessionGroup}'`,
      );
    const session = { accountId, device: '', createdDay: 20_000, endDay: 30_000 };
    const signIn: Change<unknown> = ({ db }) =>
      sessionRecords.insert(db, sessionGroup, { id: createRandomId(), ...session });
    const thaw = await freezeIn({ accountId }, signIn);

    const deleting = deleteOnSecondServer(
      accountId,
      async () => (await listSessions()).length === 0,
    );
    await expect.poll(listWaiting).not.toEqual([]);

    await thaw();
    await deleting;

    expect(await listSessions()).toHaveLength(1);
  });
});
