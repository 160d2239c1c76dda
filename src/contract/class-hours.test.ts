import { expect, test } from 'vitest';
import { findClassEnd, findMeeting } from './class-hours.ts';

const hours = {
  classSchedule: ['Monday', 'Sunday'],
  beginClassTime: '10:00',
  endClassTime: '11:15',
};
const zone = 'America/New_York';
const at = (text: string) => Date.parse(text);

test.each([
  { now: '2026-11-30T06:00Z', begins: '2026-11-30T15:00Z', ends: '2026-11-30T16:15Z' },
  { now: '2026-11-30T16:14Z', begins: '2026-11-30T15:00Z', ends: '2026-11-30T16:15Z' },
  // Sunday there, Monday in UTC; and the day on which clocks are advanced.
  { now: '2026-03-08T04:59Z', begins: null, ends: null },
  { now: '2026-03-08T05:00Z', begins: '2026-03-08T14:00Z', ends: '2026-03-08T15:15Z' },
  { now: '2026-11-30T16:15Z', begins: null, ends: null },
  { now: '2026-12-01T15:30Z', begins: null, ends: null },
])('at $now, the meeting of the day begins at $begins [LECT-26]', ({ now, begins, ends }) => {
  const meeting = findMeeting(hours, zone, at(now));

  expect(meeting).toEqual(begins && { begins: at(begins), ends: at(ends) });
});

test.each([
  { classSchedule: null },
  { beginClassTime: null },
  { endClassTime: null },
  { beginClassTime: 'TBA' },
])('a class without fixed hours has no meeting: %o [LECT-26]', (changes) => {
  expect(findMeeting({ ...hours, ...changes }, zone, at('2026-11-30T15:30Z'))).toBeNull();
});

test.each([
  { now: '2026-11-30T14:29Z', endClassTime: '11:15', end: null },
  { now: '2026-11-30T14:30Z', endClassTime: '11:15', end: '2026-11-30T16:15Z' },
  { now: '2026-11-30T14:30Z', endClassTime: '18:00', end: null },
  { now: '2026-11-30T19:00Z', endClassTime: '18:00', end: '2026-11-30T23:00Z' },
])(
  'at $now, a lecture of a class until $endClassTime ends with it: $end [LECT-92]',
  ({ now, endClassTime, end }) => {
    expect(findClassEnd({ ...hours, endClassTime }, zone, at(now))).toBe(end && at(end));
  },
);
