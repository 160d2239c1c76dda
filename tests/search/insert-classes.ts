import { randomBytes } from 'node:crypto';
import type { Class } from '#contract/entities.ts';
import { quoteSql, type TestDatabase } from '#tests/support/test-database.ts';

const rowsPerBatch = 500;

/** Inserts classes as rows while no server runs, because twenty thousand calls would take too long. */
export async function insertClasses(
  database: TestDatabase,
  classes: readonly Class[],
): Promise<void> {
  for (let at = 0; at < classes.length; at += rowsPerBatch) {
    const rows = classes.slice(at, at + rowsPerBatch).map(toRow);
    await database.query(
      `insert into classes ("classId", seq, ordinal, salt, status, name, "courseName",
         "subjectAbbreviation", "courseNumber", "sectionNumber", "semesterSeason", "classSchedule",
         "beginClassTime", "endClassTime", "memberCount", "createdDay")
       values ${rows.join(', ')}`,
    );
  }
}

function toRow(one: Class): string {
  const texts = [
    one.name,
    one.courseName,
    one.subjectAbbreviation,
    one.courseNumber,
    one.sectionNumber,
    one.semesterSeason,
    one.classSchedule && JSON.stringify(one.classSchedule),
    one.beginClassTime,
    one.endClassTime,
  ].map((text) => (text === null ? 'null' : quoteSql(text)));
  const salt = randomBytes(12).toString('base64url');
  const values = [quoteSql(one.classId), 0, 0, quoteSql(salt), quoteSql('active'), ...texts];
  return `(${[...values, one.memberCount, 20_000].join(', ')})`;
}
