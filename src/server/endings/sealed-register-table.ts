// The part of the daily run that encrypts registers again. Otherwise, daily copies of the database would show on which days a class
// changes them, and these are the days on which the personas of its members write (decision 98).
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { SealedTable } from '#server/store/daily-run.ts';
import { shuffleNeighbors } from '#server/store/shuffle-neighbors.ts';
import { getRegisters, listRegistersAfter, type RegisterKind } from '#server/store/registers.ts';

/** As many as `shuffleNeighbors` moves before the last one. */
const registersPerCommit = 9;

export function createSealedRegisterTable(commits: CommitQueue): SealedTable {
  return {
    commits,
    async resealAfter({ db: tx, site }, lastKey) {
      const [classId = '', kind = ''] = lastKey.split(' ');
      const last = lastKey === '' ? null : { classId, kind: kind as RegisterKind };
      const rows = await listRegistersAfter(tx, last, registersPerCommit);
      for (const row of rows) await getRegisters(site.keys.personas).reseal(tx, row);
      const lastRow = rows.at(-1);
      if (!lastRow) return null;
      const key = { classId: lastRow.classId, kind: lastRow.kind };
      await shuffleNeighbors(tx, 'registers', key);
      return `${key.classId} ${key.kind}`;
    },
  };
}
