/**
 * `npm test` runs every check of the project in sequence, and the long ones in a short form. `npm run test:all` runs all of
 * them in full. `npm test -- types unit` runs only the named steps, `npm test -- FILE` only test files, and `--repeat 20`
 * runs them 20 times. `npm test -- --changed` runs the tests that uncommitted changes concern. In CI, a skipped test fails the
 * run, and a failed test runs once more. If it then passes, it is listed as flaky.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { shortFirefoxJourneys, toTitlePattern } from '../tests/e2e/firefox-journeys.ts';
import { postgresFiles } from '../tests/postgres-files.ts';
import { installEngines } from './cluster/engines.ts';
import { projectRoot, runTool } from './run-tool.ts';
import { findPostgres, startPostgres } from './start-postgres.ts';
import { findRedis } from './start-redis.ts';
import {
  findBrowser,
  findCommand,
  findFirefox,
  findHeadlessShell,
  findWebKitDriver,
  installPackage,
  mayInstallPackages,
} from './system-commands.ts';
import {
  addCounts,
  countCheck,
  countClosingLine,
  countAsSkipped,
  countPlaywright,
  countsFileVariable,
  countVitest,
  type Counts,
} from './test-counts.ts';
import { checkAdvisories } from './advisories.ts';
import { checkSizes } from './sizes.ts';
import { groupByStep, listConcernedTests } from './test-selection.ts';
import { checkWebWeight } from './web-weight.ts';

const inCI = process.env['CI'] === 'true';

/** Commands that the step `deploy` runs, and their Debian packages. */
const deployTools: Record<string, string> = {
  apache2: 'apache2',
  buildah: 'buildah',
  bwrap: 'bubblewrap',
  caddy: 'caddy',
  debootstrap: 'debootstrap',
  nginx: 'nginx',
  openssl: 'openssl',
  postgres: 'postgresql',
  'redis-server': 'redis-server',
  strace: 'strace',
  'systemd-analyze': 'systemd',
  'systemd-nspawn': 'systemd-container',
};

/** The faults of the short form: a crash, a database that does not answer, and a planted fault that must be found. */
const shortFaults = ['dropped-frame', 'kill-at-stage', 'locked-database'];
const shortNodeFaults = ['kill-node', 'rolling-restart', 'lost-message'];

/** The projects of Vitest that a step runs. */
const vitestProjects: Record<string, string[]> = {
  unit: ['unit', 'web'],
  integration: ['integration*'],
  postgres: ['postgres*'],
  deploy: ['deploy'],
};

/** The browsers of the steps: Playwright's projects, Debian's packages, and the variable that names the program. */
const browsers = {
  e2e: {
    projects: ['chromium', 'headless-shell'],
    packages: ['chromium'],
    variable: 'BACKCHANNEL_BROWSER',
    find: findBrowser,
  },
  firefox: {
    projects: ['firefox'],
    packages: ['firefox-esr'],
    variable: 'BACKCHANNEL_FIREFOX',
    find: findFirefox,
  },
  webkit: {
    projects: ['webkit'],
    packages: ['webkit2gtk-driver', 'xvfb'],
    variable: 'BACKCHANNEL_WEBKIT',
    find: findWebKitDriver,
  },
  judges: {
    projects: ['judges'],
    packages: ['chromium', 'default-jre-headless'],
    variable: 'BACKCHANNEL_BROWSER',
    // The Nu HTML checker needs Java.
    find: async () => findCommand('java') && (await findBrowser()),
  },
};

/** Starts a systemd of its own. Runs only in the long form. */
const systemdFile = 'tests/deploy/systemd.test.ts';

/** The steps that run only in the long form, or if they are named. */
const longSteps = ['judges', 'audit', 'webkit'];

