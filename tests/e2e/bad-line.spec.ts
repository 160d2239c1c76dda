// Slow and interrupted lines between browser and server.
import type { ServerFrame } from '#contract/socket.ts';
import { expect, test } from './fixtures.ts';
import { startReverseProxy } from './reverse-proxy.ts';
import { findRoom, findMessageText } from './room.ts';

test('the files that the service worker stores do not delay what the member waits for [PWA-3]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  const proxy = await startReverseProxy(site.origin);
  const page = await windows.openWindowAs(ada, { baseURL: proxy.origin, serviceWorkers: 'allow' });
  proxy.setSpeed(500_000);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  expect(proxy.concurrentFetches()).toBe(1);
  await page.close();
  await proxy.end();
});

test('an interrupted installation of the service worker continues where it stopped [PWA-3]', async ({
  windows,
  site,
}) => {
  windows.expectConsoleError('503');
  const proxy = await startReverseProxy(site.origin);
  proxy.setBroken('search-page');
  const ada = await site.createStudent();
  const page = await windows.openWindowAs(ada, { baseURL: proxy.origin, serviceWorkers: 'allow' });
  await expect.poll(() => proxy.fetched.at(-1)).toContain('search-page');
  const countBefore = proxy.fetched.length;
  proxy.setBroken(null);
  await page.reload();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  expect(countBefore).toBeGreaterThan(20);
  expect(proxy.fetched[countBefore]).toContain('search-page');
  expect(new Set(proxy.fetched).size).toBe(proxy.fetched.length - 1);
  await page.close();
  await proxy.end();
});

test('the browser adds older messages to a short snapshot until the list can scroll [WIRE-15]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  const classId = await ada.createClass();
  const socket = await ada.connect();
  for (let n = 0; n < 40; n++) await socket.post(classId, `message ${n}`);
  socket.close();
  const page = await windows.openWindowAs(ada);
  await page.routeWebSocket('**/live', (browser) => {
    const server = browser.connectToServer();
    server.onMessage((text) => {
      const frame = JSON.parse(String(text)) as ServerFrame;
      if (frame.type !== 'snapshot') return browser.send(text);
      browser.send(
        JSON.stringify({ ...frame, messages: frame.messages.slice(-2), hasOlder: true }),
      );
    });
  });
  await page.reload();
  await expect(findMessageText(page, 'message 39')).toBeVisible();
  await expect(findMessageText(page, 'message 35')).toBeVisible();
  const measureHeight = () =>
    findRoom(page).evaluate((list) => list.scrollHeight - list.clientHeight);
  await expect.poll(measureHeight).toBeGreaterThan(500);
});
