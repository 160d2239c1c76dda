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

test('/privacy says who sees what, as the server does it [ANON-16, ANON-25, ROUTE-8]', async ({
  windows,
  site,
}) => {
  const page = await windows.openWindow();
  const student = await site.createStudent();
  const ownPage = await windows.openWindowAs(student);
  for (const [reader, path] of [
    [page, '/signin'],
    [page, '/signup'],
    [ownPage, '/profile'],
  ] as const) {
    await reader.goto(path);
    if (reader === ownPage) await expect(reader.getByText(student.email)).toBeVisible();
    await reader.getByRole('link', { name: 'Who can see what', exact: true }).click();
    await expect(reader).toHaveURL('/privacy');
    await expect(reader).toHaveTitle(/^Who can see what/);
    await expect(reader.getByRole('heading', { level: 1 })).toHaveText('Who can see what');
  }
  const findPart = (title: string) =>
    page.getByRole('article').locator('section').filter({ hasText: title });
  for (const [title, truth] of [
    ['Your classmates see', 'what you write in the class, and when you wrote or edited it;'],
    ['Your classmates see', 'that someone is typing, but not who.'],
    [
      'Everyone with an account sees',
      'whether it has ended, and how many people are in it, but no list of who they are;',
    ],
    ['Everyone with an account sees', 'the description and the rules of every class.'],
    ['No other student sees', 'your email address;'],
    ['What can still give you away', 'your own words: how you write'],
    ['What can still give you away', 'in a tiny class, or just after you join'],
    ['What can still give you away', 'the same name or picture in several classes'],
  ] as const) {
    await expect(findPart(title)).toContainText(truth);
  }
  const operator = findPart('The operator of this server sees');
  for (const truth of [
    'your email address, and the day you joined each class',
    'every message, as everyone in the class sees it',
    'Someone who controls the running server and its key can work it out.',
  ]) {
    await expect(operator).toContainText(truth);
  }
  await expect(findPart('A stranger sees')).toContainText('an @university.edu address');

  // A visitor with the link but without an account learns nothing about the class.
  const classId = await student.createClass({ courseName: 'Quiet Seminar' });
  await page.goto(`/home/${classId}`);
  await expect(page).toHaveURL('/signin');
  expect(await page.content()).not.toContain('Quiet Seminar');
  expect(await page.content()).not.toContain('CS 146');
});
