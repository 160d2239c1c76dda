// From the navigation to the first message on screen, for a signed-in student on slow 4G with a slow computer.
import type { BrowserContext } from '@playwright/test';
import {
  emulateSlow4G,
  messageSelector,
  openProfile,
  openTab,
  phoneSlowdown,
} from '../chromium.ts';
import { watchFirstMessage } from '../page-probes.ts';
import type { Run, Scenario } from '../scenario.ts';
import type { Site } from '../site.ts';

export const visit: Scenario = {
  figures: [
    { key: 'coldMs', label: 'empty cache: first message, ms', digits: 0, aim: 3000 },
    { key: 'coldPaintMs', label: 'empty cache: first paint, ms', digits: 0 },
    { key: 'coldKB', label: 'empty cache: received over HTTP, kB' },
    { key: 'coldRequests', label: 'empty cache: requests', digits: 0 },
    { key: 'updatedMs', label: 'after an update: first message, ms', digits: 0, aim: 3000 },
    { key: 'warmMs', label: 'warm cache: first message, ms', digits: 0, aim: 1000 },
    { key: 'warmPaintMs', label: 'warm cache: first paint, ms', digits: 0 },
    { key: 'warmKB', label: 'warm cache: received over HTTP, kB' },
    { key: 'warmRequests', label: 'warm cache: requests', digits: 0 },
  ],
  measure,
};

async function measure({ browser, startSite }: Run) {
  const site = await startSite();
  const profile = await openProfile(browser, site);
  const cold = await visitRoom(profile, site);
  const warm = await visitRoom(profile, site);
  const updated = await visitRoom(profile, site, { clearsCache: true });
  const figures = {
    coldMs: cold.messageMs,
    coldPaintMs: cold.paintMs,
    coldKB: cold.kB,
    coldRequests: cold.requests,
    updatedMs: updated.messageMs,
    warmMs: warm.messageMs,
    warmPaintMs: warm.paintMs,
    warmKB: warm.kB,
    warmRequests: warm.requests,
  };
  return { figures, flags: [] };
}

async function visitRoom(profile: BrowserContext, site: Site, { clearsCache = false } = {}) {
  const { page, devTools } = await openTab(profile, phoneSlowdown);
  await emulateSlow4G(devTools);
  if (clearsCache) await devTools.send('Network.clearBrowserCache');
  let bytes = 0;
  let requests = 0;
  devTools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    if (encodedDataLength > 0) requests += 1;
  });
  await page.addInitScript(watchFirstMessage, messageSelector);
  await page.goto(`${site.origin}/home/${site.classIds[0]}`, { waitUntil: 'commit' });
  await page.waitForFunction(() => window.firstMessageAt !== undefined);
  const times = await page.evaluate(() => ({
    messageMs: window.firstMessageAt!,
    paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
  }));
  await page.close();
  return { ...times, kB: bytes / 1000, requests };
}
