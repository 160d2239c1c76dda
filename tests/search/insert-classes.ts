import { randomBytes } from 'node:crypto';
import type { Class } from '#contract/entities.ts';
import { quoteSql, type TestDatabase } from '#tests/support/test-database.ts';

const rowsPerBatch = 500;

/** Inserts classes as rows while no server runs, because twenty thousand calls would take too long. */
export async function insertClasses(
  database: TestDatabase,
  classes: readonly Class[],
): Promise<void> {
  for (let offset = 0; offset < classes.length; offset += rowsPerBatch) {
    const rows = classes.slice(offset, offset + rowsPerBatch).map(toRow);
    await database.query(
      `insert into classes ("classId", seq, ordinal, salt, status, name, "courseName",
         "subjectAbbreviation", "courseNumber", "sectionNumber", "semesterSeason", "classSchedule",
         "beginClassTime", "endClassTime", "memberCount", "createdDay")
       values ${rows.join(', ')}`,
    );
  }
}

function toRow(fields: Class): string {
  const texts = [
    fields.name,
    fields.courseName,
    fields.subjectAbbreviation,
    fields.courseNumber,
    fields.sectionNumber,
    fields.semesterSeason,
    fields.classSchedule && JSON.stringify(fields.classSchedule),
    fields.beginClassTime,
    fields.endClassTime,
  ].map((text) => (text === null ? 'null' : quoteSql(text)));
  const salt = randomBytes(12).toString('base64url');
  const values = [quoteSql(fields.classId), 0, 0, quoteSql(salt), quoteSql('active'), ...texts];
  return `(${[...values, fields.memberCount, 20_000].join(', ')})`;
}
