import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { password, type TestClient } from '#tests/support/test-client.ts';
import { violations } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { message, openMenu, said, say } from './room.ts';

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';

async function openProfile(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
}

test('the profile lists the devices, and signed-out devices show sign-in [PROFILE-10, PROFILE-11]', async ({
  people,
  site,
}) => {
  const student = await site.newStudent();
  const page = await people.newWindowOf(student);
  const phone = await people.newWindowOf(student, { userAgent: iphone });
  await openProfile(page);
  const devices = page.getByRole('list', { name: 'Devices' }).getByRole('listitem');
  // The third device is the client without a browser that created the account.
  await expect(devices).toHaveCount(3);
  await expect(devices.first()).toContainText(/Chrome on Linux\s*This device, signed in on /);
  await expect(devices.first().getByRole('button')).toHaveCount(0);

  await page.getByRole('button', { name: 'Sign out Safari on iPhone' }).click();
  await expect(page.getByText('Safari on iPhone is signed out.')).toBeVisible();
  await expect(phone).toHaveURL('/signin');
  await expect(devices).toHaveCount(2);
  await expect(page.getByRole('list', { name: 'Devices' })).toBeFocused();

  const tablet = await people.newWindowOf(student);
  await openProfile(page);
  await page.getByRole('link', { name: 'Search' }).click();
  await openProfile(page);
  await page.getByRole('button', { name: 'Sign out all others' }).click();
  await expect(tablet).toHaveURL('/signin');
  await expect(devices).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Sign out all others' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Search' }).click();
  await expect(page.getByRole('heading', { name: 'Search Classes' })).toBeVisible();
});

test('a member changes the password by keyboard with the current one, and other devices show sign-in [PROFILE-12, AUTH-44]', async ({
  people,
  site,
}) => {
  const student = await site.newStudent();
  const page = await people.newWindowOf(student);
  const other = await people.newWindowOf(student);
  people.expectConsoleError('400');
  people.expectConsoleError('403');
  await openProfile(page);
  const button = page.getByRole('button', { name: 'Change password' });
  await button.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Change password' });
  const [current, chosen] = [
    dialog.getByLabel('Current password'),
    dialog.getByLabel('New password'),
  ];
  await expect(current).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(button).toBeFocused();
  await page.keyboard.press('Enter');

  await page.keyboard.type('not the right one');
  await chosen.fill('another good one');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('alert')).toHaveText('This is not your current password.');
  await expect(current).toBeFocused();
  await expect(current).toHaveAttribute('aria-invalid', 'true');
  await current.fill(password);
  await chosen.fill('iloveyou');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('alert')).toHaveText(
    'This password is too easy to guess. Please choose another one.',
  );
  await expect(chosen).toBeFocused();
  await chosen.fill('another good one');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('Your password is changed.')).toBeVisible();
  await expect(other).toHaveURL('/signin');
  await expect(page).toHaveURL('/profile');
  await other.getByLabel(/^Email/).fill(student.email);
  await other.getByLabel('Password', { exact: true }).fill('another good one');
  await other.getByRole('button', { name: 'Sign In' }).click();
  await expect(other).toHaveURL('/home');
});

test('a reset shows sign-in on every other device within two seconds [AUTH-16, WIRE-10]', async ({
  people,
  site,
}) => {
  // A page that opens with the ended session's cookie requests the class list and a socket before it knows.
  people.expectConsoleError('401');
  people.expectConsoleError('WebSocket');
  const student = await site.newStudent();
  const pages = [await people.newWindowOf(student), await people.newWindowOf(student)];
  await openProfile(pages[1]!);
  await student.call('requestPasswordReset', { body: { email: student.email } });
  const token = /reset-password\?token=(\S+)/.exec(await site.mailTo(student.email))?.[1] ?? '';
  await student.call('resetPassword', { body: { token, newPassword: 'another good one' } });
  for (const page of pages) {
    await expect(page).toHaveURL('/signin', { timeout: 2000 });
    await page.goto('/home');
    await expect(page).toHaveURL('/signin');
  }
});

