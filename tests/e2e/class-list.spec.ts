import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test } from './fixtures.ts';
import { openTab, deleteClass } from './room.ts';

test('the class list shows the school’s logo, and the main bar has its four icons in order [LIST-1, LIST-2, LAYOUT-1, ROUTE-10]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  await student.createClass({ subjectAbbreviation: 'math', courseNumber: '32' });
  const first = await student.createClass();
  const page = await windows.openWindowAs(student);
  await expect(page).toHaveURL(`/home/${first}`);
  const panel = page.getByRole('navigation', { name: 'My Classes' });
  await expect(panel.getByRole('img', { name: 'School logo' })).toBeVisible();
  await expect(panel.getByRole('heading', { name: 'My Classes' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link')).toHaveText([
    'Home',
    'Create',
    'Search',
    'Profile',
  ]);

  windows.expectConsoleError('ERR_FAILED');
  await page.route('**/logos/**', (route) => route.abort());
  await page.goto('/home');
  await expect(panel.getByText('No logo', { exact: true })).toBeVisible();
  await expect(page).toHaveURL(`/home/${first}`);
});

test('the link of a class that was just left opens home, and a new tab offers to join again [LEAVE-5, LEAVE-6, JOIN-1]', async ({
  windows,
  site,
}) => {
  const { ben, classId } = await createClassWithTwoMembers(site);
  const page = await windows.openWindowAs(ben);
  await deleteClass(page, 'CS 146');
  await expect(page).toHaveURL('/home');
  for (let times = 0; times < 2; times++) {
    await page.goto(`/home/${classId}`);
    await expect(page).toHaveURL('/home');
    await expect(page.getByText('You are not enrolled in any classes.').first()).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
  const tab = await openTab(page, classId);
  await expect(tab.getByText('Would you like to join CS 146?')).toBeVisible();
});
