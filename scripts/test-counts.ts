import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** The names of the failed tests, where the runner reports them. */
  failures?: string[];
  /** The names of passed tests that had failed in their first run, where known with its error. */
  flaky?: string[];
  files?: FileTime[];
}

/** The sum of a file's tests and hooks. Several files run at a time, so a step is shorter than its files together. */
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

interface VitestTest {
  status: string;
  fullName: string;
  failureMessages?: string[] | null;
}

interface VitestFile {
  name: string;
  startTime: number;
  endTime: number;
  status: string;
  assertionResults: VitestTest[];
}

interface VitestReport {
  numPassedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: VitestFile[];
}

export function countVitest(reportFile: string, ok: boolean): Counts {
  const report = readReport<VitestReport>(reportFile);
  if (!report) return countCheck(false);
  const failures = report.testResults.flatMap(listFailures);
  return atLeastOneFailed(ok, {
    passed: report.numPassedTests,
    failed: failures.length,
    skipped: report.numPendingTests + report.numTodoTests,
    failures,
    flaky: report.testResults.flatMap(listFlaky),
    files: report.testResults.map((file) => ({
      file: toPath(file),
      seconds: (file.endTime - file.startTime) / 1000,
    })),
  });
}

function listFailures(file: VitestFile): string[] {
  const failed = file.assertionResults.filter(({ status }) => status === 'failed');
  // A file can fail outside its tests: in an import or a hook.
  if (failed.length === 0 && file.status === 'failed') return [toPath(file)];
  return failed.map(({ fullName }) => `${toPath(file)}: ${fullName}`);
}

function listFlaky(file: VitestFile): string[] {
  return file.assertionResults.flatMap(({ status, fullName, failureMessages }) => {
    const [message] = failureMessages ?? [];
    if (status !== 'passed' || message === undefined) return [];
    const [firstLine = ''] = message.split('\n');
    return [`${toPath(file)}: ${fullName}\n    ${firstLine}`];
  });
}

const toPath = ({ name }: VitestFile) => relative(process.cwd(), name);

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
  const report = readReport<PlaywrightReport>(reportFile);
  if (!report) return countCheck(false);
  const { stats } = report;
  const specs = listSpecs(report);
  const namesOf = (wanted: string) =>
    specs
      .filter(({ tests }) => tests.some(({ status }) => status === wanted))
      .map(({ file, title }) => `tests/e2e/${file}: ${title}`);
  return atLeastOneFailed(ok, {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    skipped: stats.skipped,
    failures: namesOf('unexpected'),
    flaky: namesOf('flaky'),
    files: [...Map.groupBy(specs, ({ file }) => file)].map(([file, ofFile]) => ({
      file: join('tests/e2e', file),
      seconds: ofFile
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
