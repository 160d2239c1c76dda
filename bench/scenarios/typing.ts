// From a key press to the next paint, on a slow computer, while messages arrive in the open room.
import type { Page } from '@playwright/test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Histogram } from '../histogram.ts';
import { Load } from '../load.ts';
import { ourSystems, type Run, type Scenario } from '../scenario.ts';
import { messageSelector, openSlowTab, startWithBrowser } from './chromium.ts';

declare global {
  interface Window {
    /** The time from each key press that took 16 ms or more to the next paint. */
    keyTimes: number[];
  }
}

const keys = 160;
const keyIntervalMs = 125;
const typingSeconds = (keys * keyIntervalMs) / 1000;
const secondsBefore = 2;
/** The time of keys that are faster than the threshold of `watchKeys`. */
const unreportedMs = 8;

export const typing: Scenario = {
  systems: ourSystems,
  workload: { clients: 6, rooms: 5, rate: 20, seconds: 100, messages: 60 },
  figures: [
    { key: 'earlyP50Ms', label: '20 messages/s: p50, ms', digits: 0 },
    { key: 'earlyP98Ms', label: '20 messages/s: p98, ms', digits: 0, aim: 100 },
    { key: 'lateP50Ms', label: 'after 100 s of it: p50, ms', digits: 0 },
    { key: 'lateP98Ms', label: 'after 100 s of it: p98, ms', digits: 0, aim: 100 },
  ],
  measure,
};

async function measure(run: Run) {
  const { profile, pids, roomUrl } = await startWithBrowser(run);
  const { clients, rate, seconds } = run.workload;
  const { page } = await openSlowTab(profile);
  await page.goto(roomUrl);
  await page.locator(messageSelector).first().waitFor();
  await page.evaluate(watchKeys);
  await page.getByRole('textbox', { name: /^Message to / }).focus();
  const load = new Load(run.system, clients - 1, 1);
  await load.connectAll();
  // The messages stop when the last key is typed, so that a page that is late can catch up.
  const postsLast = secondsBefore + seconds + typingSeconds;
  const startedAt = performance.now();
  const posting = load.run(pids, rate, postsLast);
  await sleep(secondsBefore * 1000);
  const early = await typeKeys(page);
  await sleep(Math.max(0, startedAt + (secondsBefore + seconds) * 1000 - performance.now()));
  const late = await typeKeys(page);
  // The browser uses cores too, so the load is never the only program.
  const flags = (await posting).flags.filter((flag) => flag !== 'disturbed');
  const figures = {
    earlyP50Ms: early.computePercentile(0.5),
    earlyP98Ms: early.computePercentile(0.98),
    lateP50Ms: late.computePercentile(0.5),
    lateP98Ms: late.computePercentile(0.98),
  };
  return { figures, flags };
}

/** Types at an even rate, whether or not the page keeps up. @returns the latency of each key */
async function typeKeys(page: Page): Promise<Histogram> {
  await page.evaluate(() => (window.keyTimes = []));
  const keyPresses: Promise<void>[] = [];
  for (let n = 0; n < keys; n++) {
    keyPresses.push(page.keyboard.press(n % 6 === 5 ? 'Space' : 'abcdefgh'[n % 8]!));
    await sleep(keyIntervalMs);
  }
  await Promise.all(keyPresses);
  // The browser reports the latencies some time after the paint.
  await sleep(1000);
  const times = await page.evaluate(() => window.keyTimes);
  const histogram = new Histogram();
  for (let n = 0; n < keys; n++) histogram.add(times[n] ?? unreportedMs);
  return histogram;
}

/** Runs inside the page. */
function watchKeys(): void {
  window.keyTimes = [];
  const observer = new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) {
      if (name === 'keydown') window.keyTimes.push(duration);
    }
  });
  // 16 ms is the lowest threshold that browsers accept.
  observer.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
}
