/**
 * `npm test` runs every check of the project in sequence, and the long ones in a short form. `npm run test:all` runs all of
 * them in full. `npm test -- types unit` runs only the named steps, and `npm test -- FILE` only test files. In CI, a skipped test
 * fails the run, and a failed test runs once more. If it then passes, it is listed as flaky.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { shortFirefoxJourneys, toTitlePattern } from '../tests/e2e/firefox-journeys.ts';
import { postgresFiles } from '../tests/postgres-files.ts';
import { findPrograms, installPrograms, type ProgramName } from './programs.ts';
import { checkRules } from './rules.ts';
import { projectRoot, runTool } from './run-tool.ts';
import { checkSizes } from './sizes.ts';
import { startPostgres } from './start-postgres.ts';
import {
  addCounts,
  countCheck,
  countClosingLine,
  countsFileVariable,
  loadCounts,
  type Counts,
} from './test-counts.ts';
import { groupByStep } from './test-selection.ts';
import { checkWebWeight } from './web-weight.ts';

const inCI = process.env['CI'] === 'true';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** The long form of the steps, and the steps that only it has. */
    all: { type: 'boolean', default: false },
    /** Determines the order of the tests in a file. By default, each day has another order. */
    seed: { type: 'string', default: new Date().toISOString().slice(0, 10).replaceAll('-', '') },
  },
});

/** A step of test files. */
interface Suite {
  runner: 'vitest' | '@playwright/test';
  projects: readonly string[];
  /** Without these programs, the tests are skipped. */
  needs?: readonly ProgramName[];
  /** Without these programs, only some tests are skipped, or are slower. */
  wants?: readonly ProgramName[];
  /** What the short form runs: files, and options of the runner. */
  shortForm?: readonly string[];
  /** The variables that name the programs to the tests. */
  environment?: () => Record<string, string>;
}

const suites = {
  unit: { runner: 'vitest', projects: ['unit', 'web'] },
  integration: { runner: 'vitest', projects: ['integration*'], wants: ['bubblewrap'] },
  postgres: {
    runner: 'vitest',
    projects: ['postgres*'],
    needs: ['PostgreSQL'],
    wants: ['Redis', 'PgBouncer'],
    shortForm: postgresFiles,
  },
  deploy: {
    runner: 'vitest',
    projects: ['deploy'],
    needs: [
      'apache2',
      'buildah',
      'bubblewrap',
      'Caddy',
      'debootstrap',
      'nginx',
      'openssl',
      'PostgreSQL',
      'Redis',
      'strace',
      'systemd-analyze',
      'systemd-nspawn',
    ],
    // It starts a systemd of its own.
    shortForm: ['--exclude', 'tests/deploy/systemd.test.ts'],
  },
  firefox: {
    runner: '@playwright/test',
    projects: ['firefox'],
    needs: ['Firefox'],
    shortForm: ['--grep', toTitlePattern(shortFirefoxJourneys).source],
    environment: () => ({ BACKCHANNEL_FIREFOX: getPath('Firefox') }),
  },
  webkit: {
    runner: '@playwright/test',
    projects: ['webkit'],
    needs: ['WebKit'],
    environment: () => ({ BACKCHANNEL_WEBKIT: getPath('WebKit') }),
  },
  e2e: {
    runner: '@playwright/test',
    projects: ['chromium', 'headless-shell'],
    needs: ['Chromium'],
    wants: ['headless shell'],
    // In the long form, and without the shell, all of them run in the whole browser.
    environment: () => ({
      BACKCHANNEL_BROWSER: getPath('Chromium'),
      BACKCHANNEL_HEADLESS_SHELL:
        (!options.all && getPath('headless shell')) || getPath('Chromium'),
    }),
  },
  judges: {
    runner: '@playwright/test',
    projects: ['judges'],
    // The Nu HTML checker needs Java.
    needs: ['Chromium', 'Java'],
    environment: () => ({ BACKCHANNEL_BROWSER: getPath('Chromium') }),
  },
} satisfies Record<string, Suite>;
type SuiteName = keyof typeof suites;

const steps: Record<string, () => Counts | Promise<Counts>> = {
  types: () => countCheck(runTool('typescript', ['--build'])),
  lint: () => countCheck(runTool('oxlint', [])),
  format: () => countCheck(runTool('oxfmt', ['--check'])),
  dead: () => countCheck(runTool('knip', ['--no-progress'])),
  rules: () => countCheck(checkRules()),
  sizes: () => countCheck(checkSizes()),
  weight: async () => countCheck(await checkWebWeight()),
  unit: () => runSuite('unit'),
  integration: () => runSuite('integration'),
  postgres: () => runSuite('postgres'),
  install: () => runCounting('scripts/check-install.ts', ...(options.all ? ['--all'] : [])),
  deploy: () => runSuite('deploy'),
  faults: runFaults,
  fuzz: () =>
    runCounting('tests/fuzz/run.ts', '--seed', '1', '--seconds', options.all ? '300' : '30'),
  firefox: () => runSuite('firefox'),
  webkit: () => runSuite('webkit'),
  e2e: () => runSuite('e2e'),
  judges: () => runSuite('judges'),
};
/** The steps that run only in the long form, or if they are named. */
const longSteps = ['judges', 'webkit'];

/** The faults of the short form: a crash, a database that does not answer, and a planted fault that must be found. */
const shortFaults = ['dropped-frame', 'kill-at-stage', 'locked-database'];
const shortNodeFaults = ['kill-node', 'rolling-restart', 'lost-message'];

