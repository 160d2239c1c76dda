// Frames that the page's main thread drops while the wheel turns without pause through a room of 100,000 messages.
import type { Page } from '@playwright/test';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageSelector, openProfile, openRoom, openTab, moveToMessages } from '../chromium.ts';
import { watchFrames } from '../page-probes.ts';
import { computePercentile } from '../../percentiles.ts';
import type { Run, Scenario } from '../scenario.ts';

const messages = 100_000;
const seconds = 20;
const pixelsPerSecond = 24_000;
const wheelIntervalMs = 16;
const frameMs = 1000 / 60;
/** A run that passes fewer messages gets a flag, because its frames had little to render. */
const minMessagesPerSecond = 50;

export const scroll: Scenario = {
  figures: [
    { key: 'droppedPercent', label: 'dropped frames, %', aim: 2 },
    { key: 'frameP95Ms', label: 'time between frames: p95, ms' },
    { key: 'frameMaxMs', label: 'time between frames: max, ms', digits: 0, aim: 50 },
    { key: 'messagesPerSecond', label: 'messages passed per second', digits: 0 },
  ],
  measure,
};

async function measure({ browser, startSite }: Run) {
  const site = await startSite({ messages });
  const { page } = await openTab(await openProfile(browser, site));
  await openRoom(page, site, site.classIds[0]!);
  await moveToMessages(page);
  await sleep(2000);
  const numberBefore = await getOldestRenderedNumber(page);
  await page.evaluate(watchFrames);
  const startedAt = performance.now();
  while (performance.now() < startedAt + seconds * 1000) {
    const eventAt = performance.now();
    await page.mouse.wheel(0, (-pixelsPerSecond * wheelIntervalMs) / 1000);
    await sleep(Math.max(0, eventAt + wheelIntervalMs - performance.now()));
  }
  const frames = await page.evaluate(() => window.frameTimes);
  const messagesPerSecond = (numberBefore - (await getOldestRenderedNumber(page))) / seconds;
  const dropped = frames.reduce((sum, ms) => sum + Math.max(0, Math.round(ms / frameMs) - 1), 0);
  const figures = {
    droppedPercent: (100 * dropped) / (dropped + frames.length),
    frameP95Ms: computePercentile(frames, 0.95),
    frameMaxMs: Math.max(...frames),
    messagesPerSecond,
  };
  return { figures, flags: messagesPerSecond < minMessagesPerSecond ? ['hardly scrolled'] : [] };
}

/** The number of the oldest message that the list renders. */
async function getOldestRenderedNumber(page: Page): Promise<number> {
  const text = await page.locator(messageSelector).first().innerText();
  return Number(/Message (\d+):/.exec(text)?.[1] ?? NaN);
}
