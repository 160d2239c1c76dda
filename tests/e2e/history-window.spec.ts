// Reading far from the newest message: pages in both directions, links, dates and quotes.
import { randomUUID } from 'node:crypto';
import type { Page, WebSocketRoute } from '@playwright/test';
import type { ClientFrame } from '#contract/socket.ts';
import { twoInAClass } from '#tests/support/test-client.ts';

import { expect, signIn, test, type People, type Site } from './fixtures.ts';
import { message, openMenu, room, said, untilListIsStill } from './room.ts';

const toNewest = (page: Page) => page.getByRole('button', { name: /newest message|new$/ });

/** Ben's window on a class with this many messages of Ada. */
async function openLongRoom(people: People, site: Site, count: number) {
  const { ada, ben, classId } = await twoInAClass(site);
  const socket = await ada.connect();
  for (let n = 1; n <= count; n++) {
    await socket.post(classId, `Line ${n}${n % 7 === 0 ? '\nof two lines' : ''}`);
  }
  const page = await people.newWindowOf(ben);
  await expect(message(page, `Line ${count}`)).toBeInViewport();
  return { ada, ben, classId, page, socket };
}

/** Scrolls by wheel steps to 'Line N'. What loads meanwhile may move the list past it: then it turns round. */
async function scrollToLine(page: Page, wanted: number): Promise<void> {
  await room(page).hover();
  const line = said(page, `Line ${wanted}`);
  await expect(async () => {
    for (let n = 0; n < 400 && (await line.count()) === 0; n++) {
      const lines = await room(page)
        .getByText(/^Line \d+$/)
        .allTextContents();
      const isAbove = lines.every((text) => Number(text.slice(5)) > wanted);
      await page.mouse.wheel(0, isAbove ? -900 : 900);
      await restOfScrolling(page);
    }
    await line.scrollIntoViewIfNeeded({ timeout: 2000 });
  }).toPass();
}

/** Resolves once the list has stood still for some frames. */
async function restOfScrolling(page: Page): Promise<void> {
  await room(page).evaluate(async (list) => {
    let top = NaN;
    for (let still = 0; still < 4; still = list.scrollTop === top ? still + 1 : 0) {
      top = list.scrollTop;
      await new Promise(requestAnimationFrame);
    }
  });
}

/** The vertical position of each article in the list, by its label. */
async function positions(page: Page): Promise<Record<string, number>> {
  return room(page).evaluate((list) =>
    Object.fromEntries(
      [...list.querySelectorAll('article')].map((it) => [
        it.getAttribute('data-message'),
        Math.round(it.getBoundingClientRect().top),
      ]),
    ),
  );
}

/** Expects that the messages on screen stay at their pixel for this long. */
async function expectStill(page: Page, ms: number): Promise<void> {
  const before = await positions(page);
  const height = page.viewportSize()?.height ?? 0;
  for (const end = Date.now() + ms; Date.now() < end; await page.waitForTimeout(100)) {
    const now = await positions(page);
    for (const [id, top] of Object.entries(before)) {
      if (top < 60 || top > height - 120) continue;
      expect(Math.abs((now[id] ?? Infinity) - top), id).toBeLessThanOrEqual(1);
    }
  }
}

test('far from the newest message the list forgets and loads in both directions and never jumps, while ten messages a second arrive [CHAT-8, CHAT-9, CHAT-42]', async ({
  people,
  site,
}) => {
  const { page, classId, socket } = await openLongRoom(people, site, 900);
  await scrollToLine(page, 100);
  // The newest of the 900 messages are forgotten: new ones only count.
  let busy = true;
  const stream = (async () => {
    for (let n = 0; busy; n++) {
      await socket.post(classId, `Stream ${n}`);
      await new Promise((resolve) => setTimeout(resolve, 90));
    }
  })();
  await untilListIsStill(page);
  await expectStill(page, 2000);
  await expect(page.getByRole('button', { name: /^\d+ new$/ })).toBeVisible();
  for (let n = 0; n < 4; n++) {
    await page.mouse.wheel(0, 1500);
    await untilListIsStill(page);
    await expectStill(page, 800);
  }
  await scrollToLine(page, 800);
  await untilListIsStill(page);
  await expectStill(page, 1000);
  busy = false;
  await stream;
  await toNewest(page).click();
  await expect(toNewest(page)).toHaveCount(0);
  await socket.post(classId, 'The last one');
  await expect(message(page, 'The last one')).toBeInViewport({ ratio: 1 });
});

test('a link opens a message of any age and marks it, and one button leads back to the newest [CHAT-47]', async ({
  people,
  site,
}) => {
  const { page, ada, ben, classId, socket } = await openLongRoom(people, site, 300);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openMenu(page, 'Line 299');
  await page.getByRole('menuitem', { name: 'Copy link' }).click();
  await expect(page.getByText('Copied.')).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(new RegExp(`/home/${classId}\\?message=[0-9a-f-]{36}$`));

  const { messages } = await ada.call('listMessages', {
    params: { classId },
    query: { before: 60, limit: 20 },
  });
  const target = messages[3]!;
  const reader = await people.newWindowOf(ben);
  await reader.goto(`/home/${classId}?message=${target.id}`);
  const linked = room(reader).locator(`[data-message="${target.id}"]`);
  await expect(linked).toBeFocused();
  await expect(linked).toBeInViewport({ ratio: 1 });
  await expect(linked).toHaveAttribute('data-highlighted', 'true');
  await expect(message(reader, 'Line 300')).toHaveCount(0);
  await toNewest(reader).click();
  await expect(message(reader, 'Line 300')).toBeInViewport({ ratio: 1 });

  await socket.request({ type: 'delete', classId, messageId: target.id });
  people.expectConsoleError('404');
  await reader.goto(`/home/${classId}?message=${target.id}`);
  const missing = reader.getByText('This message does not exist or was deleted.');
  await expect(missing).toBeVisible();
  await expect(message(reader, 'Line 300')).toBeInViewport();
  await reader.goto(`/home/${classId}?message=${randomUUID()}`);
  await expect(missing).toBeVisible();
});

