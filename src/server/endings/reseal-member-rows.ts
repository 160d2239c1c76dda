// Seals every read mark and every row of preferences again, once a day (decision 33). Otherwise, daily copies of the database
// would show on which days single rows change, and these are the days on which the personas of their owners write.
import { randomInt, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { reseal } from '#server/base/seal.ts';
import type { PreferenceKeys } from '#server/chat/members/preference-journal.ts';
import { isErasedPreferences } from '#server/chat/members/preferences.ts';
import { isErasedReadMark } from '#server/chat/members/read-marks.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
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

interface Dependencies {
  db: Database;
  /** The queue of accounts: the rows share no transaction with messages and personas. */
  commits: CommitQueue;
  keys: MemberRowKeys;
}

/** Small numbers, so that other writes do not wait long. A row of preferences has 32 kB. */
const rowsPerCommit: Record<MemberTable, number> = { readMarks: 100, preferences: 10 };
/** Limits the work to a third of the time. */
const pauseFactor = 2;
/** Each day, one of so many rows of accounts that left is deleted, so that the day does not tell when an account left. */
const deletionChance = 30;

export async function resealMemberRows(
  { db, commits, keys }: Dependencies,
  stopping: AbortSignal,
): Promise<void> {
  for (const table of ['readMarks', 'preferences'] as const) {
    const limit = rowsPerCommit[table];
    await resealAll(commits, stopping, {
      first: { classId: '', id: '' },
      list: (lastRow) => listMemberRowsAfter(db, table, lastRow, limit),
      reseal: (unitOfWork, row: MemberRow) => resealRow(unitOfWork, keys, table, row),
    });
  }
}

interface Rows<Place, Row extends Place> {
  /** A place before all rows. */
  first: Place;
  /** Lists the rows after a place that the next commit seals. */
  list(lastPlace: Place): Promise<readonly Row[]>;
  reseal(unitOfWork: UnitOfWork, row: Row): Promise<void>;
}

/** Seals all rows again, and pauses after each commit. */
export async function resealAll<Place, Row extends Place>(
  commits: CommitQueue,
  stopping: AbortSignal,
  { first, list, reseal: resealOne }: Rows<Place, Row>,
): Promise<void> {
  for (let lastRow = first; !stopping.aborted;) {
    const startedAt = performance.now();
    const rows = await list(lastRow);
    const last = rows.at(-1);
    if (last === undefined) return;
    await commits.write(async (unitOfWork) => {
      for (const row of rows) await resealOne(unitOfWork, row);
    }, 'allAccounts');
    lastRow = last;
    await sleep((performance.now() - startedAt) * pauseFactor);
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
