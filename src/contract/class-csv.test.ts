import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { weekdays, type Weekday } from './class-fields.ts';
import {
  toCsvLines,
  toCsvTable,
  guessColumns,
  listMissingColumns,
  parseCsv,
  parseLine,
  parseRows,
} from './class-csv.ts';

const headers = ['SUBJ', 'Catalog Nbr', 'Sect', 'Long Title', 'Term', 'Days', 'Start', 'End Time'];
const usual = ['CS', '146', '02', 'Data Structures', 'Fall 2026', 'MWF', '9:00 AM', '10:15 AM'];
const columns = guessColumns(headers);
const noDefaults = { season: '', year: null } as const;
const parse = (change: Partial<Record<number, string>>) =>
  parseLine(
    7,
    usual.map((cell, index) => change[index] ?? cell),
    columns,
    noDefaults,
  );

test('recognizes the columns of a registrar [ADMIN-25]', () => {
  expect(columns).toEqual({
    subjectAbbreviation: 0,
    courseNumber: 1,
    sectionNumber: 2,
    courseName: 3,
    semesterSeason: 4,
    year: 4,
    classSchedule: 5,
    beginClassTime: 6,
    endClassTime: 7,
  });
  expect(parse({})).toEqual({
    line: 7,
    problem: null,
    fields: {
      subjectAbbreviation: 'CS',
      courseNumber: '146',
      sectionNumber: '02',
      courseName: 'Data Structures',
      semesterSeason: 'Fall',
      year: 2026,
      classSchedule: ['Monday', 'Wednesday', 'Friday'],
      beginClassTime: '09:00',
      endClassTime: '10:15',
    },
  });
});

/** The letters of registrars for the days from Monday to Sunday. */
const letters = 'MTWRFSU';
const toLetters = (days: readonly Weekday[]) =>
  days.map((day) => letters[weekdays.indexOf(day)]).join('');

test.each([
  ['TuTh', 'TR'],
  ['TTH', 'TR'],
  ['TTh', 'TR'],
  ['TR', 'TR'],
  ['Mon & Wed', 'MW'],
  ['friday, monday', 'MF'],
  ['M W F', 'MWF'],
  ['M-W-F', 'MWF'],
  ['M/W/F', 'MWF'],
  ['SaSu', 'SU'],
  ['Monday and Thursday', 'MR'],
  ['Mondays, Wednesdays', 'MW'],
  ['M-F', 'MTWRF'],
  ['M–F', 'MTWRF'],
  ['M--F', 'MTWRF'],
  ['Mon-Fri', 'MTWRF'],
  ['Mon.-Fri.', 'MTWRF'],
  ['Monday - Thursday', 'MTWR'],
  ['M-Th', 'MTWR'],
  ['Mon thru Fri', 'MTWRF'],
  ['Mon through Wed', 'MTW'],
  ['Tue to Thu', 'TWR'],
  ['M~F, Su', 'MTWRFU'],
  ['Sun-Thu', 'MTWRU'],
  ['Sat-Sun', 'SU'],
  ['MTWTF', 'MTWRF'],
  ['M T W T F', 'MTWRF'],
  ['MTWTFSS', letters],
  ['MTWRFSU', letters],
  ['MTuWThFSaSu', letters],
  ['ＭＷＦ', 'MWF'],
  ['M-W', null],
  ['T-Th', null],
  ['FSU', null],
  ['F-M', null],
  ['MM', null],
  ['Sam', null],
  ['MW-F', null],
  ['Daily', null],
  ['-F', null],
])('the days %s are %s [ADMIN-25]', (days, expectedDays) => {
  const { fields, problem } = parse({ 5: days });

  expect(fields && toLetters(fields.classSchedule)).toBe(expectedDays);
  if (expectedDays === null) expect(problem).toContain(`Days: ‘${days}’`);
});

