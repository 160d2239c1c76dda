// Counts the encrypted accounts, sessions and registers that the server key does not open, for the doctor.
import { AccountRecords } from '#server/accounts/account-records.ts';
import { createMailboxes } from '#server/accounts/mailboxes.ts';
import { SessionRecords } from '#server/accounts/session-records.ts';
import { tryToOpen } from '#server/base/seal.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import type { Config } from '#server/config/config-types.ts';
import { listRegistersAfter, Registers, type RegisterRow } from '#server/store/registers.ts';
import type { Database } from '#server/store/tables.ts';

export interface DamagedCounts {
  accounts: number;
  sessions: number;
  registers: number;
}

const rowsPerRead = 200;

export async function countDamagedRecords(
  db: Database,
  keys: ServerKeys,
  domainAliases: Config['domainAliases'],
): Promise<DamagedCounts> {
  const accountRecords = new AccountRecords(
    keys.accounts,
    createMailboxes(domainAliases, keys.mailboxes),
  );
  const sessionRecords = new SessionRecords(keys.sessions, accountRecords);
  const registers = new Registers(keys.registers);
  const counts: DamagedCounts = { accounts: 0, sessions: 0, registers: 0 };

  for (let lastId: string | null = ''; lastId !== null;) {
    const slice = await accountRecords.listAfter(db, lastId, rowsPerRead);
    counts.accounts += slice.damagedCount;
    lastId = slice.lastId;
  }
  for (let lastId: string | undefined = ''; lastId !== undefined;) {
    const rows = await sessionRecords.listRowsAfter(db, lastId, rowsPerRead);
    counts.sessions += rows.filter((row) => !tryToOpen(() => sessionRecords.open(row))).length;
    lastId = rows.at(-1)?.id;
  }
  for (let last: RegisterRow | null | undefined = null; last !== undefined;) {
    const rows: RegisterRow[] = await listRegistersAfter(db, last, rowsPerRead);
    const open = ({ kind, classId, content }: RegisterRow) =>
      tryToOpen(() => registers.open(kind, classId, content));
    counts.registers += rows.filter((row) => !open(row)).length;
    last = rows.at(-1);
  }
  return counts;
}
