// What one arriving message costs the page's main thread, after the student has read back 20,000 messages.
import type { CDPSession, Page } from '@playwright/test';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageSelector, openProfile, openRoom, openTab, moveToMessages } from '../chromium.ts';
import { computePercentile } from '../../percentiles.ts';
import type { Run, Scenario } from '../scenario.ts';
import { firstText, type Site } from '../site.ts';

const messages = 20_000;
const arrivals = 20;
const arrivalIntervalMs = 500;
const scrollTimeoutMs = 180_000;

export const arrival: Scenario = {
  figures: [
    { key: 'freshMs', label: 'the newest 50 loaded: main thread, ms' },
    { key: 'topMs', label: '20,000 loaded, at the oldest: main thread, ms', aim: 8 },
    { key: 'bottomMs', label: '20,000 loaded, at the newest: main thread, ms', aim: 8 },
    { key: 'scrollSeconds', label: 'from the newest to the oldest of 20,000, s' },
    { key: 'heapMB', label: '20,000 loaded: JavaScript heap, MB' },
  ],
  measure,
};

async function measure({ browser, startSite }: Run) {
  const site = await startSite({ messages });
  const { page, devTools } = await openTab(await openProfile(browser, site));
  await devTools.send('Performance.enable');
  const [classId = ''] = site.classIds;
  await openRoom(page, site, classId);
  await sleep(2000);
  const freshMs = await measureMainThreadPerMessage(devTools, site, classId);

  const startedAt = performance.now();
  const isAtTop = await scrollToTop(page);
  const scrollSeconds = (performance.now() - startedAt) / 1000;
  await sleep(2000);
  const topMs = await measureMainThreadPerMessage(devTools, site, classId);
  await page
    .getByRole('button', { name: /newest|\bnew\b/i })
    .last()
    .click();
  await page.locator(messageSelector, { hasText: `Message ${arrivals * 2}:` }).waitFor();
  await sleep(2000);
  const bottomMs = await measureMainThreadPerMessage(devTools, site, classId);
  await devTools.send('HeapProfiler.collectGarbage');
  const heapMB = (await getMetric(devTools, 'JSHeapUsedSize')) / 1e6;
  const figures = { freshMs, topMs, bottomMs, scrollSeconds, heapMB };
  return { figures, flags: isAtTop ? [] : ['not at the top'] };
}

/** Turns the wheel until the room's first message is on screen. @returns false after the timeout */
async function scrollToTop(page: Page): Promise<boolean> {
  const first = page.locator(messageSelector, { hasText: firstText });
  await moveToMessages(page);
  const deadline = performance.now() + scrollTimeoutMs;
  while (performance.now() < deadline) {
    await page.mouse.wheel(0, -20_000);
    if (await first.isVisible()) return true;
    await sleep(16);
  }
  return false;
}

/** The median of several messages, without what the page does when nothing arrives. */
async function measureMainThreadPerMessage(devTools: CDPSession, site: Site, classId: string) {
  const costs: number[] = [];
  const idle: number[] = [];
  for (let n = 0; n < arrivals; n++) {
    idle.push(await measureMainThreadMs(devTools, arrivalIntervalMs));
    site.post(classId);
    costs.push(await measureMainThreadMs(devTools, arrivalIntervalMs));
  }
  return computePercentile(costs, 0.5) - computePercentile(idle, 0.5);
}

async function measureMainThreadMs(devTools: CDPSession, durationMs: number): Promise<number> {
  const durationBefore = await getMetric(devTools, 'TaskDuration');
  await sleep(durationMs);
  return ((await getMetric(devTools, 'TaskDuration')) - durationBefore) * 1000;
}

async function getMetric(devTools: CDPSession, name: string): Promise<number> {
  const { metrics } = await devTools.send('Performance.getMetrics');
  return metrics.find((listedMetric) => listedMetric.name === name)?.value ?? NaN;
}
