// Seals enrollments, read marks and preferences again, once a day (decision 33). Otherwise, daily copies of the database
// would show on which days single rows change, and these are the days on which the personas of their owners write.
import { randomInt, type KeyObject } from 'node:crypto';
import { listAccountIds } from '#server/accounts/account-records.ts';
import { startOfDay } from '#server/base/days.ts';
import { reseal } from '#server/base/seal.ts';
import { decryptEnrollments, saveEnrollment } from '#server/chat/classes/enrollments-queries.ts';
import type { PreferenceKeys } from '#server/chat/members/preference-journal.ts';
import { isErasedPreferences } from '#server/chat/members/preferences.ts';
import { isErasedReadMark } from '#server/chat/members/read-marks.ts';
import type { SealedTable } from '#server/store/daily-run.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import {
  deleteMemberRow,
  listMemberRowsAfter,
  replaceMemberRow,
  type MemberRow,
  type MemberTable,
} from './sealed-rows-queries.ts';

export interface MemberRowKeys {
  readMarks: { positions: KeyObject };
  preferences: PreferenceKeys;
}

/** Small numbers, so that other writes do not wait long. A row of preferences has 32 kB. */
const rowsPerCommit: Record<MemberTable, number> = { readMarks: 100, preferences: 10 };
const accountsPerCommit = 20;
/** Each day, one of so many rows of accounts that left is deleted, so that the day does not tell when an account left. */
const deletionChance = 30;

export function createSealedMemberTables(
  keys: MemberRowKeys,
  timesKey: KeyObject,
): readonly SealedTable[] {
  const memberTables = (['readMarks', 'preferences'] as const).map((table): SealedTable => ({
    async resealAfter(unitOfWork, lastKey) {
      const [classId = '', id = ''] = lastKey.split(' ');
      const rows = await listMemberRowsAfter(
        unitOfWork.db,
        table,
        { classId, id },
        rowsPerCommit[table],
      );
      for (const row of rows) await resealRow(unitOfWork, keys, table, row);
      const lastRow = rows.at(-1);
      return lastRow ? `${lastRow.classId} ${lastRow.id}` : null;
    },
  }));
  const enrollments: SealedTable = {
    async resealAfter({ db: tx }, lastId) {
      const ids = (await listAccountIds(tx)).toSorted().filter((id) => id > lastId);
      const slice = ids.slice(0, accountsPerCommit);
      for (const accountId of slice) await rekeyEnrollments(tx, timesKey, timesKey, accountId);
      return slice.at(-1) ?? null;
    },
  };
  return [enrollments, ...memberTables];
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

/** Seals the row again, unless it was written since it was read: then it has already changed today. */
async function resealRow(
  unitOfWork: UnitOfWork,
  keys: MemberRowKeys,
  table: MemberTable,
  row: MemberRow,
): Promise<void> {
  let isErased: boolean;
  let sealed: string;
  try {
    isErased = isErasedRow(keys, table, row);
    const key = table === 'readMarks' ? keys.readMarks.positions : keys.preferences.contents;
    sealed = reseal(key, row.sealed, `${row.classId} ${row.id}`);
  } catch {
    // A row that the key cannot open stays as it is.
    return;
  }
  if (isErased && randomInt(deletionChance) === 0) {
    await deleteMemberRow(unitOfWork.db, table, row);
    unitOfWork.contentErased();
    return;
  }
  await replaceMemberRow(unitOfWork.db, table, row, sealed);
}

function isErasedRow(keys: MemberRowKeys, table: MemberTable, row: MemberRow): boolean {
  return table === 'readMarks'
    ? isErasedReadMark(keys.readMarks.positions, row, row.sealed)
    : isErasedPreferences(keys.preferences, row, row.sealed);
}
