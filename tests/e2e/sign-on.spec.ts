import { startOidcServer } from '#tests/support/oidc-server.ts';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { findViolations } from './axe.ts';
import { createSite, expect, test } from './fixtures.ts';

async function setUp(settings: Record<string, string> = {}) {
  const port = await findFreePort();
  const provider = await startOidcServer(`http://localhost:${port}`);
  const site = await createSite({ ...provider.settings, ...settings, PORT: String(port) });
  return { provider, site };
}
const button = { name: 'Sign in with Riverside Login', exact: true };

test('a student signs in at the university to the account that they had [OIDC-2, OIDC-7, OIDC-11]', async ({
  windows,
}) => {
  const { provider, site } = await setUp();
  const ada = await site.createStudent();
  const page = await windows.openWindow({ baseURL: site.origin });
  const signOn = () => page.getByRole('button', button).click();
  provider.person = { sub: 'ada', email: ada.email, verified: true };
  await page.goto('/profile');
  // The page that makes accounts has the same button: a first sign-in makes one.
  await page.getByRole('link', { name: 'Create an account' }).click();
  await expect(page.getByRole('heading', { name: /^Join/ })).toBeVisible();
  await expect(page.getByRole('button', button)).toBeVisible();
  expect(await findViolations(page)).toEqual([]);
  await signOn();
  await expect(page.getByRole('heading', { name: 'You already have an account' })).toBeVisible();
  expect(new URL(page.url()).search).toBe('');
  windows.expectConsoleError('403');
  await page.getByLabel('Password', { exact: true }).fill('something else');
  await page.getByRole('button', { name: 'Confirm with password' }).click();
  await expect(page.getByRole('alert')).toContainText('This is not your current password.');
  await page.getByRole('button', { name: 'Mail me a link instead' }).click();
  await expect(page.getByText('The link is on its way.')).toBeVisible();
  // The mails of the sign-up may be there before it.
  const findLink = () => /\/sign-on#link=\S+/.exec(site.listMailsTo(ada.email).join('\n'))?.[0];
  await expect.poll(findLink).toBeDefined();
  await page.goto(findLink()!);
  await page.getByRole('button', { name: 'Confirm and sign in' }).click();
  // The page that asked for the sign-in.
  await expect(page).toHaveURL('/profile');
  await expect(page.getByText(ada.email)).toBeVisible();

  // A request that is on its way when the session ends is rejected.
  windows.expectConsoleError('401');
  // Logging out loads the page again.
  const loading = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Log Out' }).click();
  await loading;
  await expect(page.getByRole('button', button)).toBeVisible();
  await page.goto('/home');
  const { entered } = provider;
  await signOn();
  await expect(page).toHaveURL(/\/home/);
  expect(provider.entered).toBe(entered + 1);

  await page.goto('/profile');
  await page.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Sign in again with Riverside Login' }).click();
  // The page before has the same address.
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL('/profile');
  await page.getByRole('button', { name: 'Delete account' }).click();
  await dialog.getByLabel('Keep my messages under my anonymous names').check();
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await expect(page).toHaveURL('/signin?account-deleted');
  await windows.closeWindows();
  await site.end();
  await provider.stop();
});

test('the sign-in page without passwords has only the button of the university [OIDC-9, OIDC-10]', async ({
  windows,
}) => {
  const { provider, site } = await setUp({ PASSWORD_SIGN_IN: 'off' });
  const page = await windows.openWindow({ baseURL: site.origin });
  for (const path of ['/reset-password#token=x', '/verify-email#token=x', '/signup']) {
    await page.goto(path);
    await expect(page).toHaveURL('/signin');
  }
  await expect(page.getByRole('button', button)).toBeVisible();
  await expect(page.getByRole('textbox')).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Create an account' })).toHaveCount(0);

  windows.expectConsoleError('403');
  await page.getByRole('button', button).click();
  await expect(page.getByRole('alert')).toContainText('Your university did not sign you in.');
  await page.getByRole('link', { name: 'Back to sign in' }).click();
  provider.person = { sub: 'ben', email: 'ben@university.edu', verified: true };
  await page.getByRole('button', button).click();
  await expect(page).toHaveURL(/\/home/);
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByText('ben@university.edu')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Change password' })).toHaveCount(0);
  await windows.closeWindows();
  await site.end();
  await provider.stop();
});
