// Messages and sign-ups per day, for the charts of operators. Only complete days count, each is counted once, and its
// rounding depends on the server key: asking again, on any day, tells nothing more (decision 79).
import { createHmac, type KeyObject } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Overview } from '#contract/health.ts';
import { overviewSteps } from '#contract/limits.ts';
import { toDate, formatDay, getToday } from '#server/base/days.ts';
import type { Database } from '#server/store/tables.ts';
import {
  countMessagesByDay,
  countSignUpsByDay,
  listClassEnds,
  type Days,
} from './daily-counts-queries.ts';

const shownDays = 14; // ADMIN-17

type Day = Overview['daily'][number];

export interface DailyCounts {
  /** The last complete days, oldest first. */
  read(): Promise<Day[]>;
}

interface Keys {
  dailyCounts: KeyObject;
  times: KeyObject;
}

export function createDailyCounts(db: Database, keys: Keys): DailyCounts {
  const key = keys.dailyCounts;
  const countsByDay = new Map<number, Day>();
  let counting: Promise<void> | null = null;

  async function countMissing(): Promise<void> {
    const endDay = getToday();
    const missing = listLastDays(endDay).filter((day) => !countsByDay.has(day));
    const [from] = missing;
    if (from === undefined) return;
    const totals = await countDays(db, keys.times, { from, to: endDay });
    for (const day of missing) {
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
      counting ??= countMissing().finally(() => {
        counting = null;
      });
      await counting;
      return listLastDays(getToday()).flatMap((day) => countsByDay.get(day) ?? []);
    },
  };
}

function listLastDays(endDay: number): number[] {
  return Array.from({ length: shownDays }, (_, n) => endDay - shownDays + n);
}

type Totals = Map<number, { messages: number; signUps: number }>;

async function countDays(db: Database, timesKey: KeyObject, days: Days): Promise<Totals> {
  const totals: Totals = new Map();
  function add(counts: ReadonlyMap<number, number>, kind: 'messages' | 'signUps'): void {
    for (const [day, total] of counts) {
      const dayTotals = totals.get(day) ?? { messages: 0, signUps: 0 };
      totals.set(day, { ...dayTotals, [kind]: dayTotals[kind] + total });
    }
  }
  add(await countSignUpsByDay(db, timesKey, days), 'signUps');
  for (const classEnd of await listClassEnds(db)) {
    add(await countMessagesByDay(db, classEnd, days), 'messages');
    // SQLite answers in the same turn of the event loop, so the messages of members would wait.
    await nextTurn();
  }
  return totals;
}

/** Up or down, always the same way for a day. No one without the server key knows which count would round differently. */
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