test.each([
  ['0900', '', '09:00'],
  ['900', '', '09:00'],
  ['9.30', '', '09:30'],
  ['12:05 am', '', '00:05'],
  ['08:00:00', '', '08:00'],
  ['9 a.m.', '', '09:00'],
  ['9:00', '', '09:00'],
  ['1.30pm', '2:30 pm', '13:30–14:30'],
  ['1:00', '2:15 PM', '13:00–14:15'],
  ['1:00 PM', '2:15', '13:00–14:15'],
  ['11:00', '12:15', '11:00–12:15'],
  ['11:00', '1:00', '11:00–13:00'],
  ['12:00', '1:15', '12:00–13:15'],
  ['13:00', '14:15', '13:00–14:15'],
  ['01:00', '02:15', '01:00–02:15'],
  ['7:30', '13:00', '07:30–13:00'],
  ['noon', '1 PM', '12:00–13:00'],
  ['9h15', '10h', '09:15–10:00'],
  ['13 Uhr', '14:30 Uhr', '13:00–14:30'],
  ['0.375', '0.41667', '09:00–10:00'],
  ['1:00', '2:15', null],
  ['7:30', '8:45', null],
  ['130', '220', null],
])('the times %s and %s are %s [ADMIN-25]', (begin, end, times) => {
  const { fields, problem } = parse({ 6: begin, ...(end && { 7: end }) });

  const { beginClassTime = '', endClassTime = '' } = fields ?? {};
  expect(fields && (end ? `${beginClassTime}–${endClassTime}` : beginClassTime)).toBe(times);
  if (times === null) expect(problem).toContain(`Begin: ‘${begin}’ can be AM or PM.`);
});

test.each([
  ['2027SP', 'Spring 2027'],
  ['SU27', 'Summer 2027'],
  ['Autumn 2031', 'Fall 2031'],
  ['Spring 2026-27', 'Spring 2027'],
  ['Fall 2026/2027', 'Fall 2026'],
  ['Spring 26-27', 'Spring 2027'],
  ['Fall 2026-08-24', 'Fall 2026'],
  ['Summer 2026-27', null],
  ['Fall 2026-28', null],
  ['Fall 2026 or 2027', null],
  ['Spring/Summer 2026', null],
])('the term %s is %s [ADMIN-25]', (term, expected) => {
  const { fields } = parse({ 4: term });

  expect(fields && `${fields.semesterSeason} ${fields.year}`).toBe(expected);
});

test.each([
  ['="01"', '01'],
  ["'01", '01'],
  ['1.00E+02', '100'],
  ['1,50E+01', '15'],
  ["'=A", '=A'],
  ['1E2', '1E2'],
])('a spreadsheet program means by the cell %s the section %s [ADMIN-25]', (cell, section) => {
  expect(parse({ 2: cell }).fields?.sectionNumber).toBe(section);
});

test.each([
  [0, ' ', 'Subject: nothing is there.'],
  [3, 'x'.repeat(121), 'Course name: longer than 120 characters.'],
  [3, 'a\nb', 'Course name: has a line break or an invisible character.'],
  [4, '202608', 'Season: ‘202608’ is not known.'],
  [4, 'Fall', 'Year: ‘Fall’ is not known.'],
  [2, '1.23E+11', 'Section: ‘1.23E+11’ has lost digits. Format the column as text.'],
  [4, 'Fall 20x7', 'Year: ‘Fall 20x7’ is not known.'],
  [5, 'Someday', 'Days: ‘Someday’ is not known.'],
  [7, '', 'Please fill out all fields'],
  [6, '25:00', 'Begin: ‘25:00’ is no time.'],
  [6, '13:00 PM', 'Begin: ‘13:00 PM’ is no time.'],
  [7, '9:00 AM', 'Begin Class Time must be earlier than End Class Time'],
])('names what is wrong in column %i, %j [ADMIN-25]', (column, cell, problem) => {
  expect(parse({ [column]: cell })).toEqual({ line: 7, fields: null, problem });
});

const parseWith = (titles: string[], cells: string[]) => {
  const code = ['CS', '146', '02', 'Data Structures', 'Fall 2026'];
  const allTitles = ['Subject', 'Number', 'Section', 'Title', 'Term', ...titles];
  return parseLine(2, [...code, ...cells], guessColumns(allTitles), noDefaults);
};
const noSchedule = { classSchedule: [], beginClassTime: '', endClassTime: '' };

