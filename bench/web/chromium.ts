// The browser that is measured, and how its computer and its network are slowed down.
import {
  chromium,
  type Browser,
  type BrowserContext,
  type CDPSession,
  type Page,
} from '@playwright/test';
import type { Site } from './site.ts';

const { BACKCHANNEL_BROWSER } = process.env;

/** A phone of the lower middle class is about four times slower than a desktop. */
export const phoneSlowdown = 4;

/** A page whose main thread is overloaded answers late. */
const blockedTimeoutMs = 300_000;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    ...(BACKCHANNEL_BROWSER && { executablePath: BACKCHANNEL_BROWSER }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}

/** A browser profile with an empty cache, whose student is signed in. */
export async function openProfile(browser: Browser, site: Site): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addCookies([{ ...site.cookie, url: site.origin }]);
  return context;
}

/** A tab and its DevTools session. */
export interface Tab {
  page: Page;
  devTools: CDPSession;
}

export async function openTab(context: BrowserContext, slowdown = 1): Promise<Tab> {
  const page = await context.newPage();
  page.setDefaultTimeout(blockedTimeoutMs);
  const devTools = await context.newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  return { page, devTools };
}

/** 1.6 Mbit/s down, 0.75 up, 150 ms until the first byte of each response. */
export async function emulateSlow4G(devTools: CDPSession): Promise<void> {
  await devTools.send('Network.enable');
  await devTools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 1_600_000 / 8,
    uploadThroughput: 750_000 / 8,
  });
}

export const messageSelector = '[role="group"][aria-label="Messages"] article';

/** Opens the room of a class and waits for its messages. */
export async function openRoom(page: Page, site: Site, classId: string): Promise<void> {
  await page.goto(`${site.origin}/home/${classId}`);
  await page.locator(messageSelector).first().waitFor();
}

/** Moves the pointer to the upper half of the messages. Below them is a button while the list is scrolled up. */
export async function moveToMessages(page: Page): Promise<void> {
  const box = await page.getByRole('group', { name: 'Messages' }).boundingBox();
  if (!box) throw new Error('The room shows no messages.');
  await page.mouse.move(box.x + box.width / 2, 250);
}
