import type { Locator } from '@playwright/test';
import { joinClass, newClass, post } from '../app/running-app.ts';
import { expect, test } from './fixtures.ts';
import { message } from './room.ts';

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test('below 768 px one pane is visible, and from there on both [LAYOUT-2, LAYOUT-3, LAYOUT-4]', async ({
  people,
  site,
}) => {
  const student = await site.newStudent();
  await newClass(student);
  const page = await people.newWindowOf(student, { viewport: { width: 767, height: 700 } });
  const room = page.getByRole('heading', { name: 'CS 146' });
  const list = page.getByRole('heading', { name: 'My Classes' });
  const menu = page.getByRole('button', { name: 'Class list' });
  const home = page.getByRole('link', { name: 'Home' });
  await expect(room).toBeVisible();
  await expect(list).toHaveCount(0);
  await expect(home).toHaveCount(0);
  await expect(menu).toHaveAttribute('aria-expanded', 'false');
  await menu.click();
  await expect(list).toBeVisible();
  await expect(room).toHaveCount(0);
  await expect(menu).toHaveAttribute('aria-expanded', 'true');
  await menu.click();
  await expect(room).toBeVisible();

  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(home).toBeVisible();
  await expect(menu).toHaveCount(0);
  await home.click();
  await expect(room).toBeVisible();

  await page.setViewportSize({ width: 768, height: 700 });
  await expect(room).toBeVisible();
  await expect(list).toBeVisible();
  await expect(home).toBeVisible();
  await expect(menu).toHaveCount(0);
});

test('on a phone Back goes from room to list to room, and Forward the same way [LAYOUT-14]', async ({
  people,
  site,
}) => {
  const student = await site.newStudent();
  const [cs, math] = [
    await newClass(student),
    await newClass(student, { subjectAbbreviation: 'math', courseNumber: '32' }),
  ];
  const page = await people.newWindowOf(student, phone);
  const inRoom = (label: string) =>
    expect(page.getByRole('heading', { name: label })).toBeVisible();
  await inRoom('CS 146');
  await page.getByRole('button', { name: 'Class list' }).click();
  await inRoom('My Classes');
  await page.goBack();
  await inRoom('CS 146');
  await page.getByRole('button', { name: 'Class list' }).click();
  await page.getByRole('link', { name: /^MATH 32/ }).click();
  await inRoom('MATH 32');
  await expect(page).toHaveURL(`/home/${math}`);
  await page.goBack();
  await inRoom('My Classes');
  await page.goBack();
  await inRoom('CS 146');
  await expect(page).toHaveURL(`/home/${cs}`);
  await page.goForward();
  await inRoom('My Classes');
  await page.goForward();
  await inRoom('MATH 32');
  // This link opens the class that is already open, so the list closes.
  await page.getByRole('button', { name: 'Class list' }).click();
  await page.getByRole('link', { name: /^MATH 32/ }).click();
  await inRoom('MATH 32');
});

test('without a class a phone shows the list, and its button does nothing [LAYOUT-4, LIST-6]', async ({
  people,
  site,
}) => {
  const page = await people.newWindowOf(await site.newStudent(), phone);
  await expect(page.getByText('You are not enrolled in any classes.')).toBeVisible();
  const menu = page.getByRole('button', { name: 'Class list' });
  await expect(menu).toHaveAttribute('aria-expanded', 'true');
  const steps = await page.evaluate(() => history.length);
  await menu.tap();
  expect(await page.evaluate(() => history.length)).toBe(steps);
  await expect(page.getByText('You are not enrolled in any classes.')).toBeVisible();
});

test('the link of a class opens it after sign-in, even if sign-in is reloaded [ROUTE-2, ROUTE-3]', async ({
  people,
  site,
}) => {
  const student = await site.newStudent();
  await newClass(student);
  const math = await newClass(student, { subjectAbbreviation: 'math', courseNumber: '32' });
  const page = await people.newWindow(phone);
  await page.goto(`/home/${math}`);
  await expect(page).toHaveURL('/signin');
  await page.reload();
  await page.getByLabel(/^Email/).fill(student.email);
  await page.getByLabel('Password', { exact: true }).fill(student.password);
  await page.getByRole('button', { name: 'Sign In' }).click();
  await expect(page.getByRole('heading', { name: 'MATH 32' })).toBeVisible();
  await expect(page).toHaveURL(`/home/${math}`);
});

test('a navigation focuses the heading of the screen or the composer [LAYOUT-13]', async ({
  people,
  site,
}) => {
  const student = await site.newStudent();
  await newClass(student);
  const page = await people.newWindowOf(student);
  await expect(page.getByPlaceholder('Type a message...')).toBeFocused();
  for (const [link, heading] of [
    ['Create', 'Create Backchannel'],
    ['Search', 'Search Classes'],
    ['Profile', 'Profile'],
  ] as const) {
    await page.getByRole('link', { name: link, exact: true }).click();
    await expect(page.getByRole('heading', { name: heading })).toBeFocused();
  }
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Search Classes' })).toBeFocused();
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page.getByPlaceholder('Type a message...')).toBeFocused();
  // After a full page load the browser's own focus order applies.
  await page.goto('/search');
  await expect(page.getByRole('heading', { name: 'Search Classes' })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused();

  const touch = await people.newWindowOf(student, phone);
  await touch.getByRole('link', { name: 'Search' }).tap();
  await touch.getByRole('link', { name: 'Home' }).tap();
  await expect(touch.getByRole('heading', { name: 'CS 146' })).toBeFocused();
  await touch.getByRole('button', { name: 'Class list' }).tap();
  await expect(touch.getByRole('heading', { name: 'My Classes' })).toBeFocused();
});

/** The height in pixels of the touch target around the element's centre. */
async function reach(target: Locator): Promise<number> {
  await target.scrollIntoViewIfNeeded();
  return target.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const meets = (y: number) => element.contains(document.elementFromPoint(left + width / 2, y));
    let [from, to] = [top + height / 2, top + height / 2];
    while (meets(from - 1)) from -= 1;
    while (meets(to + 1)) to += 1;
    return to - from + 1;
  });
}

test('on touch screens small elements have large touch targets [LAYOUT-15]', async ({
  people,
  site,
}) => {
  const out = await people.newWindow(phone);
  for (const path of ['/signin', '/signup']) {
    await out.goto(path);
    await expect(out.getByRole('heading')).toBeVisible();
    for (const link of await out.getByRole('main').getByRole('link').all()) {
      expect(await reach(link), `${path} ${await link.innerText()}`).toBeGreaterThanOrEqual(40);
    }
  }

  const [ada, ben] = [await site.newStudent(), await site.newStudent()];
  const classId = await newClass(ada, { courseName: 'Fingertips' });
  await joinClass(ben, classId);
  const [hers, his] = [await ada.connect(), await ben.connect()];
  await post(hers, classId, 'Above');
  const { id } = await post(hers, classId, 'To be liked');
  his.send({ type: 'react', rid: 1, classId, messageId: id, emoji: '👍' });
  await post(hers, classId, 'Below');
  const page = await people.newWindowOf(ben, phone);
  const chip = message(page, 'To be liked').getByRole('button', { name: 'Thumbs up: 1' });
  await expect(chip).toBeVisible();
  expect(await reach(chip)).toBeGreaterThanOrEqual(40);
  await page.goto('/search?q=fingertips');
  expect(await reach(page.getByRole('link', { name: 'Open' }))).toBeGreaterThanOrEqual(40);
});
