// The persona of a member in a class: shown in the header, changed in a dialog, and visible to other members.
import type { Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { checkLooks } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { findComposer, findDelivery, meet, findMessage, findMessageText, say } from './room.ts';

const findPersonaButton = (page: Page, name = '.*, Anonymous') =>
  page.getByRole('button', { name: new RegExp(`^You are ${name}: change your name and icon$`) });
const findDialog = (page: Page) => page.getByRole('dialog', { name: 'Who you are in CS 146' });
const findNameField = (page: Page) => findDialog(page).getByRole('textbox', { name: 'Name' });
const save = (page: Page) => findDialog(page).getByRole('button', { name: 'Save' }).click();
const findIntroduction = (page: Page) =>
  page.getByRole('region', { name: 'Who you are in CS 146' });
const findMessageIcon = (page: Page, text: string) =>
  findMessage(page, text).locator('svg').first();

test('a new name and icon appear immediately on every member’s screen, and in no other class [PERSONA-3, PERSONA-19, ANON-6, CHAT-3, CHAT-7]', async ({
  windows,
  site,
}) => {
  const { ada, adaPage, benPage } = await meet(windows, site);
  await say(adaPage, 'Said before');
  await expect(findMessage(benPage, 'Said before')).toHaveAccessibleName(
    /^[A-Z][a-z]+ [A-Z][a-z]+, Anonymous, /,
  );
  const iconBefore = await findMessageIcon(benPage, 'Said before').innerHTML();
  await adaPage.bringToFront();
  await findPersonaButton(adaPage).click();
  await expect(findNameField(adaPage)).toBeFocused();
  await expect(findDialog(adaPage)).toContainText('Only for CS 146.');
  await expect(findDialog(adaPage)).toContainText(
    'Reusing a name from another class or site can give you away.',
  );
  await findNameField(adaPage).fill('  Blue   Fox ');
  await expect(findDialog(adaPage).getByText('Blue Fox', { exact: true })).toBeVisible();
  await findDialog(adaPage).getByRole('radio').nth(5).check();
  await save(adaPage);
  await expect(findDialog(adaPage)).toHaveCount(0);
  await expect(adaPage.getByText('You are now Blue Fox in CS 146.')).toBeVisible();
  await expect(findPersonaButton(adaPage, 'Blue Fox')).toBeVisible();
  await expect(findMessage(benPage, 'Said before')).toHaveAccessibleName(/^Blue Fox, /);
  expect(await findMessageIcon(benPage, 'Said before').innerHTML()).not.toBe(iconBefore);
  await expect(findPersonaButton(benPage)).toBeVisible();
  // The header also shows it after a reload, before the member has posted a message.
  await adaPage.reload();
  await expect(findPersonaButton(adaPage, 'Blue Fox')).toBeVisible();

  const otherClassId = await ada.createClass({ subjectAbbreviation: 'art', courseNumber: '1' });
  await adaPage.goto(`/home/${otherClassId}`);
  await expect(adaPage.getByRole('heading', { name: 'ART 1' })).toBeVisible();
  await expect(findPersonaButton(adaPage)).toBeVisible();
});

test('the persona dialog works with the keyboard and keeps what was typed until Cancel [PERSONA-1, PERSONA-4, PERSONA-28, PERSONA-12, PERSONA-15, PERSONA-19, PERSONA-37, AUTH-25, KEY-7, LAYOUT-5, LAYOUT-8, LAYOUT-11]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ada.call('changePersona', { params: { classId }, body: { anonymousName: 'Otter' } });
  const page = await windows.openWindowAs(ben);
  await findPersonaButton(page).focus();
  await page.keyboard.press('Enter');
  await expect(findNameField(page)).toBeFocused();
  await page.keyboard.type('Kestrel');
  await page.keyboard.press('Tab');
  const icons = findDialog(page).getByRole('radio');
  await expect(icons.first()).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(icons.nth(2)).toBeChecked();
  await expect(icons.nth(2)).toHaveAccessibleName(/^[A-Z][a-z]+ [A-Z][a-z]+$/);
  await page.keyboard.press('Enter');
  await expect(findPersonaButton(page, 'Kestrel')).toBeFocused();

  windows.expectConsoleError('status of 400');
  windows.expectConsoleError('status of 409');
  await findPersonaButton(page, 'Kestrel').click();
  for (const [name, sentence] of [
    ['x'.repeat(31), 'A name can have at most 30 characters.'],
    ['a\u202eb', 'A name can only contain letters, digits, spaces and'],
    ['\u200b', "Please enter a name, or stay 'Anonymous'."],
    ['Professor', 'This name could be mistaken for staff.'],
    ['teal moon', 'A color and a shape name those who stay Anonymous.'],
    ['OTTER', 'Someone in this class already has this name, or one that looks like it.'],
  ] as const) {
    await findNameField(page).fill(name);
    await save(page);
    await expect(findDialog(page).getByRole('alert')).toContainText(sentence);
    await expect(findNameField(page)).toHaveValue(name);
    await expect(findNameField(page)).toBeFocused();
    await expect(findNameField(page)).toHaveAttribute('aria-invalid', 'true');
  }
  await checkLooks(page, 'a name that someone else has');
  await findNameField(page).fill('Heron');
  await expect(findDialog(page).getByRole('alert')).toBeEmpty();
  windows.expectConsoleError('ERR_FAILED');
  const { promise: isTyped, resolve: fail } = Promise.withResolvers<void>();
  await page.route('**/persona', async (route) => {
    await isTyped;
    await route.abort();
  });
  await save(page);
  // What is being saved stays as it is.
  await expect(findDialog(page).getByRole('button', { name: 'Cancel' })).toBeDisabled();
  await findNameField(page).pressSequentially(' the Second');
  await page.keyboard.press('Escape');
  fail();
  await expect(findDialog(page).getByRole('alert')).toContainText('The server cannot be reached.');
  await expect(findNameField(page)).toHaveValue('Heron');
  await page.unroute('**/persona');
  await save(page);
  await expect(findPersonaButton(page, 'Heron')).toBeVisible();

  await findComposer(page).focus();
  await findPersonaButton(page, 'Heron').click();
  await findNameField(page).fill('Something else');
  await page.keyboard.press('Escape');
  await expect(findDialog(page)).toHaveCount(0);
  // The pointer opened it while the focus was in the composer (LAYOUT-13).
  await expect(findComposer(page)).toBeFocused();
  await findPersonaButton(page, 'Heron').click();
  await expect(findNameField(page)).toHaveValue('Something else');
  await findDialog(page).getByRole('button', { name: 'Cancel' }).click();
  await findPersonaButton(page, 'Heron').click();
  await expect(findNameField(page)).toHaveValue('Heron');
  await findNameField(page).fill(' ');
  await save(page);
  await expect(findPersonaButton(page)).toBeVisible();
});

