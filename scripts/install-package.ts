import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findCommand } from './find-command.ts';

/** Only where nobody would mind: as root in a container or in CI, with Debian's packages at hand. */
export function mayInstallPackages(): boolean {
  const disposable =
    process.env['CI'] === 'true' || existsSync('/.dockerenv') || existsSync('/run/.containerenv');
  return disposable && process.getuid?.() === 0 && findCommand('apt-get') !== undefined;
}

/** Installs one of Debian's packages. What fails is said, and the caller looks whether it is there. */
export function installPackage(name: string): void {
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', name]]) {
    const { status } = spawnSync('apt-get', ['--quiet', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status !== 0) console.error(`apt-get ${args[0]} failed.`);
  }
}
