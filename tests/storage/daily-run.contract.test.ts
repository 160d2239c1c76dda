// What the daily run, which encrypts the rows of accounts again, costs in a larger school.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSealedAccountTable } from '#server/accounts/sealed-account-table.ts';
import { createLog } from '#server/base/log.ts';
import { startDailyRun } from '#server/store/daily-run.ts';
import { createSealedRegisterTable } from '#server/endings/sealed-register-table.ts';
import type * as written from '#server/store/written.ts';
import { deleteMetadata, findMetadata } from '#server/store/server-metadata-queries.ts';
import {
  addAccount,
  accountRecords,
  addSession,
  openStorage,
  sessionRecords,
  type OpenedStorage,
} from './opened-storage.ts';

const work = vi.hoisted(() => ({ statements: 0 }));
vi.mock('#server/store/written.ts', async (importOriginal) => {
  const original = await importOriginal<typeof written>();
  return {
    ...original,
    noteStatement(text: string) {
      // The test asks for the metadata until the run has ended.
      if (!text.includes('serverMetadata')) work.statements += 1;
      original.noteStatement(text);
    },
  };
});

const metadataName = 'accountsResealedOn';
/** A multiple of the accounts that the run changes in one commit. */
const step = 200;

let storage: OpenedStorage;
beforeEach(async () => {
  storage = await openStorage();
});
afterEach(() => storage.close());

async function addAccounts(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const accountId = await addAccount(storage);
    await addSession(storage, accountId);
  }
}

/** @returns how many statements the run needs */
async function countDailyRun(): Promise<number> {
  const { db, commits } = storage;
  await commits.write(({ db: tx }) => deleteMetadata(tx, metadataName), 'everything');
  work.statements = 0;
  const stop = startDailyRun({
    db,
    commits,
    tables: [
      createSealedAccountTable({ db, accountCommits: commits, accountRecords, sessionRecords }, []),
      createSealedRegisterTable(commits),
    ],
    onFinished: async () => {},
    hourlyTasks: [],
    lease: { isHeld: () => true },
    log: createLog({ write: () => {} }),
  });
  await vi.waitUntil(() => findMetadata(db, metadataName), { timeout: 20_000 });
  const { statements } = work;
  await stop();
  return statements;
}

test('the daily run needs as many statements for each account of a large school as of a small one [ANON-52]', async () => {
  const counts: number[] = [];
  for (let n = 0; n < 3; n++) {
    await addAccounts(step);
    counts.push(await countDailyRun());
  }

  const [first = 0, second = 0, third = 0] = counts;
  // PostgreSQL now and then needs a statement more.
  expect(third - second).toBeLessThanOrEqual(second - first + 5);
  expect((second - first) / step).toBeLessThan(1);
});

test('the daily run leaves rows that cannot be opened as they are, and seals the others [START-25]', async () => {
  await addAccounts(3);
  const { database } = storage;
  const [damaged, ...others] = (await database.query('select id from accounts')).map(({ id }) =>
    String(id),
  );
  await database.query(
    `update accounts set content = (select content from sessions limit 1) where id = '${damaged}'`,
  );
  await database.query(
    `update sessions set content = (select content from accounts where id = '${damaged}')
     where id in (select id from sessions limit 1)`,
  );
  const readContents = async () =>
    new Map(
      [
        ...(await database.query('select id, content from accounts')),
        ...(await database.query('select id, content from sessions')),
      ].map(({ id, content }) => [String(id), (content as Buffer).toString('hex')]),
    );
  const before = await readContents();

  await countDailyRun();

  const after = await readContents();
  const unchanged = [...before].filter(([id, content]) => after.get(id) === content);
  expect(after.size).toBe(before.size);
  expect(unchanged.map(([id]) => id)).toContain(damaged);
  for (const id of others) expect(unchanged.map(([unchangedId]) => unchangedId)).not.toContain(id);
});

test('visitors see each account once a day and after a start, and what they change is stored [RETAIN-5]', async () => {
  await addAccounts(2);
  const { db, commits } = storage;
  const lastUse = { epoch: 'epoch', month: 24_000, goesDay: null, isReminded: false };
  const visited: string[][] = [];
  /** Starts a server, and stops it after its first hourly task. */
  const runServer = async () => {
    const ids = new Set<string>();
    const visit = ({ id, lastUse: stored }: { id: string; lastUse: unknown }) => {
      ids.add(id);
      return stored === null ? { lastUse } : null;
    };
    const visitors = [{ visit }];
    const tables = [
      createSealedAccountTable(
        { db, accountCommits: commits, accountRecords, sessionRecords },
        visitors,
      ),
    ];
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = startDailyRun({
      db,
      commits,
      tables,
      onFinished: async () => {},
      hourlyTasks: [async () => resolve()],
      lease: { isHeld: () => true },
      log: createLog({ write: () => {} }),
    });
    await promise;
    await stop();
    visited.push([...ids].toSorted());
    return (await accountRecords.listAfter(db, '', 10)).accounts;
  };

  const resealed = await runServer();
  await db
    .transaction()
    .execute((tx) => accountRecords.change(tx, resealed[0]!.id, () => ({ lastUse: null })));
  const seen = await runServer();

  const ids = resealed.map(({ id }) => id).toSorted();
  expect(visited).toEqual([ids, ids]);
  for (const accounts of [resealed, seen]) {
    expect(accounts.map((account) => account.lastUse)).toEqual([lastUse, lastUse]);
  }
});