test('A newcomer is from the first message on who the dialog after joining said [KEY-11, PERSONA-30]', async ({
  windows,
  site,
}) => {
  const { ada, classId } = await createClassWithTwoMembers(site);
  const page = await windows.openWindowAs(await site.createStudent());
  await page.goto(`/home/${classId}`);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'In CS 146 you are' });
  await expect(dialog.getByRole('button', { name: /^Start as/ })).toBeFocused();
  await checkLooks(page, 'who a newcomer is');
  await dialog.getByRole('button', { name: 'Shuffle' }).click();
  const chosenIcon = dialog.getByRole('radio').nth(1);
  await chosenIcon.check();
  const name = (await chosenIcon.getAttribute('aria-label'))!;
  await dialog.getByRole('button', { name: `Start as ${name}` }).click();
  await expect(findComposer(page)).toBeFocused();
  await expect(findIntroduction(page)).toHaveCount(0);
  const icon = await findPersonaButton(page).locator('svg').innerHTML();
  const countPersonas = async () =>
    (await ada.call('listMembers', { params: { classId }, query: {} })).personas.length;
  expect(await countPersonas()).toBe(0);

  await page.reload();
  await say(page, 'Hello');

  await expect(findDelivery(page, 'Hello')).toHaveAttribute('aria-busy', 'false');
  expect(await findMessageIcon(page, 'Hello').innerHTML()).toBe(icon);
  expect(await findPersonaButton(page).locator('svg').innerHTML()).toBe(icon);
  expect(await countPersonas()).toBe(1);
  const adaPage = await windows.openWindowAs(ada);
  await expect(findMessageText(adaPage, 'Hello')).toBeVisible();
  expect(await findMessageIcon(adaPage, 'Hello').innerHTML()).toBe(icon);
});

test('A newcomer who skips the dialog gets its offer in the composer until the first message [KEY-11]', async ({
  windows,
  site,
}) => {
  const { classId } = await createClassWithTwoMembers(site);
  const page = await windows.openWindowAs(await site.createStudent());
  await page.goto(`/home/${classId}`);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await expect(page.getByRole('button', { name: /^Start as/ })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(findComposer(page)).toBeFocused();
  const name = await findIntroduction(page).getByRole('status').textContent();
  await findIntroduction(page).getByRole('button', { name: 'Shuffle' }).click();
  await expect(findIntroduction(page).getByRole('status')).not.toHaveText(name!);
  const icon = await findPersonaButton(page).locator('svg').innerHTML();
  await checkLooks(page, 'the offer in the composer of a newcomer');
  await findIntroduction(page).getByRole('button', { name: 'Choose a name' }).click();
  await expect(findNameField(page)).toBeFocused();
  await page.keyboard.press('Escape');

  await say(page, 'Hello');

  await expect(findIntroduction(page)).toHaveCount(0);
  await expect(findDelivery(page, 'Hello')).toHaveAttribute('aria-busy', 'false');
  expect(await findMessageIcon(page, 'Hello').innerHTML()).toBe(icon);
});

test('A member whose messages the browser does not have is no newcomer [KEY-11, CHAT-61]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ben.post(classId, 'My first');
  const socket = await ada.connectTo(classId);
  for (let n = 0; n < 60; n++) await socket.post(classId, `Message ${n}`);
  const page = await windows.openWindowAs(ben);
  await say(page, 'My second');
  await expect(findDelivery(page, 'My second')).toHaveAttribute('aria-busy', 'false');
  await expect(findIntroduction(page)).toHaveCount(0);
});
