// The daily part of decision 33: every read mark and every row of preferences is encrypted again. In daily copies, the days on
// which single rows change would be the days on which the personas of their owners write.
import { randomInt, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { reseal } from '#server/base/seal.ts';
import type { PreferenceKeys } from '#server/chat/members/preference-journal.ts';
import { arePreferencesErased } from '#server/chat/members/preferences.ts';
import { isErasedReadMark } from '#server/chat/members/read-marks.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/unit-of-work.ts';
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

interface Dependencies {
  db: Database;
  /** The queue of accounts: the rows share no transaction with messages and personas. */
  commits: CommitQueue;
  keys: MemberRowKeys;
}

/** Small, so that other writes do not wait long. A row of preferences has 32 kB. */
const rowsPerCommit: Record<MemberTable, number> = { readMarks: 100, preferences: 10 };
/** Limits the work to a third of the time. */
const pauseFactor = 2;
/** The row of an account that left goes on one of so many days: the day must not tell when the account left. */
const deletionChance = 30;

export async function resealMemberRows(
  dependencies: Dependencies,
  stopping: AbortSignal,
): Promise<void> {
  for (const table of ['readMarks', 'preferences'] as const) {
    await resealTable(dependencies, table, stopping);
  }
}

async function resealTable(
  { db, commits, keys }: Dependencies,
  table: MemberTable,
  stopping: AbortSignal,
): Promise<void> {
  for (let after = { classId: '', id: '' }; !stopping.aborted;) {
    const startedAt = performance.now();
    const rows = await listMemberRowsAfter(db, table, after, rowsPerCommit[table]);
    const last = rows.at(-1);
    if (last === undefined) return;
    await commits.write(async (unitOfWork) => {
      for (const row of rows) await resealRow(unitOfWork, keys, table, row);
    }, 'allAccounts');
    after = last;
    await sleep((performance.now() - startedAt) * pauseFactor);
  }
}

/** A row that was written since it was read stays as it is: it has changed today. */
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
    // What cannot be opened stays as it is.
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
    : arePreferencesErased(keys.preferences, row, row.sealed);
}
