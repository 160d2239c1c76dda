// From a key press to the next paint, on a slow computer, while messages arrive in the open room.
import type { Page } from '@playwright/test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openProfile, openRoom, openTab, phoneSlowdown } from '../chromium.ts';
import { watchKeys } from '../page-probes.ts';
import { computePercentile } from '../../percentiles.ts';
import type { Run, Scenario } from '../scenario.ts';

const messagesPerSecond = 20;
const messagesBeforeSecond = 2000;
const keys = 160;
const keyIntervalMs = 125;
/** If the page has not handled all keys after this time, the messages stop, so that the page can catch up. */
const maxBacklogMs = 10_000;
/** The time of keys that are faster than the threshold of `watchKeys`. */
const unreportedMs = 8;

export const typing: Scenario = {
  figures: [
    { key: 'earlyP50Ms', label: '20 messages/s: p50, ms', digits: 0 },
    { key: 'earlyP98Ms', label: '20 messages/s: p98, ms', digits: 0, aim: 100 },
    { key: 'lateP50Ms', label: 'after 2,000 messages: p50, ms', digits: 0 },
    { key: 'lateP98Ms', label: 'after 2,000 messages: p98, ms', digits: 0, aim: 100 },
  ],
  measure,
};

async function measure({ browser, startSite }: Run) {
  const site = await startSite();
  const { page } = await openTab(await openProfile(browser, site), phoneSlowdown);
  const [classId = ''] = site.classIds;
  await openRoom(page, site, classId);
  await page.evaluate(watchKeys);
  await page.getByRole('textbox', { name: /^Message to / }).focus();
  const posting = site.startPosting([classId], messagesPerSecond);
  await sleep(2000);
  const earlyTimes = await typeKeys(page);
  while (posting.countPosts() < messagesBeforeSecond) await sleep(50);
  let flags: string[] = [];
  const lateTimes = await typeKeys(page, async () => void (flags = await posting.stop()));
  const figures = {
    earlyP50Ms: computePercentile(earlyTimes, 0.5),
    earlyP98Ms: computePercentile(earlyTimes, 0.98),
    lateP50Ms: computePercentile(lateTimes, 0.5),
    lateP98Ms: computePercentile(lateTimes, 0.98),
  };
  return { figures, flags };
}

/**
 * Types at an even rate, whether or not the page keeps up.
 *
 * @param onTyped called after the page has handled the last key, or `maxBacklogMs` after the key
 * @returns the latency of each key
 */
async function typeKeys(page: Page, onTyped?: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => (window.keyTimes = []));
  const keyPresses: Promise<void>[] = [];
  for (let n = 0; n < keys; n++) {
    keyPresses.push(page.keyboard.press(n % 6 === 5 ? 'Space' : 'abcdefgh'[n % 8]!));
    await sleep(keyIntervalMs);
  }
  const allHandled = Promise.all(keyPresses);
  await Promise.race([allHandled, sleep(maxBacklogMs)]);
  await onTyped?.();
  await allHandled;
  // The browser reports the latencies some time after the paint.
  await sleep(1000);
  const reportedTimes = await page.evaluate(() => window.keyTimes);
  const unreportedCount = Math.max(0, keys - reportedTimes.length);
  return [...reportedTimes, ...Array<number>(unreportedCount).fill(unreportedMs)];
}
