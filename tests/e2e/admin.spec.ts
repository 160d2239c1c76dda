// The screen of operators who run the server.
import { readFile } from 'node:fs/promises';
import type { Locator } from '@playwright/test';
import { oneRosterFiles } from '#contract/one-roster.ts';
import { checkLooks, findViolations } from './axe.ts';
import { expect, onNodes, test } from './fixtures.ts';
import { createOperator } from './moderation.ts';
import { findClassLink, findMessage } from './room.ts';

test('an operator opens the overview by keyboard and reads the settings [ADMIN-16, ADMIN-17, ADMIN-18, ADMIN-27, LAYOUT-5]', async ({
  windows,
  site,
}) => {
  const operator = await createOperator(site);
  const page = await windows.openWindowAs(operator);
  await page.goto('/moderation');
  await page.getByRole('link', { name: 'Administration' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Administration', level: 1 })).toBeFocused();
  await expect(page).toHaveTitle(/Administration/);
  const health = page.getByRole('list', { name: 'Health of each part' }).getByRole('listitem');
  await expect(health).toHaveText([
    /^Disk/,
    /^DatabaseGoodIt answers\.$/,
    /^MailWarningSMTP_URL is not set/,
    /^PicturesGood/,
    /^SearchGoodIt is built in\.$/,
    /^BackupsWarningBACKUP_DIR is not set/,
    /^Server keyWarningNo one has confirmed/,
  ]);
  await expect(page.getByText('Below 0.5 GB').first()).toBeVisible();
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(15);
  await checkLooks(page, 'overview');

  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  const settings = page.getByRole('table', { name: /^(Set on this server|Defaults)$/ });
  await expect(settings.getByRole('row', { name: /^DATA_DIR/ })).toContainText('Environment');
  // Nodes cannot share a key that one of them makes in its folder.
  const source = onNodes ? 'Environment' : 'KEY_DIR';
  await expect(settings.getByRole('row', { name: /^SECRET_KEY/ })).toContainText(source);
  await expect(settings.getByRole('row', { name: /^LIMIT_FACTOR/ })).toBeVisible();
  await checkLooks(page, 'settings');
});

test('all tabs of a screen have one width, and start where every screen starts [LAYOUT-82]', async ({
  windows,
  site,
}) => {
  const page = await windows.openWindowAs(await createOperator(site));
  await page.goto('/admin');
  const measured = new Set<string>();
  for (const tab of [
    ...['Overview', 'Classes', 'Accounts', 'Announcements', 'Settings', 'Moderation'],
    ...['Guide', 'Roles', 'Audit log'],
  ]) {
    await page.getByRole('main').getByRole('link', { name: tab, exact: true }).click();
    if (tab === 'Moderation') continue;
    const name = tab === 'Audit log' ? 'Entries' : tab;
    const column = page.getByRole('group', { name, exact: true }).locator('> div');
    await expect(column).toBeVisible();
    const { x, width } = (await column.boundingBox())!;
    const main = (await page.getByRole('main').boundingBox())!;
    expect(x - main.x, tab).toBe(48);
    measured.add(`${width} px at ${x}`);
  }
  expect([...measured]).toHaveLength(1);
});

test('the table of classes breaks no word, and is a list of cards on a phone [LAYOUT-83]', async ({
  windows,
  site,
}) => {
  const operator = await createOperator(site);
  await operator.createClass({
    subjectAbbreviation: 'Wid',
    courseNumber: '7',
    courseName: 'Introduction to the philosophy of mind, of language and of the sciences',
  });
  const page = await windows.openWindowAs(operator, { viewport: { width: 768, height: 800 } });
  await page.goto('/admin/classes');
  await page.getByLabel('Search', { exact: true }).fill('wid 7');
  // Until the server has answered the search, the table has the classes of other tests too.
  const row = page
    .getByRole('table')
    .getByRole('row', { name: /^WID 7/ })
    .first();
  await expect(row).toBeVisible();
  const countLines = (text: Locator) =>
    text.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    });
  for (const width of [768, 900, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const status = page.getByRole('columnheader', { name: 'Status' });
    expect(await countLines(status), `Status, ${width} wide`).toBe(1);
    for (const text of ['Active', /^Fall \d{4}$/]) {
      const cell = row.getByRole('cell').getByText(text);
      expect(await countLines(cell), `${text}, ${width} wide`).toBe(1);
    }
  }

  await page.setViewportSize({ width: 390, height: 800 });

  await expect(page.getByRole('columnheader', { name: 'Status' })).toBeHidden();
  const card = row.getByRole('rowheader');
  for (const text of [/^Introduction/, /^Fall \d{4}, 1 member$/, 'Active']) {
    await expect(card.getByText(text)).toBeVisible();
  }
  expect(await countLines(card.getByText('Active'))).toBe(1);
});

test('an operator finds, edits and deletes classes, and ends and reopens a term [ADMIN-21, ADMIN-23, ADMIN-24, ADMIN-82, LAYOUT-5]', async ({
  windows,
  site,
}) => {
  const operator = await createOperator(site);
  const create = (courseNumber: string, courseName: string) =>
    operator.createClass({ subjectAbbreviation: 'Zgy', courseNumber, courseName });
  await create('7', 'Frogs and toads');
  const edited = await create('8', 'Cats');
  const year = new Date().getUTCFullYear();
  const page = await windows.openWindowAs(operator);
  await page.goto('/admin');
  await page.getByRole('link', { name: 'Classes', exact: true }).click();
  const rows = page.getByRole('table').locator('tbody').getByRole('row');
  await page.getByLabel('Search', { exact: true }).fill('zgy frog');
  await expect(rows).toHaveText([new RegExp(`^ZGY 7.*Fall ${year}.*Active`)]);
  await page.getByLabel('Search', { exact: true }).fill('zgy');
  await expect(rows).toHaveCount(2);
  await checkLooks(page, 'list of classes');
  await page.getByRole('button', { name: 'Class', exact: true }).click();
  await expect(rows).toHaveText([/^ZGY 8/, /^ZGY 7/]);
  await expect(page.getByRole('columnheader', { name: 'Class' })).toHaveAttribute(
    'aria-sort',
    'descending',
  );

  const choose = async (label: string, item: string) => {
    await page.getByRole('button', { name: `Options of ${label}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose('ZGY 8', 'Edit fields');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  await checkLooks(page, 'fields of a class');
  await dialog.getByLabel('Course name').fill('Lions');
  await dialog.getByLabel('Year').fill('20');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Please enter the year of the term.')).toBeVisible();
  await dialog.getByLabel('Year').fill('2044');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(rows.first()).toHaveText(/^ZGY 8.*Lions.*2044/);

  await choose('ZGY 8', 'Delete');
  await page.getByRole('button', { name: 'Delete class' }).click();
  await expect(rows.first()).toHaveText(/Deleted, restorable until/);
  await choose('ZGY 8', 'Restore');
  await expect(rows.first()).toHaveText(/Active/);
  expect((await operator.call('readClass', { params: { classId: edited } })).class.ended).toBe(
    false,
  );

  await page.getByRole('button', { name: 'End a term…' }).click();
  await dialog.getByLabel('Term').selectOption({ label: 'Fall 2044 (1 class)' });
  await expect(dialog.getByRole('listitem')).toHaveText(['ZGY 8 Lions']);
  expect(await findViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'End 1 class' }).click();
  await expect(page.getByText('1 class of Fall 2044 ended.')).toBeVisible();
  await expect(rows).toHaveText([/^ZGY 8.*Ended/, /^ZGY 7.*Active/]);

  await page.getByRole('button', { name: 'Reopen a term…' }).click();
  await dialog
    .getByLabel('Term')
    .selectOption({ label: (await dialog.getByText('Fall 2044, reopenable').textContent())! });
  await dialog.getByRole('button', { name: 'Reopen 1 class' }).click();
  await expect(page.getByText('1 class of Fall 2044 reopened.')).toBeVisible();
  await expect(rows.first()).toHaveText(/^ZGY 8.*Active/);
});

test('an operator ends, reopens and deletes a class, which a member has open [ADMIN-42, ROUTE-11]', async ({
  windows,
  site,
}) => {
  const operator = await createOperator(site);
  const ada = await site.createStudent();
  const classId = await ada.createClass({ subjectAbbreviation: 'Reo', courseNumber: '9' });
  const room = await windows.openWindowAs(ada);
  await room.goto(`/home/${classId}`);
  const field = room.getByRole('textbox', { name: 'Message' });
  await field.fill('Said before the end');
  await field.press('Enter');
  await expect(findMessage(room, 'Said before the end')).toContainText(', you');
  await field.fill('A draft');

  const page = await windows.openWindowAs(operator, { viewport: { width: 390, height: 800 } });
  await page.goto('/admin/classes');
  await page.getByLabel('Search', { exact: true }).fill(classId);
  const row = page.getByRole('table').locator('tbody').getByRole('row');
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Options of REO 9' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose('End');
  await expect(page.getByText('You can reopen it for 7 days.')).toBeVisible();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'End class' }).click();
  await expect(row).toContainText(/Ended, reopenable until/);
  await expect(room.getByText('This class has ended. You can still read it.')).toBeVisible();
  await expect(findMessage(room, 'Said before the end')).not.toContainText(', you');

  await choose('Reopen');
  await expect(page.getByText('REO 9 is open again.')).toBeVisible();
  await expect(row).toContainText('Active');
  await expect(findMessage(room, 'Said before the end')).toContainText(', you');
  await expect(field).toHaveValue('A draft');
  await field.press('Enter');
  await expect(findMessage(room, 'A draft')).toBeVisible();

  await choose('Delete');
  windows.expectConsoleError('404');
  await page.getByRole('button', { name: 'Delete class' }).click();
  for (const visit of [() => undefined, () => room.goto(`/home/${classId}`)]) {
    await visit();
    await expect(room).toHaveURL('/home');
    await expect(findClassLink(room, 'REO 9')).toHaveCount(0);
  }
});

test('an operator imports classes from a CSV file after a dry run, and exports them [ADMIN-25, ADMIN-26]', async ({
  windows,
  site,
}) => {
  const operator = await createOperator(site);
  const page = await windows.openWindowAs(operator);
  await page.goto('/admin/classes');
  await page.getByRole('link', { name: 'Import CSV' }).click();
  await checkLooks(page, 'an import without a file');
  const lines = Array.from({ length: 65 }, (_, n) => `IMP,${n},01,Course ${n},MWF,9:00,10:00`);
  const buffer = Buffer.from(
    [
      'Dept,Course,Sect,Title,Meets on,Start,End',
      ...lines,
      'IMP,99,01,Lost,Someday,9:00,10:00',
      '',
    ].join('\n'),
  );
  const file = { name: 'fall.csv', mimeType: 'text/csv', buffer };
  // The files of a OneRoster export load longer than the file that is chosen after them.
  const { promise: areChosen, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/assets/papaparse*', async (route) => {
    await areChosen;
    await route.continue();
  });
  const exported = oneRosterFiles.map((name) => ({ ...file, name }));
  for (const choice of [exported, file]) {
    await page.getByLabel(/^CSV file/).setInputFiles(choice);
  }
  release();
  const form = page.getByRole('form', { name: 'Columns' });
  await form.getByRole('button', { name: 'Check 66 lines' }).click();
  await expect(page.getByText('Choose a column for Season, Year.')).toBeVisible();
  await form.getByLabel('Days').selectOption({ label: 'Meets on' });
  await form.getByLabel('Season of all lines').selectOption('Fall');
  await form.getByLabel('Year of all lines').fill('2048');
  await form.getByRole('button', { name: 'Check 66 lines' }).click();
  await expect(
    page.getByText('65 new, 0 changed, 0 the same, 0 that fit several classes, 1 wrong.'),
  ).toBeVisible();
  await expect(page.getByRole('table').locator('tbody').getByRole('row').first()).toHaveText(
    /67.*Days: ‘Someday’ is not known\./,
  );
  expect(await findViolations(page)).toEqual([]);

  windows.expectConsoleError('ERR_FAILED');
  // The network is lost after the first lines, and the import continues.
  let calls = 0;
  await page.route('**/api/admin/imports', (route) => {
    calls += 1;
    return calls === 2 ? route.abort() : route.continue();
  });
  await page.getByRole('button', { name: 'Import 65 classes' }).click();
  await expect(page.getByText('Stopped after 60 of 65 lines.')).toBeVisible();
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByText('Imported 65 classes.')).toBeVisible();
  await form.getByRole('button', { name: 'Check 66 lines' }).click();
  await expect(page.getByText(/^0 new, 0 changed, 65 the same/)).toBeVisible();

  await page.getByRole('link', { name: 'Back to all classes' }).click();
  await page.getByLabel('Year', { exact: true }).fill('2048');
  await expect(page.getByText('65 classes')).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const csv = await readFile(await download.path(), 'utf8');
  expect(csv.split('\r\n')).toHaveLength(66);
  expect(csv.startsWith('\ufeffSubject,')).toBe(true);
  expect(csv).toContain('IMP,64,01,Course 64,Fall,2048,"Monday, Wednesday, Friday",09:00,10:00');
});
