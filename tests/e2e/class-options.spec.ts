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

test('a member leaves a class by its options without a trace, and can join again [LIST-7, LEAVE-1, LEAVE-3, LEAVE-4, LEAVE-14, LAYOUT-82]', async ({
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
  await expect(benPage.getByRole('menuitem')).toHaveText([
    'Share Class',
    'Mute Class',
    'Delete Class',
  ]);
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
  await expect(benPage.getByText('You left CS 146.')).toBeVisible();
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

test('a right-click or long press on a class asks before the member leaves it [LIST-9, LEAVE-14, LAYOUT-20]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  for (const courseNumber of ['1', '2']) await student.createClass({ courseNumber });
  const page = await windows.openWindowAs(student);
  const question = page.getByRole('alertdialog');
  await findClassLink(page, 'CS 2').click({ button: 'right' });
  await expect(question).toContainText('Leave CS 2?');
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
  // Who goes elsewhere before the reply stays there.
  const { promise: hasGone, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/membership', async (route) => {
    await hasGone;
    await route.continue();
  });
  await question.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('link', { name: 'Create' }).click();
  await expect(page).toHaveURL('/create');
  release();
  await expect(page.getByText('You left CS 2.')).toBeVisible();
  await expect(page).toHaveURL('/create');
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(findClassLink(page, 'CS 2')).toHaveCount(0);
  await expect(findClassLink(page, 'CS 1')).toBeVisible();

  const phonePage = await windows.openWindowAs(student, phone);
  await expect(phonePage.getByRole('heading', { name: 'CS 1' })).toBeVisible();
  await phonePage.getByRole('button', { name: 'Class list' }).tap();
  const phoneQuestion = phonePage.getByRole('alertdialog');
  await pressLong(phonePage, phonePage.getByRole('link', { name: 'CS 1' }), phoneQuestion);
  await expect(phoneQuestion).toContainText('Leave CS 1?');
  await phoneQuestion.getByRole('button', { name: 'Leave' }).tap();
  await expect(phonePage.getByText('You are not enrolled in any classes.')).toBeVisible();
});

test('a shared class opens the share sheet, or its link is copied or shown [SHARE-1, SHARE-2, LAYOUT-36]', async ({
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
