import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findCurrentQuietTime,
  findNextQuietChange,
  findQuietTimeProblem,
  isOver,
  type QuietTime,
} from './quiet-times.ts';
import { AppError } from './errors.ts';
import { formatClock, parseClock, toClock } from './time-zones.ts';

const parseTime = (time: string) => Date.parse(time);
const minuteMs = 60_000;
const dayMs = 86_400_000;

const exam: QuietTime = {
  begins: '2026-12-01T10:00',
  ends: '2026-12-01T12:00',
  zone: 'Europe/Berlin',
  weekly: false,
  sentence: 'The exam is running',
};
const lecture: QuietTime = { ...exam, weekly: true, sentence: 'Please listen' };

/** Runs through a time in steps of a quarter of an hour. @returns when quiet times begin and end, as texts in UTC */
function listChanges(quietTimes: readonly QuietTime[], from: string, to: string): string[] {
  const changes: string[] = [];
  let isQuiet = false;
  for (let now = parseTime(from); now < parseTime(to); now += 15 * minuteMs) {
    const wasQuiet: boolean = isQuiet;
    isQuiet = findCurrentQuietTime(quietTimes, now) !== null;
    if (isQuiet !== wasQuiet) changes.push(formatClock(now));
  }
  return changes;
}

describe('a quiet time', () => {
  test('a quiet time begins and ends exactly when it says [CSET-30]', () => {
    const from = parseTime('2026-12-01T09:00:00Z');
    const end = parseTime('2026-12-01T11:00:00Z');

    expect(findCurrentQuietTime([exam], from - 1)).toBeNull();
    expect(findCurrentQuietTime([exam], from)).toEqual({ until: end, sentence: exam.sentence });
    expect(findCurrentQuietTime([exam], end - 1)).toEqual({ until: end, sentence: exam.sentence });
    expect(findCurrentQuietTime([exam], end)).toBeNull();
    expect(findNextQuietChange([exam], 0)).toBe(from);
    expect(findNextQuietChange([exam], from)).toBe(end);
    expect(findNextQuietChange([exam], end)).toBeNull();
  });

  test('a quiet time is over when it has ended, unless it is weekly [CSET-33]', () => {
    const end = parseTime('2026-12-01T11:00:00Z');

    expect(isOver(exam, end - 1)).toBe(false);
    expect(isOver(exam, end)).toBe(true);
    expect(isOver(lecture, end)).toBe(false);
  });

  test('a weekly quiet time comes each week from its first day on, at the same time of the clock [CSET-31]', () => {
    const weekly = { ...lecture, begins: '2026-10-20T10:00', ends: '2026-10-20T11:00' };

    // Summer time ends on October 25.
    expect(listChanges([weekly], '2026-10-12T00:00Z', '2026-10-28T00:00Z')).toEqual([
      '2026-10-20T08:00',
      '2026-10-20T09:00',
      '2026-10-27T09:00',
      '2026-10-27T10:00',
    ]);
  });

  test('a weekly quiet time can go on over midnight and over the end of the week [CSET-30]', () => {
    const night = { ...lecture, begins: '2026-11-29T22:00', ends: '2026-11-30T07:00' };

    expect(listChanges([night], '2027-01-02T00:00Z', '2027-01-05T00:00Z')).toEqual([
      '2027-01-03T21:00',
      '2027-01-04T06:00',
    ]);
  });

  test.each([
    // The minutes from 2:00 to 3:00 come twice: the first counts for the begin, the second for the end.
    ['2026-10-25T02:30', '2026-10-25T02:45', ['2026-10-25T00:30', '2026-10-25T01:45']],
    ['2026-10-25T01:30', '2026-10-25T02:30', ['2026-10-24T23:30', '2026-10-25T01:30']],
    // They never come: they are an hour later.
    ['2026-03-29T01:30', '2026-03-29T02:30', ['2026-03-29T00:30', '2026-03-29T01:30']],
    ['2026-03-29T02:30', '2026-03-29T04:00', ['2026-03-29T01:30', '2026-03-29T02:00']],
    // All of it never comes.
    ['2026-03-29T02:30', '2026-03-29T03:00', []],
  ])(
    'a quiet time from %s until %s in the night when clocks change [CSET-31]',
    (begins, ends, changes) => {
      const night = { ...exam, begins, ends };
      const day = parseTime(`${begins}Z`);

      expect(
        listChanges(
          [night],
          new Date(day - dayMs).toISOString(),
          new Date(day + dayMs).toISOString(),
        ),
      ).toEqual(changes);
    },
  );

  test('quiet times that touch or overlap end together, and each says its sentence [CSET-30]', () => {
    const second = { ...exam, begins: exam.ends, ends: '2026-12-01T13:00', sentence: 'Evaluation' };
    const third = { ...exam, begins: '2026-12-01T12:30', ends: '2026-12-01T14:00' };
    const quietTimes = [third, second, exam];
    const end = parseTime('2026-12-01T13:00:00Z');

    expect(findCurrentQuietTime(quietTimes, parseTime('2026-12-01T09:30Z'))).toEqual({
      until: end,
      sentence: exam.sentence,
    });
    expect(findCurrentQuietTime(quietTimes, parseTime('2026-12-01T11:00Z'))).toEqual({
      until: end,
      sentence: second.sentence,
    });
    expect(listChanges(quietTimes, '2026-12-01T00:00Z', '2026-12-02T00:00Z')).toEqual([
      '2026-12-01T09:00',
      '2026-12-01T13:00',
    ]);
  });

  test('quiet times that leave no minute of the week do not take long to find [CSET-30]', () => {
    const days = Array.from({ length: 7 }, (_, n) => ({
      ...lecture,
      begins: `2026-12-0${n + 1}T00:00`,
      ends: n < 6 ? `2026-12-0${n + 2}T00:00` : '2026-12-08T00:00',
    }));
    const now = parseTime('2026-12-09T12:00Z');

    expect(findCurrentQuietTime(days, now)?.until).toBeGreaterThanOrEqual(now + 6 * dayMs);
  });
});

