import fc from 'fast-check';
import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '#server/base/log.ts';
import type { DatabaseTransaction, Tables } from '#server/store/tables.ts';
import { holdInserts } from '#server/store/dialects/postgres-held-inserts.ts';
import { createPostgresDialect } from '#server/store/dialects/postgres.ts';
import { appendToLog, listLogEntries } from '#server/chat/messages/log-queries.ts';
import {
  findMessage,
  insertMessage,
  listMessagesBetween,
  updateText,
} from '#server/chat/messages/messages-queries.ts';
import { addClass, openStorage, type OpenedStorage } from './opened-storage.ts';

let storage: OpenedStorage;
/** Sends each insert separately, as commands do. */
let plain: Kysely<Tables>;
beforeAll(async () => {
  storage = await openStorage();
  const url = storage.database.settings.DATABASE_URL ?? '';
  plain = new Kysely({ dialect: createPostgresDialect(url, createLog({ write() {} }), false) });
});
afterAll(async () => {
  await plain.destroy();
  await storage.close();
});

const messageId = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const stepArbitrary = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('post'), id: messageId }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('find'), id: messageId }) },
  fc.record({ kind: fc.constant('edit'), id: messageId }),
  fc.record({ kind: fc.constantFrom('list', 'log', 'elsewhere'), id: fc.constant('') }),
  fc.record({ kind: fc.constantFrom('keep', 'undo'), id: fc.constant('') }),
);
type Step = typeof stepArbitrary extends fc.Arbitrary<infer One> ? One : never;

async function take({ kind, id }: Step, db: DatabaseTransaction, classId: string) {
  switch (kind) {
    case 'post': {
      const { seq, ordinal } = await appendToLog(db, classId, 'posted', id);
      const row = { classId, seq, ordinal, id, memberId: 'm', text: `text ${seq}`, digest: 'd' };
      const rest = { images: null, createdAt: seq, editedAt: null, replyTo: null, deleted: 0 };
      const noQuestion = { votes: null, answerId: null, endorsedId: null, done: 0, topicId: null };
      const noPoll = { poll: null, pollClosesAt: null, pollTally: null };
      await insertMessage(db, { ...row, ...rest, moderation: null, ...noQuestion, ...noPoll });
      return seq;
    }
    case 'find':
      return (await findMessage(db, classId, id))?.text;
    case 'edit': {
      const message = await findMessage(db, classId, id);
      return message && updateText(db, message, 'edited', 1);
    }
    case 'list':
      return listTexts(db, classId);
    case 'log':
      return listRefs(db, classId);
    case 'elsewhere':
      return db.selectFrom('classes').select('seq').where('classId', '=', classId).execute();
    case 'keep':
    case 'undo': {
      await sql`savepoint part`.execute(db);
      await appendToLog(db, classId, 'deleted', 'in the part');
      await (kind === 'undo' ? sql`rollback to savepoint part` : sql`select 1`).execute(db);
      return sql`release savepoint part`.execute(db).then(() => null);
    }
  }
}

const listRefs = async (db: Kysely<Tables>, classId: string) =>
  (await listLogEntries(db, classId, 0, 1000)).map(({ seq, ref }) => `${seq} ${ref}`);

const listTexts = async (db: Kysely<Tables>, classId: string) =>
  (await listMessagesBetween(db, classId, 0, 1000)).map((row) => `${row.seq} ${row.text}`);

/** All that a caller learns of the steps in one transaction, and what they leave in the database. */
async function play(db: Kysely<Tables>, steps: readonly Step[]) {
  const classId = await addClass(storage);
  const answers: unknown[] = [];
  const failure = await db
    .transaction()
    .execute(async (transaction) => {
      for (const step of steps) answers.push(await take(step, transaction, classId));
    })
    .then(
      () => null,
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    );
  const rows = [await listRefs(plain, classId), await listTexts(plain, classId)];
  // A unique key that is used twice fails at the latest at the commit.
  return failure ? { failure, rows } : { answers, rows };
}

test('a transaction that holds back its inserts has the same results as one that does not [LOG-2]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 14 }), async (steps) => {
      expect(await play(storage.db, steps)).toEqual(await play(plain, steps));
    }),
    { numRuns: 150 },
  );
});

test('messages that are committed together are one statement of up to 500 rows for each table [LOG-2]', async () => {
  const statements: string[] = [];
  const query = holdInserts(async (text, values) => {
    statements.push(`${text.slice(0, 20)} ${values.length}`);
    return { command: '', rowCount: 0, rows: [] };
  });
  const post = async (n: number) => {
    await query('insert into "log" ("classId", "seq") values ($1, $2)', ['c', n]);
    await query('select * from "messages" where "classId" = $1 and "id" = $2', ['c', `${n}`]);
    await query('insert into "messages" ("id") values ($1)', [`${n}`]);
  };
  await query('begin', []);
  for (let n = 0; n < 502; n++) await post(n);

  await query('commit', []);

  expect(statements.filter((text) => !text.startsWith('select'))).toEqual([
    'begin 0',
    'insert into "log" (" 1000',
    'insert into "message 499',
    'insert into "message 3',
    'insert into "log" (" 4',
    'commit 0',
  ]);
  expect(await query('insert into "log" ("seq") values ($1)', [1]), 'alone').toMatchObject({
    command: '',
  });
});

test('a held insert that waits for a row of another transaction delays only its own change [LOG-86]', async () => {
  const blockedClass = await addClass(storage);
  const freeClass = await addClass(storage);
  const transaction = await plain.startTransaction().execute();
  const row = { seq: 1, id: 'i', kind: 'deleted' as const, ref: 'x', memberId: null };
  await transaction
    .insertInto('log')
    .values({ classId: blockedClass, ...row })
    .execute();

  const blockedAppend = storage.commits.write(
    ({ db }) => appendToLog(db, blockedClass, 'deleted', 'x'),
    { classId: blockedClass },
  );
  // Reading the log sends the held insert of the other change.
  await storage.commits.write(({ db }) => listLogEntries(db, freeClass, 1, 1), {
    classId: freeClass,
  });
  await transaction.rollback().execute();

  expect(await blockedAppend).toMatchObject({ seq: 1 });
  expect(storage.commits.health().isFailing).toBe(false);
});
