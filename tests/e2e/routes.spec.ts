import type { Route } from '@playwright/test';
import { expect, test } from './fixtures.ts';

test('signed-out people reach sign-in, sign-up and what is open, and nothing else [ROUTE-2, ROUTE-4, ROUTE-8]', async ({
  people,
}) => {
  const page = await people.newWindow();
  for (const path of [
    '/',
    '/home',
    '/home/AAAAAAAAAAAAAAAA',
    '/create',
    '/search',
    '/profile',
    '/no/such/page',
  ]) {
    await page.goto(path);
    await expect(page).toHaveURL('/signin');
  }
  for (const [path, heading] of [
    ['/signup', 'Join Backchannel'],
    ['/privacy', 'Who can see what'],
    ['/reset-password?token=x', /password/i],
    ['/verify-email?token=x', /verify/i],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(path);
  }
});

test('signed-in people are led home from sign-in, sign-up and unknown paths [ROUTE-1, ROUTE-4, ROUTE-11]', async ({
  people,
  site,
}) => {
  const page = await people.newWindowOf(await site.newStudent());
  people.expectConsoleError('404');
  for (const path of ['/signin', '/signup', '/no/such/page', '/home/AAAAAAAAAAAAAAAA', '/']) {
    await page.goto(path);
    await expect(page).toHaveURL('/home');
  }
});

test('what was asked for opens after signing in [ROUTE-2]', async ({ people, site }) => {
  const student = await site.newStudent();
  const page = await people.newWindow();
  await page.goto('/search');
  await page.getByLabel(/^Email/).fill(student.email);
  await page.getByLabel('Password', { exact: true }).fill(student.password);
  await page.getByRole('button', { name: 'Sign In' }).click();
  await expect(page).toHaveURL('/search');
});

test('says Loading... and then Loading theme... until it knows [ROUTE-5, ROUTE-6]', async ({
  people,
}) => {
  const page = await people.newWindow();
  let answerMe = () => {};
  let answerTheme = () => {};
  const me = new Promise<void>((resolve) => (answerMe = resolve));
  const theme = new Promise<void>((resolve) => (answerTheme = resolve));
  await page.route('**/api/me', (route) => me.then(() => route.continue()));
  await page.route('**/api/school-themes/*', (route) => theme.then(() => route.continue()));
  await page.goto('/home');
  await expect(page.getByText(/^Loading( theme)?\.\.\.$/)).toBeVisible();
  answerTheme();
  await expect(page.getByText('Loading...', { exact: true })).toBeVisible();
  answerMe();
  await expect(page).toHaveURL('/signin');
  await page.unroute('**/api/me');

  const slow = new Promise<void>((resolve) => (answerTheme = resolve));
  await page.unroute('**/api/school-themes/*');
  await page.route('**/api/school-themes/*', (route) => slow.then(() => route.continue()));
  await page.reload();
  await expect(page.getByText('Loading theme...', { exact: true })).toBeVisible();
  answerTheme();
  await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible();
});

for (const [how, answer] of [
  ['is refused', (route: Route) => route.abort()],
  ['does not come', () => new Promise<void>(() => {})],
] as const) {
  test(`when its theme ${how} the app opens all the same, and it is logged and told quietly [THEME-5, ERROR-4, ROUTE-6]`, async ({
    people,
  }) => {
    const page = await people.newWindow();
    people.expectConsoleError('ERR_FAILED');
    people.expectConsoleError('The school theme could not be loaded');
    await page.route('**/api/school-themes/*', answer);
    await page.goto('/signin');
    await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible();
    await expect(page.getByText("Your school's look could not be loaded.")).toBeVisible();
    await expect(page.getByText('No logo')).toBeVisible();
  });
}
