// An operator merges a class that was created twice, while members have it open.
import { checkLooks } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { grant } from './moderation.ts';
import { findClassLink, findMessage } from './room.ts';

test('an operator merges a duplicate, and its members continue in the class that stays [ADMIN-46, ADMIN-48, ADMIN-60, LAYOUT-5]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  const ben = await site.createStudent();
  const operator = await site.createStudent();
  await grant(site, operator, null, 'Kim');
  const create = (
    student: typeof ada,
    courseName: string,
    semesterSeason: 'Fall' | 'Spring' = 'Fall',
  ) =>
    student.createClass({
      subjectAbbreviation: 'Mer',
      courseNumber: '5',
      courseName,
      semesterSeason,
    });
  const keptId = await create(ada, 'Frogs');
  const duplicateId = await create(ben, 'Frogs and toads');
  await create(ada, 'Frogs of spring', 'Spring');
  await grant(site, ben, duplicateId, 'Prof. Lee');
  await ada.post(keptId, 'Welcome to the frogs');
  await ben.post(duplicateId, 'Is anyone here?');
  const benPage = await windows.openWindowAs(ben);
  await benPage.goto(`/home/${duplicateId}`);
  await expect(findMessage(benPage, 'Is anyone here?')).toBeVisible();
  await expect(findClassLink(benPage, 'MER 5')).toHaveCount(1);

  const page = await windows.openWindowAs(operator);
  await page.goto('/admin/classes');
  await page.getByLabel('Search', { exact: true }).fill('toads');
  const rows = page.getByRole('table').locator('tbody').getByRole('row');
  await rows
    .filter({ hasText: 'MER 5' })
    .filter({ hasText: 'Frogs and toads' })
    .getByRole('button', { name: /^Options of/ })
    .click();
  await page.getByRole('menuitem', { name: 'Merge into…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Merge MER 5' });
  // The code of the class is searched first. Classes of other terms are no choice.
  const choices = dialog.getByRole('radio');
  await expect(choices).toHaveCount(1);
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
  await expect(choices.first()).toBeFocused();
  await expect(dialog.getByRole('radiogroup')).toHaveAccessibleDescription(
    'Choose the class that stays.',
  );
  await dialog.getByLabel('Search the class that stays').fill('no such class');
  await expect(dialog.getByText('No other active class of this term fits')).toBeVisible();
  await dialog.getByLabel('Search the class that stays').fill('frogs');
  await dialog.getByRole('radio', { name: /^MER 5 Frogs/ }).check();
  await expect(
    dialog.getByText('The duplicate has 1 member, the class that stays 1 member.'),
  ).toBeVisible();
  await expect(dialog.getByText('1 role of moderators and staff')).toBeVisible();
  await checkLooks(page, 'merge');

  // The network is lost: the choice stays, and the same button tries again.
  windows.expectConsoleError('ERR_FAILED');
  let calls = 0;
  await page.route('**/api/admin/classes/*/merge', (route) => {
    calls += 1;
    return calls === 1 ? route.abort() : route.continue();
  });
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
  await expect(dialog.getByRole('alert')).not.toBeEmpty();
  await expect(findClassLink(benPage, 'Ended')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
  await expect(page.getByText('MER 5 is merged.')).toBeVisible();
  await expect(dialog).toHaveCount(0);
  // Other tests of the worker have classes with these words, too.
  await expect(rows.filter({ hasText: 'MER 5' })).toHaveText([/Ended/]);

  // Ben's open room ends and leads to the other class, which is in the list without a reload.
  await expect(benPage.getByText('This class has ended. You can still read it.')).toBeVisible();
  await expect(findClassLink(benPage, 'MER 5')).toHaveCount(2);
  await checkLooks(benPage, 'ended class');
  await benPage.getByRole('link', { name: 'MER 5, Frogs' }).click();
  await expect(findMessage(benPage, 'Welcome to the frogs')).toBeVisible();
  await benPage.getByPlaceholder('Type a message...').fill('Found you');
  await benPage.keyboard.press('Enter');
  await expect(findMessage(benPage, 'Found you')).toContainText(', you');
});