test('End goes to the newest message, and a member who loses the focused message keeps the list [CHAT-49, CHAT-50]', async ({
  people,
  site,
}) => {
  const { page, ada, classId, socket } = await openLongRoom(people, site, 300);
  const { messages } = await ada.call('listMessages', {
    params: { classId },
    query: { before: 60, limit: 5 },
  });
  const target = messages[3]!;
  await page.goto(`/home/${classId}?message=${target.id}`);
  await expect(room(page).locator(`[data-message="${target.id}"]`)).toBeFocused();
  await socket.request({ type: 'delete', classId, messageId: target.id });
  await expect(room(page)).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(room(page).getByRole('article').and(page.locator(':focus'))).toBeVisible();
  await page.keyboard.press('End');
  await expect(message(page, 'Line 300')).toBeFocused();
  await expect(message(page, 'Line 300')).toBeInViewport({ ratio: 1 });
  await socket.post(classId, 'The last one');
  await expect(message(page, 'The last one')).toBeInViewport({ ratio: 1 });
});

test('a member who reads far back keeps the place when the connection needs a snapshot [CHAT-48]', async ({
  people,
  site,
}) => {
  const { ben, classId, socket } = await openLongRoom(people, site, 300);
  const page = await people.newWindow();
  const connections: WebSocketRoute[] = [];
  await page.routeWebSocket('**/live', (browser) => {
    connections.push(browser);
    const server = browser.connectToServer();
    browser.onMessage((text) => {
      const frame = JSON.parse(String(text)) as ClientFrame;
      // The server no longer has the entries since `after`.
      if (frame.type === 'subscribe' && connections.length > 1) {
        return server.send(JSON.stringify({ ...frame, epoch: undefined, after: undefined }));
      }
      server.send(text);
    });
  });
  await signIn(page, ben);
  await expect(message(page, 'Line 300')).toBeInViewport();
  await scrollToLine(page, 100);
  const shown = room(page).getByRole('article');
  const before = await positions(page);
  await page.evaluate(() => {
    new MutationObserver(() => {
      const isNewest = document.body.textContent.includes('Line 299');
      if (isNewest) document.documentElement.dataset['moved'] = '';
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  await connections[0]!.close({ code: 4008 });
  for (let n = 301; n <= 360; n++) await socket.post(classId, `Line ${n}`);
  await expect(page.getByRole('button', { name: /^\d+ new$/ })).toBeVisible();
  await expectStill(page, 1500);
  const after = await positions(page);
  const common = Object.keys(before).filter((id) => id in after);
  expect(common.length).toBeGreaterThan(5);
  for (const id of common) expect(Math.abs(before[id]! - after[id]!), id).toBeLessThanOrEqual(1);
  await expect(shown.first()).toBeAttached();
  await expect(page.locator('html')).not.toHaveAttribute('data-moved');
  await scrollToLine(page, 250);
});

test('a reply shows and opens a source that the browser does not hold [CHAT-43]', async ({
  people,
  site,
}) => {
  const { page, ada, classId, socket } = await openLongRoom(people, site, 200);
  const { messages } = await ada.call('listMessages', {
    params: { classId },
    query: { after: 0, limit: 5 },
  });
  const source = messages[1]!;
  const reply = { type: 'post', classId, id: randomUUID(), text: 'This answers it' } as const;
  await socket.request({ ...reply, replyTo: source.id });
  const quote = message(page, 'This answers it').getByRole('button', { name: /Line 2/ });
  await expect(quote).toContainText('Anonymous');
  await quote.click();
  await expect(room(page).locator(`[data-message="${source.id}"]`)).toBeFocused();
  await expect(said(page, 'Line 2')).toBeInViewport({ ratio: 1 });
  await toNewest(page).click();
  await socket.request({ type: 'delete', classId, messageId: source.id });
  await expect(message(page, 'This answers it')).toContainText('Original message deleted');
});

test('the day line jumps to a date, and the composer scrolls by pages [CHAT-45, CHAT-46]', async ({
  people,
  site,
}) => {
  const { page } = await openLongRoom(people, site, 120);
  const composer = page.getByPlaceholder('Type a message...');
  await composer.focus();
  await composer.press('PageUp');
  await expect(toNewest(page)).toBeVisible();
  await expect(composer).toBeFocused();
  await composer.press('PageDown');
  await composer.press('PageDown');
  await expect(toNewest(page)).toHaveCount(0);
  await scrollToLine(page, 1);
  const today = new Date();
  const [month, day] = [today.getMonth() + 1, today.getDate()].map((n) =>
    String(n).padStart(2, '0'),
  );
  await expect(page.getByRole('button', { name: 'Today' })).toBeVisible();
  const picker = room(page).getByLabel('Jump to a date').first();
  await picker.fill(`${today.getFullYear() - 1}-${month}-${day}`);
  await expect(said(page, 'Line 1')).toBeInViewport();
  await expect(room(page).getByRole('article').first()).toBeFocused();
});
