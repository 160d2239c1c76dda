// What moderators set for a class, as a moderator and a member see it.
import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import type { SettingsChange } from '#contract/classes.ts';
import { grantStaffByCommand } from '#tests/support/roles.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import { findViolations } from './axe.ts';
import { expect, test, type Windows, type Site } from './fixtures.ts';
import {
  findComposer,
  openMenu,
  findRoom,
  findMessageText,
  say,
  chooseClassAction,
  openClassPanel,
} from './room.ts';

/** Makes the student a moderator of the class. */
async function grant(site: Site, student: TestClient, classId: string): Promise<void> {
  const done = await runAdminCommand(
    site.settings,
    'grant-moderator',
    student.email,
    classId,
    'Kim',
  );
  expect(done).toMatchObject({ code: 0, errors: [] });
}

async function change(moderator: TestClient, classId: string, settings: Partial<SettingsChange>) {
  const params = { classId };
  const { version } = (await moderator.call('readClassSettings', { params })).settings;
  return moderator.call('changeClassSettings', { params, body: { version, ...settings } });
}

/** Ada moderates the class. Ben is a member and sees the room. */
async function openModeratedClass(windows: Windows, site: Site) {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await grant(site, ada, classId);
  const benPage = await windows.openWindowAs(ben);
  await expect(findComposer(benPage)).toBeVisible();
  return { ada, ben, classId, benPage };
}

const findDialog = (page: Page) => page.getByRole('dialog');
const readOnly = 'This class is read-only for now. You can still read it.';

test('a member keeps the draft when a moderator makes the class read-only, turns off pictures or plans a quiet time [CSET-19, LAYOUT-5]', async ({
  windows,
  site,
}) => {
  const { ada, classId, benPage } = await openModeratedClass(windows, site);
  const adaPage = await windows.openWindowAs(ada);
  await say(benPage, 'Before the exam');
  await findComposer(benPage).fill('Half a thought');
  await chooseClassAction(adaPage, 'Class Settings');
  await expect(findDialog(adaPage).getByLabel('Rules')).toBeVisible();
  expect(await findViolations(adaPage)).toEqual([]);
  await findDialog(adaPage).getByLabel('Read-only, for example during an exam').check();
  await findDialog(adaPage).getByRole('button', { name: 'Save' }).click();
  await expect(findDialog(adaPage)).toHaveCount(0);

  for (const page of [adaPage, benPage]) {
    await expect(page.getByText(readOnly)).toBeVisible();
    await expect(findComposer(page)).toHaveCount(0);
  }
  await expect(benPage.getByRole('region', { name: 'Not sent' })).toContainText('Half a thought');
  // Deleting one's own message and copying stay possible. Nothing else does.
  await openMenu(benPage, 'Before the exam');
  const items = benPage.getByRole('menuitem');
  await expect(items.filter({ hasText: 'Delete' })).toBeVisible();
  for (const label of ['Reply', 'Edit']) {
    await expect(items.filter({ hasText: label })).toHaveCount(0);
  }
  await benPage.keyboard.press('Escape');

  await chooseClassAction(adaPage, 'Class Settings');
  await findDialog(adaPage).getByLabel('Read-only, for example during an exam').uncheck();
  const { promise: isTyped, resolve: release } = Promise.withResolvers<void>();
  await adaPage.route('**/settings', async (route) => {
    await isTyped;
    await route.continue();
  });
  await findDialog(adaPage).getByRole('button', { name: 'Save' }).click();
  // What is being saved stays as it is.
  await expect(findDialog(adaPage).getByRole('button', { name: 'Cancel' })).toBeDisabled();
  await findDialog(adaPage).getByLabel('Rules').pressSequentially('Too late');
  await adaPage.keyboard.press('Escape');
  await expect(findDialog(adaPage).getByLabel('Rules')).toHaveValue('');
  release();
  await expect(findComposer(benPage)).toHaveValue('Half a thought');

  const uploads: string[] = [];
  benPage.on('request', (request) => {
    if (request.url().endsWith('/images') && request.method() === 'POST') uploads.push('upload');
  });
  await expect(benPage.getByRole('button', { name: 'Add pictures or PDFs' })).toBeVisible();
  await change(ada, classId, { picturesOff: true });
  await expect(benPage.getByRole('button', { name: 'Add pictures or PDFs' })).toHaveCount(0);
  await benPage.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array([1, 2, 3])], 'a.png', { type: 'image/png' }));
    window.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  });
  await expect(benPage.getByText('Pictures and PDFs are turned off in this class.')).toBeVisible();
  expect(uploads).toEqual([]);

  // In a quiet time, too, members read why they cannot write, and keep their draft.
  await chooseClassAction(adaPage, 'Class Settings');
  const dialog = findDialog(adaPage);
  await dialog.getByRole('button', { name: 'Add a quiet time' }).press('Enter');
  const quietTime = dialog.getByRole('group', { name: 'Quiet time 1' });
  await expect(quietTime.getByLabel('From')).toBeFocused();
  await quietTime.getByLabel('From').fill('2020-01-01T10:00');
  await quietTime.getByLabel('Until').fill('2019-01-01T10:00');
  await quietTime.getByLabel('What members read').fill('Exam in room 5');
  // The buttons of the dialog stay at its end, and cover what is scrolled under them.
  const removal = dialog.getByRole('button', { name: 'Remove quiet time 1' });
  await removal.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  expect(await findViolations(adaPage)).toEqual([]);

  await dialog.getByRole('button', { name: 'Save' }).click();
  const problem = dialog.getByRole('alert');
  await expect(problem).toHaveText('Quiet time 1: A quiet time must end after it begins.');
  await expect(problem).toBeInViewport({ ratio: 1 });
  await expect(quietTime.getByLabel('Until')).toHaveValue('2019-01-01T10:00');
  await quietTime.getByLabel('Until').fill('2090-06-01T10:00');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);

  const end = /^Exam in room 5\s*You can read now, and write again on (May 31|June [12]), 2090, /;
  for (const page of [adaPage, benPage]) {
    await expect(page.getByRole('status').filter({ hasText: end })).toBeVisible();
    await expect(findComposer(page)).toHaveCount(0);
  }
  await expect(benPage.getByRole('region', { name: 'Not sent' })).toContainText('Half a thought');
  expect(await findViolations(benPage)).toEqual([]);
  const panel = await openClassPanel(benPage, 'Details');
  await expect(panel).toContainText(/Quiet time: .*: Exam in room 5/);

  await chooseClassAction(adaPage, 'Class Settings');
  await removal.click();
  await expect(dialog.getByRole('group', { name: 'Quiet times' })).toBeFocused();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(findComposer(benPage)).toHaveValue('Half a thought');
});