test('a member downloads their own data as a file [PROFILE-18]', async ({ people, site }) => {
  const student = await site.newStudent();
  const classId = await student.createClass();
  const page = await people.newWindowOf(student);
  await expect(page).toHaveURL(`/home/${classId}`);
  await say(page, 'words of my own');
  await expect(said(page, 'words of my own')).toBeVisible();
  await openProfile(page);
  const coming = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download my data' }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toBe('my-data.json');
  const text = readFileSync(await download.path(), 'utf8');
  expect(JSON.parse(text)).toMatchObject({
    email: student.email,
    classes: [{ classId, messages: [{ text: 'words of my own' }] }],
  });
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
});

async function openDeletion(page: Page) {
  await openProfile(page);
  await page.getByRole('button', { name: 'Delete account' }).click();
  return page.getByRole('dialog', { name: 'Delete account' });
}

async function twoInAClass(newStudent: () => Promise<TestClient>) {
  const [ada, ben] = [await newStudent(), await newStudent()];
  const classId = await ben.createClass();
  await ada.join(classId);
  return { ada, ben, classId };
}

test('a member deletes the account and its messages after a choice and the password [PROFILE-28, PROFILE-29, PROFILE-30]', async ({
  people,
  site,
}) => {
  const { ada, ben } = await twoInAClass(site.newStudent);
  const [page, bens] = [await people.newWindowOf(ada), await people.newWindowOf(ben)];
  const other = await people.newWindowOf(ada);
  people.expectConsoleError('403');
  await say(page, 'to be taken back');
  await expect(said(bens, 'to be taken back')).toBeVisible();

  const dialog = await openDeletion(page);
  await expect(dialog.getByRole('radio', { checked: true })).toHaveCount(0);
  const submit = dialog.getByRole('button', { name: 'Delete account' });
  await submit.click();
  await expect(dialog.getByRole('alert')).toHaveText(
    'Please choose what happens to your messages.',
  );
  await dialog.getByRole('radio', { name: /^Delete my messages/ }).check();
  await submit.click();
  await expect(dialog.getByRole('alert')).toHaveText('Please enter your password.');
  await dialog.getByLabel('Password', { exact: true }).fill('not the right one');
  await submit.click();
  await expect(dialog.getByRole('alert')).toHaveText('This is not your current password.');
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await submit.click();
  await expect(page).toHaveURL('/signin?account-deleted');
  await expect(page.getByText('Your account is deleted.')).toBeVisible();
  await expect(other).toHaveURL('/signin');
  // The messages disappear from the class later, at a time that is independent of other classes.
  await expect(said(bens, 'to be taken back')).toBeVisible();
});

test('the messages stay after the account is deleted if the member chose that [PROFILE-14, PROFILE-17]', async ({
  people,
  site,
}) => {
  const { ada, ben, classId } = await twoInAClass(site.newStudent);
  const [page, bens] = [await people.newWindowOf(ada), await people.newWindowOf(ben)];
  await say(page, 'to stay');
  await expect(said(bens, 'to stay')).toBeVisible();
  const dialog = await openDeletion(page);
  await dialog.getByRole('radio', { name: /^Keep my messages/ }).check();
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await expect(page.getByText('Your account is deleted.')).toBeVisible();
  await bens.reload();
  await expect(said(bens, 'to stay')).toBeVisible();

  await ada.signUp();
  await ada.join(classId);
  const again = await people.newWindowOf(ada);
  await expect(said(again, 'to stay')).toBeVisible();
  // For the new account it is another member's message: it can react, but not delete.
  await message(again, 'to stay').hover();
  await expect(message(again, 'to stay').getByRole('button', { name: 'Heart' })).toBeVisible();
  await openMenu(again, 'to stay');
  await expect(again.getByRole('menuitem', { name: 'Delete' })).toHaveCount(0);
});

for (const options of [
  { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const) {
  test(`the profile and its dialogs pass WCAG 2.2 AA at ${options.viewport.width}, ${options.colorScheme} [LAYOUT-5, LAYOUT-12]`, async ({
    people,
    site,
  }) => {
    const student = await site.newStudent();
    const page = await people.newWindowOf(student, options);
    await openProfile(page);
    await expect(page.getByRole('button', { name: 'Sign out all others' })).toBeVisible();
    expect(await violations(page)).toEqual([]);
    for (const name of ['Change password', 'Delete account']) {
      await page.getByRole('button', { name }).click();
      await expect(page.getByRole('dialog', { name })).toBeVisible();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await page.setViewportSize({ width: 320, height: 700 });
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
  });
}
