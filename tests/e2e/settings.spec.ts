import type { Page } from '@playwright/test';
import { createSite, expect, test } from './fixtures.ts';
import { openClassAlone, findMessage, openTab, findMessageText, say } from './room.ts';

/** What the root element has, which everything else inherits. */
const getRootStyle = (page: Page) =>
  page.evaluate(() => {
    const { colorScheme, fontSize } = getComputedStyle(document.documentElement);
    return { colorScheme, fontSize };
  });

const getBackground = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test('the settings of the display apply immediately in all tabs until Log Out [LAYOUT-40, LAYOUT-84, PROFILE-6]', async ({
  windows,
  site,
}) => {
  const { page, classId } = await openClassAlone(windows, site);
  await say(page, 'Hello');
  await expect(findMessageText(page, 'Hello')).toBeVisible();
  const tab = await openTab(page, classId);
  const measureHeight = async (openPage: Page) =>
    (await findMessage(openPage, 'Hello').boundingBox())?.height ?? 0;
  await expect(findMessageText(tab, 'Hello')).toBeVisible();
  const looksBefore = { height: await measureHeight(tab), background: await getBackground(tab) };
  expect(await getRootStyle(tab)).toEqual({ colorScheme: 'light dark', fontSize: '16px' });

  await page.goto('/profile/appearance');
  await expect(page.getByRole('radio', { name: 'System' })).toBeChecked();
  await expect(page.getByRole('radio', { name: 'Comfortable' })).toBeChecked();
  // The part itself shows the choice, without the dot of a radio button.
  await expect(page.getByRole('radio', { name: 'Dark' })).toHaveCSS('opacity', '0');
  await page.getByRole('radio', { name: 'Dark' }).check();
  for (const currentPage of [page, tab]) {
    await expect
      .poll(() => getRootStyle(currentPage))
      .toEqual({ colorScheme: 'dark', fontSize: '16px' });
    expect(await getBackground(currentPage)).not.toBe(looksBefore.background);
  }
  await page.getByRole('radio', { name: 'Compact' }).check();
  await expect.poll(() => measureHeight(tab)).toBeLessThan(looksBefore.height);
  await page.getByRole('radio', { name: 'Largest' }).check();
  await expect.poll(() => getRootStyle(tab)).toEqual({ colorScheme: 'dark', fontSize: '21px' });

  await page.reload();
  expect(await getRootStyle(page)).toEqual({ colorScheme: 'dark', fontSize: '21px' });
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked();
  await expect(page.getByRole('radio', { name: 'Largest' })).toBeChecked();
  await expect(page.getByRole('radio', { name: 'Compact' })).toBeChecked();

  // The page may still load its sections when the session ends.
  windows.expectConsoleError('401');
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(page).toHaveURL('/signin');
  for (const currentPage of [page, tab]) {
    // Each tab loads the page of visitors, which can end a look at it.
    await expect(async () => {
      expect(await getRootStyle(currentPage)).toEqual({
        colorScheme: 'light dark',
        fontSize: '16px',
      });
    }).toPass();
  }
});

test('the settings apply before the app’s code has run [LAYOUT-40]', async ({ windows }) => {
  const page = await windows.openWindow({ colorScheme: 'light' });
  await page.goto('/signin');
  const light = await getBackground(page);
  await page.evaluate(() =>
    localStorage.setItem('settings', '{"theme":"dark","textSize":"large","density":"compact"}'),
  );
  let letThrough = () => {};
  const gate = new Promise<void>((resolve) => (letThrough = resolve));
  await page.route('**/assets/index-*.js', (route) => gate.then(() => route.continue()));
  await page.reload({ waitUntil: 'commit' });
  await page.waitForFunction(() => document.styleSheets.length > 0 && document.body !== null);
  await expect(page.getByRole('button', { name: 'Sign In' })).toHaveCount(0);
  expect(await getRootStyle(page)).toEqual({ colorScheme: 'dark', fontSize: '18px' });
  expect(await getBackground(page)).not.toBe(light);
  letThrough();
  await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible();
  expect(await getRootStyle(page)).toEqual({ colorScheme: 'dark', fontSize: '18px' });

  // Settings that no version of the app has written mean the defaults.
  for (const storedText of ['{', 'null', '[1]', '{"theme":"pink","textSize":{}}']) {
    await page.evaluate((value) => localStorage.setItem('settings', value), storedText);
    await page.reload();
    await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible();
    expect(await getRootStyle(page)).toEqual({ colorScheme: 'light dark', fontSize: '16px' });
  }
});