/** The steps whose coverage the long form prints. */
const coveredSteps = ['unit', 'integration'];

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** The long form of `integration`, `postgres`, `install`, `faults` and `fuzz`. */
    all: { type: 'boolean', default: false },
    /** Runs only the tests that the changes since the last commit concern. */
    changed: { type: 'boolean', default: false },
    repeat: { type: 'string', default: '1' },
    /** Determines the order of the tests in a file. By default, each day has another order. */
    seed: { type: 'string', default: new Date().toISOString().slice(0, 10).replaceAll('-', '') },
  },
});
let seed = Number(options.seed);
const environmentOfAll: Record<string, string> = options.all
  ? { BACKCHANNEL_TEST_PEOPLE: '1000' }
  : {};

const steps: Record<string, () => Counts | Promise<Counts>> = {
  types: () => countCheck(runTool('typescript', ['--build'])),
  lint: () => countCheck(runTool('oxlint', [])),
  format: () => countCheck(runTool('oxfmt', ['--check'])),
  dead: () => countCheck(runTool('knip', ['--no-progress'])),
  rules: () => countCheck(runScript('scripts/list-rules.ts', '--summary')),
  sizes: () => countCheck(checkSizes()),
  weight: async () => countCheck(await checkWebWeight()),
  unit: () => runVitest('unit'),
  integration: () => runVitest('integration', [], environmentOfAll),
  postgres: () => runOnPostgres(options.all ? [] : postgresFiles),
  install: () => runCounting('scripts/check-install.ts', ...(options.all ? ['--all'] : [])),
  deploy: runDeploy,
  faults: runFaults,
  fuzz: () =>
    runCounting('tests/fuzz/run.ts', '--seed', '1', '--seconds', options.all ? '300' : '30'),
  firefox: () =>
    runPlaywright(
      'firefox',
      options.all ? [] : ['--grep', toTitlePattern(shortFirefoxJourneys).source],
    ),
  webkit: () => runPlaywright('webkit', []),
  e2e: () => runPlaywright('e2e', []),
  judges: () => runPlaywright('judges', []),
  audit: checkAdvisories,
};

const reports = mkdtempSync(join(tmpdir(), 'backchannel-reports-'));
const coverageReports = join(reports, 'coverage');
let total: Counts = { passed: 0, failed: 0, skipped: 0 };
const problems: string[] = [];
const stepTimes: string[] = [];

if (options.changed) await runChanged();
else await runSteps();
if (existsSync(coverageReports)) printCoverage();
rmSync(reports, { recursive: true, force: true });
printSummary();
process.exitCode = total.failed > 0 || (inCI && total.skipped > 0) ? 1 : 0;

async function runSteps(): Promise<void> {
  const selection = groupByStep(positionals);
  const unknownNames = [...selection.keys()].filter((name) => !(name in steps));
  if (unknownNames.length > 0) {
    console.error(
      `No such step: ${unknownNames.join(', ')}. There are ${Object.keys(steps).join(', ')}.`,
    );
    process.exit(1);
  }
  const missing = [...selection.values()]
    .flat()
    .filter((file) => !existsSync(join(projectRoot, file)));
  if (missing.length > 0 || !(Number(options.repeat) > 0)) {
    console.error(`Not found: ${missing.join(', ')}. Example: npm test -- --repeat 20 FILE`);
    process.exit(1);
  }
  for (const [name, run] of Object.entries(steps)) {
    const isChosen = positionals.length > 0 ? selection.has(name) : isOfThisForm(name);
    if (!isChosen) continue;
    console.log(`\n== ${name}`);
    const startedAt = performance.now();
    const files = selection.get(name) ?? [];
    if (files.length > 0) await runFiles(name, files);
    else addResult(name, await run());
    stepTimes.push(`${name} ${formatSeconds((performance.now() - startedAt) / 1000)}`);
  }
}

/** Runs the unit tests that import a changed file, and the integration tests of its module. */
async function runChanged(): Promise<void> {
  const listFiles = (...args: string[]) =>
    spawnSync('git', args, { cwd: projectRoot, encoding: 'utf8' }).stdout.trim().split('\n');
  const changedFiles = [
    ...listFiles('diff', '--name-only', '--diff-filter=d', 'HEAD'),
    ...listFiles('ls-files', '--others', '--exclude-standard'),
  ];
  addResult('unit', runVitest('unit', ['--changed', '--passWithNoTests']));
  for (const [step, files] of groupByStep(listConcernedTests(changedFiles))) {
    await runFiles(step, files);
  }
}

