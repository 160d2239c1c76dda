// From the navigation to the first message on screen, for a signed-in student on slow 4G with a slow computer.
import type { BrowserContext } from '@playwright/test';
import { ourSystems, type Run, type Scenario } from '../scenario.ts';
import { messageSelector, openSlowTab, startWithBrowser } from './chromium.ts';

declare global {
  interface Window {
    /** When the first message was painted, in milliseconds since the navigation. */
    firstMessageAt?: number;
  }
}

/** 1.6 Mbit/s down, 0.75 up, 150 ms until the first byte of each response. */
const slow4G = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};

export const visit: Scenario = {
  systems: ourSystems,
  workload: { clients: 6, rooms: 5, rate: 0, seconds: 0, messages: 60 },
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

async function measure(run: Run) {
  const { profile, roomUrl } = await startWithBrowser(run);
  const cold = await visitRoom(profile, roomUrl);
  const warm = await visitRoom(profile, roomUrl);
  const updated = await visitRoom(profile, roomUrl, { clearsCache: true });
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

async function visitRoom(profile: BrowserContext, roomUrl: string, { clearsCache = false } = {}) {
  const { page, devTools } = await openSlowTab(profile);
  await devTools.send('Network.enable');
  await devTools.send('Network.emulateNetworkConditions', slow4G);
  if (clearsCache) await devTools.send('Network.clearBrowserCache');
  let bytes = 0;
  let requests = 0;
  devTools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    if (encodedDataLength > 0) requests += 1;
  });
  await page.addInitScript(watchFirstMessage, messageSelector);
  await page.goto(roomUrl, { waitUntil: 'commit' });
  await page.waitForFunction(() => window.firstMessageAt !== undefined);
  const times = await page.evaluate(() => ({
    messageMs: window.firstMessageAt!,
    paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
  }));
  await page.close();
  return { ...times, kB: bytes / 1000, requests };
}

/** Runs inside the page. */
function watchFirstMessage(selector: string): void {
  const look = () => {
    if (!document.querySelector(selector)) requestAnimationFrame(look);
    // A timer that is set before a frame's paint runs after it.
    else setTimeout(() => (window.firstMessageAt = performance.now()));
  };
  requestAnimationFrame(look);
}
