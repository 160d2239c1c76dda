// Reads the classes of a OneRoster 1.1 export (CSV), which has no days and times.
import { csvColumns, type CsvField } from './class-csv.ts';
import type { SemesterSeason } from './class-fields.ts';

/** The files of the export that have what a class needs. */
export const oneRosterFiles = ['classes.csv', 'courses.csv', 'academicSessions.csv'] as const;
export type OneRosterFile = (typeof oneRosterFiles)[number];

type Row = Readonly<Record<string, string>>;

/**
 * @param tables the rows of each file, with the header
 * @returns rows for `parseRows`, with a header. Row n is of row n of classes.csv, and blank if the class is to be deleted
 */
export function toRegistrarRows(
  tables: Readonly<Record<OneRosterFile, readonly (readonly string[])[]>>,
): string[][] {
  const courses = indexById(toRecords(tables['courses.csv']));
  const sessions = indexById(toRecords(tables['academicSessions.csv']));
  const rows = toRecords(tables['classes.csv']).map((classRow) => {
    if (classRow['status'] === 'tobedeleted') return csvColumns.map(() => '');
    const course = courses.get(classRow['courseSourcedId'] ?? '') ?? {};
    // A class of several terms belongs to its first one.
    const [termId = ''] = (classRow['termSourcedIds'] ?? '').split(',');
    const fields = { ...toCode(classRow, course), ...toTerm(sessions.get(termId.trim()) ?? {}) };
    const courseName = course['title'] || (classRow['title'] ?? '');
    return csvColumns.map(({ field }) => toText({ ...fields, courseName }, field));
  });
  return [csvColumns.map(({ title }) => title), ...rows];
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
