// The servers that Backchannel is compared with. They are in `bench/peers`, with their own dependencies, so that
// the app never depends on them.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadPackage } from '../server-process.ts';

const folder = resolve(import.meta.dirname, '../peers');

/** Installs the peers' packages on first use. */
export function installPeers(): void {
  if (existsSync(join(folder, 'node_modules'))) return;
  console.error('Installing the packages of bench/peers …');
  const { status } = spawnSync('npm', ['ci'], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) {
    throw new Error(
      'npm ci failed in bench/peers. To measure without peers: --systems backchannel',
    );
  }
}

export function toPeerPath(name: string): string {
  return join(folder, name);
}

export function getPeerVersion(name: string): string {
  return loadPackage(join(folder, 'node_modules', name)).version;
}

/** Bun's executable, without the installation script that would link it. */
export function toBunPath(): string {
  const arch = process.arch === 'arm64' ? 'aarch64' : process.arch;
  return join(folder, 'node_modules/@oven', `bun-linux-${arch}`, 'bin/bun');
}
