import type { Page } from '@playwright/test';

import { checkLooks, findViolations } from './axe.ts';
import { expect, test } from './fixtures.ts';

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('Course name').fill('Calculus III');
  await page.getByLabel('Subject abbreviation').fill('math');
  await page.getByLabel('Course number').fill('32');
  await page.getByLabel('Section number').fill('1');
  const season = page.getByLabel('Semester season');
  await expect(season.getByRole('option')).toHaveText([
    'Select a season',
    'Spring',
    'Summer',
    'Fall',
    'Winter',
  ]);
  await season.selectOption('Spring');
  const days = page.getByRole('combobox', { name: 'Days of the week' });
  const list = page.getByRole('dialog', { name: 'Days of the week' });
  await days.click();
  await expect(list.locator('label')).toHaveText([
    'Monday',
    'Tuesday',
    'Wednesday',
    'Thursday',
    'Friday',
    'Saturday',
    'Sunday',
  ]);
  await list.getByLabel('Friday').check();
  await list.getByLabel('Tuesday').check();
  await expect(days).toHaveText('Tuesday, Friday');
  // The button that opened the list also closes it, and so does a click outside.
  await days.click();
  await expect(list).toHaveCount(0);
  await days.click();
  await expect(list).toBeVisible();
  await page.getByRole('heading', { name: 'Create Backchannel' }).click();
  await expect(list).toHaveCount(0);
  await page.getByLabel('Begin class time').fill('10:00');
  await page.getByLabel('End class time').fill('11:00');
}

async function expectRejection(page: Page, sentence: string): Promise<void> {
  await page.getByRole('button', { name: 'Create class' }).click();
  await expect(page.getByRole('alertdialog')).toContainText(sentence);
  await page.getByRole('button', { name: 'OK' }).click();
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
}

test('the form of a new class rejects missing fields and wrong times, and keeps what was typed [CREATE-2, CREATE-6, CREATE-7, CREATE-8, CREATE-12, LAYOUT-9, LAYOUT-100]', async ({
  windows,
  site,
}) => {
  const page = await windows.openWindowAs(await site.createStudent());
  await page.goto('/create');
  await page.getByLabel('Course name').fill('Botany');
  await expectRejection(page, 'Please fill out all fields');
  await checkLooks(page, 'missing fields');
  const subject = page.getByLabel('Subject abbreviation');
  const days = page.getByRole('combobox', { name: 'Days of the week' });
  await expect(subject).toBeFocused();
  await expect(subject).toHaveAttribute('aria-invalid', 'true');
  await expect(subject).toHaveAccessibleDescription('Please fill this in.');
  await expect(days).toHaveAttribute('aria-invalid', 'true');
  await expect(days).toHaveAccessibleDescription('Please choose a day.');
  await expect(page.getByLabel('Course name')).toHaveAttribute('aria-invalid', 'false');
  await subject.fill('bot');
  await expect(subject).toHaveAttribute('aria-invalid', 'false');
  // A marked field stays in line with the one next to it.
  expect((await page.getByLabel('Course number').boundingBox())!.y).toBe(
    (await subject.boundingBox())!.y,
  );
  await fillIn(page);
  for (const label of ['Course name', 'Subject abbreviation', 'Course number', 'Section number']) {
    const field = page.getByLabel(label);
    const value = await field.inputValue();
    await field.fill('   ');
    await expectRejection(page, 'Please fill out all fields');
    await field.fill(value);
  }
  await page.getByLabel('End class time').fill('');
  await expectRejection(page, 'Please fill out all fields');
  for (const end of ['10:00', '09:59']) {
    await page.getByLabel('End class time').fill(end);
    await expectRejection(page, 'Begin Class Time must be earlier than End Class Time');
  }
  await expect(page.getByLabel('Begin class time')).toBeFocused();
  await expect(page.getByLabel('End class time')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByLabel('Course name')).toHaveValue('Calculus III');
  await page.getByLabel('End class time').fill('10:01');
  windows.expectConsoleError('ERR_FAILED');
  windows.expectConsoleError('Could not create class');
  await page.route('**/api/classes', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await expectRejection(page, 'Could not create class. Check console for errors.');
  await expect(page.getByLabel('Course name')).toHaveValue('Calculus III');
  await expect(page.getByLabel('End class time')).toHaveValue('10:01');
  await page.unroute('**/api/classes');
  await page.getByRole('button', { name: 'Create class' }).click();
  await expect(page.getByRole('heading', { name: 'MATH 32' })).toBeVisible();
});

test('A student creates a class without fixed hours, and finds it in the search [CREATE-22]', async ({
  windows,
  site,
}) => {
  const page = await windows.openWindowAs(await site.createStudent());
  await page.goto('/create');
  await page.getByLabel('Course name').fill('Botany Online');
  await page.getByLabel('No fixed hours').check();
  await expect(page.getByLabel('Begin class time')).toHaveCount(0);
  await expectRejection(page, 'Please fill out all fields');
  await page.getByLabel('Subject abbreviation').fill('bot');
  await page.getByLabel('Course number').fill('40');
  await page.getByLabel('Section number').fill('1');
  await page.getByLabel('Semester season').selectOption('Fall');
  await checkLooks(page, 'no fixed hours');

  await page.getByRole('button', { name: 'Create class' }).click();

  await expect(page.getByRole('heading', { name: 'BOT 40' })).toBeVisible();
  await page.goto('/search');
  await page.getByPlaceholder('Search your data here').fill('botany online');
  await expect(page.getByRole('article', { name: 'Botany Online' })).toContainText(
    'No Schedule Available',
  );
});

test('a student can always create a class instead of an offered one [CREATE-18]', async ({
  windows,
  site,
}) => {
  await (
    await site.createStudent()
  ).createClass({ subjectAbbreviation: 'math', courseNumber: '32' });
  const page = await windows.openWindowAs(await site.createStudent());
  await page.goto('/create');
  await fillIn(page);
  const offeredClasses = page.getByRole('list', { name: 'Classes that already exist' });
  windows.expectConsoleError('ERR_FAILED');
  const failed = page.waitForEvent('requestfailed');
  await page.route('**/queries', (route) => route.abort());
  await page.getByLabel('Course number').fill('33');
  await failed;
  await expect(offeredClasses).toHaveCount(0);
  await expect(page.getByRole('alert').filter({ hasText: /./ })).toHaveCount(0);
  await page.unroute('**/queries');
  await page.getByLabel('Course number').fill('32');
  await page.getByLabel('Semester season').selectOption('Fall');
  await expect(offeredClasses.getByRole('listitem').first()).toBeVisible();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create class' }).click();
  await expect(page.getByRole('heading', { name: 'MATH 32' })).toBeVisible();
});
