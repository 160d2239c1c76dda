import type { Page } from '@playwright/test';
import { expect, phone, test } from './fixtures.ts';
import {
  deleteClass,
  findClassLink,
  pressLong,
  meet,
  openMenu,
  findMessageText,
  say,
} from './room.ts';

async function openOptions(page: Page, label: string): Promise<void> {
  await findClassLink(page, label).hover();
  await page.getByRole('button', { name: `Options for ${label}` }).click();
}

/** Each entry of the open menu is one line, as wide as the menu. */
async function expectWholeLines(page: Page): Promise<void> {
  const menu = (await page.getByRole('menu').boundingBox())!;
  for (const item of await page.getByRole('menuitem').all()) {
    const { width, height } = (await item.boundingBox())!;
    expect(width).toBeGreaterThan(menu.width - 12);
    expect(height).toBeLessThan(40);
  }
}

test('a member leaves a class by its options without a trace, and can join again [LIST-42, LIST-7, LIST-8, LEAVE-1, LEAVE-3, LEAVE-4, LEAVE-14, LAYOUT-56]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId, adaPage, benPage } = await meet(windows, site);
  const editor = benPage.getByRole('textbox', { name: 'Edit your message' });
  const edit = async () => {
    await openMenu(benPage, 'As I said it');
    await expectWholeLines(benPage);
    await benPage.getByRole('menuitem', { name: 'Edit' }).click();
  };
  await say(benPage, 'As I said it');
  await edit();
  await editor.fill('As I nearly said it');
  await benPage.getByPlaceholder('Type a message...').fill('not for others');
  await openOptions(benPage, 'CS 146');
  await expect(benPage.getByRole('menuitem')).toHaveText(['Share Class', 'Delete Class']);
  await expectWholeLines(benPage);
  await benPage.keyboard.press('Escape');

  windows.expectConsoleError('ERR_FAILED');
  windows.expectConsoleError('Failed to remove user from class. Please try again.');
  const logged = benPage.waitForEvent('console', (entry) =>
    entry.text().startsWith('Failed to remove user from class. Please try again.'),
  );
  await benPage.route('**/membership', (route) => route.abort());
  await deleteClass(benPage, 'CS 146');
  await expect(benPage.getByRole('alertdialog')).toContainText(
    'Failed to remove from class. Please try again.',
  );
  expect((await logged).type()).toBe('error');
  await benPage.getByRole('button', { name: 'OK' }).click();
  await expect(benPage.getByRole('alertdialog')).toHaveCount(0);
  await expect(benPage).toHaveURL(`/home/${classId}`);
  await expect(findClassLink(benPage, 'CS 146')).toBeVisible();
  await benPage.unroute('**/membership');

  await deleteClass(benPage, 'CS 146');
  await expect(benPage.getByText('CS 146 is deleted from your classes.')).toBeVisible();
  await expect(benPage).toHaveURL('/home');
  await expect(findClassLink(benPage, 'CS 146')).toHaveCount(0);
  const storedText = await benPage.evaluate(() =>
    [sessionStorage, localStorage].map((storage) => JSON.stringify(storage)).join(),
  );
  expect(storedText).not.toContain('not for others');
  await expect(adaPage.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  const { class: leftClass } = await ada.call('readClass', { params: { classId } });
  expect(leftClass.memberCount).toBe(1);

  await ben.join(classId);
  await findClassLink(benPage, 'CS 146').click();
  await expect(benPage.getByPlaceholder('Type a message...')).toHaveValue('');
  await expect(findMessageText(benPage, 'As I said it')).toBeVisible();
  await edit();
  await expect(editor).toHaveValue('As I said it');
});

test('a right-click or long press on a class asks before the member leaves it [LIST-9, LIST-13, LEAVE-14, LAYOUT-20]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  for (const courseNumber of ['1', '2']) await student.createClass({ courseNumber });
  const page = await windows.openWindowAs(student);
  const question = page.getByRole('alertdialog');
  await findClassLink(page, 'CS 2').click({ button: 'right' });
  await expect(question).toContainText('Do you want to delete CS 2 from your classes?');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toHaveCount(0);
  await findClassLink(page, 'CS 2').click({ button: 'right' });
  await expect(question).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await expect(findClassLink(page, 'CS 2')).toBeVisible();
  // A right-click in the open menu does not count as one on the class.
  await openOptions(page, 'CS 2');
  await page.getByRole('menuitem', { name: 'Share Class' }).click({ button: 'right' });
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expect(question).toHaveCount(0);
  await findClassLink(page, 'CS 2').click({ button: 'right' });
  await question.getByRole('button', { name: 'Delete Class' }).click();
  await expect(findClassLink(page, 'CS 2')).toHaveCount(0);
  await expect(findClassLink(page, 'CS 1')).toBeVisible();

  const phonePage = await windows.openWindowAs(student, phone);
  await expect(phonePage.getByRole('heading', { name: 'CS 1' })).toBeVisible();
  await phonePage.getByRole('button', { name: 'Class list' }).tap();
  const phoneQuestion = phonePage.getByRole('alertdialog');
  await pressLong(phonePage, phonePage.getByRole('link', { name: 'CS 1' }), phoneQuestion);
  await expect(phoneQuestion).toContainText('Do you want to delete CS 1 from your classes?');
  await phoneQuestion.getByRole('button', { name: 'Delete Class' }).tap();
  await expect(phonePage.getByText('You are not enrolled in any classes.')).toBeVisible();
});