function isOfThisForm(step: string): boolean {
  return options.all || !longSteps.includes(step);
}

/** Runs test files, with `--repeat` several times to find races: each round has another order, and no failed test runs again. */
async function runFiles(step: string, files: readonly string[]): Promise<void> {
  const times = Number(options.repeat);
  if (isBrowserStep(step)) {
    const selected = [...files, '--repeat-each', String(times), '--retries', '0'];
    addResult(step, await runPlaywright(step, selected));
    return;
  }
  if (!(step in vitestProjects)) {
    console.error(`The step ${step} runs no test files.`);
    process.exit(1);
  }
  for (let round = 1; round <= times; round++) {
    if (times > 1) console.log(`\n== round ${round} of ${times}`);
    const selected = [...files, '--retry', '0'];
    const counts = step === 'postgres' ? await runOnPostgres(selected) : runVitest(step, selected);
    addResult(times > 1 ? `${step}, round ${round}` : step, counts);
    seed += 1;
  }
}

function isBrowserStep(step: string): step is keyof typeof browsers {
  return step in browsers;
}

function addResult(name: string, counts: Counts): void {
  total = addCounts(total, counts);
  if (counts.failed > 0) problems.push(`${name} failed`);
  if (counts.skipped > 0) problems.push(`${name} skipped ${counts.skipped}`);
}

