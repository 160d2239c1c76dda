/**
 * `npm test` runs every check of the project in sequence. `npm test -- types unit` runs only the named steps.
 * In CI a skipped test fails the run, and a failed test runs once more: what then passes is listed as flaky.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installEngines } from './cluster/engines.ts';
import { projectRoot, runTool } from './run-tool.ts';
import { findPostgres, startPostgres } from './start-postgres.ts';
import { findRedis } from './start-redis.ts';
import { findBrowser, findCommand, installPackage, mayInstallPackages } from './system-commands.ts';
import {
  addCounts,
  countCheck,
  countClosingLine,
  countListed,
  countPlaywright,
  countVitest,
  type Counts,
} from './test-counts.ts';
import { checkWebWeight } from './web-weight.ts';

const inCI = process.env['CI'] === 'true';

/** Commands that the tests of `deploy/` run, and their Debian packages. */
const deployTools: Record<string, string> = {
  apache2: 'apache2',
  caddy: 'caddy',
  nginx: 'nginx',
  openssl: 'openssl',
  postgres: 'postgresql',
  'redis-server': 'redis-server',
  strace: 'strace',
  'systemd-analyze': 'systemd',
};

const steps: Record<string, () => Counts | Promise<Counts>> = {
  types: () =>
    ['contract', 'server', 'web', 'worker', 'tests']
      .map((area) => countCheck(runTool('typescript', ['--project', `tsconfig.${area}.json`])))
      .reduce(addCounts),
  lint: () => countCheck(runTool('oxlint', [])),
  format: () => countCheck(runTool('prettier', ['--check', '--log-level', 'warn', '.'])),
  dead: () => countCheck(runTool('knip', ['--no-progress'])),
  weight: async () => countCheck(await checkWebWeight()),
  unit: () => runVitest('unit', ['unit', 'web']),
  integration: () => runVitest('integration', ['integration']),
  postgres: runOnPostgres,
  install: () => runCounting('scripts/check-install.ts'),
  deploy: runDeploy,
  faults: runFaults,
  // For a million inputs use `npm run test:fuzz`.
  fuzz: () => runCounting('tests/fuzz/run.ts', '--seed', '1', '--seconds', '45'),
  e2e: runPlaywright,
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in steps));
if (unknown.length > 0) {
  console.error(`No such step: ${unknown.join(', ')}. There are ${Object.keys(steps).join(', ')}.`);
  process.exit(1);
}

const reports = mkdtempSync(join(tmpdir(), 'backchannel-reports-'));
// Tests start the server and its commands hundreds of times: Node.js compiles each file once and keeps the result here.
process.env['NODE_COMPILE_CACHE'] ??= join(reports, 'compiled');
let total: Counts = { passed: 0, failed: 0, skipped: 0 };
const summary: string[] = [];
for (const [name, run] of Object.entries(steps)) {
  if (named.length > 0 && !named.includes(name)) continue;
  console.log(`\n== ${name}`);
  const counts = await run();
  total = addCounts(total, counts);
  if (counts.failed > 0) summary.push(`${name} failed`);
  if (counts.skipped > 0) summary.push(`${name} skipped ${counts.skipped}`);
}
rmSync(reports, { recursive: true, force: true });

if (total.flaky?.length) {
  console.log('\nFlaky (failed in the first run, passed in the second):');
  for (const name of total.flaky) console.log(`  ${name}`);
}
console.log(`\n${summary.join(', ') || 'All steps passed'}.`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || (inCI && total.skipped > 0) ? 1 : 0;

function runVitest(name: string, projects: string[], environment = {}): Counts {
  const report = join(reports, `${name}.json`);
  const selection = projects.flatMap((project) => ['--project', project]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const ok = runTool('vitest', ['run', ...selection, ...reporters], environment);
  return countVitest(report, ok);
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

/** On one server and on three nodes. For longer runs use `npm run test:faults`. */
function runFaults(): Counts {
  installEngines(['PostgreSQL', 'Redis']);
  const run = ['tests/faults/run.ts', '--seed', '1', '--minutes', '0', '--each'] as const;
  return addCounts(runCounting(...run), runCounting(...run, '--nodes', '3'));
}

function runDeploy(): Counts {
  const listMissing = () => Object.keys(deployTools).filter((command) => !isFound(command));
  const packagesOf = (commands: string[]) => commands.flatMap((name) => deployTools[name] ?? []);
  if (mayInstallPackages()) {
    for (const name of packagesOf(listMissing())) {
      console.log(`No ${name} found: installing Debian's.`);
      installPackage(name);
    }
  }
  const missing = listMissing();
  if (missing.length === 0) return runVitest('deploy', ['deploy']);
  return skipVitest('deploy', missing.join(', '), packagesOf(missing));
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
  const counts = ok ? countListed(list) : countCheck(false);
  const command = `apt install ${packages.join(' ')}`;
  console.log(`Install what is missing (Debian: ${command}), and run: npm test -- ${project}`);
  return inCI ? countCheck(false) : counts;
}

async function runOnPostgres(): Promise<Counts> {
  installEngines(['PostgreSQL', 'Redis']);
  const commands = findPostgres();
  if (!commands) {
    return skipVitest('postgres', 'PostgreSQL', ['postgresql']);
  }
  // Without it, one file of tests is skipped.
  if (!findCommand('pgbouncer') && mayInstallPackages()) installPackage('pgbouncer');
  if (!findRedis()) console.log('Redis was not found, so the tests of several nodes are skipped.');
  const { url, stop } = await startPostgres(commands);
  const counts = runVitest('postgres', ['postgres'], { BACKCHANNEL_TEST_DATABASE: url });
  stop();
  return counts;
}

async function runPlaywright(): Promise<Counts> {
  let browser = await findBrowser();
  if (!browser && mayInstallPackages()) {
    console.log("No Chromium found: installing Debian's.");
    installPackage('chromium');
    browser = await findBrowser();
  }
  const report = join(reports, 'e2e.json');
  const environment = { PLAYWRIGHT_JSON_OUTPUT_FILE: report };
  if (!browser) {
    console.log('Chromium was not found, so these tests are skipped:');
    const ok = runTool('@playwright/test', ['test', '--list', '--reporter=list,json'], environment);
    console.log('Install one, or name it in BACKCHANNEL_BROWSER, and run: npm test -- e2e');
    return inCI ? countCheck(false) : countPlaywright(report, ok);
  }
  const ok = runTool('@playwright/test', ['test', '--reporter=list,json'], {
    ...environment,
    BACKCHANNEL_BROWSER: browser,
  });
  return countPlaywright(report, ok);
}
