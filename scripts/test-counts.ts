import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** The names of the failed tests, where the runner reports them. */
  failures?: string[];
  /** The names of tests that failed in their first run and passed in the second, with the error if the runner reports it. */
  flaky?: string[];
  files?: FileTime[];
}

/**
 * The time of a file's tests and hooks together. Several files run at the same time, so a step takes less than the sum of its files.
 */
export interface FileTime {
  file: string;
  seconds: number;
}

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    failures: [...(a.failures ?? []), ...(b.failures ?? [])],
    flaky: [...(a.flaky ?? []), ...(b.flaky ?? [])],
    files: [...(a.files ?? []), ...(b.files ?? [])],
  };
}

/** A check without its own tests counts as one test. */
export function countCheck(ok: boolean): Counts {
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
}

/** Names the file to which `CountsReporter` writes. */
export const countsFileVariable = 'BACKCHANNEL_COUNTS_FILE';

export function countVitest(countsFile: string, ok: boolean): Counts {
  const counts = loadReport<Counts>(countsFile);
  return counts ? countAtLeastOneFailure(ok, counts) : countCheck(false);
}

/** Reads the counts from a line such as `3 passed, 0 failed, 1 skipped` at the end of the output. */
export function countClosingLine(output: string): Counts {
  const [, passed, failed, skipped] =
    /(\d+) passed, (\d+) failed, (\d+) skipped\s*$/.exec(output) ?? [];
  if (passed === undefined) return countCheck(false);
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}

/** Prints and counts the skipped tests that `vitest list` found. */
export function countAsSkipped(listFile: string): Counts {
  const tests = loadReport<{ file: string; name: string }[]>(listFile);
  if (!tests) return countCheck(false);
  for (const { file, name } of tests) console.log(`  ${relative(process.cwd(), file)}: ${name}`);
  return { passed: 0, failed: 0, skipped: tests.length };
}

interface PlaywrightSuite {
  specs?: {
    title: string;
    file: string;
    tests: { status: string; results: { duration: number }[] }[];
  }[];
  suites?: PlaywrightSuite[];
}

interface PlaywrightReport extends PlaywrightSuite {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
}

export function countPlaywright(reportFile: string, ok: boolean): Counts {
  const report = loadReport<PlaywrightReport>(reportFile);
  if (!report) return countCheck(false);
  const { stats } = report;
  const specs = listSpecs(report);
  const listTitles = (wantedStatus: string) =>
    specs
      .filter(({ tests }) => tests.some(({ status }) => status === wantedStatus))
      .map(({ file, title }) => `tests/e2e/${file}: ${title}`);
  return countAtLeastOneFailure(ok, {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    skipped: stats.skipped,
    failures: listTitles('unexpected'),
    flaky: listTitles('flaky'),
    files: [...Map.groupBy(specs, ({ file }) => file)].map(([file, specsOfFile]) => ({
      file: join('tests/e2e', file),
      seconds: specsOfFile
        .flatMap(({ tests }) => tests.flatMap(({ results }) => results))
        .reduce((sum, { duration }) => sum + duration / 1000, 0),
    })),
  });
}

function listSpecs({
  specs = [],
  suites = [],
}: PlaywrightSuite): NonNullable<PlaywrightSuite['specs']> {
  return [...specs, ...suites.flatMap(listSpecs)];
}

/** A runner can fail without a failed test, for example if it found no tests. */
function countAtLeastOneFailure(ok: boolean, counts: Counts): Counts {
  return ok || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

/** @returns null if the runner ended before it wrote a report */
function loadReport<Report>(file: string): Report | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return null;
  }
}