function printSummary(): void {
  const slowest = (total.files ?? []).toSorted((a, b) => b.seconds - a.seconds).slice(0, 10);
  printList(
    'Slowest files',
    slowest.map(({ file, seconds }) => `${formatSeconds(seconds)} ${file}`),
  );
  printList('Flaky (failed in the first run, passed in the second)', total.flaky);
  printList('Failed', total.failures);
  if (stepTimes.length > 0) console.log(`\nSteps: ${stepTimes.join(', ')}`);
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

function runScript(...args: string[]): boolean {
  return spawnSync(process.execPath, args, { cwd: projectRoot, stdio: 'inherit' }).status === 0;
}

function runVitest(
  step: string,
  selection: readonly string[] = [],
  environment: Record<string, string> = {},
): Counts {
  const report = join(reports, `${step}.json`);
  const projects = (vitestProjects[step] ?? []).flatMap((name) => ['--project', name]);
  const reporters = ['--reporter=default', '--reporter=./scripts/counts-reporter.ts'];
  const args = ['run', '--sequence.seed', String(seed), ...projects, ...selection, ...reporters];
  if (options.all && coveredSteps.includes(step)) {
    const blob = join(coverageReports, `${step}.json`);
    args.push('--coverage', '--coverage.reporter=none', '--reporter=blob', `--outputFile=${blob}`);
  }
  // The build of the step `weight` sets NODE_ENV to production, in which React has no `act`.
  const ok = runTool('vitest', args, {
    NODE_ENV: 'test',
    [countsFileVariable]: report,
    ...environment,
  });
  return countVitest(report, ok);
}

/** Prints how much of the code the tests of `coveredSteps` ran together. */
function printCoverage(): void {
  console.log('\n== coverage');
  runTool('vitest', ['run', '--merge-reports', coverageReports, '--coverage', '--reporter=dot']);
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
  installEngines(['PostgreSQL', 'Redis']);
  const run = ['tests/faults/run.ts', '--seed', '1', '--minutes', '0', '--each'];
  const listFaultOptions = (names: readonly string[]) =>
    options.all ? [] : names.flatMap((name) => ['--fault', name]);
  return addCounts(
    runCounting(...run, ...listFaultOptions(shortFaults)),
    runCounting(...run, '--nodes', '3', ...listFaultOptions(shortNodeFaults)),
  );
}

function runDeploy(): Counts {
  const selection = options.all ? [] : ['--exclude', systemdFile];
  const listMissing = () => Object.keys(deployTools).filter((command) => !isFound(command));
  const listPackages = (commands: string[]) => commands.flatMap((name) => deployTools[name] ?? []);
  if (mayInstallPackages()) {
    for (const name of listPackages(listMissing())) {
      console.log(`No ${name} found: installing Debian's.`);
      installPackage(name);
    }
  }
  const missing = listMissing();
  if (missing.length === 0) return runVitest('deploy', selection);
  return skipVitest('deploy', missing.join(', '), listPackages(missing));
}

function isFound(command: string): boolean {
  if (command === 'postgres') return findPostgres() !== undefined;
  if (command === 'redis-server') return findRedis() !== undefined;
  return findCommand(command) !== undefined;
}

/** Lists the tests of a project that needs commands which this machine does not have. */
function skipVitest(project: string, missing: string, packages: string[]): Counts {
  console.log(`Not found: ${missing}. These tests are skipped:`);
  const list = join(reports, `${project}.json`);
  const ok = runTool('vitest', ['list', '--project', project, `--json=${list}`]);
  const counts = ok ? countAsSkipped(list) : countCheck(false);
  const command = `apt install ${packages.join(' ')}`;
  console.log(`Install what is missing (Debian: ${command}), and run: npm test -- ${project}`);
  return inCI ? countCheck(false) : counts;
}

/** @param selection test files, and more options of Vitest */
async function runOnPostgres(selection: readonly string[]): Promise<Counts> {
  installEngines(['PostgreSQL', 'Redis']);
  const commandFolder = findPostgres();
  if (!commandFolder) {
    return skipVitest('postgres', 'PostgreSQL', ['postgresql']);
  }
  // One test file needs PgBouncer, and is skipped without it.
  if (!findCommand('pgbouncer') && mayInstallPackages()) installPackage('pgbouncer');
  if (!findRedis()) console.log('Redis was not found, so the tests of several nodes are skipped.');
  const { url, stop } = await startPostgres(commandFolder);
  const counts = runVitest('postgres', selection, {
    BACKCHANNEL_TEST_DATABASE: url,
    ...environmentOfAll,
  });
  stop();
  return counts;
}

async function runPlaywright(
  step: keyof typeof browsers,
  selection: readonly string[],
): Promise<Counts> {
  const { projects, packages, variable, find } = browsers[step];
  let browser = await find();
  if (!browser && mayInstallPackages()) {
    console.log(`No ${packages.join(' or ')} found: installing Debian's.`);
    for (const name of packages) installPackage(name);
    browser = await find();
  }
  const report = join(reports, `${step}.json`);
  const environment = { PLAYWRIGHT_JSON_OUTPUT_FILE: report };
  // The option is one argument, because Playwright takes all names after `--project` as projects.
  const args = ['test', ...projects.map((name) => `--project=${name}`), ...selection];
  if (!browser) {
    console.log(`${packages.join(' or ')} was not found, so these tests are skipped:`);
    const ok = runTool(
      '@playwright/test',
      [...args, '--list', '--reporter=list,json'],
      environment,
    );
    console.log(`Install it, or name it in ${variable}, and run: npm test -- ${step}`);
    return inCI ? countCheck(false) : countPlaywright(report, ok);
  }
  const ok = runTool('@playwright/test', [...args, '--reporter=list,json'], {
    ...environment,
    ...(step === 'e2e' && { BACKCHANNEL_HEADLESS_SHELL: chooseHeadlessShell(browser) }),
    [variable]: browser,
  });
  return countPlaywright(report, ok);
}

/** Finds the program of most browser tests. In the long form, and without the shell, all of them run in the whole browser. */
function chooseHeadlessShell(browser: string): string {
  if (options.all) return browser;
  if (!findHeadlessShell() && mayInstallPackages()) installPackage('chromium-headless-shell');
  return findHeadlessShell() ?? browser;
}
