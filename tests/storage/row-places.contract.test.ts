// A thief of one copy must not see in which order the rows of members were written, because personas write messages with times at
// these moments.
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setSubscription } from '#server/accounts/session-records.ts';
import { createLog } from '#server/base/log.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { insertVote } from '#server/chat/votes/votes-queries.ts';
import { saveReport } from '#server/features/moderation/reports/reports-queries.ts';
import { createRowOrderEraser } from '#server/store/dialects/postgres-row-order.ts';
import { Registers } from '#server/store/registers.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import { calculateKendall } from '#tests/anonymity/registrar.ts';
import { steal } from '#tests/anonymity/steal.ts';
import {
  accountRecords,
  addClass,
  openStorage,
  sessionRecords,
  testKeys,
  type OpenedStorage,
} from './opened-storage.ts';

/** Chance exceeds it in one of a million attempts. */
const maxChanceOrder = 5;
const rowCount = 40;

interface Writer {
  table: string;
  column: string;
  prepare?(tx: DatabaseTransaction): Promise<void>;
  /** Writes a row, and returns what the row has in the column. */
  write(tx: DatabaseTransaction, n: number): Promise<string>;
}

const registers = new Registers(testKeys.registers);
const classIds = Array.from({ length: rowCount }, () => createRandomId());

function addMembers(tx: DatabaseTransaction, memberClassId: string, count: number) {
  return registers.change(tx, 'members', memberClassId, (members) => {
    for (let n = 0; n < count; n++) members.set(createRandomId(), { joinedDay: 20_000 });
    return true;
  });
}

const writers: Record<string, Writer> = {
  'new accounts': {
    table: 'accounts',
    column: 'id',
    async write(tx) {
      const email = `${createRandomId()}@university.edu`;
      return (await accountRecords.add(tx, { email, emailVerified: true, passwordHash: null })).id;
    },
  },
  'new sessions': { table: 'sessions', column: 'id', write: addSession },
  'sessions that get a push subscription': {
    table: 'sessions',
    column: 'id',
    async write(tx) {
      await addSession(tx);
      const { id: subscribedId } = await tx
        .selectFrom('sessions')
        .select('id')
        .where('push', 'is', null)
        .orderBy(sql`random()`)
        .executeTakeFirstOrThrow();
      await setSubscription(tx, subscribedId, 'a subscription'.repeat(50));
      return subscribedId;
    },
  },
  'votes for a question': {
    table: 'questionVotes',
    column: 'voter',
    async write(tx) {
      const voter = createRandomId();
      await insertVote(tx, { classId, seq: 1 }, voter);
      return voter;
    },
  },
  reports: {
    table: 'reports',
    column: 'reporter',
    async write(tx) {
      const reporter = createRandomId();
      const target = createRandomId();
      const text = 'a'.repeat(3000);
      const caseId = createRandomId();
      await saveReport(tx, { classId, reporter, target, caseId, reason: 'spam', text, day: 1 });
      return reporter;
    },
  },
  'registers that grow': {
    table: 'registers',
    column: 'classId',
    async prepare(tx) {
      for (const id of classIds.toSorted()) await addMembers(tx, id, 1);
    },
    async write(tx, n) {
      await addMembers(tx, classIds[n]!, 30);
      return classIds[n]!;
    },
  },
};

async function addSession(tx: DatabaseTransaction): Promise<string> {
  const id = createRandomId(24);
  const content = { accountId: createRandomId(24), device: '', createdDay: 20_000, endDay: 30_000 };
  await sessionRecords.insert(tx, createRandomId(), { id, ...content });
  return id;
}

let storage: OpenedStorage;
let classId: string;
beforeEach(async () => {
  storage = await openStorage();
  classId = await addClass(storage);
});
afterEach(() => storage.close());

/** How well each kind of place keeps the order, in standard deviations. */
async function measureOrder(table: string, column: string, written: readonly string[]) {
  const rows = (await steal(storage.database)).tables.get(table) ?? [];
  const rowsByName = new Map(rows.map((row) => [String(row.values[column]), row]));
  const names = [...new Set(written)].filter((name) => rowsByName.has(name));
  expect(names).toHaveLength(rowCount);
  const traces = new Set(rows.flatMap(({ places }) => Object.keys(places)));
  return [...traces].map((trace) => {
    const places = names.flatMap((name) => rowsByName.get(name)?.places[trace] ?? []);
    const groups = [...Map.groupBy(places, ({ group }) => group).values()];
    const strengths = groups.map((group) => Math.abs(calculateKendall(group.map(({ at }) => at))));
    return { trace, strength: Math.max(0, ...strengths) };
  });
}

test.each(Object.entries(writers))(
  'the places of %s do not tell their order [ANON-6]',
  async (_name, { table, column, prepare, write }) => {
    await storage.commits.write(async ({ db }) => prepare?.(db), 'everything');
    const written: string[] = [];
    for (let n = 0; n < rowCount; n++) {
      written.push(await storage.commits.write(({ db }) => write(db, n), 'everything'));
    }
    const { db, kind } = storage;
    const eraser =
      kind === 'postgres'
        ? createRowOrderEraser(db, () => true, createLog({ write: () => {} }))
        : null;
    await eraser?.stop();

    const measured = await measureOrder(table, column, written);

    // Whether a row is new in the -wal file is to be seen until the file is emptied.
    const lasting = measured.filter(({ trace }) => trace !== 'commit in -wal');
    expect(lasting.filter(({ strength }) => strength > maxChanceOrder)).toEqual([]);
  },
);
