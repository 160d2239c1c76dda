// Mentioning members: choosing a name in the composer, and what the mentioned member and the others see.
import type { Page } from '@playwright/test';
import { mentionOf } from '#contract/mentions.ts';
import { twoInAClass, type TestClient } from '#tests/support/test-client.ts';
import { violations } from './axe.ts';
import { expect, test, type People, type Site } from './fixtures.ts';
import { composer, inClassList, meet, message, openMenu, room, said, say } from './room.ts';

const options = (page: Page) => page.getByRole('listbox', { name: 'People to mention' });
const option = (page: Page, name: string) => options(page).getByRole('option', { name });

async function rename(student: TestClient, classId: string, anonymousName: string) {
  const { persona } = await student.call('changePersona', {
    params: { classId },
    body: { anonymousName },
  });
  return persona;
}

/** Ada and Ben have names, and a window each. */
async function meetWithNames(people: People, site: Site) {
  const meeting = await meet(people, site);
  const { ada, ben, classId } = meeting;
  return {
    ...meeting,
    adaPersona: await rename(ada, classId, 'Quiet Fox'),
    benPersona: await rename(ben, classId, 'Élodie Noir'),
  };
}

test('a chosen name mentions the member: marked for them, under the current name for all [MENTION-1, MENTION-2, MENTION-5, MENTION-8]', async ({
  people,
  site,
}) => {
  const { adaPage, benPage, ben, classId } = await meetWithNames(people, site);
  await composer(adaPage).pressSequentially('Thanks @elo');
  await expect(option(adaPage, 'Élodie Noir')).toHaveAttribute('aria-selected', 'true');
  await expect(composer(adaPage)).toHaveAttribute('aria-activedescendant', /.+/);
  await expect(adaPage.getByText('1 person to mention.')).toBeAttached();
  expect(await violations(adaPage)).toEqual([]);
  await adaPage.keyboard.press('Enter');
  await expect(composer(adaPage)).toHaveValue('Thanks @Élodie Noir ');
  await expect(options(adaPage)).toHaveCount(0);
  await adaPage.keyboard.type('for the notes, @Nobody');
  await adaPage.keyboard.press('Enter');
  for (const page of [adaPage, benPage]) {
    await expect(room(page).getByRole('article').last()).toContainText('Thanks @Élodie Noir');
    await expect(room(page).getByRole('article').last()).toContainText('for the notes, @Nobody');
  }
  await expect(message(benPage, 'Thanks')).toHaveAttribute('data-mentions-me');
  await expect(message(adaPage, 'Thanks')).not.toHaveAttribute('data-mentions-me');
  await expect(message(benPage, 'Thanks').getByText('(you)')).toBeAttached();
  await expect(benPage.getByRole('log')).toContainText('Quiet Fox mentions you: Thanks @Élodie');
  for (const colorScheme of ['light', 'dark'] as const) {
    await benPage.emulateMedia({ colorScheme });
    expect(await violations(benPage)).toEqual([]);
  }
  await rename(ben, classId, 'Calm Owl');
  for (const page of [adaPage, benPage]) {
    await expect(message(page, 'Thanks')).toContainText('Thanks @Calm Owl');
    await expect(message(page, 'Thanks')).toHaveAttribute('aria-label', /Thanks @Calm Owl/);
  }
});

