import { expect, test } from './fixtures.ts';

test('signed-out visitors reach sign-in, sign-up and public pages only [ROUTE-2, ROUTE-4, ROUTE-8]', async ({
  windows,
}) => {
  const page = await windows.openWindow();
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
    ['/reset-password#token=x', /password/i],
    ['/verify-email#token=x', /verify/i],
    ['/unsubscribe?token=x', /daily email/i],
    ['/report', 'Report without an account'],
    ['/data-copy#token=x', 'Your data'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible();
    const { pathname, search, hash } = new URL(page.url());
    expect(pathname + search + hash).toBe(path);
  }
});

test('signed-in students are redirected home from sign-in, sign-up and unknown paths [ROUTE-1, ROUTE-4, ROUTE-11]', async ({
  windows,
  site,
}) => {
  const page = await windows.openWindowAs(await site.createStudent());
  windows.expectConsoleError('404');
  for (const path of ['/signin', '/signup', '/no/such/page', '/home/AAAAAAAAAAAAAAAA', '/']) {
    await page.goto(path);
    await expect(page).toHaveURL('/home');
  }
});

test('A link that leads nowhere says so, and opens no other class [ROUTE-4, ROUTE-11]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  await student.createClass({ subjectAbbreviation: 'cs', courseNumber: '146' });
  const page = await windows.openWindowAs(student, { viewport: { width: 390, height: 800 } });
  windows.expectConsoleError('404');
  windows.expectConsoleError('400');
  for (const path of ['/home/AAAAAAAAAAAAAAAA', '/home/doesnotexist000']) {
    await page.goto(path);
    await expect(page.getByText('This class does not exist (any more).')).toBeVisible();
    await expect(page).toHaveURL('/home');
  }
  await page.goto('/nonsense');
  await expect(page.getByText('Page not found')).toBeVisible();

  await page.getByRole('button', { name: 'Class list' }).click();

  await page.getByRole('link', { name: 'CS 146' }).click();
  await expect(page.getByRole('heading', { name: 'CS 146' })).toBeVisible();
});

test('the app shows Loading... and then Loading theme... until it knows the account [ROUTE-5, ROUTE-6]', async ({
  windows,
}) => {
  const page = await windows.openWindow();
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

  // The app shows the same while a screen's code loads.
  let answerCode = () => {};
  const code = new Promise<void>((resolve) => (answerCode = resolve));
  await page.route('**/assets/privacy-screen-*.js', (route) => code.then(() => route.continue()));
  await page.goto('/privacy');
  await expect(page.getByText('Loading...', { exact: true })).toBeVisible();
  answerCode();
  await expect(page.getByRole('heading', { name: 'Who can see what' })).toBeVisible();
});

test('the app opens without its theme and shows a quiet notice [THEME-5, ERROR-4, ROUTE-6]', async ({
  windows,
}) => {
  const page = await windows.openWindow();
  windows.expectConsoleError('ERR_FAILED');
  windows.expectConsoleError('The school theme could not be loaded');
  let isAnswered = true;
  await page.route('**/api/school-themes/*', (route) =>
    isAnswered ? route.abort() : new Promise<void>(() => {}),
  );
  const expectNotice = async () => {
    await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible();
    await expect(page.getByText('Your school’s theme didn’t load.')).toBeVisible();
    await expect(page.getByText('No logo')).toBeVisible();
  };
  await page.goto('/signin');
  await expectNotice();

  isAnswered = false;
  await page.clock.install();
  await page.reload();
  await expect(page.getByText('Loading theme...', { exact: true })).toBeVisible();
  await page.clock.runFor(16_000);
  await expectNotice();
});
