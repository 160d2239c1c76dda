import { existsSync } from 'node:fs';
import { findCommand } from './find-command.ts';

const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of a Chromium: BACKCHANNEL_BROWSER, else one on PATH, else the one that Playwright downloaded. */
export async function findBrowser(): Promise<string | undefined> {
  const { BACKCHANNEL_BROWSER: chosen } = process.env;
  return chosen || commands.map(findCommand).find(Boolean) || (await fromPlaywright());
}

async function fromPlaywright(): Promise<string | undefined> {
  const { chromium } = await import('@playwright/test');
  const file = chromium.executablePath();
  return existsSync(file) ? file : undefined;
}
