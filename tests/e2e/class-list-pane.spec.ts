// The width and the rows of the class list.
import type { Locator } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test } from './fixtures.ts';
import { findClassLink } from './room.ts';

test('a member resizes the class list with the pointer and the keyboard, and it keeps its width [LAYOUT-26]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  await student.createClass();
  const page = await windows.openWindowAs(student);
  const edge = page.getByRole('separator', { name: 'Width of the class list' });
  const pane = page.getByRole('navigation', { name: 'My Classes' });
  const measureWidth = async () => (await pane.boundingBox())?.width;
  await expect(edge).toHaveAttribute('aria-valuenow', '296');
  await expect.poll(measureWidth).toBe(296);

  const drag = async (distance: number) => {
    const { x, y, width: thickness } = (await edge.boundingBox())!;
    await page.mouse.move(x + thickness / 2, y + 200);
    await page.mouse.down();
    await page.mouse.move(x + thickness / 2 + distance, y + 200, { steps: 4 });
    await page.mouse.up();
  };
  await drag(40);
  await expect.poll(measureWidth).toBe(336);
  await drag(500);
  await expect.poll(measureWidth).toBe(360);

  await edge.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(edge).toHaveAttribute('aria-valuenow', '344');
  await page.keyboard.press('Home');
  await expect(edge).toHaveAttribute('aria-valuenow', '220');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.reload();
  await expect(edge).toHaveAttribute('aria-valuenow', '344');
  await expect.poll(measureWidth).toBe(344);
  await edge.dblclick();
  await expect.poll(measureWidth).toBe(296);
});

/** How far the drawn text begins behind the start and behind the end of the drawn label, measured in one frame. */
function measureDistance(
  place: Locator,
  name: string,
): Promise<{ toStart: number; toEnd: number }> {
  return place.evaluate((element, drawnName) => {
    const measure = (text: string) => {
      const part = [...element.querySelectorAll('*')].findLast((node) => node.textContent === text);
      const range = document.createRange();
      range.selectNodeContents(part!);
      return range.getBoundingClientRect();
    };
    const label = measure('CS 3');
    const { left } = measure(drawnName);
    return { toStart: left - label.left, toEnd: left - label.right };
  }, name);
}

test('a class has two lines, in the first of which its name has its own direction behind the label [LAYOUT-27, LAYOUT-81]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const names = {
    latin: 'Introduction to Philosophy of Mind and Language',
    arabic: 'مقدمة في علوم الحاسوب وهياكل البيانات والخوارزميات',
    short: 'جبر',
  };
  for (const [n, courseName] of Object.values(names).entries()) {
    await student.createClass({ courseNumber: `${n + 1}`, courseName });
  }
  const page = await windows.openWindowAs(student, { viewport: { width: 1280, height: 700 } });
  for (const [label, name, direction] of [
    ['CS 1', names.latin, 'ltr'],
    ['CS 2', names.arabic, 'rtl'],
  ] as const) {
    const row = findClassLink(page, label);
    expect((await row.boundingBox())!.height).toBe(56);
    const text = row.getByText(name);
    expect(await text.evaluate((part) => getComputedStyle(part).direction)).toBe(direction);
    expect(await text.evaluate((part) => part.scrollWidth > part.clientWidth)).toBe(true);
    // No room is kept for the options button, which appears over the end of the name.
    const outer = (await row.boundingBox())!;
    const inner = (await text.boundingBox())!;
    expect(outer.x + outer.width - inner.x - inner.width).toBeLessThanOrEqual(20);
  }

  const header = page.getByRole('main').locator('header');
  const expectNextToLabel = (place: Locator) =>
    expect
      .poll(async () => {
        const { toEnd } = await measureDistance(place, names.short);
        // In the header, an arrow is between the two.
        return toEnd > 0 && toEnd <= 40;
      })
      .toBe(true);
  await findClassLink(page, 'CS 3').click();
  await expect(header).toContainText(names.short);
  await expectNextToLabel(findClassLink(page, 'CS 3'));
  await expectNextToLabel(header);
  await page.keyboard.press('Control+k');
  const switcher = page.getByRole('dialog', { name: 'Switch class' });
  await expectNextToLabel(switcher.getByRole('option', { name: 'CS 3' }));
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 390, height: 700 });
  await expect
    .poll(async () => Math.abs((await measureDistance(header, names.short)).toStart))
    .toBeLessThanOrEqual(2);
});

