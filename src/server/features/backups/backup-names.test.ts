import { expect, test } from 'vitest';
import { toDailyName, listExpiredBackups } from './backup-names.ts';

const name = (day: string) => `backchannel-${day}.sqlite`;
const parseDay = (day: string) => Date.parse(day) / 86_400_000;

/** Keeps backups as a server does that makes one each day. */
function keepFrom(first: string, count: number): string[] {
  let names: string[] = [];
  for (let n = 0; n < count; n++) {
    names.push(toDailyName(parseDay(first) + n));
    const expired = listExpiredBackups(names);
    names = names.filter((backup) => !expired.includes(backup));
  }
  return names;
}

test('7 days, 4 weeks and 12 months have a backup [BACKUP-15]', () => {
  expect(keepFrom('2026-11-20', 5)).toHaveLength(5);
  expect(keepFrom('2024-11-01', 753)).toEqual(
    [
      ...['2025-12-31', '2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'],
      ...['2026-06-30', '2026-07-31', '2026-08-31', '2026-09-30', '2026-10-31'],
      ...['2026-11-08', '2026-11-15'],
      ...['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22'],
      '2026-11-23',
    ].map(name),
  );
});

test('a server that was off for long loses no backup by that, and other files stay [BACKUP-15]', () => {
  const old = ['2020-01-01', '2021-01-01', '2022-01-01'].map(name);
  expect(listExpiredBackups([...old, 'notes.txt', 'mine.sqlite', 'pictures'])).toEqual([]);
});

test('the newest two backups from before upgrades are kept [BACKUP-18]', () => {
  const times = ['2026-01-01T00-00-00', '2026-03-01T00-00-00', '2026-02-01T00-00-00'];
  const names = times.map((time) => `backchannel-before-upgrade-${time}.sqlite`);
  expect(listExpiredBackups(names)).toEqual([names[0]]);
});
