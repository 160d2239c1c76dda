// The screens with enlarged text, right-to-left text and reduced motion.
import type { Page } from '@playwright/test';
import type { TestClient } from '#tests/support/test-client.ts';
import { expect, test, type Windows, type Site } from './fixtures.ts';
import { findRoom } from './room.ts';

const hebrew = 'מבוא למדעי המחשב ומבני נתונים';
const unbroken = 'Donaudampfschifffahrtsgesellschaft'.repeat(3);

/** The elements that scroll sideways, and by how many pixels. */
async function listOverflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const parts = [document.documentElement, ...document.querySelectorAll('body *')];
    const isScrollable = (part: Element) =>
      part === document.documentElement || /auto|scroll/.test(getComputedStyle(part).overflowX);
    return parts
      .filter((part) => isScrollable(part) && part.scrollWidth > part.clientWidth + 1)
      .filter((part) => !(part instanceof HTMLInputElement || part instanceof HTMLTextAreaElement))
      .map(
        (part) => `${part.tagName} ${part.className}: ${part.scrollWidth - part.clientWidth} px`,
      );
  });
}

/** The elements whose line height is smaller than their letters, so that lines overlap. */
async function listSqueezed(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter((part) =>
        [...part.childNodes].some((node) => node instanceof Text && node.data.trim()),
      )
      .filter((part) => {
        const { fontSize, lineHeight } = getComputedStyle(part);
        return parseFloat(lineHeight) < parseFloat(fontSize);
      })
      .map((part) => `${part.tagName} ${part.className}: ${part.textContent}`),
  );
}

/** A student whose classes and messages are hard to lay out. */
async function createHardContent(student: TestClient): Promise<string> {
  const courseName = unbroken.slice(0, 120);
  await student.createClass({ courseName, subjectAbbreviation: 'W'.repeat(16) });
  const classId = await student.createClass({ courseName: hebrew, subjectAbbreviation: 'aaa' });
  const socket = await student.connect();
  for (const text of [
    'שלום לכולם, מתי המבחן?',
    unbroken,
    'z'.repeat(900),
    `https://a.example/${'q'.repeat(500)}`,
    'Plain words, and many of them. '.repeat(9),
  ]) {
    await socket.post(classId, text.trim());
  }
  return classId;
}

/** A window of the only member, with the room open. */
async function openHardRoom(windows: Windows, site: Site): Promise<Page> {
  const student = await site.createStudent();
  const classId = await createHardContent(student);
  const page = await windows.openWindowAs(student);
  await page.goto(`/home/${classId}`);
  return page;
}

const sizes = [
  { name: 'at 200 % zoom', viewport: { width: 640, height: 400 }, fontSize: '100%' },
  { name: 'with text of twice the size', viewport: { width: 1280, height: 800 }, fontSize: '200%' },
  { name: '320 px wide', viewport: { width: 320, height: 640 }, fontSize: '100%' },
] as const;

/** Shows the page in each size. */
async function runInEachSize(
  page: Page,
  act: (size: (typeof sizes)[number]) => Promise<void>,
): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size.viewport);
    await page.evaluate((fontSize) => {
      document.documentElement.style.fontSize = fontSize;
    }, size.fontSize);
    await act(size);
  }
}

async function expectReadable(page: Page, state: string): Promise<void> {
  expect(await listOverflowing(page), state).toEqual([]);
  expect(await listSqueezed(page), state).toEqual([]);
}

test('no screen of visitors scrolls sideways with zoom, large text or a small window [LAYOUT-7]', async ({
  windows,
}) => {
  const page = await windows.openWindow();
  for (const path of ['/signup', '/privacy', '/reset-password#token=x', '/signin']) {
    await page.goto(path);
    await expect(page.getByRole('heading').first()).toBeVisible();
    await runInEachSize(page, ({ name }) => expectReadable(page, `${path} ${name}`));
  }
  await runInEachSize(page, async () => {
    await page.getByRole('button', { name: 'Sign In' }).click();
    await expect(page.getByRole('alert')).toBeInViewport();
  });
});

