import { describe, expect, test } from 'vitest';
import { createDailyClock } from './daily-clock.ts';

const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / 86_400_000;

describe('the round of a day', () => {
  test('begins at the time of the day in its time zone [DIGEST-7]', () => {
    const clock = createDailyClock({ startMinute: 17 * 60, timeZone: 'America/New_York' });
    const at = (time: string) => clock(Date.parse(time));
    expect(at('2026-11-22T22:00:00Z')).toEqual({ day: dayOf('2026-11-22'), minutes: 0 });
    expect(at('2026-11-22T21:59:59Z')).toEqual({ day: dayOf('2026-11-21'), minutes: 1439 });
    expect(at('2026-11-23T04:30:00Z')).toEqual({ day: dayOf('2026-11-22'), minutes: 390 });
    expect(at('2026-11-23T06:00:00Z')).toEqual({ day: dayOf('2026-11-22'), minutes: 480 });
    const east = createDailyClock({ startMinute: 30, timeZone: 'Pacific/Kiritimati' });
    expect(east(Date.parse('2026-12-31T10:30:00Z'))).toEqual({
      ...{ day: dayOf('2027-01-01'), minutes: 0 },
    });
  });

  test('begins once a day when summer time begins and ends [DIGEST-2, DIGEST-7]', () => {
    for (const startMinute of [0, 150, 1430]) {
      const clock = createDailyClock({ startMinute, timeZone: 'Europe/Berlin' });
      for (const [from, until] of [
        ['2026-03-27T00:00:00Z', '2026-03-31T00:00:00Z'],
        ['2026-10-23T00:00:00Z', '2026-10-27T00:00:00Z'],
      ] as const) {
        let last = -Infinity;
        for (let now = Date.parse(from); now < Date.parse(until); now += 60_000) {
          const { day, minutes } = clock(now);
          // In the hour that comes twice, the clock can be set back to before the start. That is late on the day before.
          if (minutes > 6 * 60) continue;
          expect(day).toBeGreaterThanOrEqual(last);
          last = day;
        }
      }
    }
  });
});
