import type { Page } from '@playwright/test';
import { findViolations } from './axe.ts';
import { expect, signIn, smallPhone, test } from './fixtures.ts';
import { createPlainPicture, sendPictures } from './picture-files.ts';
import { openClassAlone, holdBackPreloading, findMessage, findMessageText } from './room.ts';

/** The words that are marked in the messages. */
const listMarkedWords = (page: Page) =>
  page.evaluate(() => [...(CSS.highlights.get('found-words') ?? [])].map(String));

const findPanel = (page: Page) => page.getByRole('search', { name: 'Search messages in CS 146' });
const findSearchField = (page: Page) => findPanel(page).getByRole('searchbox');
const findResults = (page: Page) => findPanel(page).getByRole('list', { name: 'Messages found' });

test('Ctrl+F searches the messages of the class and opens a result [LAYOUT-50, LAYOUT-51, LAYOUT-52, LAYOUT-53, LAYOUT-54, LAYOUT-5]', async ({
  windows,
  site,
}) => {
  const { page, student, classId } = await openClassAlone(windows, site);
  const socket = await student.connect();
  await socket.post(classId, 'An AVL tree balances itself');
  const other = await site.createStudent();
  await other.join(classId);
  const { id } = await other.post(classId, 'Tree rotations are on slide 12');
  await socket.post(classId, 'Unrelated');
  await expect(findMessageText(page, 'Unrelated')).toBeVisible();
  const composer = page.getByPlaceholder('Type a message...');
  await composer.fill('a draft');

  await page.keyboard.press('Control+f');
  await expect(findSearchField(page)).toBeFocused();
  await expect(findPanel(page).getByText('Find messages in CS 146 by their words.')).toBeVisible();
  await page.keyboard.type('tree');
  await expect(findResults(page).getByRole('link')).toHaveText([
    /^[A-Z][a-z]+ [A-Z][a-z]+, Anonymous.*Tree rotations are on slide 12$/,
    /^[A-Z][a-z]+ [A-Z][a-z]+, Anonymous.*An AVL tree balances itself$/,
  ]);
  await expect(findResults(page).locator('mark')).toHaveText(['Tree', 'tree']);
  await expect(findPanel(page).getByText('2 messages', { exact: true })).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await findViolations(page), colorScheme).toEqual([]);
  }

  await page.keyboard.press('ArrowDown');
  await expect(findResults(page).getByRole('link').first()).toBeFocused();
  await page.keyboard.press('End');
  await expect(findResults(page).getByRole('link').last()).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(findSearchField(page)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/home/${classId}?message=${id}`);
  await expect(findMessage(page, 'Tree rotations')).toBeInViewport();
  await expect(findResults(page).getByRole('link')).toHaveCount(2);

  await composer.focus();
  await findResults(page).getByRole('link').first().click();
  await expect(findMessage(page, 'Tree rotations')).toBeFocused();
  await findSearchField(page).fill('nowhere');
  await findSearchField(page).press('Enter');
  await expect(findPanel(page).getByText('No message in CS 146 matches “nowhere”.')).toBeVisible();
  expect(await findViolations(page)).toEqual([]);
  await findSearchField(page).fill('?!');
  await expect(
    findPanel(page).getByText('Please enter a word or a number to search for.'),
  ).toBeVisible();

  await findSearchField(page).press('Escape');
  await expect(findPanel(page)).toHaveCount(0);
  await expect(composer).toBeFocused();
  await expect(composer).toHaveValue('a draft');
  const button = page.getByRole('button', { name: 'Search messages' });
  await button.click();
  await expect(findSearchField(page)).toBeFocused();
  await findPanel(page).getByRole('button', { name: 'Close search' }).click();
  await expect(findPanel(page)).toHaveCount(0);
  await expect(button).toBeFocused();
});

test('the search covers the room on a phone, and Back returns from a message to the results [LAYOUT-52, LAYOUT-7, LAYOUT-5]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  const { id } = await student.post(classId, 'Tree rotations are on slide 12');
  const page = await windows.openWindowAs(student, smallPhone);
  await expect(findMessageText(page, 'Tree rotations are on slide 12')).toBeVisible();
  await page.getByRole('button', { name: 'Search messages' }).tap();
  await findSearchField(page).fill('rotat');
  await expect(findResults(page).getByRole('link')).toHaveCount(1);
  await expect(findResults(page).locator('mark')).toHaveText(/rotat/);
  expect(await findViolations(page)).toEqual([]);
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
  ).toBeLessThanOrEqual(0);
  await findResults(page).getByRole('link').tap();
  await expect(page).toHaveURL(`/home/${classId}?message=${id}`);
  await expect(findPanel(page)).toHaveCount(0);
  await page.goBack();
  await expect(findSearchField(page)).toHaveValue('rotat');
  await expect(findResults(page).getByRole('link')).toHaveCount(1);
  await findResults(page).getByRole('link').tap();
  await expect(findMessage(page, 'Tree rotations')).toBeFocused();
  await page.goBack();
  await page.goBack();
  await expect(findPanel(page)).toHaveCount(0);
  await expect(page).toHaveURL(`/home/${classId}`);
  await expect(findMessageText(page, 'Tree rotations are on slide 12')).toBeVisible();
});

test('the words of a search are marked in the message that a result leads to [LAYOUT-90]', async ({
  windows,
  site,
}) => {
  const { page, student, classId } = await openClassAlone(windows, site);
  const socket = await student.connect();
  await socket.post(classId, 'A **tree** of Trees, not a street');
  await socket.post(classId, 'The tree of the exam');
  for (let n = 1; n <= 30; n++) await socket.post(classId, `Something else ${n}`);
  await expect(findMessageText(page, 'Something else 30')).toBeVisible();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('tree');
  const links = findResults(page).getByRole('link');
  await expect(links).toHaveCount(2);
  expect(await listMarkedWords(page)).toEqual([]);

  await links.last().click();
  await expect.poll(() => listMarkedWords(page)).toEqual(['tree', 'Tree']);
  await expect(findMessage(page, 'of Trees')).toBeInViewport();
  await links.first().click();
  await expect.poll(() => listMarkedWords(page)).toEqual(['tree']);
  await findSearchField(page).fill('exam');
  await expect(links).toHaveCount(1);
  await expect.poll(() => listMarkedWords(page)).toEqual([]);
  await links.click();
  await expect.poll(() => listMarkedWords(page)).toEqual(['exam']);
  await findSearchField(page).press('Escape');
  await expect.poll(() => listMarkedWords(page)).toEqual([]);

  // On a phone the panel closes over the message.
  await page.setViewportSize({ width: 390, height: 700 });
  await page.getByRole('button', { name: 'Search messages' }).click();
  await findSearchField(page).fill('exam');
  await links.click();
  await expect(findPanel(page)).toHaveCount(0);
  await expect.poll(() => listMarkedWords(page)).toEqual(['exam']);
});

test('results load page by page and follow edits and deletions [LAYOUT-51, LIST-26, PIC-78]', async ({
  windows,
  site,
}) => {
  const { page, student, classId } = await openClassAlone(windows, site);
  const socket = await student.connect();
  for (let n = 1; n <= 22; n++) await socket.post(classId, `Exercise ${n}`);
  await page.getByRole('button', { name: 'Search messages' }).click();
  await findSearchField(page).fill('exercise');
  await findSearchField(page).press('Enter');
  const links = findResults(page).getByRole('link');
  await expect(links).toHaveCount(20);
  await expect(links.first()).toHaveText(/Exercise 22$/);
  await expect(findPanel(page).getByText('20 messages so far')).toBeVisible();
  await findPanel(page).getByRole('button', { name: 'Search older messages' }).click();
  await expect(links).toHaveCount(22);
  await expect(links.nth(20)).toBeFocused();
  await expect(links.last()).toHaveText(/Exercise 1$/);
  await expect(findPanel(page).getByRole('button', { name: 'Search older messages' })).toHaveCount(
    0,
  );

  const { id: first } = await student.post(classId, 'Tree one');
  const { id: second } = await student.post(classId, 'Tree two');
  const images = [await createPlainPicture(100, 100), await createPlainPicture(120, 100)];
  await sendPictures(student, classId, images, { text: 'Tree three' });
  await findSearchField(page).fill('tree');
  await expect(links).toHaveText([/Tree three2 pictures$/, /two$/, /one$/]);
  await socket.request({ type: 'edit', classId, messageId: second, text: 'Tree 2 and a tree' });
  await expect(links).toHaveText([/three2 pictures$/, /Tree 2 and a tree$/, /one$/]);
  await expect(findResults(page).locator('mark')).toHaveText(['Tree', 'Tree', 'tree', 'Tree']);
  await links.nth(1).focus();
  await socket.request({ type: 'delete', classId, messageId: second });
  await expect(links).toHaveText([/three2 pictures$/, /one$/]);
  await expect(links.nth(1)).toBeFocused();
  await socket.request({ type: 'edit', classId, messageId: first, text: 'No longer found' });
  await expect(links).toHaveText([/three2 pictures$/]);
  await expect(links.nth(0)).toBeFocused();
});

test('the panel searches for what the member typed while it loaded [KEY-10]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  await student.post(classId, 'Tree rotations');
  const page = await windows.openWindow();
  let load = () => {};
  const loading = new Promise<void>((resolve) => (load = resolve));
  await page.route('**/assets/message-search-*.js', async (route) => {
    await loading;
    await route.continue();
  });
  await signIn(page, student);
  await expect(findMessageText(page, 'Tree rotations')).toBeVisible();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('tre');
  await expect(page.getByRole('searchbox')).toHaveValue('tre');
  load();
  await expect(findPanel(page)).toBeVisible();
  await page.keyboard.type('e');
  await expect(findSearchField(page)).toHaveValue('tree');
  await expect(findResults(page).getByRole('link')).toHaveCount(1);
  await expect(page.getByPlaceholder('Type a message...')).toHaveValue('');
  await page.keyboard.press('Escape');
  await expect(findPanel(page)).toHaveCount(0);
  await page.keyboard.press('Control+f');
  await expect(findSearchField(page)).toHaveValue('tree');
  await expect(findResults(page).getByRole('link')).toHaveCount(1);
  await page.keyboard.type('other');
  await expect(findSearchField(page)).toHaveValue('other');
});

test('a failed search says why and can be repeated [LAYOUT-53, LAYOUT-8]', async ({
  windows,
  site,
}) => {
  windows.expectConsoleError('ERR_FAILED');
  const student = await site.createStudent();
  const classId = await student.createClass();
  await student.post(classId, 'Tree rotations');
  const page = await windows.openWindow();
  const unreachable = 'The server cannot be reached. Please check your connection and try again.';
  await page.route('**/assets/message-search-*.js', (route) => route.abort());
  // Otherwise it may load the panel while 'Retry' is expected.
  await holdBackPreloading(page);
  await signIn(page, student);
  await expect(findMessageText(page, 'Tree rotations')).toBeVisible();
  await page.getByRole('button', { name: 'Search messages' }).click();
  const loading = page.getByRole('region', { name: 'Search messages in CS 146' });
  await expect(loading.getByText(unreachable)).toBeVisible();
  expect(await findViolations(page)).toEqual([]);
  await page.unroute('**/assets/message-search-*.js');
  await loading.getByRole('button', { name: 'Retry' }).click();
  await expect(findSearchField(page)).toBeFocused();

  await page.route('**/messages/search*', (route) => route.abort());
  await page.keyboard.type('tree');
  await expect(findPanel(page).getByRole('alert')).toContainText(unreachable);
  expect(await findViolations(page)).toEqual([]);
  await page.unroute('**/messages/search*');
  await findPanel(page).getByRole('button', { name: 'Retry' }).click();
  await expect(findResults(page).getByRole('link')).toHaveCount(1);
});
