// Slow lines between browser and server, and proxies that do not forward everything.
import type { ServerFrame } from '#contract/socket.ts';
import { newClass, post } from '../app/running-app.ts';
import { expect, signIn, test, type People } from './fixtures.ts';
import { startReverseProxy, type ReverseProxy } from './reverse-proxy.ts';
import { aloneInAClass, room, said, say } from './room.ts';
import { choose, photo } from './picture-files.ts';
import type { Student } from '../../scripts/student.ts';

async function windowThrough(proxy: ReverseProxy, people: People, student: Student) {
  return people.newWindowOf(student, { baseURL: proxy.origin });
}

test('a browser loads 50 long messages at 56 kbit/s [WIRE-26]', async ({ people, site }) => {
  test.setTimeout(240_000);
  const ada = await site.newStudent();
  const classId = await newClass(ada);
  const live = await ada.connect();
  for (let n = 0; n < 50; n++) await post(live, classId, `${n} ${'long text '.repeat(399)}`);
  await post(live, classId, 'the last one');
  live.close();
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

for (const [what, woken, timeout] of [
  ['within its deadline', false, 25_000],
  ['soon after the tab is shown again', true, 5_000],
] as const) {
  test(`the browser replaces an unanswered connection ${what} [WIRE-25]`, async ({
    people,
    site,
  }) => {
    test.setTimeout(60_000);
    people.expectConsoleError('WebSocket');
    const ada = await site.newStudent();
    await newClass(ada);
    const proxy = await startReverseProxy(site.origin, 'unanswered');
    const page = await people.newWindow({ baseURL: proxy.origin });
    const hanging = page.waitForEvent('websocket');
    await signIn(page, ada);
    await hanging;
    proxy.setUpgrades('forwarded');
    // The browser treats an attempt as hanging after two seconds.
    if (woken) {
      await page.waitForTimeout(2500);
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    }
    await expect(page.getByText('No messages yet.')).toBeVisible({ timeout });
    await proxy.end();
  });
}

test('the browser adds older messages to a short snapshot until the list can scroll [WIRE-28]', async ({
  people,
  site,
}) => {
  const ada = await site.newStudent();
  const classId = await newClass(ada);
  const live = await ada.connect();
  for (let n = 0; n < 40; n++) await post(live, classId, `message ${n}`);
  live.close();
  const page = await people.newWindowOf(ada);
  await page.routeWebSocket('**/live', (near) => {
    const far = near.connectToServer();
    far.onMessage((text) => {
      const frame = JSON.parse(String(text)) as ServerFrame;
      if (frame.type !== 'snapshot') return near.send(text);
      near.send(JSON.stringify({ ...frame, messages: frame.messages.slice(-2), hasOlder: true }));
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
  await newClass(ada);
  const proxy = await startReverseProxy(site.origin, 'removed');
  const page = await windowThrough(proxy, people, ada);
  await expect(
    page.getByText(
      'Live updates cannot get through. Your messages are kept here and sent when they can. Try another network. If this lasts, tell the operator of this server: WebSocket connections fail.',
    ),
  ).toBeVisible({ timeout: 15_000 });
  await expect(page.getByText('You are offline')).toBeHidden();
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
