// The banner of announcements, and the screen on which operators make them.
import type { Page } from '@playwright/test';
import { someClass, type TestClient } from '#tests/support/test-client.ts';
import { checkLooks } from './axe.ts';
import { expect, stopServer, test } from './fixtures.ts';
import { createOperator } from './moderation.ts';
import {
  findComposer,
  findMessage,
  findMessageText,
  findRoom,
  holdBackPreloading,
  waitUntilListIsStill,
} from './room.ts';

const hourMs = 3_600_000;

async function announce(
  operator: TestClient,
  text: string,
  { classId = null, endsInMs = hourMs }: { classId?: string | null; endsInMs?: number } = {},
) {
  const body = { text, classId, endsAt: Date.now() + endsInMs };
  return (await operator.call('announce', { body })).announcementId;
}

const withdraw = (operator: TestClient, announcementId: string) =>
  operator.call('withdrawAnnouncement', { params: { announcementId } });

const findBanner = (page: Page) => page.getByRole('region', { name: 'Announcements' });
const findBannerTexts = (page: Page) => findBanner(page).locator('p[dir]');
const dismissFirst = (page: Page) =>
  findBanner(page).getByRole('button', { name: 'Dismiss announcement' }).first().click();

test.afterEach(async ({ site }) => {
  const operator = await createOperator(site);
  const { announcements } = await operator.call('listAnnouncements', {});
  for (const { announcementId } of announcements) await withdraw(operator, announcementId);
});

test('a banner appears in two windows without a reload until it is withdrawn [ADMIN-37, ADMIN-79]', async ({
  windows,
  site,
}) => {
  const operator = await createOperator(site);
  const ada = await site.createStudent();
  const ben = await site.createStudent();
  await ada.createClass();
  const pages = [await windows.openWindowAs(ada), await windows.openWindowAs(ben)];
  await pages[1]!.goto('/profile');
  const id = await announce(operator, 'The server restarts at 18:00.');
  const [first] = pages;
  await expect(first!.getByRole('status').getByText('The server restarts')).toBeAttached();
  for (const page of pages) {
    await expect(findBannerTexts(page)).toHaveText(['The server restarts at 18:00.']);
    await expect(page.getByText('Announcement', { exact: true })).toBeVisible();
  }
  await announce(operator, 'Exams begin on Monday.');
  await expect(findBannerTexts(first!)).toHaveText([
    'Exams begin on Monday.',
    'The server restarts at 18:00.',
  ]);
  await withdraw(operator, id);
  for (const page of pages) {
    await expect(findBannerTexts(page)).toHaveText(['Exams begin on Monday.']);
  }
  // Nothing is shown on pages without a session.
  const signedOut = await windows.openWindow();
  await signedOut.goto('/signin');
  await expect(signedOut.getByRole('button', { name: 'Sign In' })).toBeVisible();
  await expect(findBanner(signedOut)).toHaveCount(0);

  // Addresses are links, and the rest is plain text.
  const text =
    'See https://status.university.edu/x?a=1. <b>Not bold</b> **nor this** javascript:alert(1)\nAsk help@university.edu!';
  await announce(operator, text);
  await expect(findBannerTexts(first!).first()).toHaveText(text);
  const links = findBanner(first!).getByRole('link');
  await expect(links).toHaveText(['https://status.university.edu/x?a=1', 'help@university.edu']);
  await expect(links.first()).toHaveAttribute('href', 'https://status.university.edu/x?a=1');
  await expect(links.first()).toHaveAttribute('rel', 'noreferrer noopener nofollow');
  await expect(links.last()).toHaveAttribute('href', 'mailto:help@university.edu');
});

/** The parts of the page that moved up or down without a key or a click, and how often a frame had no banner. */
interface ScreenLog {
  shifts: string[];
  framesWithoutBanner: number;
}

type LayoutShift = PerformanceEntry & {
  hadRecentInput: boolean;
  sources: readonly {
    node: Node | null;
    previousRect: DOMRectReadOnly;
    currentRect: DOMRectReadOnly;
  }[];
};

