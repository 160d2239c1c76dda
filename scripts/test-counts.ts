import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}

/** A check without its own tests counts as one test. */
export function countCheck(ok: boolean): Counts {
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
}

interface VitestReport {
  numPassedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
}

export function countVitest(reportFile: string, ok: boolean): Counts {
  const report = readReport<VitestReport>(reportFile);
  if (!report) return countCheck(false);
  // A file that fails outside its tests (an import, a hook) counts as one more failure.
  const failed = report.testResults
    .map((file) => ({ file, tests: file.assertionResults.filter((t) => t.status === 'failed') }))
    .reduce((n, { file, tests }) => n + (tests.length || (file.status === 'failed' ? 1 : 0)), 0);
  return atLeastOneFailed(ok, {
    passed: report.numPassedTests,
    failed,
    skipped: report.numPendingTests + report.numTodoTests,
  });
}

/** Reads the counts from a line such as `3 passed, 0 failed, 1 skipped` at the end of the output. */
export function countClosingLine(output: string): Counts {
  const [, passed, failed, skipped] =
    /(\d+) passed, (\d+) failed, (\d+) skipped\s*$/.exec(output) ?? [];
  if (passed === undefined) return countCheck(false);
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}

/** Prints and counts the skipped tests that `vitest list` found. */
export function countListed(listFile: string): Counts {
  const tests = readReport<{ file: string; name: string }[]>(listFile);
  if (!tests) return countCheck(false);
  for (const { file, name } of tests) console.log(`  ${relative(process.cwd(), file)}: ${name}`);
  return { passed: 0, failed: 0, skipped: tests.length };
}

interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
}

export function countPlaywright(reportFile: string, ok: boolean): Counts {
  const stats = readReport<PlaywrightReport>(reportFile)?.stats;
  if (!stats) return countCheck(false);
  return atLeastOneFailed(ok, {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
  });
}

/** A runner can fail without a failed test: it found no test, or an error occurred between two tests. */
function atLeastOneFailed(ok: boolean, counts: Counts): Counts {
  return ok || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

/** Null if the runner ended before it wrote a report. */
function readReport<Report>(file: string): Report | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return null;
  }
}
