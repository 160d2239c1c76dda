import { expect, test } from './fixtures.ts';
import { room, said } from './room.ts';

test('each class keeps its own draft [SEND-10]', async ({ people, site }) => {
  const student = await site.newStudent();
  await student.createClass();
  await student.createClass({ subjectAbbreviation: 'math', courseNumber: '32' });
  const page = await people.newWindowOf(student);
  const composer = page.getByPlaceholder('Type a message...');
  await expect(page.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  await composer.fill('for computer science');
  await page.getByRole('link', { name: /^MATH 32/ }).click();
  await expect(composer).toHaveValue('');
  await composer.fill('for mathematics');
  await page.getByRole('link', { name: 'Search' }).click();
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  await expect(composer).toHaveValue('for computer science');
  await page.reload();
  await page.getByRole('link', { name: /^MATH 32/ }).click();
  await expect(composer).toHaveValue('for mathematics');
});

test('a message makes no other elements than those of its markup [MARKUP-3, MARKUP-5, MARKUP-15]', async ({
  people,
  site,
}) => {
  const student = await site.newStudent();
  const classId = await student.createClass();
  const socket = await student.connect();
  const texts = [
    '<b>bold</b> &amp; <img src=x onerror="document.title=\'taken\'">',
    'stars * and [name](/home) https://university.edu/a',
    'javascript:document.title="taken"',
  ];
  for (const text of texts) await socket.post(classId, text);
  const page = await people.newWindowOf(student);
  for (const text of texts) await expect(said(page, text)).toBeVisible();
  await expect(room(page).locator('b, strong, img')).toHaveCount(0);
  const links = room(page).getByRole('link');
  await expect(links).toHaveText(['https://university.edu/a']);
  await expect(page).toHaveTitle(/^CS 146/);
});

test('no text makes a screen scroll sideways [LAYOUT-7]', async ({ people, site }) => {
  const student = await site.newStudent();
  const long = 'x'.repeat(120);
  const classId = await student.createClass({ courseName: long, courseNumber: 'y'.repeat(16) });
  const socket = await student.connect();
  for (const text of [
    'z'.repeat(900),
    `https://a.example/${'q'.repeat(500)}`,
    'שלום '.repeat(200),
  ]) {
    await socket.post(classId, text);
  }
  for (const width of [320, 390, 1280]) {
    const page = await people.newWindowOf(student, { viewport: { width, height: 800 } });
    await expect(room(page).getByText('שלום')).toBeVisible();
    const sideways = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('html, body, main, main *, nav *')]
          .filter(
            (element) =>
              element.scrollWidth > element.clientWidth + 1 &&
              ['auto', 'scroll'].includes(getComputedStyle(element).overflowX),
          )
          .map((element) => element.outerHTML.slice(0, 120)),
      );
    expect(await sideways()).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.goto('/search');
    await expect(page.getByRole('article').first()).toBeVisible();
    expect(await sideways()).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
});