const anyQuietTime = fc
  .record({
    begins: fc.integer({ min: parseTime('2026-01-01'), max: parseTime('2027-01-01') }),
    minutes: fc.integer({ min: 1, max: 7 * 24 * 60 - 1 }),
    zone: fc.constantFrom(
      'Europe/Berlin',
      'America/Santiago',
      'Australia/Lord_Howe',
      'Asia/Kolkata',
    ),
    weekly: fc.boolean(),
  })
  .map(({ begins, minutes, zone, weekly }) => ({
    begins: formatClock(begins),
    ends: formatClock(begins + minutes * minuteMs),
    zone,
    weekly,
    sentence: 'Quiet',
  }));

test('the next change is the first time at which the class can open or close [CSET-30]', () => {
  fc.assert(
    fc.property(
      fc.array(anyQuietTime, { maxLength: 4 }),
      fc.integer({ min: parseTime('2026-01-01'), max: parseTime('2027-02-01') }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (quietTimes, now, share) => {
        const change = findNextQuietChange(quietTimes, now);
        const current = findCurrentQuietTime(quietTimes, now);
        const timeBetween = now + Math.floor(((change ?? now + 30 * dayMs) - 1 - now) * share);

        expect(findCurrentQuietTime(quietTimes, timeBetween)).toEqual(current);
        // The end that members read is no promise that is broken.
        if (current && current.until < now + 6 * dayMs) {
          expect(findCurrentQuietTime(quietTimes, current.until)).toBeNull();
        }
      },
    ),
    { numRuns: 100 },
  );
});

test('a quiet time of a day without changes of the clock is read off the clock [CSET-30]', () => {
  fc.assert(
    fc.property(
      anyQuietTime.map((quietTime) => ({ ...quietTime, zone: 'Asia/Kolkata' })),
      fc.integer({ min: parseTime('2026-01-01'), max: parseTime('2027-02-01') }),
      (quietTime, now) => {
        const clock = toClock(now, quietTime.zone);
        const begins = parseClock(quietTime.begins)!;
        const length = parseClock(quietTime.ends)! - begins;
        const elapsed = quietTime.weekly ? (clock - begins) % (7 * dayMs) : clock - begins;

        const isQuiet = clock >= begins && elapsed < length;

        expect(findCurrentQuietTime([quietTime], now) !== null).toBe(isQuiet);
      },
    ),
    { numRuns: 100 },
  );
});

test.each([
  [{}, null],
  [{ ends: exam.begins }, 'A quiet time must end after it begins.'],
  [{ begins: '' }, 'Please enter when the quiet time begins and ends.'],
  [{ ends: '2026-02-31T10:00' }, 'Please enter when the quiet time begins and ends.'],
  [{ ends: '2026-12-08T10:00' }, null],
  [{ ends: '2026-12-08T10:00', weekly: true }, 'A weekly quiet time must be shorter than a week.'],
  [{ sentence: ' \u200b' }, 'Please enter what members read during the quiet time.'],
  [{ sentence: 'x'.repeat(121) }, 'The sentence can have at most 120 characters.'],
  [{ sentence: 'a\nb' }, 'The sentence contains a character that is not allowed.'],
])('the problem with a quiet time that has %j is %j [CSET-29]', (changes, problem) => {
  const code = findQuietTimeProblem({ ...exam, ...changes });

  expect(code && new AppError(code).message).toBe(problem);
});