test.each([
  ['no columns', [], []],
  ['empty cells', ['Days', 'Begin', 'End'], ['', '', '']],
  ['TBA', ['Days', 'Begin', 'End'], ['TBA', 'TBA', 'TBA']],
  ['an online class', ['Days', 'Begin', 'End'], ['Online', '-', 'N/A']],
  ['an arrangement at midnight', ['Days', 'Start Time', 'End Time'], ['ARR', '0000', '12:00 AM']],
  ['one column', ['Meeting Pattern'], ['TBA']],
])('a class can lack days and times: %s [ADMIN-80]', (_, titles, cells) => {
  expect(parseWith(titles, cells)).toMatchObject({ problem: null, fields: noSchedule });
});

test('a class can have days and no times, or times and no days [ADMIN-80]', () => {
  const titles = ['Days', 'Begin', 'End'];
  const onlyDays = parseWith(titles, ['MW', 'TBA', '']);
  const onlyTimes = parseWith(titles, ['', '9:00', '10:15']);

  expect(onlyDays.fields).toMatchObject({ ...noSchedule, classSchedule: ['Monday', 'Wednesday'] });
  expect(onlyTimes.fields).toMatchObject({ beginClassTime: '09:00', endClassTime: '10:15' });
});

test.each([
  [['Days', 'Time'], ['TR', '2:00-3:15 PM'], ['Tuesday', 'Thursday'], '14:00', '15:15'],
  [['Days', 'Time'], ['F', '11:00 - 12:15 pm'], ['Friday'], '11:00', '12:15'],
  [['Days', 'Meeting time'], ['F', '9am to 10:30am'], ['Friday'], '09:00', '10:30'],
  [['Meeting Pattern'], ['MWF 9:00AM–9:50AM'], ['Monday', 'Wednesday', 'Friday'], '09:00', '09:50'],
  [['Days/Times'], ['F 13:00-16:00; TuTh 08:00-09:15'], ['Tuesday', 'Thursday'], '08:00', '09:15'],
  [['Days/Times'], ['W 9-9:50; F 1-2 PM; M 9-9:50'], ['Monday', 'Wednesday'], '09:00', '09:50'],
  [['Days/Times'], ['MW noon-1 PM'], ['Monday', 'Wednesday'], '12:00', '13:00'],
  [['Days', 'Begin', 'End'], ['W;M', '10:00;12:00', '11:00;13:00'], ['Monday'], '12:00', '13:00'],
])('reads the meetings of %j, %j [ADMIN-25, ADMIN-80]', (titles, cells, days, begin, end) => {
  expect(parseWith(titles, cells).fields).toMatchObject({
    classSchedule: days,
    beginClassTime: begin,
    endClassTime: end,
  });
});

test('a cell that no one has typed is wrong [ADMIN-25]', () => {
  expect(parse({ 5: `M${' '.repeat(1000)}W` }).problem).toBe('Days: longer than 1000 characters.');
});

test.each(['9:00-9:50-10:40', '08-12-2026'])('the times %s are wrong [ADMIN-25]', (times) => {
  expect(parseWith(['Days', 'Time'], ['MW', times]).problem).toBe(
    `Begin, End: ‘${times}’ has more than two times.`,
  );
});

describe('several lines of a class', () => {
  const parseChanged = (...changes: Partial<Record<number, string>>[]) => {
    const rows = changes.map((change) => usual.map((cell, index) => change[index] ?? cell));
    return parseRows({ cells: rows, headerLine: 1 }, columns, noDefaults);
  };

  test('are its meetings, of which the class shows the first of the week [ADMIN-80]', () => {
    const laboratory = { 5: 'F', 6: '2 PM', 7: '5 PM' };
    const exercise = { 5: 'M', 6: '8 AM', 7: '9 AM' };
    const { lines, furtherMeetingCount } = parseChanged(laboratory, {}, { 5: 'TBA' }, exercise);

    expect(furtherMeetingCount).toBe(3);
    expect(lines).toEqual([
      {
        line: 2,
        problem: null,
        fields: expect.objectContaining({
          classSchedule: ['Monday'],
          beginClassTime: '08:00',
          endClassTime: '09:00',
        }),
      },
    ]);
  });

  test('with the same times are one meeting on all of their days [ADMIN-80]', () => {
    const { lines } = parseChanged({ 5: 'F' }, { 5: 'W', 6: '8 AM' }, { 5: 'M' }, { 5: 'MF' });

    expect(lines.map(({ fields }) => fields && toLetters(fields.classSchedule))).toEqual(['MF']);
  });

  test('have codes that differ in case, spaces or leading zeros [ADMIN-26, CREATE-18]', () => {
    const { lines, furtherMeetingCount } = parseChanged(
      { 1: '030' },
      { 0: 'c\u200b s', 1: '30', 2: '2' },
    );

    expect([lines.length, furtherMeetingCount]).toEqual([1, 1]);
  });

  test('with another name are wrong, and a section that differs in a letter is a class [ADMIN-26]', () => {
    const { lines } = parseChanged({}, { 2: '02A' }, { 3: 'Other Structures' }, { 0: ' ' });

    expect(lines.map(({ line, problem }) => [line, problem])).toEqual([
      [2, null],
      [3, null],
      [4, 'It is the same class as line 2, with another name.'],
      [5, 'Subject: nothing is there.'],
    ]);
  });
});

