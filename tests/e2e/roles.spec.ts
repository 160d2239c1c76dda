import { expect, test } from './fixtures.ts';
import { createOperator } from './moderation.ts';

test('an operator grants and revokes roles, and the member sees it without a reload [MOD-90, MOD-50, MOD-102]', async ({
  windows,
  site,
}) => {
  windows.expectConsoleError('404');
  const kim = await site.createStudent();
  const classId = await kim.createClass({ subjectAbbreviation: 'art', courseNumber: '717' });
  const desk = await windows.openWindowAs(await createOperator(site, 'Chief'));
  const kimPage = await windows.openWindowAs(kim);
  await expect(kimPage.getByRole('link', { name: 'Moderation' })).toHaveCount(0);

  await desk.getByRole('link', { name: 'Moderation' }).click();
  await desk.getByRole('link', { name: 'Roles' }).click();
  const form = desk.getByRole('form', { name: 'Grant a role' });
  const submit = form.getByRole('button', { name: 'Grant role' });
  await form.getByLabel('Person').fill('nobody@university.edu');
  await form.getByLabel('Name', { exact: true }).fill('Kim');
  await submit.click();
  await expect(form.getByLabel('Class', { exact: true })).toBeFocused();
  await expect(form.getByLabel('Class', { exact: true })).toHaveAccessibleDescription(
    'Please choose a class.',
  );
  await form.getByLabel('Search a class').fill('art 717');
  await expect(form.getByRole('option')).toHaveCount(4);
  await form.getByLabel('Class', { exact: true }).selectOption(classId);
  await submit.click();
  await expect(form.getByRole('alert')).toContainText('There is no account with this address.');
  await expect(form.getByLabel('Name', { exact: true })).toHaveValue('Kim');
  await form.getByLabel('Person').fill(kim.email);
  await form.getByLabel('Name', { exact: true }).press('Enter');

  const kimInList = 'Kim, Moderator in ART 717';
  await expect(form.locator('datalist option', { hasText: kimInList })).toHaveCount(1);
  await form.getByLabel('Person').fill(kimInList);
  await expect(form.getByLabel('Name', { exact: true })).toHaveValue('Kim');
  await form.getByLabel('Role').selectOption('staff');
  await submit.click();
  await expect(desk.getByText('Staff in ART 717', { exact: true })).toBeVisible();

  const row = desk
    .getByRole('list', { name: 'Granted roles' })
    .getByRole('listitem')
    .filter({ hasText: 'Moderator in ART 717' });
  await expect(row).toContainText('Moderator in ART 717');
  await expect(desk.locator('body')).not.toContainText(kim.email);
  await expect(kimPage.getByRole('link', { name: 'Moderation' })).toBeVisible();

  await row.getByRole('button', { name: /^Revoke the role of Kim/ }).click();
  await desk.getByRole('button', { name: 'Revoke role' }).click();
  await expect(row).toHaveCount(0);
  await expect(kimPage.getByRole('link', { name: 'Moderation' })).toHaveCount(0);
});