test('the suggestions work with keys and the mouse, and Esc leaves the text alone [MENTION-5, MENTION-6]', async ({
  people,
  site,
}) => {
  const { adaPage, ben, classId } = await meetWithNames(people, site);
  const cem = await site.newStudent();
  await cem.join(classId);
  await cem.post(classId, 'from Cem');
  await ben.post(classId, 'from Ben');
  await expect(said(adaPage, 'from Ben')).toBeVisible();
  await composer(adaPage).pressSequentially('@');
  // The last speaker comes first, and the viewer is not in the list.
  await expect(options(adaPage).getByRole('option')).toHaveText(['Élodie Noir', 'Anonymous']);
  await adaPage.keyboard.press('ArrowDown');
  await expect(option(adaPage, 'Anonymous')).toHaveAttribute('aria-selected', 'true');
  await adaPage.keyboard.press('ArrowDown');
  await expect(option(adaPage, 'Élodie Noir')).toHaveAttribute('aria-selected', 'true');
  await adaPage.keyboard.press('Escape');
  await expect(options(adaPage)).toHaveCount(0);
  await expect(composer(adaPage)).toHaveValue('@');
  await adaPage.keyboard.type('el');
  await expect(options(adaPage)).toHaveCount(0);
  await adaPage.keyboard.type(' and @an');
  await option(adaPage, 'Anonymous').click();
  await expect(composer(adaPage)).toHaveValue('@el and @Anonymous ');
  await expect(composer(adaPage)).toBeFocused();
  await adaPage.keyboard.press('ControlOrMeta+z');
  await expect(composer(adaPage)).toHaveValue('@el and @an');
  await adaPage.keyboard.press('Tab');
  await expect(composer(adaPage)).toHaveValue('@el and @Anonymous ');
  await adaPage.keyboard.press('Enter');
  await expect(message(adaPage, '@el and @Anonymous')).toBeVisible();
  const { messages } = await ben.snapshot(classId);
  const { me } = await cem.snapshot(classId);
  expect(messages.at(-1)?.text).toBe(`@el and ${mentionOf(me.memberId)}`);
});

test('on a phone, a tap takes a suggestion, also of a member whose messages are not loaded [MENTION-6, MENTION-8]', async ({
  people,
  site,
}) => {
  const { ada, ben, classId } = await twoInAClass(site);
  await rename(ben, classId, 'Calm Owl');
  const page = await people.newWindowOf(ada, {
    viewport: { width: 390, height: 700 },
    hasTouch: true,
    isMobile: true,
  });
  await page.goto(`/home/${classId}`);
  await composer(page).tap();
  await composer(page).pressSequentially('Hi @ow');
  await option(page, 'Calm Owl').tap();
  await expect(composer(page)).toHaveValue('Hi @Calm Owl ');
  await expect(composer(page)).toBeFocused();
  await page.getByRole('button', { name: 'Send' }).tap();
  await expect(room(page).getByRole('article').last()).toContainText('Hi @Calm Owl');
  await expect(page.getByText('@deleted member')).toHaveCount(0);
  await page.reload();
  await expect(room(page).getByRole('article').last()).toContainText('Hi @Calm Owl');
});

test('a draft and an edit keep whom they mention [MENTION-7, MENTION-9]', async ({
  people,
  site,
}) => {
  const { adaPage, ben, benPersona, classId } = await meetWithNames(people, site);
  const mention = mentionOf(benPersona.memberId);
  await composer(adaPage).pressSequentially('Hello @noir');
  await adaPage.keyboard.press('Enter');
  await adaPage.reload();
  await expect(composer(adaPage)).toHaveValue('Hello @Élodie Noir ');
  await composer(adaPage).press('End');
  await adaPage.keyboard.type('again <@AAAAAAAAAAAAAAAA>');
  await adaPage.keyboard.press('Enter');
  await expect(message(adaPage, 'Hello')).toContainText('again <@AAAAAAAAAAAAAAAA>');
  await openMenu(adaPage, 'Hello');
  await adaPage.getByRole('menuitem', { name: 'Edit' }).click();
  const editor = adaPage.getByRole('textbox', { name: 'Edit your message' });
  await expect(editor).toHaveValue('Hello @Élodie Noir again <@AAAAAAAAAAAAAAAA>');
  await adaPage.keyboard.type(' and @élo');
  await expect(option(adaPage, 'Élodie Noir')).toBeVisible();
  await adaPage.keyboard.press('Enter');
  await adaPage.keyboard.press('Enter');
  await expect(message(adaPage, 'Hello')).toContainText('(edited)');
  const { messages } = await ben.snapshot(classId);
  expect(messages[0]?.text).toBe(`Hello ${mention} again \\<@AAAAAAAAAAAAAAAA> and ${mention}`);
});