test('a shared class opens the share sheet, or its link is copied or shown [SHARE-1, SHARE-2, SHARE-3, SHARE-4, LAYOUT-36]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  const link = `${site.origin}/home/${classId}`;
  const page = await windows.openWindowAs(student, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const share = async () => {
    await openOptions(page, 'CS 146');
    await page.getByRole('menuitem', { name: 'Share Class' }).click();
  };
  const expectAlert = async (sentence: string) => {
    const alert = page.getByRole('alertdialog');
    await expect(alert.getByText(sentence, { exact: true })).toBeVisible();
    await alert.getByRole('button', { name: 'OK' }).click();
    await expect(alert).toHaveCount(0);
  };
  // An empty room offers it, too.
  await page.getByRole('main').getByRole('button', { name: 'Share Class' }).click();
  await expectAlert(`Class link copied to clipboard: ${link}`);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);

  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('No', 'NotAllowedError'));
  });
  await share();
  await expectAlert(`Copy this link to share the class: ${link}`);

  await page.evaluate(() => {
    const shared: (ShareData | undefined)[] = [];
    Object.assign(globalThis, { shared });
    navigator.share = (data) => Promise.resolve(void shared.push(data));
  });
  await share();
  const getSharedData = () =>
    page.evaluate(() => (globalThis as unknown as { shared: unknown }).shared);
  await expect.poll(getSharedData).toEqual([{ title: 'CS 146', url: link }]);
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
});

test('classes of older data have correct labels, order and search results [LIST-3, LIST-4, LIST-5, LIST-12, CHAT-1, JOIN-2, SEARCH-4, SEARCH-5, HTTP-15]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  const ben = await site.createStudent();
  const bare = { subjectAbbreviation: null, courseNumber: null, courseName: null, name: null };
  const classes = {
    'MATH 32': { subjectAbbreviation: 'math', courseNumber: '32' },
    'CS 146': { subjectAbbreviation: 'cs', courseNumber: '146' },
    'CS 9': { subjectAbbreviation: 'Cs', courseNumber: '9' },
    'OLD SEMINAR': { ...bare, name: 'Old seminar' },
    'A COURSE WITHOUT A CODE': { ...bare, courseName: 'A course without a code' },
    'UNNAMED CLASS': { ...bare, classSchedule: null, sectionNumber: null },
    'PHYSICS LAB': { ...bare, courseName: 'Physics lab', classSchedule: '"Monday"' },
  };
  const ids = new Map<string, string>();
  for (const label of Object.keys(classes)) {
    const classId = await ada.createClass();
    await ben.join(classId);
    ids.set(label, classId);
  }
  // The test inserts these rows, because no call creates them. Search reads them at the start.
  await site.stop();
  for (const [label, fields] of Object.entries(classes)) {
    const set = Object.entries(fields).map(
      ([field, value]) => `"${field}" = ${value === null ? 'null' : `'${value}'`}`,
    );
    await site.query(`update classes set ${set.join(', ')} where "classId" = '${ids.get(label)}'`);
  }
  await site.start();

  const page = await windows.openWindowAs(ada);
  const links = page.getByRole('navigation', { name: 'My Classes' }).getByRole('link');
  await expect(links).toHaveCount(7);
  const labels = await links.evaluateAll((all) =>
    all.map((link) => link.querySelector('bdi')?.textContent),
  );
  expect(labels).toEqual([
    'UNNAMED CLASS',
    'A COURSE WITHOUT A CODE',
    'OLD SEMINAR',
    'PHYSICS LAB',
    'CS 9',
    'CS 146',
    'MATH 32',
  ]);
  for (const label of ['UNNAMED CLASS', 'PHYSICS LAB']) {
    await page.goto(`/home/${ids.get(label)}`);
    await expect(page.getByRole('heading', { level: 1, name: label, exact: true })).toBeVisible();
  }

  const visitor = await windows.openWindowAs(await site.createStudent());
  for (const label of ['UNNAMED CLASS', 'OLD SEMINAR']) {
    await visitor.goto(`/home/${ids.get(label)}`);
    await expect(visitor.getByRole('dialog', { name: 'Join Class' })).toContainText(
      `Would you like to join ${label}?`,
    );
  }
  await visitor.goto('/search');
  for (const [name, days] of [
    ['UNNAMED CLASS', 'No Schedule Available'],
    ['Old seminar', 'Monday & Wednesday'],
    ['Physics lab', 'No Schedule Available'],
  ] as const) {
    const hit = visitor.getByRole('article', { name });
    await expect(hit.getByRole('heading', { name })).toBeVisible();
    await expect(hit).toContainText(days);
    await expect(hit).toContainText('2 members');
  }
});
