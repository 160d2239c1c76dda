import { runAdminCommand } from '#tests/support/run-command.ts';

import { expect, test } from './fixtures.ts';
import { openTab } from './room.ts';

test('members who have a deleted class open go home, and the class appears nowhere [ADMIN-2, ADMIN-3, ROUTE-11, SEARCH-20]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const otherClassId = await student.createClass({ subjectAbbreviation: 'art', courseNumber: '1' });
  // The tests of a worker share a site, and no other one uses this subject.
  const classId = await student.createClass({ subjectAbbreviation: 'quvx', courseNumber: '7' });
  const page = await windows.openWindowAs(student);
  await page.goto(`/home/${classId}`);
  await expect(page.getByRole('heading', { name: 'QUVX 7' })).toBeVisible();
  const otherTab = await openTab(page, otherClassId);
  await expect(otherTab.getByRole('link', { name: 'QUVX 7' })).toBeVisible();

  windows.expectConsoleError('404');
  const done = await runAdminCommand(site.settings, 'delete-class', classId);
  expect(done.errors).toEqual([]);
  // Home opens the first class that is left.
  await expect(page).toHaveURL(`/home/${otherClassId}`);
  await expect(otherTab.getByRole('link', { name: 'QUVX 7' })).toHaveCount(0);
  await expect(otherTab).toHaveURL(`/home/${otherClassId}`);

  await page.goto(`/home/${classId}`);
  await expect(page).toHaveURL(`/home/${otherClassId}`);
  await expect(page.getByText('Would you like to join')).toHaveCount(0);
  await page.goto('/search?q=quvx');
  await expect(page.getByText('No class matches')).toBeVisible();
});
