// Classes as lines of a CSV file: reads the spellings of registrars' exports. The screen and the command share it.
import type { ListedClass } from './class-admin.ts';
import {
  findListedFieldsError,
  semesterSeasons,
  weekdays,
  type ClassFields,
  type SemesterSeason,
  type Weekday,
} from './class-fields.ts';
import { browserErrors } from './browser-errors.ts';
import { limits } from './limits.ts';

/** Spreadsheet programs run a cell that begins like this as a formula. Our export puts an apostrophe before it. */
const formulaStart = /^'*[=+\-@\t\r]/;
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
 * Spreadsheet programs write UTF-8, UTF-16 with a byte order mark, or Windows' Western encoding.
 *
 * @param TextDecoder that of the browser or of Node
 */
export function decodeCsv(bytes: Uint8Array, TextDecoder: Decoder): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252', { fatal: false }).decode(bytes);
  }
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

type Meeting = Pick<ClassFields, 'classSchedule' | 'beginClassTime' | 'endClassTime'>;

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
  rows: readonly (readonly string[])[],
  columns: ColumnMapping,
  defaults: TermDefaults,
): ReadFile {
  const lines: ReadLine[] = [];
  const indexes = new Map<string, number>();
  let furtherMeetingCount = 0;
  for (const [index, cells] of rows.entries()) {
    if (!hasContent(cells)) continue;
    const readLine = parseLine(index + 2, cells, columns, defaults);
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
      const meeting = chooseMeeting(firstLine.fields, readLine.fields);
      lines[firstIndex] = { ...firstLine, fields: { ...firstLine.fields, ...meeting } };
      furtherMeetingCount += 1;
    }
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
    // Removes the apostrophe that our export put before a formula.
    return (column === null ? '' : (cells[column] ?? '')).trim().replace(/^'(?='*[=+\-@])/, '');
  };
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
  const year = columns.year === null ? defaults.year : parseYear(getCell('year'));
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
    subjectAbbreviation: getCell('subjectAbbreviation'),
    courseNumber: getCell('courseNumber'),
    sectionNumber: getCell('sectionNumber'),
  };
  for (const { field, title } of csvColumns) {
    const value = fields[field];
    const max = field === 'courseName' ? limits.classField : limits.classCode;
    if (typeof value !== 'string') continue;
    if (value.length > max) return reject(`${title}: longer than ${max} characters.`);
    // oxlint-disable-next-line no-control-regex -- a quoted cell may contain them.
    if (/[\u0000-\u001f\u007f\u2028\u2029]/.test(value)) {
      return reject(`${title}: has a line break or an invisible character.`);
    }
  }
  const errorCode = findListedFieldsError(fields);
  return errorCode ? reject(browserErrors[errorCode].message) : { line, fields, problem: null };
}

const isScheduleField = (field: CsvField) =>
  field === 'classSchedule' || field === 'beginClassTime' || field === 'endClassTime';

/** Lines with the same key are the same class. */
function toClassKey(fields: DatedFields): string {
  const parts = [fields.subjectAbbreviation, fields.courseNumber, fields.sectionNumber];
  return JSON.stringify([
    ...parts.map((part) => part.toLowerCase()),
    fields.semesterSeason,
    fields.year,
  ]);
}

/** What registrars write for a class without days or times. */
const noMeeting =
  /^(tb[ad]|arr|arranged|(by )?arrangement|online|on-?line|web|remote|distance|async|asynchronous|none|no meeting|n\/?a|[-–—]+)?$/i;

/**
 * Reads the meetings of a class, of which it keeps the first of the week.
 *
 * @param endText null if one column has begin and end
 * @returns a sentence if a day or a time is not known
 */
function parseMeetings(
  daysText: string,
  beginText: string,
  endText: string | null,
): Meeting | string {
  // A column for everything has days in front of the times.
  const hasOneColumn = endText === null && daysText === beginText;
  const split = (text: string | null) => (text ?? '').split(/[;|\n]/).map((part) => part.trim());
  const isList = split(beginText).length > 1;
  const daysParts = isList ? split(daysText) : [daysText];
  const endParts = isList ? split(endText) : [endText ?? ''];
  let firstMeeting: Meeting | null = null;
  for (const [index, part] of (isList ? split(beginText) : [beginText]).entries()) {
    const daysPart = daysParts[index] ?? daysParts.at(-1) ?? '';
    const [ownDays = ''] = /^\D*/.exec(part) ?? [];
    const meeting = hasOneColumn
      ? parseMeeting(ownDays, part.slice(ownDays.length), null)
      : parseMeeting(daysPart, part, endText === null ? null : (endParts[index] ?? ''));
    if (typeof meeting === 'string') return meeting;
    firstMeeting = firstMeeting ? chooseMeeting(firstMeeting, meeting) : meeting;
  }
  return firstMeeting ?? { classSchedule: [], beginClassTime: '', endClassTime: '' };
}

