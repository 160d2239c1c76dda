// Students come one after another, and each does everything that writes a row of the account. The order in which their personas
// appear is in the log: no table of accounts may have the same order.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { computeId } from '#server/chat/members/member-ids.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { deriveReporter } from '#server/features/moderation/reports/reports.ts';
import { deriveServerKeys } from '#server/base/server-keys.ts';
import { accountTables } from '#server/store/tables.ts';
import { report } from '#tests/support/moderation.ts';
import { ask, vote } from '#tests/support/questions.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { calculateKendall, maxChanceOrder } from './arrivals.ts';
import { size } from './school.ts';
import { onPostgres, waitUntilSettled } from './settled.ts';
import { listLeaves } from './sqlite-pages.ts';
import { findStoredAccount, listStoredAccounts } from '#tests/support/stored-accounts.ts';

const secret = 'a secret for this test alone, of 32 characters';
const app = setUpApp({ SECRET_KEY: secret, EMAIL_VERIFICATION: 'off' });

/** The column of each table that tells whose a row is, and who an account is there. */
type Naming = { column: string; toName(accountId: string): string };
let names: Record<string, Naming>;
/** The accounts in the order in which they came, which is that of their personas. */
const accountIds: string[] = [];

beforeAll(async () => {
  const owner = await app.createStudent();
  const classId = await owner.createClass();
  const ownerSocket = await owner.connectTo(classId);
  const questionId = await ask(ownerSocket, classId, 'Who are you?');
  ownerSocket.close();
  let messageId: string = questionId;
  for (let n = 0; n < size; n++) {
    const student = await app.createStudent(`student-${randomUUID()}`);
    await student.join(classId);
    const socket = await student.connectTo(classId);
    await socket.subscribe(classId);
    const { id } = await socket.post(classId, `The first words of number ${n}`);
    await report(student, classId, { messageId });
    await vote(socket, classId, questionId);
    messageId = id;
    await student.call('requestPasswordReset', { body: { email: student.email } });
    await grantStaff(app, student, classId, `Professor ${n}`);
    socket.close();
    accountIds.push((await findStoredAccount(app.database, student.email)).id);
    await app.restart();
  }
  await waitUntilSettled(app);

  const keys = deriveServerKeys(secret);
  const [row] = await app.database.query(`select salt from classes where "classId" = '${classId}'`);
  const salt = String(row!['salt']);
  const stored = await listStoredAccounts(app.database);
  const groups = new Map(stored.map(({ id, sessionGroup }) => [id, sessionGroup]));
  const toName = (accountId: string) => accountId;
  names = {
    accounts: { column: 'id', toName },
    sessions: { column: 'sessionGroup', toName: (id) => groups.get(id) ?? '' },
    questionVotes: {
      column: 'voter',
      toName: (id) =>
        computeId(keys.questionVotes, computeId(keys.questionVotes, salt, id), questionId),
    },
    reports: {
      column: 'reporter',
      toName: (id) => deriveReporter(deriveModerationKeys(keys.personas), salt, id),
    },
  };
}, 300_000);

// Operators write the rows of blocked addresses, at times that have nothing to do with a persona. No row of registers stands for
// one member.
const tablesOfMembers = accountTables.filter(
  (table) => table !== 'blockedAddresses' && table !== 'registers',
);

describe.each(tablesOfMembers)('the rows of %s', (table) => {
  test(`the rows of ${table} are not in the order in which the personas appeared [ANON-58]`, async () => {
    const { column, toName } = names[table]!;
    const ordered = accountIds.map(toName);

    const storedRows = await app.database.query(`select "${column}" as name from "${table}"`);
    expect(storedRows.map(({ name }) => name)).toEqual(expect.arrayContaining(ordered));

    const findOrder = async () => {
      const placedContents = await (onPostgres ? findRows(table, column) : findCells());
      return Math.max(
        ...placedContents.map((contents) => Math.abs(measureOrder(ordered, contents))),
      );
    };
    await expect.poll(findOrder, { timeout: 30_000 }).toBeLessThan(maxChanceOrder);
  });
});

function measureOrder(ordered: readonly string[], contents: readonly string[]): number {
  const places = ordered.map((name) => contents.findLastIndex((content) => content.includes(name)));
  return calculateKendall(places.filter((place) => place >= 0));
}

/** What lies on each page of the file, in the order of the places. */
async function findCells(): Promise<string[][]> {
  const file = readFileSync(join(app.database.settings.DATA_DIR, 'backchannel.sqlite'));
  return [...listLeaves(file).values()].map((cells) =>
    cells
      .toSorted((cell, otherCell) => otherCell.offset - cell.offset)
      .map(({ content }) => content),
  );
}

async function findRows(table: string, column: string): Promise<string[][]> {
  const orders = ['ctid', 'xmin::text::bigint, ctid'];
  return Promise.all(
    orders.map(async (order) => {
      const sql = `select "${column}" as name from "${table}" order by ${order}`;
      return (await app.database.query(sql)).map(({ name }) => String(name));
    }),
  );
}
