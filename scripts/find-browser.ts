import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of a Chromium: BACKCHANNEL_BROWSER, else one on PATH, else the one Playwright fetched. */
export async function findBrowser(): Promise<string | undefined> {
  const { BACKCHANNEL_BROWSER: chosen } = process.env;
  return chosen || commands.map(onPath).find(Boolean) || (await fromPlaywright());
}

/** Only where nobody would mind: as root in a container or in CI, with Debian's packages at hand. */
export function mayInstallBrowser(): boolean {
  const disposable =
    process.env['CI'] === 'true' || existsSync('/.dockerenv') || existsSync('/run/.containerenv');
  return disposable && process.getuid?.() === 0 && onPath('apt-get') !== undefined;
}

export function installBrowser(): void {
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', 'chromium']]) {
    const { status } = spawnSync('apt-get', ['--quiet', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status !== 0) console.error(`apt-get ${args[0]} failed.`);
  }
}

function onPath(command: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((file) => existsSync(file));
}

async function fromPlaywright(): Promise<string | undefined> {
  const { chromium } = await import('@playwright/test');
  const file = chromium.executablePath();
  return existsSync(file) ? file : undefined;
}
