// What lets go of the newest message, and what does not.
import type { Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

import { expect, signIn, test, type Windows, type Site } from './fixtures.ts';
import {
  findComposer,
  findMessage,
  findRoom,
  findMessageText,
  waitUntilListIsStill,
  findNewestButton,
} from './room.ts';

const getScrollTop = (page: Page) => findRoom(page).evaluate((list) => list.scrollTop);

/** Ben's window on a class with 60 messages, and a function with which Ada posts. */
async function openFullRoom(windows: Windows, site: Site) {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const socket = await ada.connect();
  for (let n = 1; n <= 60; n++) await socket.post(classId, `Line ${n}`);
  const page = await windows.openWindowAs(ben);
  await expect(findMessageText(page, 'Line 60')).toBeInViewport();
  return { page, classId, post: (text: string) => socket.post(classId, text) };
}

/**
 * Ada posts about ten messages a second until `act` ends.
 *
 * @param act gets a function that waits for that many messages more
 */
async function runWhileBusy(
  post: (text: string) => Promise<unknown>,
  act: (untilMore: (count: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  let busy = true;
  let postCount = 0;
  const stream = (async () => {
    for (; busy; postCount++) {
      await post(`Stream ${postCount}`);
      await new Promise((resolve) => setTimeout(resolve, 80));
    }
  })();
  await act(async (count) => {
    const aim = postCount + count;
    await expect.poll(() => postCount, { intervals: [100] }).toBeGreaterThanOrEqual(aim);
  });
  busy = false;
  await stream;
}

test('the wheel over the button to the newest message scrolls the list [CHAT-8]', async ({
  windows,
  site,
}) => {
  const { page } = await openFullRoom(windows, site);
  await findRoom(page).hover();
  await page.mouse.wheel(0, -600);
  await findNewestButton(page).hover();
  await waitUntilListIsStill(page);
  const top = await getScrollTop(page);

  await page.mouse.wheel(0, -200);

  await expect.poll(() => getScrollTop(page)).toBe(top - 200);
});

test('the draft field also fits its text in a browser without field-sizing [CHAT-40]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  await student.createClass();
  const page = await windows.openWindow();
  await page.addInitScript(() => {
    CSS.supports = () => false;
    addEventListener('DOMContentLoaded', () => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('textarea { field-sizing: fixed !important }');
      document.adoptedStyleSheets = [sheet];
    });
  });
  await signIn(page, student);
  const measureHeight = () => findComposer(page).evaluate((field) => field.clientHeight);
  await findComposer(page).fill('one');
  const oneLineHeight = await measureHeight();
  await findComposer(page).fill('one\ntwo\nthree');
  expect(await measureHeight()).toBe(oneLineHeight + 44);
  await findComposer(page).fill('one');
  expect(await measureHeight()).toBe(oneLineHeight);
});

const upwardMovements = [
  // A slow wheel.
  async (page: Page) => {
    await findRoom(page).hover();
    for (let n = 0; n < 8; n++) await page.mouse.wheel(0, -6);
  },
  async (page: Page) => {
    await findRoom(page).focus();
    await page.keyboard.press('PageUp');
  },
  // A screen reader moves the focus or the view by script, without a gesture.
  async (page: Page) =>
    findRoom(page).evaluate((list) => {
      // In one step, because the list drops its first row when a message arrives.
      const first = list.querySelector('article');
      first?.focus();
      first?.scrollIntoView({ block: 'center' });
    }),
];

test('the first upward movement of a wheel, a key or assistive technology stops following new messages [CHAT-8, CHAT-40]', async ({
  windows,
  site,
}) => {
  const { page, post } = await openFullRoom(windows, site);
  await runWhileBusy(post, async (untilMore) => {
    for (const move of upwardMovements) {
      await expect(
        findRoom(page)
          .getByText(/^Stream \d+$/)
          .last(),
      ).toBeVisible();
      await move(page);
      await expect(findNewestButton(page)).toBeVisible();
      await waitUntilListIsStill(page);
      const top = await getScrollTop(page);
      await untilMore(10);
      expect(await getScrollTop(page)).toBe(top);
      await findNewestButton(page).click();
      await expect(findNewestButton(page)).toHaveCount(0);
      await untilMore(5);
      await expect(findNewestButton(page)).toHaveCount(0);
    }
  });
  await post('The last one');
  await expect(findMessage(page, 'The last one')).toBeInViewport({ ratio: 1 });
});

/** A window in which a compact room shows some sixty messages. */
const tall = { width: 1920, height: 1440 };

test('a new message at the bottom leaves the rows above it as they are [CHAT-42]', async ({
  windows,
  site,
}) => {
  const { page, post } = await openFullRoom(windows, site);
  await showTall(page);
  for (let n = 1; n <= 30; n++) await post(`First line ${n}\nSecond line`);
  await expect(findRoom(page).getByText('First line 30')).toBeInViewport();
  const list = findRoom(page).locator('ol').first();
  await findRoom(page).evaluate((scroller) => {
    const observer = new MutationObserver((changes) => {
      const nodes = changes.flatMap(({ addedNodes }) => [...addedNodes]);
      const count = nodes.filter(({ nodeName }) => nodeName === 'LI').length;
      scroller.dataset['added'] = String(Number(scroller.dataset['added'] ?? 0) + count);
    });
    observer.observe(scroller, { subtree: true, childList: true });
  });
  for (const viewport of [tall, { width: 1280, height: 720 }]) {
    await page.setViewportSize(viewport);
    await waitUntilListIsStill(page);
    await expect(findRoom(page).getByRole('article').last()).toBeInViewport();
    await findRoom(page).evaluate((scroller) => (scroller.dataset['added'] = '0'));
    for (let n = 1; n <= 10; n++) {
      const start = `New in ${viewport.width}, ${n}`;
      await post(`${start}\nSecond line`);
      await expect(findRoom(page).getByText(start)).toBeInViewport();
      // The virtual list notices later that scrolling has ended.
      await expect(list).not.toHaveAttribute('style', /pointer-events/);
    }
    expect(Number(await findRoom(page).getAttribute('data-added'))).toBeLessThanOrEqual(12);
  }
});

test('a tall window is filled with messages two frames after any movement [CHAT-62]', async ({
  windows,
  site,
}) => {
  const { page, post } = await openFullRoom(windows, site);
  for (let n = 0; n < 340; n += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, k) => post(`Filling ${n + k}`)));
  }
  // What is unread when the page loads again decides where the room opens.
  await expect(findMessageText(page, 'Filling 339')).toBeInViewport();
  await showTall(page);
  const emptyPx = await findRoom(page).evaluate(async (list) => {
    const waitForPaint = () =>
      new Promise((resolve) => {
        // A timer that is set before a frame's paint runs after it.
        requestAnimationFrame(() => setTimeout(resolve));
      });
    /** The largest part of the list without a message. */
    const measureLargestGap = () => {
      const window = list.getBoundingClientRect();
      const rows = [...list.querySelectorAll('li')]
        .map((row) => row.getBoundingClientRect())
        .filter(({ top, bottom }) => bottom > window.top && top < window.bottom)
        .toSorted((row, otherRow) => row.top - otherRow.top);
      let end = window.top;
      let gap = 0;
      for (const { top, bottom } of rows) {
        gap = Math.max(gap, top - end);
        end = Math.max(end, bottom);
      }
      return Math.round(Math.max(gap, window.bottom - end));
    };
    const gaps: number[] = [];
    const newest = list.scrollHeight;
    const steps = [newest, -300, -900, -1400, 2000, -newest, 1400, 1400, newest];
    for (const step of steps) {
      list.scrollTop += step;
      await waitForPaint();
      // A page that arrives is another movement.
      while (list.textContent.includes('Loading older')) await waitForPaint();
      await waitForPaint();
      await waitForPaint();
      gaps.push(measureLargestGap());
    }
    return gaps;
  });
  // Above the first message and below the last one is free space.
  expect(emptyPx.filter((px) => px > 56)).toEqual([]);
});

async function showTall(page: Page): Promise<void> {
  await page.evaluate(
    (settings) => {
      localStorage.setItem('settings', JSON.stringify(settings));
    },
    { density: 'compact' },
  );
  await page.setViewportSize(tall);
  await page.reload();
  await expect(findRoom(page).getByRole('article').last()).toBeInViewport();
}
