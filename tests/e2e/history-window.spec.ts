// Reading far from the newest message: pages in both directions, links, dates and quotes.
import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

import { expect, test, type Windows, type Site } from './fixtures.ts';
import {
  findMessage,
  openMenu,
  findRoom,
  findMessageText,
  waitUntilListIsStill,
  findNewestButton,
} from './room.ts';

/** Ben's window on a class with this many messages of Ada. */
async function openLongRoom(windows: Windows, site: Site, count: number) {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const socket = await ada.connect();
  for (let n = 1; n <= count; n++) {
    await socket.post(classId, `Line ${n}${n % 7 === 0 ? '\nof two lines' : ''}`);
  }
  const page = await windows.openWindowAs(ben);
  await expect(findMessage(page, `Line ${count}`)).toBeInViewport();
  return { ada, ben, classId, page, socket };
}

/** Scrolls by wheel steps to 'Line N'. What loads meanwhile may move the list past it: then it turns round. */
async function scrollToLine(page: Page, lineNumber: number): Promise<void> {
  await findRoom(page).hover();
  const line = findMessageText(page, `Line ${lineNumber}`);
  await expect(async () => {
    for (let n = 0; n < 400 && (await line.count()) === 0; n++) {
      const lines = await findRoom(page)
        .getByText(/^Line \d+$/)
        .allTextContents();
      const isAbove = lines.every((text) => Number(text.slice(5)) > lineNumber);
      await page.mouse.wheel(0, isAbove ? -900 : 900);
      await waitForRestOfScrolling(page);
    }
    await line.scrollIntoViewIfNeeded({ timeout: 2000 });
  }).toPass();
}

/** Resolves once the list has stood still for some frames. */
async function waitForRestOfScrolling(page: Page): Promise<void> {
  await findRoom(page).evaluate(async (list) => {
    let top = NaN;
    for (let still = 0; still < 4; still = list.scrollTop === top ? still + 1 : 0) {
      top = list.scrollTop;
      await new Promise(requestAnimationFrame);
    }
  });
}

/** The vertical position of each article in the list, by its label. */
async function measurePositions(page: Page): Promise<Record<string, number>> {
  return findRoom(page).evaluate((list) =>
    Object.fromEntries(
      [...list.querySelectorAll('article')].map((article) => [
        article.getAttribute('data-message'),
        Math.round(article.getBoundingClientRect().top),
      ]),
    ),
  );
}

/** Expects that the messages on screen stay at their pixel until the condition is met. */
async function expectStill(page: Page, isOver: () => boolean | Promise<boolean>): Promise<void> {
  const positionsBefore = await measurePositions(page);
  const height = page.viewportSize()?.height ?? 0;
  while (!(await isOver())) {
    const now = await measurePositions(page);
    for (const [id, top] of Object.entries(positionsBefore)) {
      if (top < 60 || top > height - 120) continue;
      expect(Math.abs((now[id] ?? Infinity) - top), id).toBeLessThanOrEqual(1);
    }
  }
}

test('a list far from the newest message loads in both directions and never jumps [CHAT-8, CHAT-9, CHAT-42]', async ({
  windows,
  site,
}) => {
  const { page, classId, socket } = await openLongRoom(windows, site, 600);
  await scrollToLine(page, 100);
  // The newest of the 600 messages are forgotten: new ones only count.
  let isBusy = true;
  let sentCount = 0;
  const stream = (async () => {
    while (isBusy) {
      await socket.post(classId, `Stream ${sentCount}`);
      sentCount += 1;
      await new Promise((resolve) => setTimeout(resolve, 90));
    }
  })();
  const expectStillWhileMessagesArrive = async (messageCount: number) => {
    await waitUntilListIsStill(page);
    const targetCount = sentCount + messageCount;
    await expectStill(page, () => sentCount >= targetCount);
  };
  await expectStillWhileMessagesArrive(10);
  await expect(page.getByRole('button', { name: /^\d+ new$/ })).toBeVisible();
  for (let n = 0; n < 2; n++) {
    await page.mouse.wheel(0, 1500);
    await expectStillWhileMessagesArrive(5);
  }
  await scrollToLine(page, 500);
  await expectStillWhileMessagesArrive(5);
  isBusy = false;
  await stream;
  await findNewestButton(page).click();
  await expect(findNewestButton(page)).toHaveCount(0);
  await socket.post(classId, 'The last one');
  await expect(findMessage(page, 'The last one')).toBeInViewport({ ratio: 1 });
});

