// What the steps of `npm test` count. The reporters of Vitest and Playwright write it to a file.
import { readFileSync } from 'node:fs';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** The names of the failed tests, where the runner reports them. */
  failures?: string[];
  /** The names of tests that failed in their first run and passed in the second, with the error. */
  flaky?: string[];
}

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    failures: [...(a.failures ?? []), ...(b.failures ?? [])],
    flaky: [...(a.flaky ?? []), ...(b.flaky ?? [])],
  };
}

/** A check without its own tests counts as one test. */
export function countCheck(ok: boolean): Counts {
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
}

/** Names the file to which the reporters write. */
export const countsFileVariable = 'BACKCHANNEL_COUNTS_FILE';

/** A runner can fail without a failed test, for example if it found no tests or ended before it wrote the file. */
export function loadCounts(countsFile: string, ok: boolean): Counts {
  try {
    const counts = JSON.parse(readFileSync(countsFile, 'utf8')) as Counts;
    return ok || counts.failed > 0 ? counts : { ...counts, failed: 1 };
  } catch {
    return countCheck(false);
  }
}

/** Reads the counts from a line such as `3 passed, 0 failed, 1 skipped` at the end of the output. */
export function countClosingLine(output: string): Counts {
  const [, passed, failed, skipped] =
    /(\d+) passed, (\d+) failed, (\d+) skipped\s*$/.exec(output) ?? [];
  if (passed === undefined) return countCheck(false);
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}
