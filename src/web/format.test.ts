import { afterEach, expect, test, vi } from 'vitest';
import { clockChanges } from '#tests/support/university.ts';
import { toLocalMinute } from './format.ts';

const hourMs = 3_600_000;
const ownTimeZone = process.env['TZ'];
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  document.documentElement.lang = '';
  if (ownTimeZone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = ownTimeZone;
});

/** The formats of Intl keep the time zone in which they were made. */
async function loadFormatIn(timeZone: string) {
  process.env['TZ'] = timeZone;
  vi.resetModules();
  return import('./format.ts');
}

test('dates, times and counts are in English, whatever the language of the browser is [LAYOUT-70]', async () => {
  const { DateTimeFormat, NumberFormat } = Intl;
  vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(function (locales = 'de', options) {
    return new DateTimeFormat(locales, options);
  });
  vi.spyOn(Intl, 'NumberFormat').mockImplementation(function (locales = 'de', options) {
    return new NumberFormat(locales, options);
  });
  const { formatMoment, formatRelativeDay } = await loadFormatIn('Europe/Berlin');
  const { formatNumber } = await import('./get-text.ts');
  const time = Date.parse('2026-11-22T13:30:00Z');

  // The space before PM depends on the version of ICU.
  expect(formatMoment(time)).toMatch(/^November 22, 2026, 2:30\sPM$/);
  expect(formatRelativeDay(time, new Date('2026-12-24T12:00:00Z'))).toBe('Sunday, November 22');
  expect(formatNumber(4000)).toBe('4,000');
});

test('times and days are those of the language of the page [LAYOUT-70]', async () => {
  document.documentElement.lang = 'es';
  const { formatRelativeDay, formatTimeOfDay } = await loadFormatIn('Europe/Berlin');
  const { formatDays, formatTerm, formatTime, listedWeekdays } =
    await import('./data/class-details.ts');
  const time = Date.parse('2026-11-22T13:05:00Z');

  expect(formatTimeOfDay(time)).toBe('14:05');
  expect(formatTime('13:05')).toBe('13:05');
  expect(formatRelativeDay(time, new Date('2026-12-24T12:00:00Z'))).toBe(
    'domingo, 22 de noviembre',
  );
  expect(formatDays({ classSchedule: ['Monday', 'Wednesday'] })).toBe('lunes y miércoles');
  expect(formatTerm({ semesterSeason: 'Fall', year: 2026 })).toBe('Fall 2026');
  expect(listedWeekdays[0]).toBe('Monday');

  document.documentElement.lang = 'pt-BR';
  vi.resetModules();
  expect((await import('./data/class-details.ts')).listedWeekdays.at(0)).toBe('Sunday');
});

test.each(clockChanges)(
  'each hour around a change of the clock in $timeZone by $hours h is of its own day',
  async ({ timeZone, time: changeTime }) => {
    const { formatRelativeDay, formatDay } = await loadFormatIn(timeZone);
    const isoDay = new Intl.DateTimeFormat('sv-SE', { timeZone });
    const change = Date.parse(changeTime);

    for (let hour = -26; hour <= 26; hour++) {
      const time = change + hour * hourMs;
      for (let nowHour = hour; nowHour <= hour + 50; nowHour += 5) {
        const now = change + nowHour * hourMs;
        const daysBetween =
          (Date.parse(isoDay.format(now)) - Date.parse(isoDay.format(time))) / (24 * hourMs);
        const text = formatRelativeDay(time, new Date(now));
        expect(text === 'Today', `${hour} ${nowHour}`).toBe(daysBetween === 0);
        expect(text === 'Yesterday', `${hour} ${nowHour}`).toBe(daysBetween === 1);
      }
      const day = isoDay.format(time);
      expect(formatDay(day)).toContain(String(Number(day.slice(8))));
    }
  },
);

test.each(clockChanges)(
  'a field for a time shows each minute around a change of the clock in $timeZone by $hours h',
  ({ timeZone, time: changeTime }) => {
    process.env['TZ'] = timeZone;
    const clock = { timeZone, dateStyle: 'short', timeStyle: 'short' } as const;
    const formatClock = (time: number) => new Date(time).toLocaleString('sv-SE', clock);

    for (let minute = -120; minute <= 120; minute += 15) {
      const time = Date.parse(changeTime) + minute * 60_000;
      const value = toLocalMinute(time);
      expect(value.replace('T', ' ')).toBe(formatClock(time));
      // What the field shows can be an hour that comes twice, but is never another time.
      expect(formatClock(new Date(value).getTime())).toBe(formatClock(time));
    }
  },
);

test.each([
  // The evening of the 24th, which is the 25th in UTC.
  ['Pacific/Honolulu', '2026-11-25T03:00:00Z', '2026-11-25', 24],
  ['Pacific/Honolulu', '2026-11-25T12:00:00Z', '2026-11-25', 25],
  ['Pacific/Honolulu', '2026-11-26T03:00:00Z', '2026-11-24', 24],
  // The morning of the 25th, which is the 24th in UTC.
  ['Pacific/Auckland', '2026-11-24T20:00:00Z', '2026-11-24', 24],
])(
  'in %s at %s, a past day %s (UTC) is shown as November %i [LAYOUT-61]',
  async (timeZone, now, utcDay, expectedDay) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(now) });
    const { formatPastDay } = await loadFormatIn(timeZone);

    expect(formatPastDay(utcDay)).toContain(String(expectedDay));
  },
);
