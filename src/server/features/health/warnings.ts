// The newest warnings of the log, for operators who cannot read the log: event names, days and coarse counts.
import type { Overview } from '#contract/health.ts';
import { overviewSteps } from '#contract/limits.ts';
import { toDate, formatDay, getToday } from '#server/base/days.ts';
import type { Log, LogEvent } from '#server/base/log.ts';
import { createNoisyGauge, type NoisyGauge } from '#server/base/noisy-gauge.ts';

type Warning = Overview['warnings'][number];

/**
 * The events that no single person can cause. The overview shows them from the first one on, and all others only after about
 * ten, because another event can tell when someone signed up, wrote or uploaded.
 */
const impersonalEvents: ReadonlySet<LogEvent> = new Set<LogEvent>([
  ...(['mail.unreachable', 'image.store-unreachable', 'database.lost', 'database.taken'] as const),
  ...(['theme.refused', 'icons.failed', 'icons.no-logo', 'metrics.failed'] as const),
  ...(['changes.failed', 'proxy.untrusted', 'proxy.no-upgrade'] as const),
]);

const keptDays = 7; // ADMIN-19

export interface Warnings {
  /** Writes to the log and notes its warnings and errors. */
  log: Log;
  /** Counts the warnings again; called once per minute. */
  renew(): void;
  /** Lists the warnings of the last renewal, newest first. */
  list(): Warning[];
}

export function createWarnings(log: Log): Warnings {
  const countsByKey = new Map<
    string,
    { event: LogEvent; day: number; exact: number; coarse: NoisyGauge }
  >();
  let shownWarnings: Warning[] = [];

  function count(event: LogEvent): void {
    const day = getToday();
    const key = `${day} ${event}`;
    const entry = countsByKey.get(key);
    if (entry) entry.exact += 1;
    else {
      countsByKey.set(key, {
        event,
        day,
        exact: 1,
        coarse: createNoisyGauge(overviewSteps.warnings),
      });
    }
  }

  return {
    log: {
      info: (event, fields) => log.info(event, fields),
      warn(event, fields) {
        count(event);
        log.warn(event, fields);
      },
      error(event, fields) {
        count(event);
        log.error(event, fields);
      },
    },
    renew() {
      for (const [key, { day }] of countsByKey) {
        if (day <= getToday() - keptDays) countsByKey.delete(key);
      }
      shownWarnings = [...countsByKey.values()]
        .map(({ event, day, exact, coarse }) => ({
          event,
          day: formatDay(toDate(day)),
          times: impersonalEvents.has(event) ? null : coarse.renew(exact),
        }))
        .filter(({ times }) => times !== 0)
        .toSorted((a, b) =>
          a.day === b.day ? a.event.localeCompare(b.event) : b.day.localeCompare(a.day),
        );
    },
    list: () => shownWarnings,
  };
}
