// The screens with enlarged text, right-to-left text and reduced motion.
import type { Page } from '@playwright/test';
import type { TestClient } from '#tests/support/test-client.ts';

import { expect, test } from './fixtures.ts';
import { room } from './room.ts';

const hebrew = 'מבוא למדעי המחשב ומבני נתונים';
const unbroken = 'Donaudampfschifffahrtsgesellschaft'.repeat(3);

/** The elements that scroll sideways, and by how many pixels. */
async function sideways(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const parts = [document.documentElement, ...document.querySelectorAll('body *')];
    const scrolls = (part: Element) =>
      part === document.documentElement || /auto|scroll/.test(getComputedStyle(part).overflowX);
    return parts
      .filter((part) => scrolls(part) && part.scrollWidth > part.clientWidth + 1)
      .filter((part) => !(part instanceof HTMLInputElement || part instanceof HTMLTextAreaElement))
      .map(
        (part) => `${part.tagName} ${part.className}: ${part.scrollWidth - part.clientWidth} px`,
      );
  });
}

/** The elements whose line height is smaller than their letters, so that lines overlap. */
async function squeezed(page: Page): Promise<string[]> {
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
async function withHardContent(student: TestClient): Promise<string> {
  const courseName = unbroken.slice(0, 120);
  await student.createClass({ courseName, subjectAbbreviation: 'W'.repeat(16) });
  const classId = await student.createClass({ courseName: hebrew, subjectAbbreviation: 'aaa' });
  const socket = await student.connect();
  for (const text of [
    'שלום לכולם, מתי המבחן?',
    unbroken,
    'Plain words, and many of them. '.repeat(9),
  ]) {
    await socket.post(classId, text.trim());
  }
  return classId;
}

for (const [name, viewport, fontSize] of [
  ['at 200 % zoom', { width: 640, height: 400 }, '100%'],
  ['with text of twice the size', { width: 1280, height: 800 }, '200%'],
  ['320 px wide', { width: 320, height: 640 }, '100%'],
] as const) {
  test(`${name} no screen scrolls sideways, and every control is reachable [LAYOUT-7, LAYOUT-12]`, async ({
    people,
    site,
  }) => {
    const student = await site.newStudent();
    const classId = await withHardContent(student);
    const enlarge = (page: Page) =>
      page.addInitScript((size) => {
        addEventListener('DOMContentLoaded', () => {
          document.documentElement.style.fontSize = size;
        });
      }, fontSize);

    const out = await people.newWindow({ viewport });
    await enlarge(out);
    for (const path of ['/signin', '/signup', '/privacy', '/reset-password?token=x']) {
      await out.goto(path);
      await expect(out.getByRole('heading').first()).toBeVisible();
      expect(await sideways(out), path).toEqual([]);
      expect(await squeezed(out), path).toEqual([]);
    }
    await out.goto('/signin');
    await out.getByRole('button', { name: 'Sign In' }).click();
    await expect(out.getByRole('alert')).toBeInViewport();

    const page = await people.newWindowOf(student, { viewport });
    await enlarge(page);
    await page.goto(`/home/${classId}`);
    await expect(room(page).getByText('Plain words')).toBeVisible();
    const size = await page.evaluate(() => getComputedStyle(document.body).fontSize);
    expect(size).toBe(fontSize === '200%' ? '28px' : '14px');
    await expect(page.getByRole('button', { name: 'Send' })).toBeInViewport();
    expect(await sideways(page), 'chat').toEqual([]);
    expect(await squeezed(page), 'chat').toEqual([]);
    if (viewport.width < 768) {
      await page.getByRole('button', { name: 'Class list' }).click();
      await expect(page.getByText('My Classes')).toBeVisible();
      expect(await sideways(page), 'class list').toEqual([]);
      expect(await squeezed(page), 'class list').toEqual([]);
    }
    for (const [path, role, control] of [
      ['/create', 'button', 'Create class'],
      ['/search', 'link', 'Open'],
      ['/profile', 'button', 'Log Out'],
    ] as const) {
      await page.goto(path === '/search' ? '/search?q=donaudampf' : path);
      const last = page.getByRole(role, { name: control }).first();
      await last.scrollIntoViewIfNeeded();
      await expect(last).toBeInViewport();
      expect(await sideways(page), path).toEqual([]);
      expect(await squeezed(page), path).toEqual([]);
    }
    await page.goto('/create');
    await page.getByRole('button', { name: 'Create class' }).click();
    await expect(page.getByRole('button', { name: 'OK' })).toBeInViewport();
  });
}

test('right-to-left text is shown and typed in its direction, next to left-to-right text [LAYOUT-7]', async ({
  people,
  site,
}) => {
  const student = await site.newStudent();
  const classId = await withHardContent(student);
  const page = await people.newWindowOf(student);
  await page.goto(`/home/${classId}`);
  /** Whether the browser starts the first line of the text at the right. */
  const startsAtRight = (text: string) =>
    room(page)
      .getByText(text)
      .evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        const line = range.getClientRects()[0];
        const box = element.getBoundingClientRect();
        return line ? box.right - line.right < line.left - box.left : null;
      });
  expect(await startsAtRight('שלום לכולם')).toBe(true);
  expect(await startsAtRight('Plain words')).toBe(false);
  await expect(page.getByRole('heading', { name: 'AAA 146' })).toBeVisible();

  await page.goto('/create');
  const direction = (label: string) =>
    page.getByLabel(label).evaluate((field) => getComputedStyle(field).direction);
  await page.getByLabel('Course name').fill(hebrew);
  expect(await direction('Course name')).toBe('rtl');
  await page.getByLabel('Course name').fill('Data Structures');
  expect(await direction('Course name')).toBe('ltr');

  await page.goto('/search');
  await page.getByRole('searchbox').fill('מבוא');
  expect(await direction('Search classes')).toBe('rtl');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article', { name: hebrew }).first()).toBeVisible();
});

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  const most = reducedMotion === 'reduce' ? 0.02 : 199;
  test(`with ${reducedMotion} nothing moves for more than ${most} ms [LAYOUT-6]`, async ({
    people,
    site,
  }) => {
    /** The longest motion of any element, from its style and its running animations. */
    const longest = (page: Page) =>
      page.evaluate(() => {
        const ms = (list: string) =>
          list.split(',').map((time) => parseFloat(time) * (/\dms$/.test(time.trim()) ? 1 : 1000));
        const styles = [...document.querySelectorAll('*')].flatMap((element) =>
          [undefined, '::before', '::after', '::backdrop'].flatMap((part) => {
            const style = getComputedStyle(element, part);
            const loops = style.animationIterationCount.includes('infinite') ? [Infinity] : [];
            return [...ms(style.transitionDuration), ...ms(style.animationDuration), ...loops];
          }),
        );
        const running = document
          .getAnimations()
          .map((animation) => Number(animation.effect?.getComputedTiming().duration ?? 0));
        return Math.max(0, ...styles, ...running);
      });
    const student = await site.newStudent();
    const classId = await withHardContent(student);
    const page = await people.newWindowOf(student, { reducedMotion });
    await page.goto(`/home/${classId}`);
    await expect(room(page).getByText('Plain words')).toBeVisible();
    expect(await longest(page), 'chat').toBeLessThanOrEqual(most);
    await page.getByRole('link', { name: 'AAA 146' }).hover();
    await page.getByRole('button', { name: 'Options for AAA 146' }).click();
    expect(await longest(page), 'menu').toBeLessThanOrEqual(most);
    await page.goto('/create');
    await page.getByRole('button', { name: 'Create class' }).click();
    await expect(page.getByRole('alertdialog')).toBeVisible();
    expect(await longest(page), 'dialog').toBeLessThanOrEqual(most);
    expect(await page.evaluate(() => matchMedia('(prefers-reduced-motion)').matches)).toBe(
      reducedMotion === 'reduce',
    );
  });
}
