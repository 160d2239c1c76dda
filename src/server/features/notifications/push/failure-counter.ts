// Logs failed and dropped notifications as counts, at most once a minute. One line per failure would show when
// messages were posted.
import type { Log } from '#server/base/log.ts';

export interface FailureCounter {
  /** @param status of the push service's answer, if there was one */
  countFailed(status?: number): void;
  countDropped(count: number): void;
  /** Logs what was counted. */
  stop(): void;
}

const intervalMs = 60_000;

export function createFailureCounter(log: Log): FailureCounter {
  /** Counts failures by status; 0 if there was no answer. */
  const failed = new Map<number, number>();
  let dropped = 0;
  let timer: NodeJS.Timeout | null = null;

  function report(): void {
    timer = null;
    for (const [status, count] of failed) {
      log.warn('push.failed', { count, ...(status > 0 && { status }) });
    }
    failed.clear();
    if (dropped > 0) log.warn('push.dropped', { count: dropped });
    dropped = 0;
  }

  function schedule(): void {
    timer ??= setTimeout(report, intervalMs);
  }

  return {
    countFailed(status = 0) {
      failed.set(status, (failed.get(status) ?? 0) + 1);
      schedule();
    },
    countDropped(count) {
      dropped += count;
      schedule();
    },
    stop() {
      if (timer) clearTimeout(timer);
      report();
    },
  };
}
