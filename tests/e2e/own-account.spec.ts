import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { password, createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { checkLooks } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { findMessageText, say, openProfilePage } from './room.ts';

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';

async function openProfile(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
}

test('the profile lists the devices, signs them out, and offers the own data as a file [PROFILE-10, PROFILE-18, LAYOUT-5, LAYOUT-7]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  const page = await windows.openWindowAs(student);
  const phone = await windows.openWindowAs(student, { userAgent: iphone });
  await openProfilePage(page, 'Devices');
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

  await checkLooks(page, 'devices');

  await page.getByRole('link', { name: 'Account' }).click();
  await checkLooks(page, 'account');
  const downloadEvent = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download my data' }).click();
  const download = await downloadEvent;
  expect(download.suggestedFilename()).toBe('my-data.json');
  const text = readFileSync(await download.path(), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ email: student.email, classes: [{ classId }] });
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
});

test('a member changes the password by keyboard, and other devices show sign-in [PROFILE-12, AUTH-44]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const page = await windows.openWindowAs(student);
  const other = await windows.openWindowAs(student);
  windows.expectConsoleError('400');
  windows.expectConsoleError('403');
  await openProfile(page);
  const button = page.getByRole('button', { name: 'Change password' });
  await button.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Change password' });
  const current = dialog.getByLabel('Current password');
  const newPasswordField = dialog.getByLabel('New password');
  await expect(current).toBeFocused();
  await checkLooks(page, 'a new password');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(button).toBeFocused();
  await page.keyboard.press('Enter');

  await page.keyboard.type('not the right one');
  await newPasswordField.fill('another good one');
  await page.keyboard.press('Enter');
  await expect(current).toHaveAccessibleDescription('This is not your current password.');
  await expect(current).toBeFocused();
  await expect(current).toHaveAttribute('aria-invalid', 'true');
  await current.fill(password);
  await newPasswordField.fill('iloveyou');
  await page.keyboard.press('Enter');
  await expect(newPasswordField).toHaveAccessibleDescription(
    /This password is too easy to guess\. Try three or four words/,
  );
  await expect(newPasswordField).toBeFocused();
  await newPasswordField.fill('another good one');
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

async function openDeletion(page: Page) {
  await openProfile(page);
  await page.getByRole('button', { name: 'Delete account' }).click();
  return page.getByRole('dialog', { name: 'Delete account' });
}

test('a member deletes the account and its messages after a choice and the password [PROFILE-28, PROFILE-29, PROFILE-30]', async ({
  windows,
  site,
}) => {
  const { ada, ben } = await createClassWithTwoMembers(site);
  const page = await windows.openWindowAs(ada);
  const bens = await windows.openWindowAs(ben);
  const other = await windows.openWindowAs(ada);
  windows.expectConsoleError('403');
  await say(page, 'to be taken back');
  await expect(findMessageText(bens, 'to be taken back')).toBeVisible();

  const dialog = await openDeletion(page);
  await expect(dialog.getByRole('radio', { checked: true })).toHaveCount(0);
  await checkLooks(page, 'the end of the account');
  const submit = dialog.getByRole('button', { name: 'Delete account' });
  await submit.click();
  await expect(dialog.getByRole('radiogroup')).toHaveAccessibleDescription(
    'Please choose what happens to your messages.',
  );
  await expect(dialog.getByRole('radio').first()).toBeFocused();
  await dialog.getByRole('radio', { name: /^Delete my messages/ }).check();
  await submit.click();
  const passwordField = dialog.getByLabel('Password', { exact: true });
  await expect(passwordField).toBeFocused();
  await expect(passwordField).toHaveAccessibleDescription('Please enter your password.');
  await passwordField.fill('not the right one');
  await submit.click();
  await expect(passwordField).toHaveAccessibleDescription('This is not your current password.');
  await passwordField.fill(password);
  await submit.click();
  await expect(page).toHaveURL('/signin?account-deleted');
  await expect(page.getByText('Your account is deleted.')).toBeVisible();
  await expect(other).toHaveURL('/signin');
  // The messages disappear from the class later, at a time that is independent of other classes.
  await expect(findMessageText(bens, 'to be taken back')).toBeVisible();
});