test('the profile shows the shortcuts and turns off those of a single character [KEY-1]', async ({
  windows,
  site,
}) => {
  const page = await windows.openWindowAs(await site.createStudent());
  await page.goto('/profile/appearance');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await page.getByRole('button', { name: 'Show keyboard shortcuts' }).click();
  await expect(list).toBeVisible();
  await page.keyboard.press('Escape');
  const toggle = page.getByRole('checkbox', { name: 'Shortcuts of a single character, such as ?' });
  await toggle.uncheck();
  await page.getByRole('link', { name: 'Devices' }).focus();
  await page.keyboard.press('?');
  await page.keyboard.press('Control+/');
  await expect(list).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(list).toHaveCount(0);
  await page.reload();
  await expect(toggle).not.toBeChecked();
  await toggle.check();
  await page.getByRole('link', { name: 'Devices' }).focus();
  await page.keyboard.press('?');
  await expect(list).toBeVisible();
});

test('the language chosen in the profile is that of all pages until Log Out [LAYOUT-127, LAYOUT-128]', async ({
  windows,
}) => {
  const site = await createSite({ LANGUAGES: 'en,es' });
  try {
    const student = await site.createStudent();
    const page = await windows.openWindowAs(student, { baseURL: site.origin });
    await page.goto('/profile/appearance');

    await page.getByLabel('Language').selectOption('es');

    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Apariencia');
    // The page may still load its sections when the session ends.
    windows.expectConsoleError('401');
    await page.goto('/profile');
    await page.getByRole('button', { name: /^Cerrar sesión/ }).click();
    await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible();
  } finally {
    await windows.closeWindows();
    await site.end();
  }
});

test('a page from right to left is mirrored, with its menus and arrow keys [LAYOUT-127]', async ({
  windows,
}) => {
  const site = await createSite({ LANGUAGES: 'en,ar' });
  try {
    const student = await site.createStudent();
    await student.createClass();
    const page = await windows.openWindow({ baseURL: site.origin });
    await page.goto('/signin');
    await page.getByLabel('Language').selectOption('ar');
    await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
    await page.getByLabel('البريد الإلكتروني').fill(student.email);
    await page.locator('[type=password]').fill(student.password);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'CS 146' })).toBeVisible();
    await page.locator('main textarea').fill('Which chapters?');
    await page.keyboard.press('Enter');
    const message = page.getByRole('article').filter({ hasText: 'Which chapters?' });
    const text = message.locator('[data-message-text]');
    const [box, column] = await Promise.all([text.boundingBox(), message.boundingBox()]);
    // The English text begins at the right, below its author.
    expect(box!.x - column!.x).toBeGreaterThan(column!.width / 2);

    // Chromium reports no distance for a window's first move.
    await page.mouse.move(1, 1);
    await message.hover();
    const more = message.getByRole('button', { name: 'المزيد' });
    await more.click();
    const menu = page.getByRole('menu');
    const menuEdge = (await menu.boundingBox())?.x ?? NaN;

    expect(menuEdge).toBeCloseTo((await more.boundingBox())?.x ?? NaN, 0);

    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'إضافة رمز تعبيري' }).click();
    const tabs = page.getByRole('tab');
    await tabs.first().focus();
    await page.keyboard.press('ArrowLeft');
    await expect(tabs.nth(1)).toBeFocused();
  } finally {
    await windows.closeWindows();
    await site.end();
  }
});
