import type { Page } from '@playwright/test';
import { post, enter, newClass } from '../app/running-app.ts';
import { expect, test } from './fixtures.ts';
import { meet, message, openMenu, room, said, say } from './room.ts';

/** The message itself, not the reply that quotes it. */
const question = (page: Page) => room(page).getByRole('article', { name: /: Is the midterm/ });

test('both members see what a reply answers, and its quote links there [SEND-14, CHAT-14]', async ({
  people,
  site,
}) => {
  const { ada, adaPage, benPage, classId } = await meet(people, site);
  await say(adaPage, 'Is the midterm open notes?');
  const live = await ada.connect();
  await enter(live, classId);
  for (let n = 0; n < 30; n++) await post(live, classId, `line ${n}`);
  await expect(said(benPage, 'line 29')).toBeVisible();
  await benPage.getByRole('group', { name: 'Messages' }).focus();
  await benPage.keyboard.press('Home');
  await openMenu(benPage, 'Is the midterm');
  await benPage.getByRole('menuitem', { name: 'Reply' }).click();
  const composer = benPage.getByPlaceholder('Type a message...');
  const strip = benPage.getByRole('group', { name: 'Your reply' });
  await expect(composer).toBeFocused();
  await expect(strip).toContainText('Is the midterm open notes?');
  await composer.fill('One page, both sides');
  await composer.press('Escape');
  await expect(strip).toHaveCount(0);
  await expect(composer).toHaveValue('One page, both sides');

  await message(benPage, 'Is the midterm').hover();
  await message(benPage, 'Is the midterm').getByRole('button', { name: 'Reply' }).click();
  await expect(strip).toBeVisible();
  await composer.press('Enter');
  await expect(strip).toHaveCount(0);
  for (const page of [adaPage, benPage]) {
    const quote = message(page, 'One page, both sides').getByRole('button', {
      name: /Is the midterm open notes/,
    });
    await expect(quote).toBeVisible();
    await quote.click();
    await expect(question(page)).toBeFocused();
    await expect(question(page)).toBeInViewport();
  }

  await question(adaPage).hover();
  await question(adaPage).getByRole('button', { name: 'More' }).click();
  await adaPage.getByRole('menuitem', { name: 'Delete' }).click();
  await adaPage.getByRole('alertdialog').getByRole('button', { name: 'OK' }).click();
  await adaPage.getByRole('group', { name: 'Messages' }).press('End');
  await expect(room(adaPage).getByText('Original message deleted')).toBeVisible();
});

for (const width of [1280, 390]) {
  test(`a reply shows the full name of the quoted member, ${width} wide [SEND-14]`, async ({
    people,
    site,
  }) => {
    const { adaPage } = await meet(people, site);
    await adaPage.setViewportSize({ width, height: 800 });
    await say(adaPage, 'So?');
    await message(adaPage, 'So?').hover();
    await message(adaPage, 'So?').getByRole('button', { name: 'Reply' }).click();
    await say(adaPage, 'Yes');
    const name = message(adaPage, 'Yes')
      .getByRole('button', { name: /So\?/ })
      .getByText('Anonymous');
    await expect(name).toBeVisible();
    expect(await name.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
  });
}

test('an unfinished reply or edit is still there after a visit to another class [SEND-10, SEND-16]', async ({
  people,
  site,
}) => {
  const { ada, adaPage } = await meet(people, site);
  await newClass(ada, { subjectAbbreviation: 'math', courseNumber: '32' });
  await say(adaPage, 'Helo');
  await openMenu(adaPage, 'Helo');
  await adaPage.getByRole('menuitem', { name: 'Reply' }).click();
  await openMenu(adaPage, 'Helo');
  await adaPage.getByRole('menuitem', { name: 'Edit' }).click();
  const editor = adaPage.getByRole('textbox', { name: 'Edit your message' });
  await editor.fill('Hello');
  await adaPage.getByRole('link', { name: /^MATH 32/ }).click();
  await expect(editor).toHaveCount(0);
  await adaPage.getByRole('link', { name: /^CS 146/ }).click();
  await expect(editor).toHaveValue('Hello');
  await expect(adaPage.getByRole('group', { name: 'Your reply' })).toBeVisible();
  await editor.press('Enter');
  await expect(room(adaPage).getByText('Hello (edited)')).toBeVisible();
});
