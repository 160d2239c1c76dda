// Slow lines between browser and server, and proxies that do not forward everything.
import type { ServerFrame } from '#contract/socket.ts';

import { expect, signIn, test, type People } from './fixtures.ts';
import { startReverseProxy, type ReverseProxy } from './reverse-proxy.ts';
import { aloneInAClass, room, said, say } from './room.ts';
import { choose, photo } from './picture-files.ts';
import type { TestClient } from '#tests/support/test-client.ts';

async function windowThrough(proxy: ReverseProxy, people: People, student: TestClient) {
  return people.newWindowOf(student, { baseURL: proxy.origin });
}

test('a browser loads 50 long messages at 56 kbit/s [WIRE-26]', async ({ people, site }) => {
  test.setTimeout(240_000);
  const ada = await site.newStudent();
  const classId = await ada.createClass();
  const socket = await ada.connect();
  for (let n = 0; n < 50; n++) await socket.post(classId, `${n} ${'long text '.repeat(399)}`);
  await socket.post(classId, 'the last one');
  socket.close();
  const proxy = await startReverseProxy(site.origin);
  const page = await windowThrough(proxy, people, ada);
  await page.goto('/profile');
  await expect(page.getByText(ada.email)).toBeVisible();
  let sockets = 0;
  page.on('websocket', () => (sockets += 1));
  proxy.setSpeed(7000);
  await page.reload();
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(said(page, 'the last one')).toBeVisible({ timeout: 150_000 });
  await say(page, 'and one from here');
  await expect(room(page).getByRole('article').last()).not.toHaveAttribute('aria-busy', 'true');
  await expect
    .poll(() => ada.call('listMessages', { params: { classId }, query: { limit: 1 } }))
    .toMatchObject({ messages: [{ text: 'and one from here' }] });
  expect(sockets).toBeLessThanOrEqual(4);
  // Code for other screens is still on its way.
  await page.close();
  await proxy.end();
});

test('on a slow line, the files that the service worker stores do not displace what the member waits for [PWA-20]', async ({
  people,
  site,
}) => {
  const ada = await site.newStudent();
  const proxy = await startReverseProxy(site.origin);
  const page = await people.newWindowOf(ada, { baseURL: proxy.origin, serviceWorkers: 'allow' });
  proxy.setSpeed(500_000);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  expect(proxy.concurrentFetches()).toBe(1);
  await page.close();
  await proxy.end();
});

test('an interrupted installation of the service worker goes on where it was [PWA-20]', async ({
  people,
  site,
}) => {
  people.expectConsoleError('503');
  const proxy = await startReverseProxy(site.origin);
  proxy.setBroken('search-page');
  const ada = await site.newStudent();
  const page = await people.newWindowOf(ada, { baseURL: proxy.origin, serviceWorkers: 'allow' });
  await expect.poll(() => proxy.fetched.at(-1)).toContain('search-page');
  const before = proxy.fetched.length;
  proxy.setBroken(null);
  await page.reload();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  expect(before).toBeGreaterThan(20);
  expect(proxy.fetched[before]).toContain('search-page');
  expect(new Set(proxy.fetched).size).toBe(proxy.fetched.length - 1);
  await page.close();
  await proxy.end();
});

/** Records when the page opens its first connections. After `wakeAfterMs`, the tab is shown again. */
function recordConnections(wakeAfterMs: number | null): void {
  const times: number[] = [];
  Object.assign(window, { connectionTimes: times });
  window.WebSocket = class extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      times.push(performance.now());
      if (times.length > 1 || wakeAfterMs === null) return;
      setTimeout(() => document.dispatchEvent(new Event('visibilitychange')), wakeAfterMs);
    }
  };
}

for (const [what, wakeAfterMs] of [
  ['after its deadline', null],
  // The browser treats an attempt as hanging after two seconds.
  ['before its deadline if the tab is shown again', 2500],
] as const) {
  test(`the browser replaces an unanswered connection ${what} [WIRE-25]`, async ({
    people,
    site,
  }) => {
    people.expectConsoleError('WebSocket');
    const ada = await site.newStudent();
    await ada.createClass();
    const proxy = await startReverseProxy(site.origin, 'unanswered');
    const page = await people.newWindow({ baseURL: proxy.origin });
    await page.addInitScript(recordConnections, wakeAfterMs);
    const hanging = page.waitForEvent('websocket');
    await signIn(page, ada);
    await hanging;
    proxy.setUpgrades('forwarded');
    await expect(page.getByText('No messages yet.')).toBeVisible({ timeout: 60_000 });
    const [first = 0, second = 0] = await page.evaluate(
      () => (window as unknown as { connectionTimes: number[] }).connectionTimes,
    );
    // The deadline is 10 s, and the next attempt follows at least half a second later.
    if (wakeAfterMs === null) expect(second - first).toBeGreaterThan(10_000);
    else expect(second - first).toBeLessThan(10_000);
    await proxy.end();
  });
}

test('the browser adds older messages to a short snapshot until the list can scroll [WIRE-28]', async ({
  people,
  site,
}) => {
  const ada = await site.newStudent();
  const classId = await ada.createClass();
  const socket = await ada.connect();
  for (let n = 0; n < 40; n++) await socket.post(classId, `message ${n}`);
  socket.close();
  const page = await people.newWindowOf(ada);
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
  await expect(said(page, 'message 39')).toBeVisible();
  await expect(said(page, 'message 35')).toBeVisible();
  const height = () => room(page).evaluate((list) => list.scrollHeight - list.clientHeight);
  await expect.poll(height).toBeGreaterThan(500);
});

test('the room names a proxy that forwards no upgrade, and the server logs it once [WIRE-27, HTTP-46]', async ({
  people,
  site,
}) => {
  people.expectConsoleError('WebSocket connection');
  const ada = await site.newStudent();
  await ada.createClass();
  const proxy = await startReverseProxy(site.origin, 'removed');
  const page = await windowThrough(proxy, people, ada);
  await expect(
    page.getByText(
      'Live updates are blocked. Your messages are saved here and will be sent later. Try another network. If the problem continues, tell the operator of this server that WebSocket connections fail.',
    ),
  ).toBeVisible({ timeout: 15_000 });
  await expect(page.getByText('You are offline')).toBeHidden();
  await people.closeWindows();
  await proxy.end();
});

const pictureSentence =
  'This picture is larger than the proxy in front of this server allows. Please choose a smaller one, or ask the operator of this server to raise the limit.';

test('an error response of a proxy shows our own message, and no typed text is lost [HTTP-47]', async ({
  people,
  site,
}) => {
  people.expectConsoleError('Failed to load resource');
  const { page } = await aloneInAClass(people, site);
  const html = '<html><body><h1>413 Request Entity Too Large</h1></body></html>';
  const field = page.getByPlaceholder('Type a message...');
  await field.fill('a text for the picture');
  await page.route('**/api/classes/*/images', (route) =>
    route.fulfill({ status: 413, contentType: 'text/html', body: html }),
  );
  await choose(page, await photo());
  await expect(page.getByText(pictureSentence)).toBeVisible();
  await expect(field).toHaveValue('a text for the picture');
});