const table = 'Subject,Section\nÜ,="01"\n';
const toUtf16 = (text: string, mark: string) => Buffer.from(mark + text, 'utf16le');

test.each([
  ['UTF-8', Buffer.from(`\ufeff${table}`), 1],
  ['UTF-16LE', toUtf16(table, '\ufeff'), 1],
  ['UTF-16LE without a mark', toUtf16(table, ''), 1],
  ['UTF-16BE', toUtf16(table, '\ufeff').swap16(), 1],
  ['UTF-16BE without a mark', toUtf16(table, '').swap16(), 1],
  ['Latin-1', Buffer.from(table, 'latin1'), 1],
  ['lines that end in different ways', Buffer.from('Subject,Section\r\nÜ,="01"\n'), 1],
  ['a line for the separator', Buffer.from(`sep=;\r\n${table.replaceAll(',', ';')}`), 2],
  ['a title', Buffer.from(`Courses of Fall 2026\n\n${table}`), 3],
  ['a title with commas', Buffer.from(`Courses, Fall,2026,,\n${table}`), 2],
])('reads a file in %s [ADMIN-25]', (_, bytes, headerLine) => {
  const file = toCsvTable(parseCsv(bytes, TextDecoder, Papa.parse<string[]>));

  expect(file).toEqual({
    headers: ['Subject', 'Section'],
    cells: [['Ü', '="01"'], ['']],
    headerLine,
  });
});

test('reads a file with a column for each day [ADMIN-25]', () => {
  const text = 'Section,Mon,Tues,Wed,Begin\n1,Y,N,x,9:00\n2,M,,,\n\n';
  const file = toCsvTable(parseCsv(Buffer.from(text), TextDecoder, Papa.parse<string[]>));
  const { classSchedule } = guessColumns(file.headers);

  expect(file.cells.map((row) => row[classSchedule ?? -1] ?? '')).toEqual([
    'Mon, Wed',
    'Mon',
    '',
    '',
  ]);
});

test('takes the term of all lines from the operator if the file has none [ADMIN-25]', () => {
  const columnsWithoutTerm = { ...columns, semesterSeason: null, year: null };
  const parseUsualLine = (defaults: Parameters<typeof parseLine>[3]) =>
    parseLine(2, usual, columnsWithoutTerm, defaults);
  expect(parseUsualLine(noDefaults).problem).toBe('Season, Year: nothing is there.');
  expect(listMissingColumns(columnsWithoutTerm, noDefaults)).toEqual(['Season', 'Year']);
  expect(listMissingColumns(columnsWithoutTerm, { season: 'Winter', year: 2030 })).toEqual([]);
  expect(parseUsualLine({ season: 'Winter', year: 2030 }).fields).toMatchObject({
    semesterSeason: 'Winter',
    year: 2030,
  });
});

test('an import reads the lines of an export as the same classes [ADMIN-26]', () => {
  const { fields } = parse({ 3: '-1 = none' });
  const [header, line] = toCsvLines([
    {
      ...fields!,
      classId: 'AAAAAAAAAAAAAAAA',
      name: null,
      memberCount: 3,
      ended: false,
      restorableUntil: null,
      reopenableUntil: null,
    },
  ]);
  expect(parseLine(2, line!, guessColumns(header!), noDefaults).fields).toEqual(fields);
});