test('no screen of members scrolls sideways with zoom, large text or a small window [LAYOUT-7]', async ({
  windows,
  site,
}) => {
  const page = await openHardRoom(windows, site);
  await expect(findRoom(page).getByText('Plain words')).toBeVisible();
  await runInEachSize(page, async ({ name, viewport, fontSize }) => {
    const bodySize = await page.evaluate(() => getComputedStyle(document.body).fontSize);
    expect(bodySize).toBe(fontSize === '200%' ? '28px' : '14px');
    await expect(page.getByRole('button', { name: 'Send' })).toBeInViewport();
    await expectReadable(page, `chat ${name}`);
    if (viewport.width < 768) {
      await page.getByRole('button', { name: 'Class list' }).click();
      await expect(page.getByText('My Classes')).toBeVisible();
      await expectReadable(page, `class list ${name}`);
      await page.getByRole('link', { name: 'AAA 146' }).click();
    }
  });
  for (const [path, role, control] of [
    ['/search?q=donaudampf', 'link', 'Open'],
    ['/profile', 'button', 'Log Out'],
    ['/create', 'button', 'Create class'],
  ] as const) {
    await page.goto(path);
    const last = page.getByRole(role, { name: control }).first();
    await expect(last).toBeVisible();
    await runInEachSize(page, async ({ name }) => {
      await last.scrollIntoViewIfNeeded();
      await expect(last).toBeInViewport();
      await expectReadable(page, `${path} ${name}`);
    });
  }
  await runInEachSize(page, async () => {
    await page.getByRole('button', { name: 'Create class' }).click();
    const confirm = page.getByRole('button', { name: 'OK' });
    await expect(confirm).toBeInViewport();
    await confirm.click();
  });
});

test('right-to-left text is shown and typed in its direction, below its author [LAYOUT-7, LAYOUT-127]', async ({
  windows,
  site,
}) => {
  const page = await openHardRoom(windows, site);
  const measure = (text: string) =>
    findRoom(page)
      .getByText(text)
      .evaluate((element) => ({
        direction: getComputedStyle(element).direction,
        left: element.getBoundingClientRect().left,
      }));
  const { left } = await measure('Plain words');
  expect(await measure('שלום לכולם')).toEqual({ direction: 'rtl', left });
  await expect(page.getByRole('heading', { name: 'AAA 146' })).toBeVisible();

  await page.goto('/create');
  const getDirection = (label: string) =>
    page.getByLabel(label).evaluate((field) => getComputedStyle(field).direction);
  await page.getByLabel('Course name').fill(hebrew);
  expect(await getDirection('Course name')).toBe('rtl');
  await page.getByLabel('Course name').fill('Data Structures');
  expect(await getDirection('Course name')).toBe('ltr');

  await page.goto('/search');
  await page.getByRole('searchbox').fill('מבוא');
  expect(await getDirection('Search classes')).toBe('rtl');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article', { name: hebrew }).first()).toBeVisible();
});

/** The longest motion of any element, from its style and its running animations. */
function measureLongestMotion(page: Page): Promise<number> {
  return page.evaluate(() => {
    const parseDurations = (list: string) =>
      list.split(',').map((time) => parseFloat(time) * (/\dms$/.test(time.trim()) ? 1 : 1000));
    const styles = [...document.querySelectorAll('*')].flatMap((element) =>
      [undefined, '::before', '::after', '::backdrop'].flatMap((part) => {
        const style = getComputedStyle(element, part);
        const loops = style.animationIterationCount.includes('infinite') ? [Infinity] : [];
        return [
          ...parseDurations(style.transitionDuration),
          ...parseDurations(style.animationDuration),
          ...loops,
        ];
      }),
    );
    const animationMs = document
      .getAnimations()
      .map((animation) => Number(animation.effect?.getComputedTiming().duration ?? 0));
    return Math.max(0, ...styles, ...animationMs);
  });
}

test('no movement takes more than 240 ms, and nothing moves if the system asks for reduced motion [LAYOUT-6]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await createHardContent(student);
  const page = await windows.openWindowAs(student);
  for (const [reducedMotion, maxMs] of [
    ['no-preference', 240],
    ['reduce', 0.02],
  ] as const) {
    await page.emulateMedia({ reducedMotion });
    await page.goto(`/home/${classId}`);
    await expect(findRoom(page).getByText('Plain words')).toBeVisible();
    expect(await measureLongestMotion(page), 'chat').toBeLessThanOrEqual(maxMs);
    await page.getByRole('link', { name: 'AAA 146' }).hover();
    await page.getByRole('button', { name: 'Options for AAA 146' }).click();
    expect(await measureLongestMotion(page), 'menu').toBeLessThanOrEqual(maxMs);
    expect((await measureLongestMotion(page)) > 0.02, 'menu').toBe(maxMs > 1);
    await page.goto('/create');
    await page.getByRole('button', { name: 'Create class' }).click();
    await expect(page.getByRole('alertdialog')).toBeVisible();
    expect(await measureLongestMotion(page), 'dialog').toBeLessThanOrEqual(maxMs);
  }
});
