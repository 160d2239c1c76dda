// The persona of a member in a class: shown in the header, changed in a dialog, and visible to other members.
import type { Page } from '@playwright/test';
import { twoInAClass } from '#tests/support/test-client.ts';
import { violations } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { aloneInAClass, delivery, meet, message, said, say } from './room.ts';

const button = (page: Page, name = 'Anonymous') =>
  page.getByRole('button', { name: `You are ${name}: change your name and icon` });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Who you are in CS 146' });
const field = (page: Page) => dialog(page).getByRole('textbox', { name: 'Name' });
const save = (page: Page) => dialog(page).getByRole('button', { name: 'Save' }).click();
const iconOf = (page: Page, text: string) => message(page, text).locator('svg').first();

test('a new name and icon appear immediately on every member’s screen, on older messages too [PERSONA-3, PERSONA-19, CHAT-3, CHAT-7]', async ({
  people,
  site,
}) => {
  const { adaPage, benPage } = await meet(people, site);
  await say(adaPage, 'Said before');
  await expect(message(benPage, 'Said before')).toHaveAccessibleName(/^Anonymous, /);
  const before = await iconOf(benPage, 'Said before').innerHTML();
  await button(adaPage).click();
  await expect(field(adaPage)).toBeFocused();
  await field(adaPage).fill('  Blue   Fox ');
  await expect(dialog(adaPage).getByText('Blue Fox', { exact: true })).toBeVisible();
  await dialog(adaPage).getByRole('radio').nth(5).check();
  await save(adaPage);
  await expect(dialog(adaPage)).toHaveCount(0);
  await expect(adaPage.getByText('You are now Blue Fox in CS 146.')).toBeVisible();
  await expect(button(adaPage, 'Blue Fox')).toBeVisible();
  await expect(message(benPage, 'Said before')).toHaveAccessibleName(/^Blue Fox, /);
  expect(await iconOf(benPage, 'Said before').innerHTML()).not.toBe(before);
  await expect(button(benPage)).toBeVisible();
  // The header also shows it after a reload, before the member has posted a message.
  await adaPage.reload();
  await expect(button(adaPage, 'Blue Fox')).toBeVisible();
});

test('an invalid name shows an error, and the typed text stays [PERSONA-4, PERSONA-28, PERSONA-13, PERSONA-15, PERSONA-19, AUTH-25]', async ({
  people,
  site,
}) => {
  const { ada, classId, adaPage, benPage } = await meet(people, site);
  await ada.call('changePersona', { params: { classId }, body: { anonymousName: 'Otter' } });
  await expect(button(adaPage, 'Otter')).toBeVisible();
  people.expectConsoleError('status of 400');
  people.expectConsoleError('status of 409');
  await button(benPage).click();
  for (const [name, sentence] of [
    ['x'.repeat(31), 'A name can have at most 30 characters.'],
    ['a\u202eb', 'A name can only contain letters, digits, spaces and'],
    ['\u200b', "Please enter a name, or stay 'Anonymous'."],
    ['Professor', 'This name could be mistaken for staff.'],
    ['OTTER', 'Someone in this class already has this name, or one that looks like it.'],
  ] as const) {
    await field(benPage).fill(name);
    await save(benPage);
    await expect(dialog(benPage).getByRole('alert')).toContainText(sentence);
    await expect(field(benPage)).toHaveValue(name);
    await expect(field(benPage)).toBeFocused();
    await expect(field(benPage)).toHaveAttribute('aria-invalid', 'true');
  }
  await field(benPage).fill('Heron');
  await expect(dialog(benPage).getByRole('alert')).toBeEmpty();
  await save(benPage);
  await expect(button(benPage, 'Heron')).toBeVisible();
});

test('an empty name becomes Anonymous again, Esc keeps the typed name, and cancelling changes nothing [PERSONA-2, PERSONA-13, PERSONA-19, LAYOUT-11, KEY-9]', async ({
  people,
  site,
}) => {
  const { student, classId, page } = await aloneInAClass(people, site);
  await student.call('changePersona', { params: { classId }, body: { anonymousName: 'Otter' } });
  await button(page, 'Otter').click();
  await field(page).fill('Something else');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  // The pointer opened it while the focus was in the composer (LAYOUT-24).
  await expect(page.getByRole('textbox', { name: 'Message to CS 146' })).toBeFocused();
  await button(page, 'Otter').click();
  await expect(field(page)).toHaveValue('Something else');
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await button(page, 'Otter').click();
  await expect(field(page)).toHaveValue('Otter');
  await field(page).fill(' ');
  await save(page);
  await expect(button(page)).toBeVisible();
});

