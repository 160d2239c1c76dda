import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

import { expect, test } from './fixtures.ts';
import {
  openClassAlone,
  meet,
  findMessage,
  openMenu,
  findRoom,
  findMessageText,
  say,
} from './room.ts';

/** The message itself, not the reply that quotes it. */
const findQuestion = (page: Page) =>
  findRoom(page).getByRole('article', { name: /: Is the midterm/ });

test('the quote of a reply links to its message [CHAT-30, CHAT-14]', async ({ windows, site }) => {
  const { ada, adaPage, benPage, classId } = await meet(windows, site);
  await say(adaPage, 'Is the midterm open notes?');
  const socket = await ada.connectTo(classId);
  for (let n = 0; n < 30; n++) await socket.post(classId, `line ${n}`);
  await expect(findMessageText(benPage, 'line 29')).toBeVisible();
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

  await findMessage(benPage, 'Is the midterm').hover();
  await findMessage(benPage, 'Is the midterm').getByRole('button', { name: 'Reply' }).click();
  await expect(strip).toBeVisible();
  await composer.press('Enter');
  await expect(strip).toHaveCount(0);
  for (const page of [adaPage, benPage]) {
    const quote = findMessage(page, 'One page, both sides').getByRole('button', {
      name: /Is the midterm open notes/,
    });
    await expect(quote).toBeVisible();
    await page.bringToFront();
    await quote.click();
    await expect(findQuestion(page)).toBeFocused();
    await expect(findQuestion(page)).toBeInViewport();
  }

  await findQuestion(adaPage).hover();
  await findQuestion(adaPage).getByRole('button', { name: 'More' }).click();
  await adaPage.getByRole('menuitem', { name: 'Delete' }).click();
  await adaPage.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await adaPage.getByRole('group', { name: 'Messages' }).press('End');
  await expect(findRoom(adaPage).getByText('Original message deleted')).toBeVisible();
});

test('a visit to another class keeps an unfinished reply or edit [SEND-10, SEND-16]', async ({
  windows,
  site,
}) => {
  const { student, page } = await openClassAlone(windows, site);
  await student.createClass({ subjectAbbreviation: 'math', courseNumber: '32' });
  await say(page, 'Helo');
  await openMenu(page, 'Helo');
  await page.getByRole('menuitem', { name: 'Reply' }).click();
  await openMenu(page, 'Helo');
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const editor = page.getByRole('textbox', { name: 'Edit your message' });
  await editor.fill('Hello');
  await page.getByRole('link', { name: /^MATH 32/ }).click();
  await expect(editor).toHaveCount(0);
  await page.getByRole('link', { name: /^CS 146/ }).click();
  await expect(editor).toHaveValue('Hello');
  await expect(page.getByRole('group', { name: 'Your reply' })).toBeVisible();
  await editor.press('Enter');
  await expect(findRoom(page).getByText('Hello (edited)')).toBeVisible();
});

test('the tools of a reply do not cover its quote at any width [LAYOUT-23]', async ({
  windows,
  site,
}) => {
  const { page, student, classId } = await openClassAlone(windows, site);
  const other = await site.createStudent();
  await other.join(classId);
  const { id } = await student.post(classId, 'A long question that fills the whole quoted line');
  await other.post(classId, 'Something in between');
  for (const [author, text] of [
    [other, 'The first answer'],
    [student, 'The second answer'],
  ] as const) {
    const socket = await author.connect();
    await socket.request({ type: 'post', classId, id: randomUUID(), text, replyTo: id });
  }
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 700 });
    for (const text of ['The first answer', 'The second answer']) {
      await findMessageText(page, text).hover();
      const reply = findMessage(page, text);
      await expect(reply.getByRole('button', { name: 'More', exact: true })).toBeVisible();
      const tools = (await reply.getByRole('toolbar').boundingBox())!;
      const quote = (await reply.getByRole('button', { name: /A long question/ }).boundingBox())!;
      expect(tools.y + tools.height).toBeLessThanOrEqual(quote.y);
      expect(tools.y).toBeGreaterThanOrEqual((await findRoom(page).boundingBox())!.y);
    }
  }
});

test('a quote in a narrow room shortens a long name, without a gap before the text [LAYOUT-129]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const anonymousName = 'Willow of the Western Wing';
  await ada.call('changePersona', { params: { classId }, body: { anonymousName } });
  const socket = await ben.connectTo(classId);
  const ids = [(await ada.post(classId, 'Question')).id, (await socket.post(classId, 'Hm')).id];
  for (const replyTo of ids) {
    const id = randomUUID();
    await socket.request({ type: 'post', classId, id, text: 'Answer', replyTo });
  }
  const page = await windows.openWindowAs(ben, { viewport: { width: 320, height: 700 } });
  const findQuote = (text: string) => findRoom(page).getByRole('button', { name: text });
  await expect(findQuote('Hm')).toBeVisible();
  /** The distance from the end of the name to the start of the text. */
  const measureGap = (text: string) =>
    findQuote(text).evaluate((button) => {
      const [name, quotedText] = button.querySelectorAll('bdi');
      return quotedText!.getBoundingClientRect().left - name!.getBoundingClientRect().right;
    });
  expect(await measureGap('Question')).toBeCloseTo(await measureGap('Hm'), 0);
  await expect(findQuote('Question')).toHaveAccessibleName(/^Willow of the Western Wing Question$/);
  const name = findQuote('Question').locator('bdi').first();
  await expect(name).toHaveText(anonymousName);
  const measureName = async () => (await name.boundingBox())!.width;
  await expect.poll(measureName).toBeLessThan(130);
  // The class list leaves the room less than 520 px.
  await page.setViewportSize({ width: 768, height: 700 });
  await expect.poll(measureName).toBeLessThan(130);
  await page.setViewportSize({ width: 1024, height: 700 });
  await expect.poll(measureName).toBeGreaterThan(150);
});
