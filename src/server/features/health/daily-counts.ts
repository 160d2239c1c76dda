// Counts messages and sign-ups per day, for operators. Only complete days are counted, each day once, and the
// rounding of a count is derived from the server key, so repeated requests reveal nothing more.
import { createHmac, type KeyObject } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Overview } from '#contract/health.ts';
import { overviewSteps } from '#contract/limits.ts';
import { toDate, formatDay, getToday } from '#server/base/days.ts';
import type { AccountRecords } from '#server/accounts/account-records.ts';
import type { Database } from '#server/store/tables.ts';
import { countMessagesByDay, listClassHeads, type Days } from './daily-counts-queries.ts';

const shownDays = 14; // ADMIN-17

type Day = Overview['daily'][number];

export interface DailyCounts {
  /** Lists the counts of the last complete days, oldest first. */
  read(): Promise<Day[]>;
}

/** @param key decides how the numbers are rounded */
export function createDailyCounts(
  db: Database,
  accountRecords: Pick<AccountRecords, 'listAll'>,
  key: KeyObject,
): DailyCounts {
  const countsByDay = new Map<number, Day>();
  let currentCount: Promise<void> | null = null;

  async function countMissingDays(): Promise<void> {
    const endDay = getToday();
    const missingDays = listLastDays(endDay).filter((day) => !countsByDay.has(day));
    const [from] = missingDays;
    if (from === undefined) return;
    const totals = await countDays(db, accountRecords, { from, to: endDay });
    for (const day of missingDays) {
      const { messages = 0, signUps = 0 } = totals.get(day) ?? {};
      countsByDay.set(day, {
        day: formatDay(toDate(day)),
        messageTotal: roundByKey(key, 'messages', day, messages),
        signUpTotal: roundByKey(key, 'signUps', day, signUps),
      });
    }
    for (const day of countsByDay.keys()) if (day < endDay - shownDays) countsByDay.delete(day);
  }

  return {
    async read() {
      currentCount ??= countMissingDays().finally(() => {
        currentCount = null;
      });
      await currentCount;
      return listLastDays(getToday()).flatMap((day) => countsByDay.get(day) ?? []);
    },
  };
}

function listLastDays(endDay: number): number[] {
  return Array.from({ length: shownDays }, (_, n) => endDay - shownDays + n);
}

type Totals = Map<number, { messages: number; signUps: number }>;

async function countDays(
  db: Database,
  accountRecords: Pick<AccountRecords, 'listAll'>,
  days: Days,
): Promise<Totals> {
  const totals: Totals = new Map();
  function add(counts: ReadonlyMap<number, number>, kind: 'messages' | 'signUps'): void {
    for (const [day, total] of counts) {
      const dayTotals = totals.get(day) ?? { messages: 0, signUps: 0 };
      totals.set(day, { ...dayTotals, [kind]: dayTotals[kind] + total });
    }
  }
  const signUps = new Map<number, number>();
  for await (const accounts of accountRecords.listAll(db, { skipsDamaged: true })) {
    for (const { createdDay: day } of accounts) {
      if (day >= days.from && day < days.to) signUps.set(day, (signUps.get(day) ?? 0) + 1);
    }
  }
  add(signUps, 'signUps');
  for (const classHead of await listClassHeads(db)) {
    add(await countMessagesByDay(db, classHead, days), 'messages');
    // SQLite answers in the same turn of the event loop, so the messages of members would wait.
    await nextTurn();
  }
  return totals;
}

/**
 * Rounds up or down at random (randomized rounding). The random number is derived from the server key and the day, so a day is
 * always rounded in the same way, and no one without the key knows which counts would be rounded differently.
 */
function roundByKey(
  key: KeyObject,
  kind: 'messages' | 'signUps',
  day: number,
  exact: number,
): number {
  const step = overviewSteps[kind];
  const random =
    createHmac('sha256', key).update(`${kind} ${day}`).digest().readUIntBE(0, 6) / 2 ** 48;
  return Math.floor(exact / step + random) * step;
}
