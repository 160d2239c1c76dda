// Classes as lines of a CSV file: reads the spellings of registrars' exports. The screen and the command share it.
import type { ListedClass } from './class-admin.ts';
import {
  findListedFieldsError,
  semesterSeasons,
  toCodeKey,
  type ClassFields,
  type SemesterSeason,
} from './class-fields.ts';
import { chooseMeeting, parseDays, parseMeetings } from './class-meetings.ts';
import { limits } from './limits.ts';
import { removeInvisible } from './text.ts';

/** Spreadsheet programs run a cell that begins like this as a formula. Our export puts an apostrophe before it. */
const formulaStart = /^'*[=+\-@\t\r]|^'+\d/;
/** Options of Papa Parse: names of classes, which students choose, must not run as formulas in a spreadsheet program. */
export const csvOptions = { escapeFormulae: formulaStart };

export interface DatedFields extends ClassFields {
  semesterSeason: SemesterSeason;
  year: number;
}
export type CsvField = keyof DatedFields;

/** Columns such as ‘MWF 9:00 AM–9:50 AM; F 2 PM–5 PM’. */
const meetingTitles = ['meetingpattern', 'meetingtimes', 'meetings', 'daystimes', 'schedule'];
/** Columns such as ‘9:00 AM–9:50 AM’. */
const rangeTitles = ['times', 'time', 'hours', 'meetingtime', ...meetingTitles];

/** The columns of an export, and the titles that other systems give them. */
export const csvColumns: readonly { field: CsvField; title: string; aliases: readonly string[] }[] =
  [
    {
      field: 'subjectAbbreviation',
      title: 'Subject',
      aliases: ['subjectabbreviation', 'subj', 'subjectcode', 'department', 'dept'],
    },
    {
      field: 'courseNumber',
      title: 'Course number',
      aliases: [
        'number',
        'course',
        'crse',
        'crsenumb',
        'crsenbr',
        'catalog',
        'catalognbr',
        'catalognumber',
      ],
    },
    {
      field: 'sectionNumber',
      title: 'Section',
      aliases: ['sectionnumber', 'sect', 'sec', 'sectionid', 'sectno', 'seqnumb'],
    },
    {
      field: 'courseName',
      title: 'Course name',
      aliases: ['name', 'title', 'coursetitle', 'longtitle', 'description'],
    },
    {
      field: 'semesterSeason',
      title: 'Season',
      aliases: ['semesterseason', 'semester', 'sem', 'term'],
    },
    { field: 'year', title: 'Year', aliases: ['yr', 'termyear', 'semester', 'sem', 'term'] },
    {
      field: 'classSchedule',
      title: 'Days',
      aliases: ['meetingdays', 'dayofweek', 'weekdays', 'pattern', ...meetingTitles],
    },
    {
      field: 'beginClassTime',
      title: 'Begin',
      aliases: [
        ...['begintime', 'start', 'starts', 'starttime', 'meetingstart', 'mtgstart', 'from'],
        ...rangeTitles,
      ],
    },
    {
      field: 'endClassTime',
      title: 'End',
      aliases: [
        ...['endtime', 'ends', 'stop', 'meetingend', 'mtgend', 'to', 'until'],
        ...rangeTitles,
      ],
    },
  ];

type Decoder = new (
  encoding: string,
  options: { fatal: boolean },
) => {
  decode(bytes: Uint8Array): string;
};

/**
 * Spreadsheet programs write UTF-8, UTF-16, or Windows' Western encoding.
 *
 * @param TextDecoder that of the browser or of Node
 */
