import type { CallInput } from '#contract/http.ts';
import { quoteSql, type TestDatabase } from './test-database.ts';

/** The ended classes that `endInTerm` makes. */
export const endedTerm: CallInput<'reopenTerm'>['body'] = {
  semesterSeason: 'Fall',
  year: 1999,
  reopenableUntil: '2099-12-31',
};

/** Ends classes of `endedTerm`, without the calls for it. */
export async function endInTerm(database: TestDatabase, ...classIds: string[]): Promise<void> {
  await database.query(
    `update classes set "semesterSeason" = 'Fall', year = 1999, status = 'archived',
       "reopenableUntil" = ${Date.parse(endedTerm.reopenableUntil) / 86_400_000}
     where "classId" in (${classIds.map(quoteSql).join()})`,
  );
}