test('members open and jump to messages that a moderator pinned [CSET-20, CSET-21]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId, benPage } = await openModeratedClass(windows, site);
  const adaPage = await windows.openWindowAs(ada);
  await ben.post(classId, 'The exam is in **room 5**');
  const socket = await ada.connect();
  for (let n = 0; n < 80; n++) await socket.post(classId, `Small talk ${n}`);
  socket.close();
  await ben.post(classId, 'Bring a calculator');
  // The bar keeps its place while its code does not load, and loads when the network is back.
  windows.expectConsoleError('ERR_FAILED');
  let askedCount = 0;
  await benPage.route('**/assets/pin-bar-*.js', (route) => {
    askedCount += 1;
    return route.abort();
  });
  await openMenu(adaPage, 'Bring a calculator');
  await adaPage.getByRole('menuitem', { name: 'Pin', exact: true }).click();
  await expect.poll(() => askedCount).toBeGreaterThan(0);
  const measureTop = async () => (await findRoom(benPage).boundingBox())?.y;
  const topBefore = await measureTop();
  // The room says nothing of it.
  await expect(benPage.getByRole('alert').filter({ hasText: 'could not be loaded' })).toHaveCount(
    0,
  );
  await benPage.unroute('**/assets/pin-bar-*.js');
  await benPage.evaluate(() => dispatchEvent(new Event('online')));
  const bar = benPage.getByRole('region', { name: 'Pinned messages' });
  await expect(bar).toContainText('Bring a calculator');
  expect(await measureTop()).toBe(topBefore);
  const { messages } = await ada.call('listMessages', {
    params: { classId },
    query: { after: 0, limit: 1 },
  });
  const first = messages[0]?.id ?? '';
  const { settings } = await ada.call('readClassSettings', { params: { classId } });
  await change(ada, classId, { pins: [first, ...settings.pins] });

  const toggle = bar.getByRole('button', { expanded: false });
  await expect(toggle).toContainText('The exam is in room 5');
  await toggle.click();
  await expect(bar.getByRole('listitem')).toHaveCount(2);
  await benPage.keyboard.press('Escape');
  await expect(bar.getByRole('listitem')).toHaveCount(0);
  await expect(toggle).toBeFocused();
  await toggle.press('Enter');
  await bar.getByRole('listitem').first().getByRole('button').click();
  await expect(findRoom(benPage).getByText('room 5')).toBeInViewport();

  // A member has neither 'Pin' nor settings.
  await openMenu(benPage, 'Small talk 0');
  await expect(benPage.getByRole('menuitem', { name: /Pin/ })).toHaveCount(0);
  await benPage.keyboard.press('Escape');
  const panel = await openClassPanel(benPage, 'Details');
  await expect(panel.getByRole('button', { name: 'Your Reports' })).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Class Settings' })).toHaveCount(0);
  await benPage.keyboard.press('Escape');

  const benSocket = await ben.connect();
  await benSocket.request({ type: 'delete', classId, messageId: first });
  await expect(bar).toContainText('Bring a calculator');
  await openMenu(adaPage, 'Bring a calculator');
  await adaPage.getByRole('menuitem', { name: 'Unpin' }).click();
  await expect(bar).toHaveCount(0);
});