test('a link opens and marks a message of any age, and a button leads back to the newest one [CHAT-30, CHAT-47, CHAT-46, CHAT-50]', async ({
  windows,
  site,
}) => {
  const { page, ada, classId, socket } = await openLongRoom(windows, site, 300);
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
  await page.goto(`/home/${classId}?message=${target.id}`);
  const linked = findRoom(page).locator(`[data-message="${target.id}"]`);
  await expect(linked).toBeFocused();
  await expect(linked).toBeInViewport({ ratio: 1 });
  await expect(linked).toHaveAttribute('data-highlighted', 'true');
  await expect(findMessage(page, 'Line 300')).toHaveCount(0);
  await findNewestButton(page).click();
  await expect(findMessage(page, 'Line 300')).toBeInViewport({ ratio: 1 });

  // A reply to a message that the browser does not hold leads there.
  const source = messages[1]!;
  const reply = { type: 'post', classId, id: randomUUID(), text: 'This answers it' } as const;
  await socket.request({ ...reply, replyTo: source.id });
  await findMessage(page, 'This answers it').getByRole('button', { name: /Line/ }).click();
  await expect(findRoom(page).locator(`[data-message="${source.id}"]`)).toBeFocused();

  // If the focused message is deleted, the list has the focus.
  await page.goto(`/home/${classId}?message=${target.id}`);
  await expect(linked).toBeFocused();
  await socket.request({ type: 'delete', classId, messageId: target.id });
  await expect(findRoom(page)).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(findRoom(page).getByRole('article').and(page.locator(':focus'))).toBeVisible();
  await page.keyboard.press('End');
  await expect(findMessage(page, 'This answers it')).toBeFocused();
  await expect(findMessage(page, 'This answers it')).toBeInViewport({ ratio: 1 });
  await socket.post(classId, 'The last one');
  await expect(findMessage(page, 'The last one')).toBeInViewport({ ratio: 1 });

  windows.expectConsoleError('404');
  await page.goto(`/home/${classId}?message=${target.id}`);
  const missing = page.getByText('This message does not exist or was deleted.');
  await expect(missing).toBeVisible();
  await expect(findMessage(page, 'The last one')).toBeInViewport();
  await page.goto(`/home/${classId}?message=${randomUUID()}`);
  await expect(missing).toBeVisible();
});

test('a linked message stays in view while pages above it arrive before its neighbors are measured [CHAT-30, CHAT-42]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const socket = await ada.connect();
  for (let n = 1; n <= 150; n += 1) {
    await socket.post(classId, `Line ${n}${'\nof more lines'.repeat((n * 7) % 6)}`);
  }
  const { messages } = await ada.call('listMessages', {
    params: { classId },
    query: { before: 90, limit: 2 },
  });
  const page = await windows.openWindowAs(ben);
  // A busy machine reports the heights of rows later.
  await page.addInitScript(() => {
    const Observer = ResizeObserver;
    window.ResizeObserver = class extends Observer {
      constructor(report: ResizeObserverCallback) {
        super((entries, observer) => void setTimeout(() => report(entries, observer), 120));
      }
    };
  });
  for (const { id } of messages) {
    const linked = findRoom(page).locator(`[data-message="${id}"]`);
    await page.goto(`/home/${classId}?message=${id}`);
    await expect(linked).toBeFocused();
    await page.waitForLoadState('networkidle');
    await waitUntilListIsStill(page);

    await expect(linked).toBeInViewport();
  }
});

test('the search jumps to a date without a day line on the screen, and leaves a phone’s room free [CHAT-45]', async ({
  windows,
  site,
}) => {
  const { page } = await openLongRoom(windows, site, 120);
  const panel = page.getByRole('search', { name: 'Search messages in CS 146' });
  const pickFirstDay = async () => {
    await panel.getByRole('button', { name: 'Jump to a date' }).click();
    await panel.locator('input[type="date"]').fill('2020-01-31');
  };
  await expect(page.getByRole('button', { name: 'Today' })).toHaveCount(0);

  await page.getByRole('button', { name: 'Search messages' }).click();
  await pickFirstDay();
  await expect(findMessageText(page, 'Line 1')).toBeInViewport();
  await expect(findRoom(page).getByRole('article').first()).toBeFocused();
  await expect(panel).toBeVisible();

  await findNewestButton(page).click();
  await expect(findMessage(page, 'Line 120')).toBeInViewport();
  await page.setViewportSize({ width: 390, height: 800 });
  await pickFirstDay();
  await expect(panel).toHaveCount(0);
  await expect(findMessageText(page, 'Line 1')).toBeInViewport();
});

test('the day line jumps to a date, and keys in the composer scroll by pages [CHAT-45, CHAT-46]', async ({
  windows,
  site,
}) => {
  const { page } = await openLongRoom(windows, site, 120);
  const composer = page.getByPlaceholder('Type a message...');
  await composer.focus();
  await composer.press('PageUp');
  await expect(findNewestButton(page)).toBeVisible();
  await expect(composer).toBeFocused();
  await composer.press('PageDown');
  await composer.press('PageDown');
  await expect(findNewestButton(page)).toHaveCount(0);
  await scrollToLine(page, 1);
  const today = new Date();
  const month = String(today.getMonth() + 1).padStart(2, '0');
  const day = String(today.getDate()).padStart(2, '0');
  await expect(page.getByRole('button', { name: 'Today' })).toBeVisible();
  const picker = findRoom(page).getByLabel('Jump to a date').first();
  await picker.fill(`${today.getFullYear() - 1}-${month}-${day}`);
  await expect(findMessageText(page, 'Line 1')).toBeInViewport();
  await expect(findRoom(page).getByRole('article').first()).toBeFocused();
});
