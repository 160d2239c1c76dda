/**
 * Runs a program on the Node.js that npm installed for this platform, so that `npm start` works with any
 * Node.js of the machine: `node scripts/run.mjs [options of node] FILE [arguments]`.
 *
 * This file is plain JavaScript, because an old Node.js cannot read a .ts file. It looks up the binary by
 * package name, because npm 10 does not link `node_modules/.bin/node` when several optional packages provide
 * it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The first maintained version that runs TypeScript without a flag. */
const minimumMajor = 24;

const require = createRequire(import.meta.url);
const options = process.argv.slice(2);
if (!existsSync(new URL('../node_modules', import.meta.url))) {
  fail('the packages are not installed. Run npm ci first.');
}
const binary =
  findBinary() ??
  fail(
    `this machine has Node.js ${process.versions.node}, and npm has no Node.js that runs on ${process.platform} ${process.arch}. Install Node.js ${minimumMajor} or newer.`,
  );

const env = {
  // Node.js caches the compiled files here. From the second start on, this saves a quarter of the time and 17 MB of memory. If
  // Node.js cannot write the cache, it compiles the files at each start.
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)),
  ...process.env,
  // Child processes, such as npm, run on the same Node.js.
  PATH: `${dirname(binary)}${delimiter}${process.env.PATH}`,
};
if (process.execve && process.platform !== 'win32') {
  process.execve(binary, [binary, ...options], env);
}

const child = spawn(binary, options, { stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));

/** @returns {never} */
function fail(/** @type {string} */ reason) {
  console.error(`Cannot start: ${reason}`);
  process.exit(1);
}

/** @returns {string | null} */
function findBinary() {
  const installed = findInstalledBinary();
  // A system without glibc, such as Alpine, has the package but cannot run its binary.
  if (installed && spawnSync(installed, ['--version']).status === 0) return installed;
  return Number.parseInt(process.versions.node, 10) >= minimumMajor ? process.execPath : null;
}

/** @returns {string | null} */
function findInstalledBinary() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const name = `${prefix}-${platform}-${process.arch}`;
  try {
    const file = require.resolve(`${name}/package.json`);
    return join(dirname(file), require(file).bin.node);
  } catch {
    return null;
  }
}
