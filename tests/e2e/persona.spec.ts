// The persona of a member in a class: shown in the header, changed in a dialog, and visible to other members.
import type { Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { checkLooks } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { openClassAlone, composer, delivery, meet, message, messageText, say } from './room.ts';

const button = (page: Page, name = 'Anonymous') =>
  page.getByRole('button', { name: `You are ${name}: change your name and icon` });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Who you are in CS 146' });
const field = (page: Page) => dialog(page).getByRole('textbox', { name: 'Name' });
const save = (page: Page) => dialog(page).getByRole('button', { name: 'Save' }).click();
const messageIcon = (page: Page, text: string) => message(page, text).locator('svg').first();

test('a new name and icon appear immediately on every member’s screen, on older messages too, and in no other class [PERSONA-3, PERSONA-19, PERSONA-20, ANON-21, CHAT-3, CHAT-7]', async ({
  windows,
  site,
}) => {
  const { ada, adaPage, benPage } = await meet(windows, site);
  await say(adaPage, 'Said before');
  await expect(message(benPage, 'Said before')).toHaveAccessibleName(/^Anonymous, /);
  const before = await messageIcon(benPage, 'Said before').innerHTML();
  await button(adaPage).click();
  await expect(field(adaPage)).toBeFocused();
  await expect(dialog(adaPage)).toContainText('Only for CS 146.');
  await expect(dialog(adaPage)).toContainText(
    'Reusing a name from another class or site can give you away.',
  );
  await field(adaPage).fill('  Blue   Fox ');
  await expect(dialog(adaPage).getByText('Blue Fox', { exact: true })).toBeVisible();
  await dialog(adaPage).getByRole('radio').nth(5).check();
  await save(adaPage);
  await expect(dialog(adaPage)).toHaveCount(0);
  await expect(adaPage.getByText('You are now Blue Fox in CS 146.')).toBeVisible();
  await expect(button(adaPage, 'Blue Fox')).toBeVisible();
  await expect(message(benPage, 'Said before')).toHaveAccessibleName(/^Blue Fox, /);
  expect(await messageIcon(benPage, 'Said before').innerHTML()).not.toBe(before);
  await expect(button(benPage)).toBeVisible();
  // The header also shows it after a reload, before the member has posted a message.
  await adaPage.reload();
  await expect(button(adaPage, 'Blue Fox')).toBeVisible();

  const otherClassId = await ada.createClass({ subjectAbbreviation: 'art', courseNumber: '1' });
  await adaPage.goto(`/home/${otherClassId}`);
  await expect(adaPage.getByRole('heading', { name: 'ART 1' })).toBeVisible();
  await expect(button(adaPage)).toBeVisible();
});

test('the dialog works with the keyboard, keeps what was typed through errors and Esc, and forgets it on Cancel [PERSONA-2, PERSONA-4, PERSONA-28, PERSONA-13, PERSONA-15, PERSONA-19, AUTH-25, KEY-9, LAYOUT-5, LAYOUT-8, LAYOUT-11]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ada.call('changePersona', { params: { classId }, body: { anonymousName: 'Otter' } });
  const page = await windows.openWindowAs(ben);
  await button(page).focus();
  await page.keyboard.press('Enter');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('Kestrel');
  await page.keyboard.press('Tab');
  const icons = dialog(page).getByRole('radio');
  await expect(icons.first()).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(icons.nth(2)).toBeChecked();
  await expect(icons.nth(2)).toHaveAccessibleName(/^[A-Z][a-z ]+ on (light|dark) [a-z ]+$/);
  await page.keyboard.press('Enter');
  await expect(button(page, 'Kestrel')).toBeFocused();

  windows.expectConsoleError('status of 400');
  windows.expectConsoleError('status of 409');
  await button(page, 'Kestrel').click();
  for (const [name, sentence] of [
    ['x'.repeat(31), 'A name can have at most 30 characters.'],
    ['a\u202eb', 'A name can only contain letters, digits, spaces and'],
    ['\u200b', "Please enter a name, or stay 'Anonymous'."],
    ['Professor', 'This name could be mistaken for staff.'],
    ['OTTER', 'Someone in this class already has this name, or one that looks like it.'],
  ] as const) {
    await field(page).fill(name);
    await save(page);
    await expect(dialog(page).getByRole('alert')).toContainText(sentence);
    await expect(field(page)).toHaveValue(name);
    await expect(field(page)).toBeFocused();
    await expect(field(page)).toHaveAttribute('aria-invalid', 'true');
  }
  await field(page).fill('Heron');
  await expect(dialog(page).getByRole('alert')).toBeEmpty();
  windows.expectConsoleError('ERR_FAILED');
  await page.route('**/persona', (route) => route.abort());
  await save(page);
  await expect(dialog(page).getByRole('alert')).toContainText('The server cannot be reached.');
  await expect(field(page)).toHaveValue('Heron');
  await page.unroute('**/persona');
  await save(page);
  await expect(button(page, 'Heron')).toBeVisible();

  await composer(page).focus();
  await button(page, 'Heron').click();
  await field(page).fill('Something else');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  // The pointer opened it while the focus was in the composer (LAYOUT-24).
  await expect(composer(page)).toBeFocused();
  await button(page, 'Heron').click();
  await expect(field(page)).toHaveValue('Something else');
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await button(page, 'Heron').click();
  await expect(field(page)).toHaveValue('Heron');
  await field(page).fill(' ');
  await save(page);
  await expect(button(page)).toBeVisible();
});

test('after the first message, a member without a name is offered one, once and without losing the focus [KEY-11]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site);
  const offer = page.getByRole('button', { name: 'Choose a name' });
  await say(page, 'Hello');
  await expect(offer).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Message to CS 146' })).toBeFocused();
  await expect(messageText(page, 'Hello')).toBeInViewport({ ratio: 1 });
  await offer.click();
  await expect(field(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await say(page, 'Again');
  await expect(messageText(page, 'Again')).toBeVisible();
  await expect(offer).toHaveCount(0);
});

test('a member whose messages the browser does not hold is offered no name [KEY-11, CHAT-61]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ben.post(classId, 'My first');
  const socket = await ada.connectTo(classId);
  for (let n = 0; n < 60; n++) await socket.post(classId, `Message ${n}`);
  const page = await windows.openWindowAs(ben);
  await say(page, 'My second');
  await expect(delivery(page, 'My second')).toHaveAttribute('aria-busy', 'false');
  await expect(page.getByRole('button', { name: 'Choose a name' })).toHaveCount(0);
});

test('axe finds no problem in the choice of a name and the list of people, which has those who wrote [LAYOUT-5, PERSONA-5]', async ({
  windows,
  site,
}) => {
  const { ada } = await createClassWithTwoMembers(site);
  const page = await windows.openWindowAs(ada);
  await button(page).click();
  await field(page).fill('a@b');
  await save(page);
  await expect(dialog(page).getByRole('alert')).toContainText('A name can only contain');
  await checkLooks(page, 'choosing');
  await page.keyboard.press('Escape');
  await say(page, 'Hello');
  await expect(delivery(page, 'Hello')).toHaveAttribute('aria-busy', 'false');
  await page.getByRole('button', { name: 'People in CS 146' }).click();
  await expect(page.getByRole('dialog').getByRole('listitem')).toHaveText('Anonymous(you)');
  await checkLooks(page, 'people');
});