function parseMeeting(daysText: string, beginText: string, endText: string | null) {
  const daysWords = daysText.replace(/\btb[ad]\b/gi, '').trim();
  const classSchedule = noMeeting.test(daysWords) ? [] : parseDays(daysWords);
  if (!classSchedule) return `Days: ‘${daysText}’ is not known.`;
  const [begin = '', end = ''] = endText === null ? splitRange(beginText) : [beginText, endText];
  const beginClassTime = noMeeting.test(begin) ? '' : parseTime(begin);
  const endClassTime = noMeeting.test(end) ? '' : parseTime(end);
  if (beginClassTime === null) return `Begin: ‘${begin}’ is no time.`;
  if (endClassTime === null) return `End: ‘${end}’ is no time.`;
  const isMidnight = beginClassTime === '00:00' && endClassTime === '00:00';
  return isMidnight
    ? { classSchedule, beginClassTime: '', endClassTime: '' }
    : { classSchedule, beginClassTime, endClassTime };
}

/** `9:00-9:50 AM` → `9:00 AM`, `9:50 AM` */
function splitRange(text: string): string[] {
  const [begin = '', end = ''] = text.split(/\s*(?:[-–—]|\bto\b|\buntil\b)\s*/);
  const meridiem = /[ap]\.?m?\.?$/i.exec(end)?.[0];
  if (!meridiem || /[ap]\.?m?\.?$/i.test(begin)) return [begin, end];
  const sameHalf = `${begin} ${meridiem}`;
  // 11:00-12:15 PM begins before noon.
  const isEarlier = (parseTime(sameHalf) ?? '') < (parseTime(end) ?? '');
  return [isEarlier ? sameHalf : `${begin} am`, end];
}

/** Chooses the first of two meetings in the week. A class has one schedule. Meetings without days or times come last. */
function chooseMeeting(meeting: Meeting, otherMeeting: Meeting): Meeting {
  const toOrder = ({ classSchedule: [day], beginClassTime, endClassTime }: Meeting) =>
    `${day ? weekdays.indexOf(day) : 9} ${beginClassTime || '99'} ${endClassTime}`;
  const firstMeeting = toOrder(otherMeeting) < toOrder(meeting) ? otherMeeting : meeting;
  const { classSchedule, beginClassTime, endClassTime } = firstMeeting;
  return { classSchedule, beginClassTime, endClassTime };
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
  return (
    semesterSeasons.find((season) => words.some((word) => seasonNames[season].test(word))) ?? null
  );
}

/** `2026`, `Fall 2026`, `FA26` */
function parseYear(text: string): number | null {
  const fullYear = /(?<!\d)(199\d|2[01]\d\d)(?!\d)/.exec(text)?.[1];
  if (fullYear) return Number(fullYear);
  const shortYear = /^\D*(\d\d)\D*$/.exec(text)?.[1];
  return shortYear ? 2000 + Number(shortYear) : null;
}

/** Thursday is before Tuesday, and Sunday before Saturday, because Tuesday and Saturday also match a single letter. */
const dayNames: readonly (readonly [RegExp, Weekday])[] = [
  [/^(monday|mon|mo|m)/, 'Monday'],
  [/^(thursday|thurs|thur|thu|th|r)/, 'Thursday'],
  [/^(tuesday|tues|tue|tu|t)/, 'Tuesday'],
  [/^(wednesday|wed|we|w)/, 'Wednesday'],
  [/^(friday|fri|fr|f)/, 'Friday'],
  [/^(sunday|sun|su|u)/, 'Sunday'],
  [/^(saturday|sat|sa|s)/, 'Saturday'],
];

/** `Monday, Wednesday`, `Mon & Wed`, `MWF`, `TuTh`, `TR` */
function parseDays(text: string): Weekday[] | null {
  const days = new Set<Weekday>();
  let rest = text.toLowerCase();
  for (;;) {
    rest = rest.replace(/^([\s,;/&.+-]|and\b)+/, '');
    if (rest === '') break;
    const name = dayNames.find(([pattern]) => pattern.test(rest));
    if (!name) return null;
    days.add(name[1]);
    rest = rest.replace(name[0], '');
  }
  return days.size > 0 ? weekdays.filter((day) => days.has(day)) : null;
}

/** `14:30`, `14.30`, `1430`, `2:30 PM`, `9 am`, as HH:MM */
function parseTime(text: string): string | null {
  const match = /^(\d{1,2})(?:[:.]?(\d{2}))?(?:[:.]00)?\s*([ap])?\.?(?:m\.?)?$/i.exec(text);
  if (!match) return null;
  const meridiem = match[3]?.toLowerCase();
  let hour = Number(match[1]);
  const minute = Number(match[2] ?? 0);
  if (meridiem && (hour < 1 || hour > 12)) return null;
  if (meridiem) hour = (hour % 12) + (meridiem === 'p' ? 12 : 0);
  if (hour > 23 || minute > 59) return null;
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
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
