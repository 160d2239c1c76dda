import { describe, expect, test } from 'vitest';
import { isQuiet } from './quiet-hours.ts';

const parseTime = (time: string) => Date.parse(time);
const noSettings = { showText: false, quietHours: null, snoozedUntil: null };

describe('quiet hours', () => {
  const night = {
    ...noSettings,
    quietHours: { from: '22:00', to: '07:30', timeZone: 'Europe/Berlin' },
  };

  test.each([
    ['2026-11-22T20:59:59Z', false],
    ['2026-11-22T21:00:00Z', true],
    ['2026-11-23T00:00:00Z', true],
    ['2026-11-23T06:29:59Z', true],
    ['2026-11-23T06:30:00Z', false],
    // Summer time.
    ['2026-07-01T19:59:00Z', false],
    ['2026-07-01T20:00:00Z', true],
    ['2026-07-02T05:30:00Z', false],
  ])('over midnight, on the clock of the time zone: %s [PUSH-10]', (time, isWithin) => {
    expect(isQuiet(night, parseTime(time))).toBe(isWithin);
  });

  test('quiet hours can begin and end on one day [PUSH-10]', () => {
    const day = {
      ...noSettings,
      quietHours: { from: '09:00', to: '12:00', timeZone: 'Asia/Kolkata' },
    };
    expect(isQuiet(day, parseTime('2026-11-22T03:29:00Z'))).toBe(false);
    expect(isQuiet(day, parseTime('2026-11-22T03:30:00Z'))).toBe(true);
    expect(isQuiet(day, parseTime('2026-11-22T06:30:00Z'))).toBe(false);
  });
});

describe('quiet hours on the night when the clock changes, in Berlin', () => {
  const early = {
    ...noSettings,
    quietHours: { from: '02:30', to: '03:30', timeZone: 'Europe/Berlin' },
  };

  test.each([
    // 02:00 becomes 03:00.
    ['2026-03-29T00:59:59Z', false],
    ['2026-03-29T01:00:00Z', true],
    ['2026-03-29T01:30:00Z', false],
    // 03:00 becomes 02:00, so 02:30 comes twice.
    ['2026-10-25T00:29:00Z', false],
    ['2026-10-25T00:30:00Z', true],
    ['2026-10-25T01:00:00Z', false],
    ['2026-10-25T01:30:00Z', true],
    ['2026-10-25T02:29:00Z', true],
    ['2026-10-25T02:30:00Z', false],
  ])('follow the clock: %s [PUSH-10]', (time, isWithin) => {
    expect(isQuiet(early, parseTime(time))).toBe(isWithin);
  });

  test('where midnight does not exist, the day after begins with 01:00 [PUSH-10]', () => {
    const night = {
      ...noSettings,
      quietHours: { from: '23:00', to: '00:30', timeZone: 'Africa/Cairo' },
    };
    expect(isQuiet(night, parseTime('2026-04-23T21:59:00Z'))).toBe(true);
    expect(isQuiet(night, parseTime('2026-04-23T22:00:00Z'))).toBe(false);
  });
});

describe('quiet hours from 22:00 to 07:30', () => {
  const createNight = (timeZone: string) => ({
    ...noSettings,
    quietHours: { from: '22:00', to: '07:30', timeZone },
  });

  test.each([
    // Auckland: UTC+12, and from the night to 27 September on UTC+13.
    ['Pacific/Auckland', '2026-09-26T09:59:59Z', false],
    ['Pacific/Auckland', '2026-09-26T10:00:00Z', true],
    ['Pacific/Auckland', '2026-09-26T18:29:59Z', true],
    ['Pacific/Auckland', '2026-09-26T18:30:00Z', false],
  ])('follow the clock of %s at %s [PUSH-10]', (timeZone, time, isWithin) => {
    expect(isQuiet(createNight(timeZone), parseTime(time))).toBe(isWithin);
  });
});

test('a snooze ends automatically [PUSH-10]', () => {
  const snoozed = { ...noSettings, snoozedUntil: 1000 };
  expect(isQuiet(snoozed, 999)).toBe(true);
  expect(isQuiet(snoozed, 1000)).toBe(false);
  expect(isQuiet(noSettings, 1000)).toBe(false);
});
