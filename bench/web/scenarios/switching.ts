// From a click on a class to the painted messages of its room, on a slow computer.
import type { Page } from '@playwright/test';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageSelector, openProfile, openRoom, openTab, phoneSlowdown } from '../chromium.ts';
import { watchSwitches } from '../page-probes.ts';
import { computePercentile } from '../../percentiles.ts';
import type { Run, Scenario } from '../scenario.ts';

const switches = 60;
const pauseMs = 200;
const messagesPerSecond = 20;

export const switching: Scenario = {
  figures: [
    { key: 'quietP50Ms', label: 'no messages arrive: p50, ms', digits: 0 },
    { key: 'quietP98Ms', label: 'no messages arrive: p98, ms', digits: 0, aim: 100 },
    { key: 'busyP50Ms', label: '20 messages/s arrive: p50, ms', digits: 0 },
    { key: 'busyP98Ms', label: '20 messages/s arrive: p98, ms', digits: 0, aim: 100 },
  ],
  measure,
};

async function measure({ browser, startSite }: Run) {
  const site = await startSite();
  const { page } = await openTab(await openProfile(browser, site), phoneSlowdown);
  await openRoom(page, site, site.classIds[0]!);
  await page.evaluate(watchSwitches, messageSelector);
  // The first visit of each room also measures its messages.
  await switchClasses(page, site.classIds, site.classIds.length);
  const quietTimes = await switchClasses(page, site.classIds, switches);
  const posting = site.startPosting(site.classIds, messagesPerSecond);
  const busyTimes = await switchClasses(page, site.classIds, switches);
  const flags = await posting.stop();
  const figures = {
    quietP50Ms: computePercentile(quietTimes, 0.5),
    quietP98Ms: computePercentile(quietTimes, 0.98),
    busyP50Ms: computePercentile(busyTimes, 0.5),
    busyP98Ms: computePercentile(busyTimes, 0.98),
  };
  return { figures, flags };
}

async function switchClasses(page: Page, classIds: readonly string[], count: number) {
  await page.evaluate(() => (window.switchTimes = []));
  for (let n = 1; n <= count; n++) {
    await page
      .locator(`a[href="/home/${classIds[n % classIds.length]}"]`)
      .first()
      .click();
    await page.waitForFunction((clicks) => window.switchTimes.length >= clicks, n);
    await sleep(pauseMs);
  }
  return page.evaluate(() => window.switchTimes);
}
