// Reads the classes and teachers of a OneRoster 1.1 or 1.2 export (CSV), which has no days and times.
import { csvColumns, hasContent, type CsvField } from './class-csv.ts';
import type { SemesterSeason } from './class-fields.ts';
import { limits } from './limits.ts';

/** The files of the export that have what a class needs. */
export const oneRosterFiles = ['classes.csv', 'courses.csv', 'academicSessions.csv'] as const;
export type OneRosterFile = (typeof oneRosterFiles)[number];

/** The files of the export that say who teaches a class, too. */
export const oneRosterRoleFiles = [...oneRosterFiles, 'enrollments.csv', 'users.csv'] as const;
type OneRosterRoleFile = (typeof oneRosterRoleFiles)[number];

type Row = Readonly<Record<string, string>>;

/**
 * @param tables the rows of each file, with the header
 * @returns rows for `parseRows`, with a header. Row n is of row n of classes.csv, and blank if that is, or if the class is to be deleted
 */
export function toRegistrarRows(
  tables: Readonly<Record<OneRosterFile, readonly (readonly string[])[]>>,
): string[][] {
  const courses = indexById(toRecords(tables['courses.csv']));
  const sessions = indexById(toRecords(tables['academicSessions.csv']));
  const rows = toRecords(tables['classes.csv']).map((classRow) => {
    // A file usually ends with a blank line.
    const isBlank = !hasContent(Object.values(classRow));
    if (isBlank || classRow['status'] === 'tobedeleted') return csvColumns.map(() => '');
    const course = courses.get(classRow['courseSourcedId'] ?? '') ?? {};
    // A class of several terms belongs to its first one.
    const [termId = ''] = (classRow['termSourcedIds'] ?? '').split(',');
    const fields = { ...toCode(classRow, course), ...toTerm(sessions.get(termId.trim()) ?? {}) };
    const courseName = course['title'] || (classRow['title'] ?? '');
    return csvColumns.map(({ field }) => toText({ ...fields, courseName }, field));
  });
  return [csvColumns.map(({ title }) => title), ...rows];
}

/**
 * @param tables the rows of each file, with the header
 * @returns rows with a header: the columns of a class, the address, the role and the name of a teacher. Row n is of row n of
 *   enrollments.csv, and blank if that is of a student, or if the enrollment, the person or the class is to be deleted
 */
export function toTeacherRows(
  tables: Readonly<Record<OneRosterRoleFile, readonly (readonly string[])[]>>,
): string[][] {
  const classIds = toRecords(tables['classes.csv']).map((classRow) => classRow['sourcedId'] ?? '');
  const [header = [], ...classRows] = toRegistrarRows(tables);
  const classes = new Map(classRows.map((cells, index) => [classIds[index] ?? '', cells]));
  const users = indexById(toRecords(tables['users.csv']));
  const unknownClass = header.map(() => '');
  const rows = toRecords(tables['enrollments.csv']).map((enrollment) => {
    const user = users.get(enrollment['userSourcedId'] ?? '') ?? {};
    const classCells = classes.get(enrollment['classSourcedId'] ?? '');
    const isTeacher = enrollment['role']?.toLowerCase() === 'teacher';
    const hasEnded = !isActive(enrollment) || !isActive(user);
    if (!isTeacher || hasEnded || (classCells && !hasContent(classCells))) return [];
    return [...(classCells ?? unknownClass), user['email'] ?? '', 'staff', toTeacherName(user)];
  });
  return [[...header, 'Email', 'Role', 'Name'], ...rows];
}

const isActive = (row: Row) => row['status'] !== 'tobedeleted' && row['enabledUser'] !== 'false';

function toTeacherName({ givenName = '', familyName = '' }: Row): string {
  const name = `${givenName} ${familyName}`;
  return name.length > limits.personaName ? familyName : name;
}

const toText = (fields: Partial<Record<CsvField, string>>, field: CsvField) => fields[field] ?? '';

function toRecords([header = [], ...rows]: readonly (readonly string[])[]): Row[] {
  return rows.map((cells) =>
    Object.fromEntries(header.map((name, index) => [name.trim(), (cells[index] ?? '').trim()])),
  );
}

function indexById(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row['sourcedId'] ?? '', row]));
}

/** `CS-146` and `CS-146-02` → CS, 146, 02 */
function toCode(classRow: Row, course: Row) {
  const courseCode = course['courseCode'] ?? '';
  const classCode = classRow['classCode'] ?? '';
  const [, subjectAbbreviation = '', courseNumber = ''] =
    /^(\D*?)[\s._-]*(\d.*)$/.exec(courseCode) ?? [];
  const rest = classCode.startsWith(courseCode) ? classCode.slice(courseCode.length) : classCode;
  return {
    subjectAbbreviation,
    courseNumber,
    sectionNumber: rest.replace(/^[\s._-]+/, '') || '1',
  };
}

/** Derives the term from its title, such as ‘Fall 2026’, or else from the month in which it begins. */
function toTerm(session: Row): { semesterSeason: string; year: string } {
  const title = session['title'] ?? '';
  const [year = '', month = ''] = (session['startDate'] ?? '').split('-');
  const hasSeason = /spring|summer|fall|autumn|winter/i.test(title);
  const titleYear = /(199\d|2[01]\d\d)/.exec(title)?.[0];
  return {
    semesterSeason: hasSeason ? title : toSeason(Number(month)),
    year: (hasSeason && titleYear) || year,
  };
}

function toSeason(month: number): SemesterSeason | '' {
  if (month >= 1 && month <= 4) return 'Spring';
  if (month >= 5 && month <= 7) return 'Summer';
  if (month >= 8 && month <= 10) return 'Fall';
  return month >= 11 ? 'Winter' : '';
}
