import { password } from '#tests/support/test-client.ts';
import { expect, stopServer, test } from './fixtures.ts';
import { findMessageText, say, deleteClass } from './room.ts';

test('two students meet in a class by its link, chat live, and find everything after a restart [ROUTE-2, ROUTE-9, CREATE-1, CREATE-11, SHARE-1, SHARE-2, JOIN-1, JOIN-2, CHAT-1, CHAT-3, CHAT-4, SEND-3, SEND-6, LEAVE-3]', async ({
  windows,
  site,
}) => {
  const ada = await windows.openWindow({ permissions: ['clipboard-read', 'clipboard-write'] });
  await ada.goto('/');
  await expect(ada).toHaveURL('/signin');
  await ada.getByRole('link', { name: 'Create an account' }).click();
  // The screen before it has a field of the same name, and stays until this one is complete.
  await expect(ada.getByRole('heading', { name: 'Join Backchannel' })).toBeVisible();
  await ada.getByLabel('Email (must end with @university.edu)').fill('ada@university.edu');
  await ada.getByLabel('Password', { exact: true }).fill(password);
  await ada.getByRole('button', { name: 'Sign Up' }).click();
  await expect(ada).toHaveURL('/home');
  await expect(ada.getByText('You are not enrolled in any classes.').first()).toBeVisible();

  await ada.getByRole('link', { name: 'Create', exact: true }).click();
  await expect(ada.getByRole('heading', { name: 'Create Backchannel' })).toBeVisible();
  await ada.getByLabel('Course name').fill('Data Structures');
  await ada.getByLabel('Subject abbreviation').fill('cs');
  await ada.getByLabel('Course number').fill('146');
  await ada.getByLabel('Section number').fill('02');
  await ada.getByLabel('Semester season').selectOption('Fall');
  await ada.getByRole('combobox', { name: /days/i }).click();
  await ada.getByLabel('Monday').check();
  await ada.getByLabel('Wednesday').check();
  await ada.keyboard.press('Escape');
  await ada.getByLabel('Begin class time').fill('09:00');
  await ada.getByLabel('End class time').fill('10:15');
  await ada.getByRole('button', { name: 'Create class' }).click();
  await expect(ada).toHaveURL(/\/home\/[\w-]{16}$/);
  await expect(ada.getByRole('heading', { name: 'CS 146' })).toBeVisible();

  await ada.getByRole('button', { name: 'Options for CS 146' }).click();
  await ada.getByRole('menuitem', { name: 'Share Class' }).click();
  const link = ada.url();
  await expect(ada.getByRole('alertdialog')).toContainText(
    `Class link copied to clipboard: ${link}`,
  );
  expect(await ada.evaluate(() => navigator.clipboard.readText())).toBe(link);
  await ada.getByRole('button', { name: 'OK' }).click();

  const ben = await windows.openWindow();
  await ben.goto(link);
  await expect(ben).toHaveURL('/signin');
  await ben.getByRole('link', { name: 'Create an account' }).click();
  await ben.getByLabel(/^Email/).fill('ben@university.edu');
  await ben.getByLabel('Password', { exact: true }).fill(password);
  await ben.getByRole('button', { name: 'Sign Up' }).click();
  const offer = ben
    .getByRole('dialog', { name: 'Join Class' })
    .or(ben.getByRole('alertdialog', { name: 'Join Class' }));
  await expect(offer).toContainText('Would you like to join CS 146?');
  await offer.getByRole('button', { name: 'Join' }).click();
  await ben.getByRole('button', { name: /^Start as / }).click();
  await expect(ben.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  expect(ben.url()).toBe(link);

  await say(ada, 'Is anybody here?');
  await expect(findMessageText(ben, 'Is anybody here?')).toBeVisible();
  await ben.getByPlaceholder('Type a message...').fill('Yes, me');
  await ben.getByRole('button', { name: 'Send' }).click();
  await expect(findMessageText(ada, 'Yes, me')).toBeVisible();
  await expect(ben.getByPlaceholder('Type a message...')).toHaveValue('');
  await expect(ada.getByRole('list').last().getByText(', Anonymous')).toHaveCount(1);
  expect(await ben.content()).not.toContain('ada@university.edu');

  await stopServer(windows, site);
  await say(ada, 'Said while the server was away');
  await expect(findMessageText(ada, 'Said while the server was away')).toBeVisible();
  await expect(
    ada.getByText('You are offline. Messages will be sent when you are back.'),
  ).toBeVisible();
  await site.start();
  await expect(findMessageText(ben, 'Said while the server was away')).toBeVisible({
    timeout: 60_000,
  });
  for (const page of [ada, ben]) {
    await page.reload();
    for (const text of ['Is anybody here?', 'Yes, me', 'Said while the server was away']) {
      await expect(findMessageText(page, text)).toHaveCount(1);
    }
  }

  await deleteClass(ben, 'CS 146');
  await expect(ben).toHaveURL('/home');
  await expect(ben.getByText('You are not enrolled in any classes.').first()).toBeVisible();
  await ben.goto(link);
  await expect(ben).toHaveURL('/home');
  await expect(ben.getByText('Would you like to join')).toHaveCount(0);
});
