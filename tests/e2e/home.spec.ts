import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test } from './fixtures.ts';
import { findClassLink } from './room.ts';

test('a new student sees an empty list and the same bar on every screen [LAYOUT-1, LIST-1, LIST-2, LIST-6, ROUTE-3, ROUTE-7]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const page = await windows.openWindowAs(student);
  const panel = page.getByRole('navigation', { name: 'My Classes' });
  await expect(panel.getByRole('heading')).toHaveText('My Classes');
  await expect(panel.getByRole('paragraph')).toHaveText('You are not enrolled in any classes.');
  await expect(panel.getByRole('img', { name: 'School logo' })).toBeVisible();
  await expect(page.getByRole('main').getByRole('heading')).toHaveText('My Classes');
  await expect(page).toHaveTitle(/^My Classes/);

  const bar = page.getByRole('navigation', { name: 'Main' });
  await expect(bar.getByRole('link')).toHaveText(['Home', 'Create', 'Search', 'Profile']);
  expect((await bar.boundingBox())?.x).toBe(0);
  const element = await bar.elementHandle();
  for (const [name, path, heading] of [
    ['Create', '/create', 'Create Backchannel'],
    ['Search', '/search', 'Search Classes'],
    ['Profile', '/profile', 'Profile'],
    ['Home', '/home', 'My Classes'],
  ] as const) {
    await bar.getByRole('link', { name }).click();
    await expect(page).toHaveURL(path);
    await expect(page.getByRole('heading', { name: heading, exact: true }).first()).toBeVisible();
    expect(await element?.evaluate((node) => node.isConnected)).toBe(true);
    // A navigation would cancel the pending call and log it as failed.
    if (name === 'Profile') await expect(page.getByText(student.email)).toBeVisible();
  }

  await page.route('**/api/school-themes/*', (route) => route.fulfill({ json: {} }));
  await page.reload();
  await expect(panel.getByText('No logo', { exact: true })).toBeVisible();
  await expect(panel.getByRole('img', { name: 'School logo' })).toHaveCount(0);
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

test('a right-click on a class asks in a dialog, and only this member leaves the class [LIST-7, LIST-8, LIST-9, LAYOUT-20]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const page = await windows.openWindowAs(ben);
  let ofTheBrowser = 0;
  page.on('dialog', (dialog) => {
    ofTheBrowser += 1;
    void dialog.dismiss();
  });
  const row = findClassLink(page, /^CS 146/);
  const question = page.getByRole('alertdialog');

  for (const no of ['Escape', 'Cancel'] as const) {
    await row.click({ button: 'right' });
    await expect(question).toContainText('CS 146');
    await expect(question.getByRole('button')).toHaveText(['Cancel', 'Delete Class']);
    if (no === 'Escape') await page.keyboard.press('Escape');
    else await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(question).toHaveCount(0);
    await expect(row).toBeVisible();
  }
  expect((await ben.call('listClasses', {})).classes).toHaveLength(1);

  await row.click({ button: 'right' });
  await question.getByRole('button', { name: 'Delete Class' }).click();
  await expect(row).toHaveCount(0);
  await expect(page).toHaveURL('/home');
  expect(ofTheBrowser).toBe(0);
  expect((await ada.call('listClasses', {})).classes).toMatchObject([{ classId, memberCount: 1 }]);
  await ben.join(classId);
  await page.getByRole('button', { name: 'Options for CS 146' }).click();
  await expect(page.getByRole('menuitem', { name: 'Share Class', exact: true })).toBeVisible();
  await page.getByRole('menuitem', { name: 'Delete Class', exact: true }).click();
  await question.getByRole('button', { name: 'Delete Class' }).click();
  await expect(row).toHaveCount(0);
  expect((await ada.call('listClasses', {})).classes).toMatchObject([{ classId, memberCount: 1 }]);
});
