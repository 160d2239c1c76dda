import { findQuietTimeProblem, type QuietTime } from '#contract/quiet-times.ts';
import { getText } from '#web/get-text.ts';

const problems = {
  QUIET_TIME_UNSET: getText('error.QUIET_TIME_UNSET'),
  QUIET_TIME_ENDS: getText('error.QUIET_TIME_ENDS'),
  QUIET_TIME_WEEKLY: getText('error.QUIET_TIME_WEEKLY'),
  QUIET_TIME_EMPTY: getText('error.QUIET_TIME_EMPTY'),
  QUIET_TIME_TOO_LONG: getText('error.QUIET_TIME_TOO_LONG'),
  QUIET_TIME_CHARACTERS: getText('error.QUIET_TIME_CHARACTERS'),
};

/** @returns what is wrong, or null */
export function wordQuietTimeProblem(quietTime: QuietTime): string | null {
  const code = findQuietTimeProblem(quietTime);
  return code && problems[code];
}
