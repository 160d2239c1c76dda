import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clockChanges } from '#tests/support/university.ts';
import { formatClock, parseClock, toClock, toTimes } from './time-zones.ts';

const minuteMs = 60_000;
const zones = [
  ...new Set(clockChanges.map(({ timeZone }) => timeZone)),
  ...['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Africa/Casablanca', 'Pacific/Apia'],
];
const anyZone = fc.constantFrom(...zones);

/** Minutes of ten years, half of them within two days of a change of the clock. */
const anyMinute = fc
  .oneof(
    fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2030-01-01') }),
    fc
      .tuple(
        fc.constantFrom(...clockChanges.map(({ time }) => Date.parse(time))),
        fc.integer({ min: -2880, max: 2880 }),
      )
      .map(([time, minutes]) => time + minutes * minuteMs),
  )
  .map((time) => Math.floor(time / minuteMs) * minuteMs);

test('the clock of a time zone and its times agree with Temporal, also when clocks change [CSET-31]', () => {
  fc.assert(
    fc.property(anyMinute, anyZone, (minute, zone) => {
      const text = formatClock(minute);
      const clock = Temporal.PlainDateTime.from(text);

      expect(formatClock(toClock(minute, zone))).toBe(
        Temporal.Instant.fromEpochMilliseconds(minute)
          .toZonedDateTimeISO(zone)
          .toPlainDateTime()
          .toString({ smallestUnit: 'minute' }),
      );
      expect(toTimes(minute, zone)).toEqual({
        first: clock.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds,
        last: clock.toZonedDateTime(zone, { disambiguation: 'later' }).epochMilliseconds,
      });
    }),
    { numRuns: 200 },
  );
});

test.each(['', '2026-02-31T10:00', '2026-12-01T25:00', '2026-12-01', '12026-12-01T10:00', 'today'])(
  'the text %j is no minute of a calendar',
  (text) => {
    expect(parseClock(text)).toBeNull();
  },
);
