import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultClassSettings } from '#contract/class-settings.ts';
import type { FakeBrowser, FakeTab } from '#web/sync/testing/fake-browser.ts';
import type { FakeServer } from '#web/sync/testing/fake-server.ts';
import {
  carry,
  openTabIn,
  startBrowser,
  stopBrowser,
  wait,
} from '#web/sync/testing/one-browser.ts';
import { formatClock } from '#contract/time-zones.ts';

let server: FakeServer;
let browser: FakeBrowser;
beforeEach(() => {
  ({ server, browser } = startBrowser());
});
afterEach(() => stopBrowser(browser));

const minuteMs = 60_000;
const getView = (tab: FakeTab) => tab.live.room('class').getSnapshot();

/** A moderator plans a quiet time. */
function plan(tab: FakeTab, begins: number, ends: number): void {
  const quietTime = { zone: 'UTC', weekly: false, sentence: 'The exam is running' };
  const settings = {
    ...defaultClassSettings,
    quietTimes: [{ ...quietTime, begins: formatClock(begins), ends: formatClock(ends) }],
  };
  const items = [{ kind: 'settings' as const, seq: 1, id: 'settings', settings }];
  tab
    .wire()
    ?.inject({ type: 'events', classId: 'class', from: 1, to: 1, lastId: 'settings', items });
}

test('a room follows the clock of the server, although the clock of the browser is wrong [CSET-34]', async () => {
  server.aheadMs = 3 * 60 * minuteMs;
  const tab = await openTabIn(browser);
  const serverMinute = Math.floor((Date.now() + server.aheadMs) / minuteMs) * minuteMs;

  plan(tab, serverMinute + minuteMs, serverMinute + 3 * minuteMs);

  expect(getView(tab).quietTime).toBeNull();
  await wait(serverMinute + minuteMs - Date.now() - server.aheadMs);
  expect(getView(tab).quietTime).toEqual({
    until: serverMinute + 3 * minuteMs,
    sentence: 'The exam is running',
  });
  await wait(2 * minuteMs);
  expect(getView(tab).quietTime).toBeNull();
  // The dialog of the settings judges by it which quiet times are over.
  expect(tab.live.room('class').serverNow()).toBe(Date.now() + server.aheadMs);
});

test('a message that waited without a connection fails in a quiet time and keeps its text [CSET-29, CSET-17]', async () => {
  const tab = await openTabIn(browser);
  tab.wire()?.drop();
  tab.live.room('class').post('Written on the train');
  const message = 'This class is read-only for now: “The exam is running”';
  server.refusals.push({ code: 'READ_ONLY', message });

  await wait(10_000);
  await carry(tab);

  expect(getView(tab).messages).toMatchObject([
    { text: 'Written on the train', delivery: 'failed', failure: message },
  ]);
});
