// The newest warnings of the log, for operators who cannot read the log: event names, days and coarse counts.
import type { Overview } from '#contract/health.ts';
import { overviewSteps } from '#contract/limits.ts';
import { toDate, formatDay, getToday } from '#server/base/days.ts';
import type { Log, LogEvent } from '#server/base/log.ts';
import { createNoisyGauge, type NoisyGauge } from '#server/base/noisy-gauge.ts';

type Warning = Overview['warnings'][number];

/**
 * The events that no single person can cause. The overview shows such an event the first time it occurs. It shows any other event
 * only after about ten occurrences, because a single one could tell when a person signed up, wrote or uploaded.
 */
const impersonalEvents: ReadonlySet<LogEvent> = new Set<LogEvent>([
  ...(['mail.unreachable', 'image.store-unreachable', 'database.lost', 'database.taken'] as const),
  ...(['theme.refused', 'icons.failed', 'icons.no-logo', 'metrics.failed'] as const),
  ...(['changes.failed', 'proxy.untrusted', 'proxy.no-upgrade'] as const),
]);

const keptDays = 7; // ADMIN-19

export interface Warnings {
  /** Writes to the log, and counts the warnings and errors that it writes. */
  log: Log;
  /** Updates what `list` returns. It is called once per minute. */
  renew(): void;
  /** Lists the warnings as of the last `renew`, newest first. */
  list(): Warning[];
}

export function createWarnings(log: Log): Warnings {
  const countsByKey = new Map<
    string,
    { event: LogEvent; day: number; exact: number; coarse: NoisyGauge }
  >();
  let shownWarnings: Warning[] = [];

  function countEvent(event: LogEvent): void {
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
        countEvent(event);
        log.warn(event, fields);
      },
      error(event, fields) {
        countEvent(event);
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
        .filter((warning) => warning.times !== 0)
        .toSorted((a, b) =>
          a.day === b.day ? a.event.localeCompare(b.event) : b.day.localeCompare(a.day),
        );
    },
    list: () => shownWarnings,
  };
}