test('the list of pins has the badge of staff, and collapses the message of an ignored person until a press on it [CSET-21, SELF-8]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId, benPage } = await openModeratedClass(windows, site);
  await grantStaffByCommand(site.settings, { email: ben.email, classId }, 'Prof. Lee');
  const id = randomUUID();
  const socket = await ben.connect();
  await socket.request({ type: 'post', classId, id, text: 'The exam is in room 5', staff: true });
  const { id: ignoredId } = await ada.post(classId, 'Bring a calculator');
  const { memberId } = (await ada.snapshot(classId)).me;
  await change(ada, classId, { pins: [ignoredId, id] });
  const bar = benPage.getByRole('region', { name: 'Pinned messages' });
  await expect(bar).toContainText('Bring a calculator');
  const body = { ignored: [memberId], hidden: [], muted: false, version: 0 };
  await ben.call('savePreferences', { params: { classId }, body });
  await expect(bar).toContainText('Message from an ignored person');
  await expect(bar).not.toContainText('Bring a calculator');
  await bar.getByRole('button', { expanded: false }).click();
  const entries = bar.getByRole('listitem').getByRole('button');
  await expect(entries).toHaveText(['Message from an ignored person', /The exam is in room 5/]);
  // The badge is as wide as its text.
  const badge = bar.getByRole('listitem').getByText('Staff', { exact: true });
  const name = await bar.getByRole('listitem').getByText('Prof. Lee').boundingBox();
  const { x, y, width } = (await badge.boundingBox())!;
  expect(width).toBeLessThan(50);
  // It is behind the name.
  expect(x).toBeGreaterThan(name!.x + name!.width);
  expect(y).toBeLessThan(name!.y + name!.height);

  await entries.first().click();
  await expect(findMessageText(benPage, 'Bring a calculator')).toBeVisible();
});

test('a student sees the description and the rules of a class before joining [CSET-23]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  const classId = await ada.createClass({ courseName: 'Dendrology of Rules' });
  await grant(site, ada, classId);
  await change(ada, classId, {
    description: 'About **trees**.',
    rules: '- Be kind\n- No spoilers',
  });
  const eve = await site.createStudent();
  const page = await windows.openWindowAs(eve);
  await page.goto(`/home/${classId}`);
  await expect(findDialog(page)).toContainText('About trees.');
  await expect(findDialog(page).locator('strong')).toHaveText('trees');
  await expect(findDialog(page).getByRole('listitem')).toHaveText(['Be kind', 'No spoilers']);
  await findDialog(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(findDialog(page)).toHaveCount(0);

  await page.goto('/search');
  await page.getByRole('searchbox').fill('dendrology');
  await page.getByRole('article', { name: 'Dendrology of Rules' }).getByRole('button').click();
  await expect(findDialog(page)).toContainText('No spoilers');
  expect((await eve.call('listClasses', {})).classes).toEqual([]);
  await findDialog(page).getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByRole('button', { name: /^Start as / }).click();
  await expect(findComposer(page)).toBeVisible();
  await expect(await openClassPanel(page, 'Details')).toContainText('No spoilers');
});
