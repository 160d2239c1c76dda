// The parts of the daily run that seal enrollments and registers again. Otherwise, daily copies of the database would show on which
// days single rows change, and these are the days on which the personas of their owners write (decision 33).
import type { KeyObject } from 'node:crypto';
import { listAccountIds } from '#server/accounts/account-records.ts';
import { startOfDay } from '#server/base/days.ts';
import { decryptEnrollments, saveEnrollment } from '#server/chat/classes/enrollments-queries.ts';
import type { SealedTable } from '#server/store/daily-run.ts';
import { listRegistersAfter, type RegisterKind, type Registers } from '#server/store/registers.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';

/** Small numbers, so that other writes do not wait long. */
const accountsPerCommit = 20;
const registersPerCommit = 10;

export function createSealedRegisterTable(registers: Registers): SealedTable {
  return {
    async resealAfter({ db: tx }, lastKey) {
      const [classId = '', kind = ''] = lastKey.split(' ');
      const last = lastKey === '' ? null : { classId, kind: kind as RegisterKind };
      const rows = await listRegistersAfter(tx, last, registersPerCommit);
      for (const row of rows) await registers.reseal(tx, row);
      const lastRow = rows.at(-1);
      return lastRow ? `${lastRow.classId} ${lastRow.kind}` : null;
    },
  };
}

export function createSealedEnrollmentTable(timesKey: KeyObject): SealedTable {
  return {
    async resealAfter({ db: tx }, lastId) {
      const ids = (await listAccountIds(tx)).toSorted().filter((id) => id > lastId);
      const slice = ids.slice(0, accountsPerCommit);
      for (const accountId of slice) await rekeyEnrollments(tx, timesKey, timesKey, accountId);
      return slice.at(-1) ?? null;
    },
  };
}

/** Seals the account's enrollments with the new key. A day that the old key cannot open is replaced by today. */
export async function rekeyEnrollments(
  tx: DatabaseTransaction,
  oldKey: KeyObject,
  newKey: KeyObject,
  accountId: string,
): Promise<void> {
  for (const [classId, content] of await decryptEnrollments(tx, oldKey, accountId)) {
    const enrollment = content ?? { createdAt: startOfDay().getTime() };
    await saveEnrollment(tx, newKey, { accountId, classId }, enrollment);
  }
}
