// Opens the storage without a server, on the engine of this run.
import type { LogItem } from '#contract/socket.ts';
import { AccountRecords } from '#server/accounts/account-records.ts';
import { createMailboxes } from '#server/accounts/mailboxes.ts';
import { SessionRecords } from '#server/accounts/session-records.ts';
import { getToday } from '#server/base/days.ts';
import { loadConfig } from '#server/config/config.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { deriveServerKeys } from '#server/base/server-keys.ts';
import { createLog } from '#server/base/log.ts';
import { GroupCommitQueue, type CommitQueue } from '#server/store/commit-queue.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Site } from '#server/store/site.ts';
import { openDatabase, type OpenDatabase } from '#server/store/open-database.ts';
import { insertClass } from '#server/chat/classes/classes-queries.ts';
import { joinClass } from '#server/chat/members/joining.ts';
import { Memberships } from '#server/chat/members/memberships.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';

export const testKeys = deriveServerKeys('key');

export interface OpenedStorage extends OpenDatabase {
  readonly site: Site;
  readonly commits: CommitQueue;
  /** The items that subscribers received, in order. */
  readonly published: { classId: string; items: LogItem[] }[];
  readonly database: TestDatabase;
  /** The number of changes in each commit, oldest first. */
  readonly batchSizes: number[];
  /** The number of commits that were repeated. */
  retries(): number;
  /** The number of changes that erased content, which must then leave the database's files. */
  erasures(): number;
  close(): Promise<void>;
}

/** @param database the database of another instance, to act as a second server on it */
export async function openStorage(
  database?: TestDatabase,
  keys = testKeys,
): Promise<OpenedStorage> {
  const testDatabase = database ?? (await createTestDatabase());
  const log = createLog({ write: () => {} });
  const serverDatabase = await openDatabase(
    loadConfig({ ...testDatabase.settings }).database,
    keys,
    log,
  );
  const site: Site = { keys, operators: [], accountRecords };
  const published: OpenedStorage['published'] = [];
  const batchSizes: number[] = [];
  let retries = 0;
  let erasures = 0;
  const commits = new GroupCommitQueue({
    db: serverDatabase.commitDb,
    site,
    kind: serverDatabase.kind,
    log,
    metrics: {
      count: () => void retries++,
      observe: (name, value) => void (name === 'batchSize' && batchSizes.push(value)),
    },
    follow(effects) {
      erasures += effects.filter(({ kind }) => kind === 'erased').length;
      const items = effects.filter((effect) => effect.kind === 'item');
      for (const [classId, classItems] of Map.groupBy(items, (effect) => effect.classId)) {
        published.push({ classId, items: classItems.map(({ item }) => item) });
      }
    },
  });
  return {
    ...serverDatabase,
    site,
    commits,
    published,
    batchSizes,
    database: testDatabase,
    retries: () => retries,
    erasures: () => erasures,
    async close() {
      await commits.drain();
      await serverDatabase.close();
      if (!database) await testDatabase.drop();
    },
  };
}

export const accountRecords = new AccountRecords(
  testKeys.accounts,
  createMailboxes(new Map(), testKeys.mailboxes),
);
export const sessionRecords = new SessionRecords(testKeys.sessions, accountRecords);

/** Enrolls the account, as a server without other nodes does. */
export function enroll(
  unitOfWork: UnitOfWork,
  accountId: string,
  classId: string,
): Promise<unknown> {
  const memberships = new Memberships(unitOfWork.site.keys.personas);
  return joinClass(unitOfWork, memberships, accountId, classId);
}

/** Adds an empty class and returns its id. */
export async function addClass({ commits }: OpenedStorage): Promise<string> {
  const classId = createRandomId();
  const emptyDetails = {
    name: null,
    courseName: null,
    subjectAbbreviation: null,
    courseNumber: null,
    sectionNumber: null,
    semesterSeason: null,
    classSchedule: null,
    beginClassTime: null,
    endClassTime: null,
  };
  const counts = { seq: 0, ordinal: 0, memberCount: 0, createdDay: 20_000 };
  await commits.write(
    ({ db }) =>
      insertClass(db, {
        classId,
        salt: createRandomId(),
        status: 'active',
        ...counts,
        ...emptyDetails,
      }),
    { classId },
  );
  return classId;
}

/** Adds an account and returns its id. */
export async function addAccount({ db }: OpenedStorage): Promise<string> {
  const { id } = await db.transaction().execute((tx) =>
    accountRecords.add(tx, {
      email: `${createRandomId()}@university.edu`,
      emailVerified: false,
      passwordHash: null,
    }),
  );
  return id;
}

/** Adds a session that ends in `days` days, and returns its id. */
export async function addSession(
  { db }: OpenedStorage,
  accountId: string,
  days = 30,
): Promise<string> {
  const id = createRandomId(24);
  const account = await accountRecords.findById(db, accountId);
  const createdDay = getToday();
  const session = { id, accountId, device: 'Firefox', createdDay, endDay: createdDay + days };
  await db
    .transaction()
    .execute((tx) => sessionRecords.insert(tx, account?.sessionGroup ?? '', session));
  return id;
}
