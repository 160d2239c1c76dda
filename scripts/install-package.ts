import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findCommand } from './find-command.ts';

/** Whether packages may be installed: only as root in a container or in CI, on a system with apt. */
export function mayInstallPackages(): boolean {
  const disposable =
    process.env['CI'] === 'true' || existsSync('/.dockerenv') || existsSync('/run/.containerenv');
  return disposable && process.getuid?.() === 0 && findCommand('apt-get') !== undefined;
}

/** Installs a Debian package. A failure is only logged, so the caller must check the result. */
export function installPackage(name: string): void {
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', name]]) {
    const { status } = spawnSync('apt-get', ['--quiet', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status !== 0) console.error(`apt-get ${args[0]} failed.`);
  }
}
