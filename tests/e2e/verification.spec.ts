import { createTestClient, password } from '#tests/support/test-client.ts';
import { findViolations } from './axe.ts';
import { createSite, expect, test } from './fixtures.ts';

test('a student verifies a sign-up with the mailed page and the password [AUTH-40, AUTH-41, AUTH-42, AUTH-55]', async ({
  windows,
}) => {
  const site = await createSite({ EMAIL_VERIFICATION: 'required' });
  windows.expectConsoleError('403');
  try {
    const email = 'ada@university.edu';
    const listMails = () => site.listMailsTo(email);
    const page = await windows.openWindow({ baseURL: site.origin });
    await page.goto('/signup');
    await page.getByLabel(/^Email/).fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign Up' }).click();
    const info = page.getByRole('main').getByRole('status');
    await expect(info).toContainText('We sent an email to this address');
    await expect(page).toHaveURL('/signup');
    await page.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => listMails().length).toBe(2);
    // Another address is a separate sign-up.
    await page.getByLabel(/^Email/).fill('ben@university.edu');
    await expect(page.getByRole('button', { name: 'Sign Up' })).toBeVisible();
    const { promise: isCorrected, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/sign-up/email', async (route) => {
      await isCorrected;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Sign Up' }).click();
    await page.getByLabel(/^Email/).fill('cem@university.edu');
    release();
    await expect(info).toContainText('We sent an email to this address');
    await expect(page.getByRole('button', { name: 'Sign Up' })).toBeVisible();

    const link = /http:\S+\/verify-email\S+/.exec(listMails().at(-1) ?? '')?.[0] ?? '';
    await page.goto(link);
    await expect(page.getByRole('heading', { name: 'Verify your email' })).toBeVisible();
    expect(await findViolations(page)).toEqual([]);
    const wire = createTestClient(site.origin, email);
    const early = wire.call('signIn', { body: { email, password } });
    await expect(early).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });

    const secret = page.getByLabel('Password', { exact: true });
    const button = page.getByRole('button', { name: 'Verify my email' });
    await button.click();
    await expect(page.getByRole('alert')).toHaveText('Please enter your password.');
    await secret.fill('not the right one');
    await button.click();
    await expect(page.getByRole('alert')).toHaveText('This is not your current password.');
    await expect(secret).toBeFocused();
    await secret.fill(password);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/home');
    await page.close();
  } finally {
    await site.end();
  }
});
