// The quiet time that a class has now.
import {
  findCurrentQuietTime,
  findNextQuietChange,
  type CurrentQuietTime,
  type QuietTime,
} from '#contract/quiet-times.ts';

export interface QuietClock {
  current(): CurrentQuietTime | null;
  /** Takes over the quiet times of the class. It does not report a change. */
  set(quietTimes: readonly QuietTime[]): void;
  /** Looks at the clock, because timers of a hidden tab are late, and the time of the server may have become known. */
  refresh(): void;
  stop(): void;
}

/** Longer timers overflow. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Computes when quiet times begin and end, because the server does not report it.
 *
 * @param serverNow the time of the server, in milliseconds since 1970
 * @param onChange a quiet time has begun or ended
 */
export function createQuietClock(serverNow: () => number, onChange: () => void): QuietClock {
  let quietTimes: readonly QuietTime[] = [];
  let current: CurrentQuietTime | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const stop = () => clearTimeout(timer);

  function update(): void {
    stop();
    if (quietTimes.length === 0) {
      current = null;
      return;
    }
    const now = serverNow();
    current = findCurrentQuietTime(quietTimes, now);
    const changeTime = findNextQuietChange(quietTimes, now);
    if (changeTime !== null) timer = setTimeout(refresh, Math.min(changeTime - now, maxTimerMs));
  }

  function refresh(): void {
    const previous = current;
    update();
    const isSame = previous?.until === current?.until && previous?.sentence === current?.sentence;
    if (!isSame) onChange();
  }

  return {
    current: () => current,
    set(nextQuietTimes) {
      if (nextQuietTimes === quietTimes) return;
      quietTimes = nextQuietTimes;
      update();
    },
    refresh,
    stop,
  };
}
