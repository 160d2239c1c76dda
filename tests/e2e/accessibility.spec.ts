import { checkLooks, findViolations } from './axe.ts';
import { expect, test } from './fixtures.ts';
import {
  choose,
  expectLoaded,
  createPhoto,
  findPictures,
  sendPicture,
  findStagedPictures,
} from './picture-files.ts';
import { findMessage } from './room.ts';

test('axe finds no problem on the screens of signed-out visitors [LAYOUT-5]', async ({
  windows,
}) => {
  const page = await windows.openWindow();
  for (const path of [
    '/signup',
    '/privacy',
    '/reset-password#token=x',
    '/verify-email#token=x',
    '/signin',
  ]) {
    await page.goto(path);
    await expect(page.getByRole('heading').first()).toBeVisible();
    await checkLooks(page, path);
  }
  await page.getByRole('button', { name: 'Forgot Password?' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await checkLooks(page, 'an error at sign-in');
});

test('axe finds no problem on any screen of members [LAYOUT-5]', async ({ windows, site }) => {
  const student = await site.createStudent();
  const page = await windows.openWindowAs(student);
  await expect(page.getByText('You are not enrolled in any classes.').first()).toBeVisible();
  await checkLooks(page, 'no classes');

  const classId = await student.createClass();
  const socket = await student.connect();
  for (const text of ['Hello', 'See https://university.edu', 'שלום', 'x'.repeat(300)]) {
    await socket.post(classId, text);
  }

  await page.goto('/create');
  await page.getByRole('combobox', { name: /days/i }).click();
  await expect(page.getByRole('dialog', { name: /days/i })).toBeVisible();
  expect(await findViolations(page), 'days').toEqual([]);
  const otherClassId = await (await site.createStudent()).createClass({ courseNumber: '9' });
  await page.goto(`/home/${otherClassId}`);
  await expect(page.getByText('Would you like to join CS 9?')).toBeVisible();
  await checkLooks(page, 'join dialog');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('שלום')).toBeVisible();
  await checkLooks(page, 'chat');

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Class list' }).click();
  await page.getByRole('button', { name: 'Options for CS 146' }).click();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.getByRole('menu')).toBeVisible();
    expect(await findViolations(page), `menu of a class, ${colorScheme}`).toEqual([]);
  }
});

test('axe finds no problem in the dialogs and menus of a room [LAYOUT-5]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  const socket = await student.connect();
  await socket.post(classId, 'By me');
  const page = await windows.openWindowAs(student);
  const neighbor = await site.createStudent();
  await neighbor.join(classId);
  const { id } = await neighbor.post(classId, 'By a neighbor');
  await expect(findMessage(page, 'By a neighbor')).toBeVisible();
  for (const [index, emoji] of (['❤️', '👍'] as const).entries()) {
    socket.send({ type: 'react', rid: 1000 + index, classId, messageId: id, emoji });
  }
  await expect(findMessage(page, 'By a neighbor').getByRole('list')).toHaveText('Thumbs up: 1');

  const checkBothSchemes = async (state: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findViolations(page), `${state}, ${colorScheme}`).toEqual([]);
    }
  };
  await page.getByRole('group', { name: 'Messages' }).focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: 'Heart', exact: true })).toBeFocused();
  await checkBothSchemes('reaction picker');
  await page.keyboard.press('Home');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitemcheckbox', { name: 'Thumbs up' })).toBeVisible();
  await checkBothSchemes('message menu');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Edit your message' }).fill(' ');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Please write something first.')).toBeVisible();
  await checkLooks(page, 'editing');
  await page.keyboard.press('Escape');
  await findMessage(page, 'By me').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await checkLooks(page, 'question');
});

test('axe finds no problem in any part with pictures [LAYOUT-5]', async ({ windows, site }) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  await sendPicture(student, classId, await createPhoto(), { alt: 'A board' });
  await sendPicture(student, classId, await createPhoto(), { text: 'No words for it' });
  const page = await windows.openWindowAs(student);
  await expectLoaded(findPictures(page).last());

  windows.expectConsoleError('ERR_FAILED');
  await page.route('**/api/classes/*/images', () => undefined);
  await choose(page, await createPhoto());
  await expect(findStagedPictures(page).getByRole('progressbar')).toBeVisible();
  await checkLooks(page, 'uploading');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(findMessage(page, '').getByRole('progressbar')).toBeVisible();
  await page.unroute('**/api/classes/*/images');
  await page.route('**/api/classes/*/images', (route) => route.abort());
  await choose(page, await createPhoto());
  await expect(findStagedPictures(page).getByRole('button', { name: 'Retry' })).toBeVisible();
  await checkLooks(page, 'one is being sent, and one is not uploaded');
  await findStagedPictures(page).getByRole('button', { name: 'Remove picture' }).click();
  await expect(findStagedPictures(page)).toHaveCount(0);

  // The list may still be moving, so a click could hit the previous target.
  await expect(async () => {
    await findPictures(page).first().click();
    await expect(page.getByRole('dialog')).toBeVisible({ timeout: 2000 });
  }).toPass();
  await expect(page.getByRole('dialog')).toHaveAccessibleName(/^Picture 1 of/);
  await expectLoaded(page.getByRole('dialog'));
  await checkLooks(page, 'overlay');
});