const selection = groupByStep(positionals);
checkSelection();
const reports = mkdtempSync(join(tmpdir(), 'backchannel-reports-'));
let total: Counts = { passed: 0, failed: 0, skipped: 0 };
const problems: string[] = [];
const stepTimes: string[] = [];
for (const [name, run] of Object.entries(steps)) {
  const isOfThisForm = options.all || !longSteps.includes(name);
  if (!(positionals.length > 0 ? selection.has(name) : isOfThisForm)) continue;
  console.log(`\n== ${name}`);
  const startedAt = performance.now();
  const files = selection.get(name) ?? [];
  const counts = files.length > 0 ? await runSuite(name as SuiteName, files) : await run();
  total = addCounts(total, counts);
  if (counts.failed > 0) problems.push(`${name} failed`);
  if (counts.skipped > 0) problems.push(`${name} skipped ${counts.skipped}`);
  stepTimes.push(`${name} ${formatSeconds((performance.now() - startedAt) / 1000)}`);
}
rmSync(reports, { recursive: true, force: true });
printSummary();
process.exitCode = total.failed > 0 || (inCI && total.skipped > 0) ? 1 : 0;

function checkSelection(): void {
  for (const [name, files] of selection) {
    const missing = files.filter((file) => !existsSync(join(projectRoot, file)));
    if (name in (files.length > 0 ? suites : steps) && missing.length === 0) continue;
    const names = Object.keys(steps).join(', ');
    console.error(
      missing.length > 0
        ? `Not found: ${missing.join(', ')}.`
        : `No such step, or none of test files: ${name}. There are ${names}.`,
    );
    process.exit(1);
  }
}

async function runSuite(name: SuiteName, files: readonly string[] = []): Promise<Counts> {
  const {
    runner,
    projects,
    needs = [],
    wants = [],
    shortForm = [],
    environment,
  }: Suite = suites[name];
  const programs = installPrograms(needs);
  if ('missing' in programs) return skipSuite(name, programs.missing);
  const others = installPrograms(wants);
  if ('missing' in others) console.log(`${others.missing}. Their tests are skipped, or slower.`);
  const chosen = files.length > 0 || options.all ? files : shortForm;
  const report = join(reports, `${name}.json`);
  const postgres = name === 'postgres' ? await startPostgres(getPath('PostgreSQL')) : null;
  const args =
    runner === 'vitest'
      ? ['run', '--sequence.seed', options.seed, ...chosen, ...toVitestOptions(projects)]
      : ['test', ...chosen, ...toPlaywrightOptions(projects)];
  const ok = runTool(runner, args, {
    // The build of the step `weight` sets NODE_ENV to production, in which React has no `act`.
    NODE_ENV: 'test',
    [countsFileVariable]: report,
    ...(options.all && { BACKCHANNEL_TEST_PEOPLE: '1000' }),
    ...(postgres && { BACKCHANNEL_TEST_DATABASE: postgres.url }),
    ...environment?.(),
  });
  postgres?.stop();
  return loadCounts(report, ok);
}

function toVitestOptions(projects: readonly string[]): string[] {
  const reporters = ['--reporter=default', '--reporter=./scripts/vitest-counts.ts'];
  return [...projects.flatMap((project) => ['--project', project]), ...reporters];
}

/** Each option is one argument, because Playwright takes all names after `--project` as projects. */
function toPlaywrightOptions(projects: readonly string[]): string[] {
  const reporters = '--reporter=list,./scripts/playwright-counts.ts';
  return [...projects.map((project) => `--project=${project}`), reporters];
}

/** Counts a step that needs programs which this machine does not have as one skipped test. */
function skipSuite(name: SuiteName, missing: string): Counts {
  console.log(`${missing}. Then run: npm test -- ${name}`);
  return { passed: 0, failed: 0, skipped: 1 };
}

/** @returns an empty text without the program */
function getPath(name: ProgramName): string {
  const programs = findPrograms([name]);
  return 'missing' in programs ? '' : programs.found[name];
}

/** Runs a program that prints its passed and failed counts at the end. */
function runCounting(...args: string[]): Counts {
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: projectRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  console.log(stdout);
  return countClosingLine(stdout);
}

/** Causes each fault on one server and on three nodes. `npm run test:faults` runs longer. */
function runFaults(): Counts {
  installPrograms(['PostgreSQL', 'Redis']);
  const run = ['tests/faults/run.ts', '--seed', '1', '--minutes', '0', '--each'];
  const listFaultOptions = (names: readonly string[]) =>
    options.all ? [] : names.flatMap((name) => ['--fault', name]);
  return addCounts(
    runCounting(...run, ...listFaultOptions(shortFaults)),
    runCounting(...run, '--nodes', '3', ...listFaultOptions(shortNodeFaults)),
  );
}

function printSummary(): void {
  printList('Flaky (failed in the first run, passed in the second)', total.flaky);
  printList('Failed', total.failures);
  console.log(`\nSteps: ${stepTimes.join(', ')}`);
  console.log(`\n${problems.join(', ') || 'All steps passed'}.`);
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
}

function printList(title: string, lines: readonly string[] = []): void {
  if (lines.length === 0) return;
  console.log(`\n${title}:`);
  for (const line of lines) console.log(`  ${line}`);
}

function formatSeconds(seconds: number): string {
  return `${Math.round(seconds)} s`;
}
