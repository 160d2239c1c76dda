// The files in BACKUP_DIR, and which of them are kept.
import { dirname, join } from 'node:path';
import { toDate, formatDay } from '#server/base/days.ts';

const daily = /^backchannel-(\d{4}-\d\d-\d\d)\.sqlite$/;
const beforeUpgrade = /^backchannel-before-upgrade-.*\.sqlite$/;
const keptDays = 7;
const keptWeeks = 4;
const keptMonths = 12;
const keptUpgrades = 2;

/** @param day days since 1970 */
export function toDailyName(day: number): string {
  return `backchannel-${formatDay(toDate(day))}.sqlite`;
}

export function toBeforeUpgradeName(now: Date): string {
  return `backchannel-before-upgrade-${now.toISOString().slice(0, 19).replace(/:/g, '-')}.sqlite`;
}

/** Whether a backup of this server can have the name. Other files in the folder are left alone. */
export function isBackupName(name: string): boolean {
  return daily.test(name) || beforeUpgrade.test(name);
}

/** The folder with the pictures of all backups in BACKUP_DIR, each stored once. A manual backup has a separate folder. */
export function toSharedPicturesFolder(backup: string): string {
  return join(dirname(backup), 'pictures');
}

/**
 * Lists the backups that can be deleted. The newest backup of each of the last 7 days, 4 weeks and 12 months that have a backup is
 * kept, and so are the newest two from before upgrades.
 */
export function listExpiredBackups(names: readonly string[]): string[] {
  const newestFirst = names.filter((name) => daily.test(name)).toSorted((a, b) => (a < b ? 1 : -1));
  const parseDay = (name: string) => daily.exec(name)?.[1] ?? '';
  const listNewest = (toPeriod: (day: string) => string, count: number) => {
    const newest = new Map<string, string>();
    for (const name of newestFirst) {
      const period = toPeriod(parseDay(name));
      if (!newest.has(period)) newest.set(period, name);
    }
    return [...newest.values()].slice(0, count);
  };
  const upgrades = names.filter((name) => beforeUpgrade.test(name)).toSorted();
  const keptNames = new Set([
    ...listNewest((day) => day, keptDays),
    ...listNewest(toMonday, keptWeeks),
    ...listNewest((day) => day.slice(0, 7), keptMonths),
    ...upgrades.slice(-keptUpgrades),
  ]);
  return names.filter((name) => isBackupName(name) && !keptNames.has(name));
}

/** The first day of the week. */
function toMonday(day: string): string {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return formatDay(date);
}
