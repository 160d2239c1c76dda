// Finds the commands of the system that the checks need, and installs them in a container or in CI.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import type * as Playwright from '@playwright/test';

/** Finds the path of a command on PATH. */
export function findCommand(command: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((file) => existsSync(file));
}

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Finds a Chromium: the one that BACKCHANNEL_BROWSER names, or one on PATH, or the one that Playwright downloaded. */
export function findBrowser(): string | undefined {
  const { BACKCHANNEL_BROWSER: chosenBrowser } = process.env;
  return chosenBrowser || browsers.map(findCommand).find(Boolean) || findPlaywrightBrowser();
}

/** The path of Chromium's headless shell: BACKCHANNEL_HEADLESS_SHELL, else one on PATH. */
export function findHeadlessShell(): string | undefined {
  const { BACKCHANNEL_HEADLESS_SHELL: chosenShell } = process.env;
  return chosenShell || findCommand('chromium-headless-shell');
}

function findPlaywrightBrowser(): string | undefined {
  // Only development packages have it.
  const { chromium } = createRequire(import.meta.url)('@playwright/test') as typeof Playwright;
  const file = chromium.executablePath();
  return existsSync(file) ? file : undefined;
}

/** The path of a Firefox: BACKCHANNEL_FIREFOX, else one on PATH. */
export function findFirefox(): string | undefined {
  const { BACKCHANNEL_FIREFOX: chosenFirefox } = process.env;
  return chosenFirefox || ['firefox-esr', 'firefox'].map(findCommand).find(Boolean);
}

/** The path of the driver of WebKitGTK: BACKCHANNEL_WEBKIT, else the one on PATH. Its windows need a screen of Xvfb. */
export function findWebKitDriver(): string | undefined {
  const { BACKCHANNEL_WEBKIT: chosenDriver } = process.env;
  return findCommand('Xvfb') && (chosenDriver || findCommand('WebKitWebDriver'));
}

/** Whether packages may be installed: only as root in a container or in CI, on a system with apt. */
export function mayInstallPackages(): boolean {
  const isDisposable =
    process.env['CI'] === 'true' || existsSync('/.dockerenv') || existsSync('/run/.containerenv');
  return isDisposable && process.getuid?.() === 0 && findCommand('apt-get') !== undefined;
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
