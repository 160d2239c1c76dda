/**
 * The step `install` of `npm test`. It runs the commands of the README on a copy of the checkout, with the machine's Node.js and
 * the npm of Node.js 20. With --all, it installs again with the npm of Node.js 24 and without development packages.
 */
import { spawn, spawnSync, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyCheckout } from './copy-checkout.ts';
import { findFreePort } from './find-free-port.ts';

const isLong = process.argv.includes('--all');
const npmOfNode20 = '10.8.2';
const npmOfNode24 = '11.0.0';
const startTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;
/** A user of Linux and macOS that owns no file of the checkout. */
const otherUser = 65_534;

process.umask(0o022);
const folder = mkdtempSync(join(tmpdir(), 'backchannel-install-'));
const checkout = join(folder, 'checkout');
const home = join(folder, 'home');
const isRoot = process.getuid?.() === 0;
const asOtherUser: SpawnOptions = isRoot ? { uid: otherUser, gid: otherUser } : {};
const temporaryData = { DATA_DIR: join(folder, 'data') };
const environment = createOperatorEnvironment();
const counts = { passed: 0, failed: 0, skipped: 0 };

try {
  if (isRegistryReachable()) await checkInstall();
  else {
    console.log('Skipped: the npm registry cannot be reached. With a connection, run');
    console.log('npm test -- install');
    counts[process.env['CI'] === 'true' ? 'failed' : 'skipped'] += 1;
  }
} finally {
  if (existsSync(checkout)) makeWritable(true);
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;

async function checkInstall(): Promise<void> {
  spawnSync('chmod', ['755', folder]);
  copyCheckout(checkout);
  mkdirSync(home);
  if (isRoot) chownSync(home, otherUser, otherUser);

  const oldNpm = installNpm(npmOfNode20);
  await check(`npm ${npmOfNode20}: npm ci [START-16]`, () => expectEnd(oldNpm, ['ci']));
  await check(
    `npm ${npmOfNode20}: npm start builds the app, serves, and ends by SIGTERM [START-1, START-4]`,
    () => checkThatItServesAndStops(oldNpm),
  );
  if (isLong) await checkRecentNpm();
  else await checkReadOnly(npmOfNode20, oldNpm);
}

async function checkRecentNpm(): Promise<void> {
  const recentNpm = installNpm(npmOfNode24);
  await check(`npm ${npmOfNode24}: npm ci --omit=dev --ignore-scripts [START-16]`, () =>
    expectEnd(recentNpm, ['ci', '--omit=dev', '--ignore-scripts']),
  );
  await checkReadOnly(npmOfNode24, recentNpm);
  renameSync(join(checkout, 'dist'), join(folder, 'dist'));
  const sentence = /^Cannot start: the web app must be built, but the development/m;
  await check(
    'without a build and without development packages it says what to run [START-15]',
    () => expectEnd(recentNpm, ['start'], { code: 1, sentence }),
  );
}

/** @param npm the file that runs npm */
async function checkReadOnly(version: string, npm: string): Promise<void> {
  makeWritable(false);
  await check(`npm ${version}: npm start, read-only and as another user [START-15]`, () =>
    checkThatItServesAndStops(npm, asOtherUser),
  );
  const commands = [
    ['backup', '--', join(home, 'backup')],
    ['restore', '--', join(home, 'backup')],
    ['admin'],
  ];
  for (const command of commands) {
    await check(`npm run ${command[0]}, read-only and as another user [START-15]`, () =>
      expectEnd(npm, ['run', ...command], { code: 0 }, asOtherUser),
    );
  }
  makeWritable(true);
}

async function check(name: string, passes: () => Promise<string | null>): Promise<void> {
  const startedAt = performance.now();
  const problem = await passes();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  counts[problem === null ? 'passed' : 'failed'] += 1;
  console.log(`${problem === null ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (problem !== null) console.log(problem);
}

/**
 * The environment of an operator's shell, without package commands, project settings or variables of the
 * surrounding npm.
 */
function createOperatorEnvironment(): NodeJS.ProcessEnv {
  const path = (process.env['PATH'] ?? '').split(delimiter);
  const inheritedVariables = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_(registry|cafile)$)|NODE|BACKCHANNEL_|CI$)/i.test(name),
  );
  return {
    ...Object.fromEntries(inheritedVariables),
    PATH: path.filter((entry) => !entry.includes('node_modules')).join(delimiter),
    // Packages that compile native code must fail.
    CC: 'no-compiler',
    CXX: 'no-compiler',
    npm_config_update_notifier: 'false',
  };
}

function isRegistryReachable(): boolean {
  const args = ['view', `npm@${npmOfNode20}`, 'version', '--fetch-retries=1'];
  const options = { cwd: tmpdir(), env: environment, timeout: 60_000 };
  return spawnSync('npm', args, options).status === 0;
}

/** @returns the file that runs this npm */
function installNpm(version: string): string {
  const prefix = join(folder, `npm-${version}`);
  mkdirSync(prefix);
  const args = ['install', '--no-audit', '--no-fund', '--prefix', prefix, `npm@${version}`];
  spawnSync('npm', args, { cwd: prefix, env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(prefix, 'node_modules/npm/bin/npm-cli.js');
}

function makeWritable(writable: boolean): void {
  spawnSync('chmod', ['-R', writable ? 'u+w' : 'a-w', checkout]);
}

/** @param npm the file that runs npm */
function start(npm: string, args: readonly string[], port: number, options: SpawnOptions) {
  // Each user has its own data folder.
  const data = options.uid ? { HOME: home, DATA_DIR: join(home, 'data') } : temporaryData;
  const child = spawn('node', [npm, ...args], {
    cwd: checkout,
    env: { ...environment, PORT: String(port), ...data },
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, ended: exit, output: () => output };
}

/** @returns null, or what went wrong */
async function expectEnd(
  npm: string,
  args: readonly string[],
  expected: { code: number; sentence?: RegExp } = { code: 0 },
  options: SpawnOptions = {},
): Promise<string | null> {
  const { ended, output } = start(npm, args, await findFreePort(), options);
  const code = await ended;
  const isExpected = code === expected.code && (expected.sentence?.test(output()) ?? true);
  return isExpected ? null : `It ended with code ${code}:\n${output()}`;
}

async function checkThatItServesAndStops(npm: string, options = {}): Promise<string | null> {
  const port = await findFreePort();
  const { child, ended, output } = start(npm, ['start'], port, options);
  const page = `http://localhost:${port}`;
  const deadline = Date.now() + startTimeoutMs;
  while (child.exitCode === null && Date.now() < deadline) {
    if ((await fetchStatus(`${page}/readyz`)) === 200) break;
    await sleep(100);
  }
  const status = await fetchStatus(`${page}/signin`);
  child.kill('SIGTERM');
  const code = await Promise.race([ended, sleep(stopTimeoutMs, 'timeout' as const)]);
  child.kill('SIGKILL');
  // The server is a child process of npm, and must have stopped, too.
  const isStopped = (await fetchStatus(page)) === null;
  if (status === 200 && code === 0 && isStopped) return null;
  return `/signin: ${status}, end: ${code}, stopped: ${isStopped}\n${output()}`;
}

/** @returns null if nothing answers */
async function fetchStatus(url: string): Promise<number | null> {
  return fetch(url).then(
    ({ status }) => status,
    () => null,
  );
}