/** Logs what every page of this window shows from its first screen on. @returns reads the log of the open page */
async function logScreens(page: Page): Promise<() => Promise<ScreenLog>> {
  await page.addInitScript(() => {
    const log: ScreenLog = { shifts: [], framesWithoutBanner: 0 };
    Object.assign(globalThis, { screenLog: log });
    new PerformanceObserver((list) => {
      for (const { hadRecentInput, sources } of list.getEntries() as LayoutShift[]) {
        if (hadRecentInput) continue;
        for (const { node, previousRect, currentRect } of sources) {
          if (previousRect.y === currentRect.y) continue;
          const element = node instanceof Element ? node : node?.parentElement;
          log.shifts.push(element?.closest('[aria-label]')?.ariaLabel ?? element?.outerHTML ?? '');
        }
      }
    }).observe({ type: 'layout-shift', buffered: true });
    const look = () => {
      const hasScreen = document.querySelector('nav') !== null;
      const hasBanner = document.querySelector('[aria-label=Announcements]') !== null;
      if (hasScreen && !hasBanner) log.framesWithoutBanner += 1;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  return () => page.evaluate(() => (globalThis as unknown as { screenLog: ScreenLog }).screenLog);
}

async function createFullClass(student: TestClient): Promise<string> {
  const classId = await student.createClass();
  const socket = await student.connect();
  for (let n = 1; n <= 60; n += 1) await socket.post(classId, `Line ${n}`);
  socket.close();
  return classId;
}

test('a banner moves nothing on the first screen, and no message and no class when it comes or goes later [ADMIN-78, ADMIN-79]', async ({
  windows,
  site,
}) => {
  const operator = await createOperator(site);
  const ada = await site.createStudent();
  const classId = await createFullClass(ada);
  const ids = [
    await announce(operator, 'The server restarts at 18:00.'),
    await announce(operator, 'The room changes to 12.', { classId }),
  ];
  const texts = ['The room changes to 12.', 'The server restarts at 18:00.'];
  const page = await windows.openWindowAs(ada);
  await page.goto(`/home/${classId}`);
  await expect(findBannerTexts(page)).toHaveText(texts);
  // Nothing else may load the code of the banner.
  await holdBackPreloading(page);
  const readLog = await logScreens(page);

  await page.reload();
  await expect(findMessageText(page, 'Line 60')).toBeInViewport();

  await expect(findBannerTexts(page)).toHaveText(texts);
  expect(await readLog()).toEqual({ shifts: [], framesWithoutBanner: 0 });
  for (const id of ids) await withdraw(operator, id);
  await expect(findBanner(page)).toHaveCount(0);

  const measurePlaces = (text: string) =>
    Promise.all(
      [findMessage(page, text), page.getByRole('link', { name: /^CS 146/ })].map(
        async (element) => (await element.boundingBox())?.y,
      ),
    );
  const expectNoMovement = async (text: string) => {
    const places = await measurePlaces(text);
    const id = await announce(operator, 'The server restarts at 18:00.');
    await expect(findBanner(page)).toBeVisible();
    expect(await measurePlaces(text)).toEqual(places);
    await withdraw(operator, id);
    await expect(findBanner(page)).toHaveCount(0);
    expect(await measurePlaces(text)).toEqual(places);
  };

  await expectNoMovement('Line 60');
  await findMessage(page, 'Line 60').hover();
  await page.mouse.wheel(0, -800);
  await waitUntilListIsStill(page);
  const topText = await findRoom(page).evaluate((list) => {
    const { top, height } = list.getBoundingClientRect();
    const middle = [...list.querySelectorAll('article')].find(
      (article) => article.getBoundingClientRect().top > top + height / 2,
    );
    return /Line \d+/.exec(middle?.textContent ?? '')?.[0] ?? '';
  });
  await expectNoMovement(topText);

  const { shifts } = await readLog();
  expect(shifts.filter((part) => part === 'Messages' || part === 'My Classes')).toEqual([]);
});

test('a dismissed banner stays dismissed in all tabs of the device [ADMIN-57]', async ({
  windows,
  site,
}) => {
  const operator = await createOperator(site);
  const ada = await site.createStudent();
  const page = await windows.openWindowAs(ada);
  const other = await page.context().newPage();
  await other.goto('/profile');
  await announce(operator, 'First');
  await announce(operator, 'Second');
  await expect(findBannerTexts(other)).toHaveText(['Second', 'First']);
  await dismissFirst(page);
  await expect(findBanner(page)).toBeFocused();
  for (const tab of [page, other]) await expect(findBannerTexts(tab)).toHaveText(['First']);
  await findBanner(page).getByRole('button').press('Enter');
  await expect(findBanner(page)).toHaveCount(0);
  await expect(page.locator('#main')).toBeFocused();
  await expect(findBanner(other)).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('main')).toBeVisible();
  await announce(operator, 'Third');
  await expect(findBannerTexts(page)).toHaveText(['Third']);
  // Another device knows nothing of it.
  const phone = await windows.openWindowAs(ada);
  await phone.goto('/home');
  await expect(findBannerTexts(phone)).toHaveText(['Third', 'Second', 'First']);
});

test('a banner goes at its end, even while the server is gone or the clock is wrong [ADMIN-37, ADMIN-78]', async ({
  windows,
  site,
}) => {
  const operator = await createOperator(site);
  const page = await windows.openWindowAs(await site.createStudent());
  // A clock that is a day ahead.
  await page.clock.install({ time: Date.now() + 24 * hourMs });
  await page.reload();
  await announce(operator, 'Ends soon', { endsInMs: hourMs / 2 });
  await announce(operator, 'Stays');
  await expect(findBannerTexts(page)).toHaveText(['Stays', 'Ends soon']);
  await stopServer(windows, site);
  await page.clock.fastForward(hourMs / 4);
  await expect(findBannerTexts(page)).toHaveText(['Stays', 'Ends soon']);
  await page.clock.fastForward(hourMs / 4);
  await expect(findBannerTexts(page)).toHaveText(['Stays']);
  await site.start();
});

const longText = `${'Due to works on the power supply, '.repeat(8)}see https://status.university.edu/${'x'.repeat(120)}`;

test('long banners hide neither the composer nor the end of a screen [ADMIN-79, LAYOUT-5]', async ({
  windows,
  site,
}) => {
  const operator = await createOperator(site);
  const ada = await site.createStudent();
  const classId = await ada.createClass();
  await announce(operator, longText);
  await announce(operator, 'The room changes to 12.', { classId });
  const page = await windows.openWindowAs(ada, { viewport: { width: 1280, height: 640 } });
  await page.goto(`/home/${classId}`);
  await expect(findBannerTexts(page)).toHaveCount(2);
  for (const width of [1280, 390, 320]) {
    await page.setViewportSize({ width, height: 640 });
    await expect(findComposer(page)).toBeInViewport({ ratio: 1 });
    const box = await findBanner(page).boundingBox();
    expect(box!.height).toBeLessThanOrEqual(0.3 * 640 + 1);
    await expect(page.getByRole('heading', { level: 1 })).toBeInViewport({ ratio: 1 });
    const downwards = await page.evaluate(() => {
      const { scrollHeight, clientHeight } = document.documentElement;
      return scrollHeight - clientHeight;
    });
    expect(downwards).toBe(0);
  }
  await checkLooks(page, 'banners');

  await page.goto('/privacy');
  await expect(findBannerTexts(page)).toHaveCount(1);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  for (const width of [1280, 390, 320]) {
    await page.setViewportSize({ width, height: 640 });
    await page.getByRole('main').evaluate((main) => main.scrollTo(0, main.scrollHeight));
    const bottom = await page.getByRole('main').evaluate((main) => {
      return window.innerHeight - main.getBoundingClientRect().bottom;
    });
    expect(bottom).toBe(0);
  }
});

test('only the room of a class shows the announcement that an operator makes to it [ADMIN-59, ADMIN-36, ADMIN-38, LAYOUT-5]', async ({
  windows,
  site,
}) => {
  const operator = await createOperator(site);
  const ada = await site.createStudent();
  const classId = await ada.createClass({ subjectAbbreviation: 'Lynx', courseNumber: '12' });
  const reader = await windows.openWindowAs(ada);
  await reader.goto(`/home/${classId}`);
  await expect(findComposer(reader)).toBeVisible();
  const page = await windows.openWindowAs(operator);
  await page.goto('/admin');
  await page.getByRole('link', { name: 'Announcements' }).click();
  await expect(page.getByText('No announcement is shown.')).toBeVisible();
  await page.getByRole('button', { name: 'Announce…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Announce' });
  const send = dialog.getByRole('button', { name: 'Announce', exact: true });
  await send.click();
  const text = dialog.getByLabel('Text');
  await expect(text).toBeFocused();
  await expect(text).toHaveAccessibleDescription(/Please write the text of the announcement\.$/);
  await text.fill('Bring boots,\nplease.');
  await expect(dialog.getByText('20 of 500 characters')).toBeVisible();
  await dialog.getByLabel('For', { exact: true }).selectOption('The members of one class');
  await send.click();
  const classChoice = dialog.getByLabel('Class', { exact: true });
  await expect(classChoice).toBeFocused();
  await expect(classChoice).toHaveAccessibleDescription('Please choose a class.');
  await dialog.getByLabel('Search a class').fill('lynx');
  await classChoice.selectOption({
    label: `LYNX 12, ${someClass.courseName}, Fall, ${new Date().getUTCFullYear()}`,
  });
  await expect(page.getByText('Preview')).toBeVisible();
  await checkLooks(page, 'a new announcement');
  await dialog.getByLabel('End').fill('2020-01-01T12:00');
  await send.click();
  await expect(dialog.getByRole('alert').last()).toHaveText(/The end must be in the future/);
  // What was typed stays, also without a connection.
  windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  windows.expectConsoleError('status of 400');
  const inTwoDays = new Date(Date.now() + 48 * hourMs).toISOString().slice(0, 16);
  await dialog.getByLabel('End').fill(inTwoDays);
  await page.route('**/api/admin/announcements', (route) =>
    route.request().method() === 'POST' ? route.abort('internetdisconnected') : route.fallback(),
  );
  await send.click();
  await expect(dialog.getByRole('alert').last()).not.toBeEmpty();
  await expect(text).toHaveValue('Bring boots,\nplease.');
  await page.unroute('**/api/admin/announcements');
  await send.click();
  await expect(dialog).toHaveCount(0);
  await expect(findBannerTexts(reader)).toHaveText(['Bring boots, please.']);
  await reader.getByRole('link', { name: 'Profile' }).click();
  await expect(findBanner(reader)).toHaveCount(0);
  await reader.goBack();
  await expect(findBannerTexts(reader)).toHaveText(['Bring boots, please.']);
  const shownNow = page.getByRole('list', { name: 'Shown now' }).getByRole('listitem');
  await expect(shownNow).toHaveText([/Bring boots,\s+please\.For LYNX 12\. Announced .* Ends /]);
  // The operator is not in the class.
  await expect(findBanner(page)).toHaveCount(0);

  await shownNow.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(findBannerTexts(reader)).toHaveCount(1);
  await shownNow.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click();
  await expect(shownNow).toHaveCount(0);
  await expect(findBanner(reader)).toHaveCount(0);
  const pastItems = page.getByRole('list', { name: 'Of the last 30 days' }).getByRole('listitem');
  await expect(pastItems.filter({ hasText: 'Bring boots' })).toHaveText(/Withdrawn /);
  await announce(operator, longText);
  await expect(findBanner(page)).toBeVisible();
  await checkLooks(page, 'announcements');
});
