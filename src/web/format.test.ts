import { afterEach, expect, test, vi } from 'vitest';
import { clockChanges } from '#tests/support/university.ts';

const hourMs = 3_600_000;
const ownTimeZone = process.env['TZ'];
afterEach(() => {
  if (ownTimeZone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = ownTimeZone;
});

/** The formats of Intl keep the time zone in which they were made. */
async function loadFormatIn(timeZone: string) {
  process.env['TZ'] = timeZone;
  vi.resetModules();
  return import('./format.ts');
}

test.each(clockChanges)(
  'each hour around a change of the clock in $timeZone by $hours h is of its own day',
  async ({ timeZone, at }) => {
    const { formatRelativeDay, formatDay } = await loadFormatIn(timeZone);
    const isoDay = new Intl.DateTimeFormat('sv-SE', { timeZone });
    const change = Date.parse(at);

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
