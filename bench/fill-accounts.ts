// Inserts hundreds of thousands of accounts with the same rows that sign-ups, sign-ins, joins and the daily run write.
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { AccountRecords, defaultSettings } from '#server/accounts/account-records.ts';
import { createMailboxes } from '#server/accounts/mailboxes.ts';
import { hashToken, SessionRecords } from '#server/accounts/session-records.ts';
import { getToday } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { loadServerKeys } from '#server/base/server-keys.ts';
import { Registers } from '#server/store/registers.ts';
import { loadConfig } from '#server/config/config.ts';
import { university } from '#tests/support/university.ts';

const perTransaction = 20_000;
/** As long as a real hash. No one signs in with it. */
const passwordHash = `$argon2id$v=19$m=19456,t=2,p=1$${'a'.repeat(22)}$${'a'.repeat(43)}`;

/**
 * @param first the number of the first new student; those before it are in the school
 * @param classIds each account joins one of them, in turn
 */
export function fillAccounts(
  dataDir: string,
  { first, count }: { first: number; count: number },
  classIds: readonly string[],
): void {
  const config = loadConfig({ DATA_DIR: dataDir });
  const keys = loadServerKeys(config.secretKey, config.keyDir);
  const mailboxes = createMailboxes(config.mailboxes, keys.mailboxes);
  const accountRecords = new AccountRecords(keys.accounts, mailboxes);
  const sessionRecords = new SessionRecords(keys.sessions, accountRecords);
  const database = new SQLite(join(dataDir, 'backchannel.sqlite'), { timeout: 10_000 });
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -1000000');
  const createdDay = getToday();

  const statements = new Map<string, SQLite.Statement>();

  function insert(table: string, row: Record<string, unknown>): void {
    let statement = statements.get(table);
    if (!statement) {
      const columns = Object.keys(row);
      const names = columns.map((column) => `"${column}"`).join();
      const values = columns.map((column) => `@${column}`).join();
      statement = database.prepare(`insert into ${table} (${names}) values (${values})`);
      statements.set(table, statement);
    }
    statement.run(row);
  }
  const joined = new Map(classIds.map((classId): [string, string[]] => [classId, []]));

  function addStudent(n: number): void {
    const email = `${university.createPerson(n).localPart}@university.edu`.toLowerCase();
    const accountId = createRandomId(24);
    const token = hashToken(createRandomId() + createRandomId());
    const classId = classIds[n % classIds.length]!;
    const sessionGroup = createRandomId();
    insert('accounts', {
      ...accountRecords.seal({
        id: accountId,
        email,
        mailboxKey: mailboxes.toKey(email),
        signOnKey: null,
        passwordHash,
        emailVerified: true,
        createdDay,
        lastUse: null,
        settings: defaultSettings,
        sessionGroup,
      }),
    });
    const session = { accountId, device: 'Firefox', createdDay, endDay: createdDay + 30 };
    insert('sessions', {
      id: token,
      sessionGroup,
      content: sessionRecords.seal({ id: token, ...session }),
    });
    joined.get(classId)!.push(accountId);
  }

  const addStudents = database.transaction((from: number, to: number) => {
    for (let n = from; n < to; n++) addStudent(n);
  });
  for (let from = first; from < first + count; from += perTransaction) {
    addStudents(from, Math.min(first + count, from + perTransaction));
  }
  const registers = new Registers(keys.registers);
  for (const [classId, accountIds] of joined) {
    addMembers(database, registers, classId, accountIds);
  }
  // The daily run of a store of this size takes longer than the measurement, and all rows are as it would leave them.
  database
    .prepare(`insert or replace into "serverMetadata" (name, value) values (?, ?)`)
    .run('accountsResealedOn', String(getToday()));
  database.pragma('wal_checkpoint(truncate)');
  database.close();
}

/** Adds to the register of a class, which the school has written. */
function addMembers(
  database: SQLite.Database,
  registers: Registers,
  classId: string,
  accountIds: readonly string[],
): void {
  const ofClass = `"classId" = ? and kind = 'members'`;
  const content = database
    .prepare(`select content from registers where ${ofClass}`)
    .pluck()
    .get(classId);
  const members = new Map(registers.open('members', classId, content as Buffer));
  for (const accountId of accountIds) members.set(accountId, { joinedDay: getToday() });
  database
    .prepare(`update registers set version = ?, content = ? where ${ofClass}`)
    .run(createRandomId(), registers.seal('members', classId, members), classId);
  database
    .prepare('update classes set "memberCount" = ? where "classId" = ?')
    .run(members.size, classId);
}
