import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { password } from '#tests/support/test-client.ts';
import { checkLooks } from './axe.ts';
import { expect, smallPhone, test } from './fixtures.ts';
import { createOperator } from './moderation.ts';

/** A security key that answers by itself. Each window has its own keys. */
async function addSecurityKey(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
}

async function grantRole(page: Page, address: string): Promise<void> {
  await page.goto('/moderation/roles');
  const form = page.getByRole('form', { name: 'Grant a role' });
  await form.getByLabel('Person').fill(address);
  await form.getByLabel('Name', { exact: true }).fill('Kim');
  await form.getByLabel('Search a class').fill('art 718');
  await form.getByLabel('Class', { exact: true }).selectOption({ index: 1 });
  await form.getByRole('button', { name: 'Grant role' }).click();
}

test('an operator adds a passkey, confirms with a recovery code elsewhere, and with the passkey here [FACTOR-8, FACTOR-9]', async ({
  windows,
  site,
}) => {
  windows.expectConsoleError('403');
  const kim = await site.createStudent();
  await kim.createClass({ subjectAbbreviation: 'art', courseNumber: '718' });
  const operator = await createOperator(site, 'Chief');
  const page = await windows.openWindowAs(operator, smallPhone);
  await addSecurityKey(page);
  await page.goto('/profile');
  const section = page.getByRole('region', { name: 'Passkeys' });
  await section.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Phone');
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByLabel('Password', { exact: true }).press('Enter');
  await expect(dialog.getByRole('heading')).toHaveText('Your recovery codes');
  await checkLooks(page, 'recovery codes');
  const codes = await dialog.getByRole('listitem').allTextContents();
  const downloadEvent = page.waitForEvent('download');
  await dialog.getByRole('link', { name: 'Download' }).click();
  const file = readFileSync(await (await downloadEvent).path(), 'utf8');
  expect(file).toContain(codes.join('\n'));
  await dialog.getByRole('button', { name: 'I have kept them' }).click();
  await expect(section.getByRole('listitem')).toContainText('Phone');
  await expect(section).toContainText('10 recovery codes are left.');
  await checkLooks(page, 'passkeys');

  const desk = await windows.openWindowAs(operator);
  await grantRole(desk, kim.email);
  const question = desk.getByRole('dialog', { name: 'Confirm that it is you' });
  await checkLooks(desk, 'second factor');
  await question.getByRole('button', { name: 'Cancel' }).click();
  const form = desk.getByRole('form', { name: 'Grant a role' });
  await expect(form.getByRole('alert')).toContainText('Please confirm that it is you');
  await expect(form.getByLabel('Name', { exact: true })).toHaveValue('Kim');
  await form.getByRole('button', { name: 'Grant role' }).click();
  await question.getByRole('button', { name: 'Use a recovery code instead' }).click();
  await expect(question.getByLabel('Recovery code')).toBeFocused();
  await question.getByLabel('Recovery code').fill('not a code');
  await desk.keyboard.press('Enter');
  await expect(question).toContainText('This passkey or code was not accepted.');
  await question.getByLabel('Recovery code').fill(codes[0]!);
  await desk.keyboard.press('Enter');
  await expect(desk.getByText('Moderator in ART 718', { exact: true })).toBeVisible();
  await expect(question).toHaveCount(0);

  await desk.getByRole('button', { name: /^Revoke the role of Kim in ART 718/ }).click();
  await desk.getByRole('button', { name: 'Revoke role' }).click();
  await expect(desk.getByText('Moderator in ART 718', { exact: true })).toHaveCount(0);

  await page.context().clearCookies({ name: 'backchannel.factor' });
  await section.getByRole('button', { name: 'Remove Phone' }).click();
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page
    .getByRole('dialog', { name: 'Confirm that it is you' })
    .getByRole('button', { name: 'Use passkey' })
    .click();
  await expect(page.getByText('Your passkeys are changed.')).toBeVisible();
  await expect(section.getByRole('listitem')).toHaveCount(0);
});
