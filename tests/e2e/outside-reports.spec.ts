import { checkLooks } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { createOperator } from './moderation.ts';

test('a stranger reports without an account, and an operator’s decision arrives by mail [OUT-1, OUT-4, OUT-5, OUT-6, OUT-7]', async ({
  windows,
  site,
}) => {
  windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  const address = `stranger${Date.now()}@elsewhere.example`;
  const stranger = await windows.openWindow();
  await stranger.goto('/signin');
  await expect(stranger.getByRole('link', { name: 'Report something' })).toHaveAttribute(
    'href',
    '/report',
  );
  await stranger.goto('/report');
  const form = stranger.getByRole('form', { name: 'Report without an account' });
  const what = form.getByLabel('What is wrong, and why?');
  const submit = form.getByRole('button', { name: 'Send report' });

  await submit.click();
  await expect(what).toBeFocused();
  await expect(what).toHaveAccessibleDescription(/Please say what is wrong\./);
  await what.fill('a'.repeat(2001));
  await expect(what).toHaveAccessibleDescription(/At most 2,000 characters/);
  await checkLooks(stranger, 'a form with problems');
  await what.fill('They say that I cheated.');
  await form.getByLabel('Where is it?').fill('The chat of CS 146');
  await form.getByLabel('Your email').fill('stranger@elsewhere');
  await submit.click();
  await expect(form.getByLabel('Your email')).toBeFocused();
  await form.getByLabel('Your email').fill(address);
  await stranger.context().setOffline(true);
  await submit.click();
  await expect(form.getByRole('alert')).toContainText('The server cannot be reached.');
  await expect(what).toHaveValue('They say that I cheated.');
  await stranger.context().setOffline(false);
  await submit.click();

  await expect(stranger.getByRole('heading', { name: 'Thank you for your report' })).toBeVisible();
  await expect(stranger.getByRole('status').filter({ hasText: 'You get a receipt' })).toBeVisible();
  await checkLooks(stranger, 'a sent report');
  expect(await site.waitForMailTo(address)).not.toContain('cheated');

  const desk = await windows.openWindowAs(await createOperator(site, 'Olga'));
  // Other tests on the same site may have left cases.
  await expect(desk.getByRole('link', { name: /^Moderation/ })).toContainText('to decide');
  await desk.goto('/moderation/outside');
  const item = desk.getByRole('listitem').filter({ hasText: 'They say that I cheated.' });
  await expect(item).toContainText(address);
  await item.getByRole('button', { name: 'Something was done' }).click();
  await item.getByRole('button', { name: 'Decide and send' }).click();
  await expect(item.getByLabel('Reason')).toBeFocused();
  await checkLooks(desk, 'a report to decide');
  await item.getByLabel('Reason').fill('The message is removed.');
  await item.getByRole('button', { name: 'Decide and send' }).click();

  await expect(item).toContainText('Something was done');
  await expect(item).toContainText('The message is removed.');
  await expect(item.getByRole('button')).toHaveCount(0);
  await expect(desk.getByRole('heading', { name: 'From outside' })).toBeFocused();
  await checkLooks(desk, 'a decided report');
  await expect.poll(() => site.listMailsTo(address).at(-1)).toContain('The message is removed.');

  const body = { what: 'Buy at evil.example', place: 'CS 146', contactAddress: address };
  await (await site.createStudent()).call('reportFromOutside', { body });
  await desk.reload();
  const spam = desk.getByRole('listitem').filter({ hasText: 'Buy at evil.example' });
  await spam.getByRole('button', { name: 'Spam, no mail' }).click();
  await expect(spam.getByLabel('Reason')).toHaveCount(0);
  await spam.getByRole('button', { name: 'Decide without a mail' }).click();
  await expect(spam.getByRole('button')).toHaveCount(0);
});