function decodeCsv(bytes: Uint8Array, TextDecoder: Decoder): string {
  try {
    return new TextDecoder(findUtf(bytes), { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252', { fatal: false }).decode(bytes);
  }
}

/** Finds the byte order mark, or the zero bytes of Western letters in UTF-16. */
function findUtf([first, second, third, fourth]: Uint8Array): string {
  if ((first === 0xff && second === 0xfe) || (second === 0 && fourth === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && third === 0)) return 'utf-16be';
  return 'utf-8';
}

/**
 * Reads the rows of a file. Its first line can name the separator for Excel, as in `sep=;`, and is an empty row then.
 *
 * @param parse that of Papa Parse
 */
export function parseCsv(
  bytes: Uint8Array,
  TextDecoder: Decoder,
  parse: (text: string, options: { delimiter: string }) => { data: string[][] },
): string[][] {
  const text = decodeCsv(bytes, TextDecoder);
  const [separatorLine = '', delimiter = ''] = /^"?sep=(.)"?\r?\n/i.exec(text) ?? [];
  // Papa Parse takes one kind of line end for the whole file.
  const lines = text.slice(separatorLine.length).replaceAll(/\r\n?/g, '\n');
  const rows = parse(lines, { delimiter }).data;
  return separatorLine ? [[], ...rows] : rows;
}

/** The rows that can be above the header: a title, the date of the export. */
const maxTitleRows = 10;

/** A table of a file: its header, the rows below, and the line of the header in the file. */
export interface CsvTable {
  headers: string[];
  cells: string[][];
  headerLine: number;
}

/** Finds the header: of the first rows that with the most columns that are recognized, or else the first with several cells. */
export function toCsvTable(rows: readonly string[][]): CsvTable {
  const firstRows = rows.slice(0, maxTitleRows);
  const counts = firstRows.map((row) => {
    const columns = Object.values(guessColumns(row)).filter((column) => column !== null);
    return new Set(columns).size;
  });
  const best = Math.max(...counts);
  const found =
    best > 1
      ? counts.indexOf(best)
      : firstRows.findIndex((row) => row.filter((cell) => cell.trim()).length > 1);
  const index = Math.max(0, found);
  return joinDayColumns({
    headers: rows[index] ?? [],
    cells: rows.slice(index + 1),
    headerLine: index + 1,
  });
}

/** Adds a column for the days to a table that has a column for each of them, as in ‘Mon’: ‘Y’, ‘Tues’: ‘N’. */
function joinDayColumns(table: CsvTable): CsvTable {
  const { headers, cells } = table;
  const dayColumns = [...headers.keys()].filter((column) => {
    const days = parseDays(headers[column] ?? '');
    return typeof days !== 'string' && days.length === 1;
  });
  if (dayColumns.length < 2 || guessColumns(headers).classSchedule !== null) return table;
  const joinDays = (row: readonly string[]) =>
    dayColumns
      .filter((column) => !/^(?:n|no|false|0|-*)$/i.test((row[column] ?? '').trim()))
      .map((column) => headers[column])
      .join(', ');
  const addDays = (row: string[]) =>
    hasContent(row) ? [...headers.keys().map((column) => row[column] ?? ''), joinDays(row)] : row;
  return { ...table, headers: [...headers, 'Days'], cells: cells.map(addDays) };
}

/** The position of the column of each field in a line; null if the file has none. */
export type ColumnMapping = Record<CsvField, number | null>;

export function guessColumns(headers: readonly string[]): ColumnMapping {
  const knownNames = headers.map((header) => header.toLowerCase().replaceAll(/[^a-z]/g, ''));
  const findColumn = ({ title, aliases }: (typeof csvColumns)[number]) => {
    const names = [title.toLowerCase().replaceAll(' ', ''), ...aliases];
    const columnIndex = names.map((name) => knownNames.indexOf(name)).find((index) => index >= 0);
    return columnIndex ?? null;
  };
  return Object.fromEntries(
    csvColumns.map((column) => [column.field, findColumn(column)]),
  ) as ColumnMapping;
}

export interface TermDefaults {
  season: SemesterSeason | '';
  year: number | null;
}

/** The titles of the required columns that the file lacks. */
export function listMissingColumns(columns: ColumnMapping, defaults: TermDefaults): string[] {
  return csvColumns
    .filter(({ field }) => columns[field] === null && !isScheduleField(field))
    .filter(({ field }) => field !== 'semesterSeason' || defaults.season === '')
    .filter(({ field }) => field !== 'year' || defaults.year === null)
    .map(({ title }) => title);
}

export type ReadLine =
  | { line: number; fields: DatedFields; problem: null }
  | { line: number; fields: null; problem: string };

export interface ReadFile {
  /** One line for each class, and each line with a problem. */
  lines: ReadLine[];
  /** Lines with another meeting, room or instructor of a class that an earlier line has. */
  furtherMeetingCount: number;
}

/**
 * Reads the rows below the header.
 *
 * @param defaults the term of all lines for a file without columns for it
 */
export function parseRows(
  { cells: rows, headerLine }: Pick<CsvTable, 'cells' | 'headerLine'>,
  columns: ColumnMapping,
  defaults: TermDefaults,
): ReadFile {
  const lines: ReadLine[] = [];
  const indexes = new Map<string, number>();
  const meetings = new Map<number, DatedFields[]>();
  let furtherMeetingCount = 0;
  for (const [index, cells] of rows.entries()) {
    if (!hasContent(cells)) continue;
    const readLine = parseLine(headerLine + 1 + index, cells, columns, defaults);
    if (!readLine.fields) {
      lines.push(readLine);
      continue;
    }
    const key = toClassKey(readLine.fields);
    const firstIndex = indexes.get(key) ?? lines.length;
    const firstLine = lines[firstIndex];
    if (!firstLine?.fields) {
      indexes.set(key, lines.length);
      lines.push(readLine);
    } else if (readLine.fields.courseName !== firstLine.fields.courseName) {
      const problem = `It is the same class as line ${firstLine.line}, with another name.`;
      lines.push({ line: readLine.line, fields: null, problem });
    } else {
      const classMeetings = meetings.get(firstIndex) ?? [firstLine.fields];
      classMeetings.push(readLine.fields);
      meetings.set(firstIndex, classMeetings);
      furtherMeetingCount += 1;
    }
  }
  for (const [index, classMeetings] of meetings) {
    const firstLine = lines[index];
    if (firstLine?.fields) Object.assign(firstLine.fields, chooseMeeting(classMeetings));
  }
  return { lines, furtherMeetingCount };
}

/** Tells whether a row is not blank: a file usually ends with a blank line, which is skipped. */
export const hasContent = (cells: readonly string[]) => cells.some((cell) => cell.trim());

/** @param defaults the term of all lines for a file without columns for it */
export function parseLine(
  line: number,
  cells: readonly string[],
  columns: ColumnMapping,
  defaults: TermDefaults,
): ReadLine {
  const reject = (problem: string): ReadLine => ({ line, fields: null, problem });
  const getCell = (field: CsvField) => {
    const column = columns[field];
    return column === null ? '' : parseCell(cells[column] ?? '');
  };
  const longest = csvColumns.find(({ field }) => getCell(field).length > maxCell);
  if (longest) return reject(`${longest.title}: longer than ${maxCell} characters.`);
  const missing = csvColumns.filter(({ field }) => {
    if (isScheduleField(field)) return false;
    if (field === 'semesterSeason' && columns[field] === null) return defaults.season === '';
    if (field === 'year' && columns[field] === null) return defaults.year === null;
    return getCell(field) === '';
  });
  if (missing.length > 0) {
    return reject(`${missing.map(({ title }) => title).join(', ')}: nothing is there.`);
  }
  const semesterSeason =
    columns.semesterSeason === null ? defaults.season : parseSeason(getCell('semesterSeason'));
  if (!semesterSeason) return reject(`Season: ‘${getCell('semesterSeason')}’ is not known.`);
  const year = columns.year === null ? defaults.year : parseYear(getCell('year'), semesterSeason);
  if (year === null) return reject(`Year: ‘${getCell('year')}’ is not known.`);
  const meeting = parseMeetings(
    getCell('classSchedule'),
    getCell('beginClassTime'),
    columns.endClassTime === columns.beginClassTime ? null : getCell('endClassTime'),
  );
  if (typeof meeting === 'string') return reject(meeting);
  const fields: DatedFields = {
    semesterSeason,
    year,
    ...meeting,
    courseName: getCell('courseName'),
    subjectAbbreviation: removeInvisible(getCell('subjectAbbreviation')),
    courseNumber: removeInvisible(getCell('courseNumber')),
    sectionNumber: removeInvisible(getCell('sectionNumber')),
  };
  for (const { field, title } of csvColumns) {
    const value = fields[field];
    const max = field === 'courseName' ? limits.classField : limits.classCode;
    if (typeof value !== 'string') continue;
    if (value.length > max) return reject(`${title}: longer than ${max} characters.`);
    if (lostDigits.test(value)) {
      return reject(`${title}: ‘${value}’ has lost digits. Format the column as text.`);
    }
    // oxlint-disable-next-line no-control-regex -- a quoted cell may contain them.
    if (/[\u0000-\u001f\u007f\u2028\u2029]/.test(value)) {
      return reject(`${title}: has a line break or an invisible character.`);
    }
  }
  const errorCode = findListedFieldsError(fields);
  if (errorCode === 'CLASS_TIMES') {
    return reject('Begin Class Time must be earlier than End Class Time');
  }
  return errorCode ? reject('Please fill out all fields') : { line, fields, problem: null };
}

/** A longer cell would take long to read. */
const maxCell = 1000;

/** A long number, of which Excel saves only the first digits. */
const lostDigits = /^\d[.,]\d+E\+\d+$/i;

/** Reads what a spreadsheet program means by `="01"`, `'01` and `1.00E+02`. */
function parseCell(cell: string): string {
  const text = cell.trim();
  // An apostrophe makes the rest a text. Our export puts one before a formula.
  if (/^'('*[=+\-@]|'*\d[\w.-]*$)/.test(text)) return text.slice(1);
  const quoted = /^="(.*)"$/s.exec(text)?.[1];
  if (quoted !== undefined) return quoted.replaceAll('""', '"').trim();
  const [, digit = '', decimals = '', exponent = ''] = /^(\d)[.,](\d+)E\+(\d+)$/i.exec(text) ?? [];
  const isExact = digit !== '' && Number(exponent) <= decimals.length;
  return isExact ? String(Math.round(Number(`${digit}.${decimals}E${exponent}`))) : text;
}

const isScheduleField = (field: CsvField) =>
  field === 'classSchedule' || field === 'beginClassTime' || field === 'endClassTime';

/** Lines with the same key are the same class. */
function toClassKey(fields: DatedFields): string {
  const parts = [fields.subjectAbbreviation, fields.courseNumber, fields.sectionNumber];
  return JSON.stringify([...parts.map(toCodeKey), fields.semesterSeason, fields.year]);
}

const seasonNames: Record<SemesterSeason, RegExp> = {
  Spring: /^(spring|spr|sp)$/,
  Summer: /^(summer|sum|su|sm)$/,
  Fall: /^(fall|fal|fa|autumn|aut|au)$/,
  Winter: /^(winter|win|wi)$/,
};

/** `Fall`, `Fall 2026`, `2026FA` */
function parseSeason(text: string): SemesterSeason | null {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  const seasons = semesterSeasons.filter((season) =>
    words.some((word) => seasonNames[season].test(word)),
  );
  return seasons.length === 1 ? (seasons[0] ?? null) : null;
}

/** `2026`, `Fall 2026`, `FA26`, and `2026-27` for a fall or a spring */
function parseYear(text: string, season: SemesterSeason): number | null {
  const [, first = '', second = ''] =
    /(?<![\d/-])(\d{4}|\d\d)\s*[-–/]\s*(\d{4}|\d\d)(?![\d/-])/.exec(text) ?? [];
  if (first !== '') {
    const isAcademicYear = (Number(first) + 1) % 100 === Number(second) % 100;
    if (!isAcademicYear || (season !== 'Fall' && season !== 'Spring')) return null;
    return (Number(first) % 100) + 2000 + (season === 'Spring' ? 1 : 0);
  }
  const fullYears = new Set(text.match(/(?<!\d)(199\d|2[01]\d\d)(?!\d)/g));
  if (fullYears.size > 0) return fullYears.size === 1 ? Number([...fullYears][0]) : null;
  const shortYear = /^\D*(\d\d)\D*$/.exec(text)?.[1];
  return shortYear ? 2000 + Number(shortYear) : null;
}

/** The header and the lines of an export, which an import reads again. */
export function toCsvLines(classes: readonly ListedClass[]): string[][] {
  const header = [...csvColumns.map(({ title }) => title), 'Status', 'Members', 'ID'];
  const lines = classes.map((listedClass) => [
    ...csvColumns.map(({ field }) => {
      const value = listedClass[field];
      return Array.isArray(value) ? value.join(', ') : String(value ?? '');
    }),
    formatClassStatus(listedClass),
    String(listedClass.memberCount),
    listedClass.classId,
  ]);
  return [header, ...lines];
}

/** The word for the state of a class in exports and in the lists of commands. */
export function formatClassStatus({ restorableUntil, ended }: ListedClass): string {
  if (restorableUntil !== null) return 'deleted';
  return ended ? 'ended' : 'active';
}
