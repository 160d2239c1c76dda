import { describe, expect, test } from 'vitest';
import { clockChanges } from '#tests/support/university.ts';
import { createDailyClock } from './daily-clock.ts';

const toDay = (date: string) => Date.parse(`${date}T00:00:00Z`) / 86_400_000;
const hourMs = 3_600_000;
const unchanged = { timeZone: 'Pacific/Honolulu', time: '2026-03-08T10:00:00Z', hours: 0 };

describe('the round of a day', () => {
  test('the round of a day begins at the time of the day in its time zone [DIGEST-7]', () => {
    const clock = createDailyClock({ startMinute: 17 * 60, timeZone: 'America/New_York' });
    const convert = (time: string) => clock(Date.parse(time));
    expect(convert('2026-11-22T22:00:00Z')).toEqual({ day: toDay('2026-11-22'), minutes: 0 });
    expect(convert('2026-11-22T21:59:59Z')).toEqual({ day: toDay('2026-11-21'), minutes: 1439 });
    expect(convert('2026-11-23T04:30:00Z')).toEqual({ day: toDay('2026-11-22'), minutes: 390 });
    expect(convert('2026-11-23T06:00:00Z')).toEqual({ day: toDay('2026-11-22'), minutes: 480 });
    const east = createDailyClock({ startMinute: 30, timeZone: 'Pacific/Kiritimati' });
    expect(east(Date.parse('2026-12-31T10:30:00Z'))).toEqual({
      day: toDay('2027-01-01'),
      minutes: 0,
    });
  });

  test.each([...clockChanges, unchanged])(
    'the round of a day begins once a day when the clock of $timeZone changes by $hours h [DIGEST-2, DIGEST-7]',
    ({ timeZone, time }) => {
      const localDay = new Intl.DateTimeFormat('sv-SE', { timeZone });
      const change = Date.parse(time);
      for (const startMinute of [0, 150, 1430]) {
        const clock = createDailyClock({ startMinute, timeZone });
        const days: number[] = [];
        for (let now = change - 50 * hourMs; now < change + 50 * hourMs; now += 600_000) {
          const { day, minutes } = clock(now);
          // In the hour that comes twice, the clock can be set back to before the start. That is late on the day before.
          if (minutes > 6 * 60) continue;
          if (day === days.at(-1)) continue;
          days.push(day);
          // The round begins late only by the time that the clock skips.
          if (days.length > 1) expect(minutes).toBeLessThanOrEqual(60);
          if (startMinute === 0) expect(day).toBe(toDay(localDay.format(now)));
        }
        expect(days).toHaveLength(days.at(-1)! - days[0]! + 1);
        expect(days.toSorted((first, second) => first - second)).toEqual(days);
        expect(days.length).toBeGreaterThanOrEqual(4);
      }
    },
  );
});