test('after the first message, a member without a name is offered one, once and without losing the focus [KEY-11]', async ({
  people,
  site,
}) => {
  const { page } = await aloneInAClass(people, site);
  const offer = page.getByRole('button', { name: 'Choose a name' });
  await say(page, 'Hello');
  await expect(offer).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Message to CS 146' })).toBeFocused();
  await expect(said(page, 'Hello')).toBeInViewport({ ratio: 1 });
  await offer.click();
  await expect(field(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await say(page, 'Again');
  await expect(said(page, 'Again')).toBeVisible();
  await expect(offer).toHaveCount(0);
});

test('a member whose messages the browser does not hold is offered no name [KEY-11, CHAT-61]', async ({
  people,
  site,
}) => {
  const { ada, ben, classId } = await twoInAClass(site);
  await ben.post(classId, 'My first');
  const socket = await ada.connectTo(classId);
  for (let n = 0; n < 60; n++) await socket.post(classId, `Message ${n}`);
  const page = await people.newWindowOf(ben);
  await say(page, 'My second');
  await expect(delivery(page, 'My second')).toHaveAttribute('aria-busy', 'false');
  await expect(page.getByRole('button', { name: 'Choose a name' })).toHaveCount(0);
});

test('the whole dialog works with the keyboard [PERSONA-19, LAYOUT-5]', async ({
  people,
  site,
}) => {
  const { page } = await aloneInAClass(people, site);
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
});

test('without a connection the dialog shows an error, and the typed text stays [PERSONA-19, LAYOUT-8]', async ({
  people,
  site,
}) => {
  const { page } = await aloneInAClass(people, site);
  await button(page).click();
  await field(page).fill('Kestrel');
  people.expectConsoleError('ERR_FAILED');
  await page.route('**/persona', (route) => route.abort());
  await save(page);
  await expect(dialog(page).getByRole('alert')).toContainText('The server cannot be reached.');
  await expect(field(page)).toHaveValue('Kestrel');
  await page.unroute('**/persona');
  await save(page);
  await expect(button(page, 'Kestrel')).toBeVisible();
});

test('the dialog says that the choice applies to this class only, and it does [PERSONA-20, ANON-21]', async ({
  people,
  site,
}) => {
  const { student, page } = await aloneInAClass(people, site);
  await button(page).click();
  await expect(dialog(page)).toContainText('Only for CS 146.');
  await expect(dialog(page)).toContainText(
    'Reusing a name from another class or site can give you away.',
  );
  await field(page).fill('Kestrel');
  await save(page);
  await expect(button(page, 'Kestrel')).toBeVisible();
  const { class: other } = await student.call('createClass', {
    body: {
      ...{ courseName: 'Drawing', subjectAbbreviation: 'art', courseNumber: '1' },
      ...{ sectionNumber: '1', semesterSeason: 'Fall', classSchedule: ['Friday'] },
      ...{ beginClassTime: '09:00', endClassTime: '10:00' },
    },
  });
  await page.goto(`/home/${other.classId}`);
  await expect(page.getByRole('heading', { name: 'ART 1' })).toBeVisible();
  await expect(button(page)).toBeVisible();
});

test('members see who has posted or reacted, and not who only reads [PERSONA-5, PERSONA-17]', async ({
  people,
  site,
}) => {
  const { ben, classId, adaPage, benPage } = await meet(people, site);
  const list = async (page: Page) => {
    await page.getByRole('button', { name: 'People in CS 146' }).click();
    return page.getByRole('dialog', { name: 'People in CS 146' });
  };
  await expect(await list(adaPage)).toContainText('No one is listed yet.');
  await adaPage.getByRole('button', { name: 'Close' }).click();
  await say(adaPage, 'Hello');
  await expect(said(benPage, 'Hello')).toBeVisible();
  await expect((await list(benPage)).getByRole('listitem')).toHaveText(['Anonymous']);
  await benPage.getByRole('button', { name: 'Close' }).click();
  await ben.call('changePersona', { params: { classId }, body: { anonymousName: 'Heron' } });
  await expect((await list(adaPage)).getByRole('listitem')).toHaveText(['Anonymous(you)', 'Heron']);
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    test(`axe finds no problem, ${colorScheme}, ${viewport.width} wide [LAYOUT-5]`, async ({
      people,
      site,
    }) => {
      const { ada } = await twoInAClass(site);
      const page = await people.newWindowOf(ada, { colorScheme, viewport });
      await button(page).click();
      await field(page).fill('a@b');
      await save(page);
      await expect(dialog(page).getByRole('alert')).toContainText('A name can only contain');
      expect(await violations(page), 'choosing').toEqual([]);
      await page.keyboard.press('Escape');
      await say(page, 'Hello');
      await expect(delivery(page, 'Hello')).toHaveAttribute('aria-busy', 'false');
      await page.getByRole('button', { name: 'People in CS 146' }).click();
      await expect(page.getByRole('dialog').getByRole('listitem')).toHaveText('Anonymous(you)');
      expect(await violations(page), 'people').toEqual([]);
    });
  }
}
