// Mentioning members: choosing a name in the composer, and what the mentioned member and the others see.
import type { Page } from '@playwright/test';
import { toMentionToken } from '#contract/mentions.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import { findViolations } from './axe.ts';
import { expect, phone, test } from './fixtures.ts';
import { findComposer, meet, findMessage, findRoom, findMessageText } from './room.ts';

const findOptions = (page: Page) => page.getByRole('listbox', { name: 'People to mention' });
const findOption = (page: Page, name: string) => findOptions(page).getByRole('option', { name });

async function rename(student: TestClient, classId: string, anonymousName: string) {
  await student.call('changePersona', { params: { classId }, body: { anonymousName } });
}

test('a mention is marked for its member, and shows their current name to everyone [MENTION-1, MENTION-2, MENTION-5, MENTION-8]', async ({
  windows,
  site,
}) => {
  const { adaPage, benPage, ada, ben, classId } = await meet(windows, site);
  await rename(ada, classId, 'Quiet Fox');
  await rename(ben, classId, 'Élodie Noir');
  await findComposer(adaPage).pressSequentially('Thanks @elo');
  await expect(findOption(adaPage, 'Élodie Noir')).toHaveAttribute('aria-selected', 'true');
  await expect(findComposer(adaPage)).toHaveAttribute('aria-activedescendant', /.+/);
  await expect(adaPage.getByText('1 person to mention.')).toBeAttached();
  expect(await findViolations(adaPage)).toEqual([]);
  await adaPage.keyboard.press('Enter');
  await expect(findComposer(adaPage)).toHaveValue('Thanks @Élodie Noir ');
  await expect(findOptions(adaPage)).toHaveCount(0);
  await adaPage.keyboard.type('for the notes, @Nobody');
  await adaPage.keyboard.press('Enter');
  for (const page of [adaPage, benPage]) {
    await expect(findRoom(page).getByRole('article').last()).toContainText('Thanks @Élodie Noir');
    await expect(findRoom(page).getByRole('article').last()).toContainText(
      'for the notes, @Nobody',
    );
  }
  await expect(findMessage(benPage, 'Thanks')).toHaveAttribute('data-mentions-me');
  await expect(findMessage(adaPage, 'Thanks')).not.toHaveAttribute('data-mentions-me');
  await expect(findMessage(benPage, 'Thanks').getByText('(you)')).toBeAttached();
  await expect(benPage.getByRole('log')).toContainText('Quiet Fox mentions you: Thanks @Élodie');
  for (const colorScheme of ['light', 'dark'] as const) {
    await benPage.emulateMedia({ colorScheme });
    expect(await findViolations(benPage)).toEqual([]);
  }
  await rename(ben, classId, 'Calm Owl');
  for (const page of [adaPage, benPage]) {
    await expect(findMessage(page, 'Thanks')).toContainText('Thanks @Calm Owl');
    await expect(findMessage(page, 'Thanks')).toHaveAttribute('aria-label', /Thanks @Calm Owl/);
  }
});

