// Tests scripts/run.mjs, which every npm script uses, on simulated machines.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-tool.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'backchannel-launcher-'));
  cpSync(join(projectRoot, 'scripts/run.mjs'), join(dir, 'scripts/run.mjs'));
  writeFileSync(join(dir, 'program.mjs'), "console.log('runs', ...process.argv.slice(2));");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Runs the program by the launcher on a Node.js that reports this version and architecture. */
function launch(version: string, arch: string) {
  const preload = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
    Object.defineProperty(process, 'arch', { value: '${arch}' });
  `;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...args, 'scripts/run.mjs', 'program.mjs', 'x y'],
    { cwd: dir, encoding: 'utf8' },
  );
  return { status, output: `${stdout}${stderr}`.trim() };
}

function install(arch: string, program: string): void {
  const folder = join(dir, `node_modules/node-${process.platform}-${arch}`);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ bin: { node: 'bin/node' } }));
  writeFileSync(join(folder, 'bin/node'), program);
  chmodSync(join(folder, 'bin/node'), 0o755);
}

const tooOld = `Cannot start: this machine has Node.js 20.20.2, and npm has no Node.js that runs on ${process.platform} riscv64. Install Node.js 24 or newer.`;

test('the launcher without packages says what to run, on any Node.js [START-12]', () => {
  const missing = 'Cannot start: the packages are not installed. Run npm ci first.';

  expect(launch('20.20.2', 'riscv64')).toEqual({ status: 1, output: missing });
  expect(launch('26.10.0', 'riscv64')).toEqual({ status: 1, output: missing });
});

test('the launcher says that Node.js is too old on a platform without a package [START-12]', () => {
  mkdirSync(join(dir, 'node_modules'));

  expect(launch('20.20.2', 'riscv64')).toEqual({ status: 1, output: tooOld });
});

test('the launcher says that Node.js is too old if the installed one cannot run [START-12]', () => {
  install('riscv64', '#!/no/such/loader\n');

  expect(launch('20.20.2', 'riscv64')).toEqual({ status: 1, output: tooOld });
});

test('a new Node.js runs the program on a platform without a package [START-12]', () => {
  mkdirSync(join(dir, 'node_modules'));

  expect(launch('24.0.0', 'riscv64')).toEqual({ status: 0, output: 'runs x y' });
});

test('the launcher prefers the installed Node.js to a new one of the machine [START-12]', () => {
  install('riscv64', '#!/bin/sh\necho installed "$@"\n');

  expect(launch('24.0.0', 'riscv64')).toEqual({
    status: 0,
    output: 'installed program.mjs x y',
  });
});
