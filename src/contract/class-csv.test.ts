import { describe, expect, test } from 'vitest';
import { toCsvLines, guessColumns, listMissingColumns, parseLine, parseRows } from './class-csv.ts';

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

test.each([
  ['TuTh', ['Tuesday', 'Thursday']],
  ['TTH', ['Tuesday', 'Thursday']],
  ['TR', ['Tuesday', 'Thursday']],
  ['Mon & Wed', ['Monday', 'Wednesday']],
  ['friday, monday', ['Monday', 'Friday']],
  ['M W F', ['Monday', 'Wednesday', 'Friday']],
  ['SaSu', ['Saturday', 'Sunday']],
  ['Monday and Thursday', ['Monday', 'Thursday']],
])('reads the days %s [ADMIN-25]', (days, expectedDays) => {
  expect(parse({ 5: days }).fields?.classSchedule).toEqual(expectedDays);
});

test.each([
  ['0900', '09:00'],
  ['900', '09:00'],
  ['9.30', '09:30'],
  ['12:05 am', '00:05'],
  ['08:00:00', '08:00'],
  ['9 a.m.', '09:00'],
])('reads the time %s [ADMIN-25]', (time, expectedTime) => {
  expect(parse({ 6: time }).fields?.beginClassTime).toBe(expectedTime);
});

test.each([
  ['2027SP', 'Spring', 2027],
  ['SU27', 'Summer', 2027],
  ['Autumn 2031', 'Fall', 2031],
])('reads the term %s [ADMIN-25]', (term, semesterSeason, year) => {
  expect(parse({ 4: term }).fields).toMatchObject({ semesterSeason, year });
});

test.each([
  [0, ' ', 'Subject: nothing is there.'],
  [3, 'x'.repeat(121), 'Course name: longer than 120 characters.'],
  [3, 'a\nb', 'Course name: has a line break or an invisible character.'],
  [4, '202608', 'Season: ‘202608’ is not known.'],
  [4, 'Fall', 'Year: ‘Fall’ is not known.'],
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
  [['Days', 'Begin', 'End'], ['W;M', '10:00;12:00', '11:00;13:00'], ['Monday'], '12:00', '13:00'],
])('reads the meetings of %j, %j [ADMIN-25, ADMIN-80]', (titles, cells, days, begin, end) => {
  expect(parseWith(titles, cells).fields).toMatchObject({
    classSchedule: days,
    beginClassTime: begin,
    endClassTime: end,
  });
});

describe('several lines of a class', () => {
  const parseChanged = (...changes: Partial<Record<number, string>>[]) => {
    const rows = changes.map((change) => usual.map((cell, index) => change[index] ?? cell));
    return parseRows(rows, columns, noDefaults);
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
