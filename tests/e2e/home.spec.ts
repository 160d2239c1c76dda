import { expect, test } from './fixtures.ts';

test('a new student sees an empty list and the same bar on every screen [LAYOUT-1, LAYOUT-13, LIST-1, ROUTE-3, ROUTE-7, KEY-2]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const page = await windows.openWindowAs(student);
  const panel = page.getByRole('navigation', { name: 'My Classes' });
  await expect(panel.getByRole('heading')).toHaveText('My Classes');
  await expect(panel.getByRole('paragraph')).toHaveText('You are not enrolled in any classes.');
  await expect(panel.getByRole('img', { name: 'School logo' })).toBeVisible();
  await expect(page.getByRole('main').getByRole('heading')).toHaveText(
    'Ask what everyone is wondering.',
  );
  await expect(page).toHaveTitle(/^My Classes/);

  const bar = page.getByRole('navigation', { name: 'Main' });
  await expect(bar.getByRole('link')).toHaveText(['Home', 'Create', 'Search', 'Profile']);
  expect((await bar.boundingBox())?.x).toBe(0);
  const element = await bar.elementHandle();
  for (const [name, path, heading] of [
    ['Create', '/create', 'Create Backchannel'],
    ['Search', '/search', 'Search Classes'],
    ['Profile', '/profile', 'Profile'],
    ['Home', '/home', 'Ask what everyone is wondering.'],
  ] as const) {
    await bar.getByRole('link', { name }).click();
    await expect(page).toHaveURL(path);
    const title = page.getByRole('main').getByRole('heading', { level: 1 });
    await expect(title).toHaveText(heading);
    const hasSearchBox = name === 'Search' || name === 'Home';
    await expect(hasSearchBox ? page.getByRole('searchbox') : title).toBeFocused();
    expect(await element?.evaluate((node) => node.isConnected)).toBe(true);
    // A navigation would cancel the pending call and log it as failed.
    if (name === 'Profile') await expect(page.getByText(student.email)).toBeVisible();
  }

  await page.keyboard.press('Control+k');
  const switcher = page.getByRole('dialog', { name: 'Switch class' });
  await expect(switcher).toContainText('You are not enrolled in any classes.');
  await switcher.getByRole('link', { name: 'Search all classes' }).click();
  await expect(page).toHaveURL('/search');
  await expect(switcher).toHaveCount(0);

  windows.expectConsoleError('ERR_FAILED');
  await page.route('**/logos/**', (route) => route.abort());
  await page.goto('/home');
  await expect(panel.getByText('No logo', { exact: true })).toBeVisible();
  await expect(page.getByRole('searchbox')).toBeFocused();
  await page.unroute('**/logos/**');
  await page.route('**/api/school-themes/*', (route) => route.fulfill({ json: {} }));
  await page.reload();
  await expect(panel.getByText('No logo', { exact: true })).toBeVisible();
  await expect(panel.getByRole('img', { name: 'School logo' })).toHaveCount(0);

  await page.goto('/create');
  await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible();
  // After a full page load the browser's own focus order applies.
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
});

test('home opens the first class of the list, which marks the open class [ROUTE-3, ROUTE-7, ROUTE-10, LIST-3, LIST-4]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const math = await student.createClass({ subjectAbbreviation: 'math', courseNumber: '32' });
  const art = await student.createClass({ subjectAbbreviation: 'ART', courseNumber: '12' });
  const page = await windows.openWindowAs(student);
  await expect(page).toHaveURL(`/home/${art}`);
  await expect(page.getByRole('heading', { name: 'ART 12', exact: true })).toBeVisible();
  const panel = page.getByRole('navigation', { name: 'My Classes' });
  const links = panel.getByRole('link');
  await expect(links).toHaveText([/^ART 12/, /^MATH 32/]);
  const findCurrentLink = () => panel.locator('[aria-current=page]');
  await expect(findCurrentLink()).toHaveText(/^ART 12/);

  await links.last().click();
  await expect(page).toHaveURL(`/home/${math}`);
  await expect(page.getByRole('heading', { name: 'MATH 32', exact: true })).toBeVisible();
  await expect(findCurrentLink()).toHaveText(/^MATH 32/);
  await page.goto('/home');
  await expect(page).toHaveURL(`/home/${art}`);
});