test('suggestions of members work with keys and the mouse, and Esc leaves a text that reaches no one [MENTION-6, MENTION-14]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await rename(ben, classId, 'Élodie Noir');
  const adaPage = await windows.openWindowAs(ada);
  const cem = await site.createStudent();
  await cem.join(classId);
  await cem.post(classId, 'from Cem');
  await ben.post(classId, 'from Ben');
  await expect(findMessageText(adaPage, 'from Ben')).toBeVisible();
  await findComposer(adaPage).pressSequentially('@');
  // The last speaker comes first, and the viewer is not in the list.
  await expect(findOptions(adaPage).getByRole('option')).toHaveText([
    'Élodie Noir',
    /^[A-Z][a-z]+ [A-Z][a-z]+, Anonymous$/,
  ]);
  await adaPage.keyboard.press('ArrowUp');
  await expect(findOption(adaPage, 'Anonymous')).toHaveAttribute('aria-selected', 'true');
  await adaPage.keyboard.press('ArrowDown');
  await expect(findOption(adaPage, 'Élodie Noir')).toHaveAttribute('aria-selected', 'true');
  await adaPage.keyboard.press('Escape');
  await expect(findOptions(adaPage)).toHaveCount(0);
  await expect(findComposer(adaPage)).toHaveValue('@');
  await adaPage.keyboard.type('el');
  await expect(findOptions(adaPage)).toHaveCount(0);
  await expect(adaPage.getByText('@el will notify no one.')).toBeVisible();
  await adaPage.keyboard.type(' and @an');
  await findOption(adaPage, 'Anonymous').click();
  await expect(findComposer(adaPage)).toHaveValue(/^@el and @[A-Z][a-z]+ [A-Z][a-z]+ $/);
  await expect(findComposer(adaPage)).toBeFocused();
  await adaPage.keyboard.press('ControlOrMeta+z');
  await expect(findComposer(adaPage)).toHaveValue('@el and @an');
  await adaPage.keyboard.press('Tab');
  await expect(findComposer(adaPage)).toHaveValue(/^@el and @[A-Z][a-z]+ [A-Z][a-z]+ $/);
  await adaPage.keyboard.press('Enter');
  await expect(findMessage(adaPage, '@el and @')).toBeVisible();
  const { messages } = await ben.snapshot(classId);
  const { me } = await cem.snapshot(classId);
  expect(messages.at(-1)?.text).toBe(`@el and ${toMentionToken(me.memberId)}`);
});

test('a press on a name or an icon in the room opens the menu of that person [PANEL-4, PANEL-5]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await rename(ada, classId, 'Blue Fox');
  await ada.post(classId, 'Hello');
  await ben.post(classId, 'My own');
  const page = await windows.openWindowAs(ben);
  const name = findMessage(page, 'Hello').getByRole('button', { name: 'Blue Fox' });
  const items = page.getByRole('menu', { name: 'Options for Blue Fox' }).getByRole('menuitem');
  await expect(findMessageText(page, 'My own')).toBeVisible();
  await expect(
    findMessage(page, 'My own').getByRole('button', { name: /^[A-Z][a-z]+ [A-Z][a-z]+$/ }),
  ).toHaveCount(0);

  await name.click();
  await expect(items).toHaveText(['Mention', 'Ignore', 'Report']);
  await items.first().click();
  await expect(findComposer(page)).toBeFocused();
  await page.keyboard.type('yes');
  await expect(findComposer(page)).toHaveValue('@Blue Fox yes');

  await findMessage(page, 'Hello').focus();
  await page.keyboard.press('Tab');
  await expect(name).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(items.first()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(name).toBeFocused();

  const phonePage = await windows.openWindowAs(ben, phone);
  await findMessage(phonePage, 'Hello').locator('svg').first().tap();
  await phonePage.getByRole('menuitem', { name: 'Mention' }).tap();
  await expect(findComposer(phonePage)).toBeFocused();
  await expect(findComposer(phonePage)).toHaveValue('@Blue Fox ');
});

test('a tap on a suggestion puts a mention into the draft, which keeps it after a reload [MENTION-6, MENTION-8]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await rename(ben, classId, 'Calm Owl');
  const page = await windows.openWindowAs(ada, phone);
  await page.goto(`/home/${classId}`);
  await findComposer(page).tap();
  await findComposer(page).pressSequentially('Hi @ow');
  await findOption(page, 'Calm Owl').tap();
  await expect(findComposer(page)).toHaveValue('Hi @Calm Owl ');
  await expect(findComposer(page)).toBeFocused();
  await page.getByRole('button', { name: 'Send' }).tap();
  await expect(findRoom(page).getByRole('article').last()).toContainText('Hi @Calm Owl');
  await expect(page.getByText('@deleted member')).toHaveCount(0);
  await findComposer(page).pressSequentially('**Hi** @ow');
  await findOption(page, 'Calm Owl').tap();
  const preview = page.getByRole('region', { name: 'Preview' });
  await expect(preview).toContainText('Hi @Calm Owl');
  await page.reload();
  await expect(findRoom(page).getByRole('article').last()).toContainText('Hi @Calm Owl');
  await expect(preview).toContainText('Hi @Calm Owl');
});
