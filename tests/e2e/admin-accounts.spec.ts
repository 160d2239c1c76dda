// The screen on which operators help the owner of one account, and the page that confirms a corrected address.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { createTestClient, password, type TestClient } from '#tests/support/test-client.ts';
import { checkLooks, findViolations } from './axe.ts';
import { expect, test, type Windows, type Site } from './fixtures.ts';
import { createOperator } from './moderation.ts';
import { changeStoredAccounts } from '#tests/support/stored-accounts.ts';

async function openAccountsAsOperator(windows: Windows, site: Site) {
  const operator = await createOperator(site);
  const page = await windows.openWindowAs(operator);
  await page.goto('/admin/accounts');
  await expect(findAddressField(page)).toBeVisible();
  return { operator, page };
}

const findAddressField = (page: Page) => page.getByLabel('Email address');
const findAccountCard = (page: Page, { email }: TestClient) =>
  page.getByRole('region', { name: email });
const confirmWith = (page: Page, name: string) =>
  page.getByRole('alertdialog').getByRole('button', { name }).click();

async function find(page: Page, email: string) {
  await findAddressField(page).fill(email);
  await page.keyboard.press('Enter');
}

test('an operator finds an account by keyboard and signs it out [ADMIN-28, ADMIN-51, ADMIN-55, LAYOUT-5]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  await ada.createClass({ courseName: 'Zoology of Whales' });
  const { operator, page } = await openAccountsAsOperator(windows, site);
  await page.goto('/admin');
  await page.getByRole('link', { name: 'Accounts' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/admin/accounts');
  await expect(page.getByRole('region')).toHaveCount(0);
  const form = page.getByRole('search', { name: 'Accounts' });
  await form.getByRole('button', { name: 'Find account' }).click();
  await expect(findAddressField(page)).toBeFocused();
  await expect(findAddressField(page)).toHaveAccessibleDescription(
    /Please enter the whole address\.$/,
  );

  await find(page, 'nobody@university.edu');
  const status = page.getByRole('group', { name: 'Accounts' }).getByRole('status').first();
  await expect(status).toContainText('No account has the address nobody@university.edu.');
  await find(page, `  ${ada.email.toUpperCase()} `);
  await expect(status).toHaveText(`Found the account ${ada.email}.`);
  await expect(findAddressField(page)).toHaveValue(new RegExp(RegExp.escape(ada.email), 'i'));
  const accountCard = findAccountCard(page, ada);
  await expect(accountCard.getByRole('heading', { level: 2 })).toHaveText(ada.email);
  await checkLooks(page, 'an account found');
  const year = String(new Date().getFullYear());
  await expect(accountCard.getByRole('definition')).toHaveText([
    /erified/,
    new RegExp(year),
    'Password',
    new RegExp(`since .*${year}`),
  ]);
  await expect(page.getByText(/Whales|persona/)).toHaveCount(0);

  const download = page.waitForEvent('download');
  await accountCard.getByRole('button', { name: 'Save as a file' }).click();
  const savedFile = await download;
  expect(savedFile.suggestedFilename()).toBe('account.json');
  const file: unknown = JSON.parse(await readFile(await savedFile.path(), 'utf8'));
  const body = { email: ada.email };
  expect(file).toEqual((await operator.call('findAccount', { body })).supported);

  const signOut = accountCard.getByRole('button', { name: 'Sign out everywhere' });
  await signOut.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alertdialog')).toContainText('on all devices? The password stays');
  await page.keyboard.press('Escape');
  await expect(signOut).toBeFocused();
  expect((await ada.call('me', {})).account).not.toBeNull();
  await signOut.click();
  await confirmWith(page, 'Sign out');
  await expect(accountCard.getByText('Signed in on no device')).toBeVisible();
  await expect(page.getByText(`${ada.email} is signed out on all devices.`)).toBeVisible();
  expect((await ada.call('me', {})).account).toBeNull();
});

test('an operator sends links, and sees why one is rejected [ADMIN-34, ADMIN-55]', async ({
  windows,
  site,
}) => {
  windows.expectConsoleError('status of 409');
  const ada = await site.createStudent();
  await changeStoredAccounts(site, ada.email, { emailVerified: false });
  const { page } = await openAccountsAsOperator(windows, site);
  await find(page, ada.email);
  const accountCard = findAccountCard(page, ada);
  await expect(accountCard.getByText('Not verified yet')).toBeVisible();
  const verification = accountCard.getByRole('button', { name: 'Send verification link' });
  await verification.click();
  await confirmWith(page, 'Send link');
  await expect(page.getByText(`${ada.email} gets a link to verify the address.`)).toBeVisible();
  await accountCard.getByRole('button', { name: 'Send reset link' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('The old password works until');
  await confirmWith(page, 'Send link');
  await expect(page.getByText(`${ada.email} gets a link to set a new password.`)).toBeVisible();
  await expect.poll(() => site.listMailsTo(ada.email).length, { timeout: 20_000 }).toBe(2);

  await changeStoredAccounts(site, ada.email, { emailVerified: true });
  await verification.click();
  await confirmWith(page, 'Send link');
  await expect(accountCard.getByRole('alert')).toHaveText(/This address is verified already\./);
});

test('a student confirms a corrected address with the password [ADMIN-50, AUTH-40]', async ({
  windows,
  site,
}) => {
  for (const code of ['400', '403', '409']) windows.expectConsoleError(`status of ${code}`);
  const ada = await site.createStudent();
  const ben = await site.createStudent();
  const { page } = await openAccountsAsOperator(windows, site);
  const newEmail = `new.${ada.email}`;
  await find(page, ada.email);
  await findAccountCard(page, ada).getByRole('button', { name: 'Correct address…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Correct address' });
  const addressField = dialog.getByLabel('New address');
  await expect(addressField).toBeFocused();
  await addressField.fill('new');
  await page.keyboard.press('Enter');
  await expect(addressField).toHaveAccessibleDescription('Please enter the whole new address.');
  await checkLooks(page, 'the dialog that corrects an address');
  for (const [address, sentence] of [
    [ben.email, 'Another account has this address, or its mailbox.'],
    ['ada@elsewhere.edu', /university\.edu/],
  ] as const) {
    await addressField.fill(address);
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('alert')).toHaveText(sentence);
    await expect(addressField).toHaveValue(address);
    await expect(addressField).toBeFocused();
  }
  await addressField.fill(newEmail);
  await dialog.getByRole('button', { name: 'Send link' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText(`${newEmail} gets a link to confirm`)).toBeVisible();

  await expect.poll(() => site.listMailsTo(newEmail).length, { timeout: 20_000 }).toBe(1);
  const link = /http:\S+\/verify-email\S+/.exec(site.listMailsTo(newEmail)[0] ?? '')?.[0] ?? '';
  const phone = await windows.openWindow();
  await phone.goto(link);
  await expect(phone.getByRole('heading', { name: 'Confirm your new address' })).toBeVisible();
  await expect(phone).toHaveTitle(/Confirm your new address/);
  await expect(phone.getByText(/[Ss]ign up/)).toHaveCount(0);
  expect(await findViolations(phone)).toEqual([]);
  const secret = phone.getByLabel('Password', { exact: true });
  const confirm = phone.getByRole('button', { name: 'Confirm my new address' });
  await secret.fill('not the right one');
  await confirm.click();
  await expect(phone.getByRole('alert')).toHaveText('This is not your current password.');
  expect((await ada.call('me', {})).account).toMatchObject({ email: ada.email });
  await secret.fill(password);
  await confirm.click();
  await expect(phone).toHaveURL('/home');
  expect((await ada.call('me', {})).account).toBeNull();
  const renamed = createTestClient(site.origin, newEmail);
  await renamed.signIn();
  expect((await renamed.call('me', {})).account).toMatchObject({ email: newEmail });
  // A truncated link asks for no password.
  await phone.context().clearCookies();
  await phone.goto('/verify-email#change=address');
  await expect(phone.getByText('Ask the operator for a new link.')).toBeVisible();
  await expect(phone.getByLabel('Password', { exact: true })).toHaveCount(0);
});

test('an operator deletes an account after typing its address again [ADMIN-52, ADMIN-55]', async ({
  windows,
  site,
}) => {
  windows.expectConsoleError('status of 409');
  windows.expectConsoleError('status of 404');
  const ada = await site.createStudent();
  const { operator, page } = await openAccountsAsOperator(windows, site);
  await find(page, ada.email);
  await findAccountCard(page, ada).getByRole('button', { name: 'Delete account…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete account' });
  const repeatField = dialog.getByLabel('Type the address again');
  const remove = dialog.getByRole('button', { name: 'Delete account' });
  await expect(dialog.getByLabel('Messages')).toHaveValue('keep');
  await remove.click();
  await expect(repeatField).toHaveAccessibleDescription('This is not the address of the account.');
  await checkLooks(page, 'the dialog that deletes an account');
  await repeatField.fill(`x${ada.email}`);
  await page.keyboard.press('Enter');
  await expect(repeatField).toHaveAccessibleDescription('This is not the address of the account.');
  expect((await ada.call('me', {})).account).not.toBeNull();
  await repeatField.fill(ada.email);
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText(`The account ${ada.email} is deleted.`)).toBeVisible();
  await expect(findAccountCard(page, ada)).toHaveCount(0);
  await expect(findAddressField(page)).toBeFocused();
  expect((await ada.call('me', {})).account).toBeNull();

  // An operator, and an account that went meanwhile.
  await find(page, operator.email);
  await findAccountCard(page, operator).getByRole('button', { name: 'Delete account…' }).click();
  await repeatField.fill(operator.email);
  await remove.click();
  await expect(dialog.getByRole('alert')).toHaveText(/This is the account of an operator/);
  await expect(repeatField).toHaveValue(operator.email);
  await page.keyboard.press('Escape');
  const ben = await site.createStudent();
  await find(page, ben.email);
  const accountCard = findAccountCard(page, ben);
  await expect(accountCard).toBeVisible();
  await ben.call('deleteAccount', { body: { password, messages: 'keep' } });
  await accountCard.getByRole('button', { name: 'Send reset link' }).click();
  await confirmWith(page, 'Send link');
  await expect(accountCard.getByRole('alert')).toHaveText(/There is no account with this address/);
});

test('an operator blocks an address with its account, and takes the block back [ADMIN-85, ADMIN-86]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  const { page } = await openAccountsAsOperator(windows, site);
  await find(page, ada.email);
  await findAccountCard(page, ada).getByRole('button', { name: 'Delete account…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete account' });
  await dialog.getByLabel('Type the address again').fill(ada.email);
  await dialog.getByLabel('Block the address, too').check();
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  const reasonField = dialog.getByLabel('Why it is blocked');
  await expect(reasonField).toHaveAccessibleDescription(/Please say why\.$/);
  await reasonField.fill('Mailbox of someone else');
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await expect(dialog).toHaveCount(0);

  const blocks = page.getByRole('list', { name: 'Blocked addresses' });
  await expect(blocks.getByRole('listitem')).toContainText([/Mailbox of someone else, since/]);
  await expect(blocks).not.toContainText(ada.email);
  const signUp = { body: { email: ada.email, password } };
  await expect(ada.call('signUp', signUp)).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });

  await blocks.getByRole('button', { name: 'Unblock: Mailbox of someone else' }).click();
  await confirmWith(page, 'Unblock');
  await expect(page.getByText('No address is blocked.')).toBeVisible();
  await ada.call('signUp', signUp);
});