test('the class list counts mentions apart until the class is read, in every tab [MENTION-11, MENTION-12]', async ({
  people,
  site,
}) => {
  const { ada, ben, classId } = await twoInAClass(site);
  const { memberId } = await rename(ben, classId, 'Calm Owl');
  await ben.createClass({ subjectAbbreviation: 'math', courseNumber: '32' });
  const page = await people.newWindowOf(ben);
  await inClassList(page, /^MATH 32/).click();
  await expect(page.getByRole('heading', { name: 'MATH 32' })).toBeVisible();
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  const row = (of: Page) => inClassList(of, /^CS 146/);
  for (const each of [page, tab]) await expect(row(each)).not.toContainText('unread');
  await ada.post(classId, 'hello all');
  const { id } = await ada.post(classId, `hello ${mentionOf(memberId)}`);
  for (const each of [page, tab]) {
    await expect(row(each)).toHaveAccessibleName(/1 mention of you, 2 unread messages/);
    await expect(row(each).getByText('@1')).toBeVisible();
    await expect(each).toHaveTitle(/^\(2\) /);
  }
  const socket = await ada.connectTo(classId);
  await socket.request({ type: 'edit', classId, messageId: id, text: 'hello Ben' });
  for (const each of [page, tab]) {
    await expect(row(each)).toContainText('2 unread messages');
    await expect(row(each)).not.toContainText('mention');
  }
  await socket.request({
    type: 'edit',
    classId,
    messageId: id,
    text: `hello ${mentionOf(memberId)}`,
  });
  for (const each of [page, tab]) await expect(row(each)).toContainText('1 mention of you');
  await row(page).click();
  await expect(message(page, 'hello @Calm Owl')).toHaveAttribute('data-mentions-me');
  for (const each of [page, tab]) await expect(row(each)).not.toContainText('unread');
  await openMenu(page, 'hello @Calm Owl');
  await page.getByRole('menuitem', { name: 'Mark unread from here' }).click();
  for (const each of [page, tab]) await expect(row(each)).toContainText('1 mention of you');
});

test('after a reload, a draft shows the name of a member whose messages are not loaded [SEND-42]', async ({
  people,
  site,
}) => {
  const { ada, ben, classId } = await twoInAClass(site);
  await rename(ben, classId, 'Calm Owl');
  const page = await people.newWindowOf(ada);
  await page.goto(`/home/${classId}`);
  await composer(page).pressSequentially('**Hi** @ow');
  await option(page, 'Calm Owl').click();
  const preview = page.getByRole('region', { name: 'Preview' });
  await expect(preview).toContainText('Hi @Calm Owl');
  await page.reload();
  await expect(preview).toContainText('Hi @Calm Owl');
});

test('replies, the search and copied texts show names [MENTION-8, MENTION-10]', async ({
  people,
  site,
}) => {
  const { ada, ben, classId } = await twoInAClass(site);
  const { memberId } = await rename(ben, classId, 'Calm Owl');
  const permissions = ['clipboard-read', 'clipboard-write'];
  const page = await people.newWindowOf(ada, { permissions });
  await ben.post(classId, `ask ${mentionOf(memberId)} or ${mentionOf('x'.repeat(16))} tomorrow`);
  const shown = 'ask @Calm Owl or @deleted member tomorrow';
  await expect(message(page, 'ask')).toContainText(shown);
  await openMenu(page, 'tomorrow');
  await page.getByRole('menuitem', { name: 'Copy text' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
  await openMenu(page, 'tomorrow');
  await page.getByRole('menuitem', { name: 'Reply' }).click();
  await expect(page.getByRole('group', { name: 'Your reply' })).toContainText(shown);
  await say(page, 'done');
  await expect(message(page, 'done').getByRole('button', { name: shown })).toBeVisible();
  await page.getByRole('button', { name: /Search messages|Search in/ }).click();
  await page.getByRole('searchbox').fill('tomorrow');
  await expect(page.getByRole('list', { name: 'Messages found' })).toContainText(shown);
  await expect(page.getByRole('list', { name: 'Messages found' }).locator('mark')).toHaveText(
    'tomorrow',
  );
});