test('a class has a round count of its unread messages and the time of the newest one [LIST-61, LIST-62]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ben.createClass({ courseNumber: '1' });
  const page = await windows.openWindowAs(ben);
  const row = findClassLink(page, /^CS 146/);
  const markAll = page.getByRole('button', { name: 'Mark all read' });
  await expect(row).toBeVisible();
  await expect(markAll).toHaveCount(0);
  await expect(row).not.toContainText('Last message');

  for (const text of ['First', 'Second']) await ada.post(classId, text);

  await expect(row).toContainText('2 unread messages');
  await expect(row).toContainText(/Last message: \d+:\d\d/);
  const count = row.getByText('2', { exact: true }).locator('..');
  await expect(count).toHaveCSS('background-color', await getColor(markAll));
  await expect(row.getByText('CS 146', { exact: true })).toHaveCSS('font-weight', '600');
  await row.click();
  await expect(row).not.toContainText('unread');
  await expect(row).toContainText(/Last message: \d+:\d\d/);
});

test('the list shows the last message that the browser holds, and marks everything as read [LIST-31, LIST-63]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const otherId = await ben.createClass({ courseNumber: '1' });
  await ada.post(classId, 'The newest that Ben has read');
  const page = await windows.openWindowAs(ben);
  await page.goto(`/home/${classId}`);
  const row = findClassLink(page, /^CS 146/);
  await expect(row).toHaveAttribute('aria-current', 'page');
  await expect(row).not.toContainText('The newest');
  await page.goto(`/home/${classId}`);
  await findClassLink(page, /^CS 1\b/).click();
  await expect(page).toHaveURL(`/home/${otherId}`);
  await expect(row).toContainText(': The newest that Ben has read');

  await ada.post(classId, 'What Ben has not read');

  await expect(row).toContainText('1 unread message');
  const otherPage = await windows.openWindowAs(ben);
  await expect(findClassLink(otherPage, /^CS 146/)).toContainText('1 unread message');
  await page.getByRole('button', { name: 'Mark all read' }).click();
  await expect(row).not.toContainText('unread');
  await expect(findClassLink(otherPage, /^CS 146/)).not.toContainText('unread');
  await page.reload();
  await expect(row).toBeVisible();
  await expect(page.getByRole('button', { name: 'Mark all read' })).toHaveCount(0);

  await ada.post(classId, 'Another one');
  await expect(row).toContainText('1 unread message');
  await row.hover();
  await page.getByRole('button', { name: 'Options for CS 146' }).click();
  await page.getByRole('menuitem', { name: 'Mark as read' }).click();
  await expect(row).not.toContainText('unread');
});

const getColor = (element: Locator) => element.evaluate((node) => getComputedStyle(node).color);

test('the open class and the open screen have a border in forced colors [LAYOUT-25]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  for (const courseNumber of ['1', '2']) await student.createClass({ courseNumber });
  const page = await windows.openWindowAs(student, { forcedColors: 'active' });
  await expect(page).toHaveURL(/\/home\/.+/);
  const getOutlineStyle = (label: string) =>
    findClassLink(page, label).evaluate((link) => getComputedStyle(link).outlineStyle);
  await expect.poll(() => getOutlineStyle('CS 1')).toBe('solid');
  expect(await getOutlineStyle('CS 2')).toBe('none');
  const getScreenStyle = (name: string) =>
    page
      .getByRole('link', { name, exact: true })
      .evaluate((link) => getComputedStyle(link).outlineStyle);
  expect(await getScreenStyle('Home')).toBe('solid');
  expect(await getScreenStyle('Search')).toBe('none');
});
