// A phone: Return, Back and sheets.
import { expect, test } from './fixtures.ts';
import { findComposer, pressLong, findMessage, findMessageText } from './room.ts';

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test('Return on a phone breaks the line, and the button sends [SEND-25]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  await student.createClass();
  const page = await windows.openWindowAs(student, phone);
  const field = page.getByPlaceholder('Type a message...');
  await expect(field).toHaveAttribute('enterkeyhint', 'enter');
  await field.fill('one');
  await field.press('Enter');
  await field.pressSequentially('two');
  await expect(field).toHaveValue('one\ntwo');
  await page.getByRole('button', { name: 'Send', exact: true }).tap();
  await expect(field).toHaveValue('');
  await expect(findMessageText(page, 'one two')).toBeVisible();
  await field.fill('from a keyboard');
  await field.press('Control+Enter');
  await expect(findMessageText(page, 'from a keyboard')).toBeVisible();
});

test('Back on a phone closes what is open, then leaves the room [CHAT-14, SEND-26, KEY-19]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  await student.post(classId, 'Hold me');
  const page = await windows.openWindowAs(student, phone);
  await page.goto('/search');
  await page.goto(`/home/${classId}`);
  const sheet = page.getByRole('menu', { name: 'Message options' });
  for (let times = 0; times < 3; times++) {
    await pressLong(page, findMessage(page, 'Hold me'), sheet);
    await sheet.getByRole('menuitem', { name: 'Reply' }).tap();
    await expect(sheet).toHaveCount(0);
    await expect
      .poll(() => page.evaluate(() => history.state as unknown))
      .not.toHaveProperty('layer');
  }

  const getPath = () => new URL(page.url()).pathname;
  await pressLong(page, findMessage(page, 'Hold me'), sheet);
  await expect(sheet).toContainText(/Sent at \d/);
  await expect(sheet.locator(':focus')).toHaveCount(1);
  await page.goBack();
  await expect(sheet).toHaveCount(0);
  expect(getPath()).toBe(`/home/${classId}`);
  await pressLong(page, findMessage(page, 'Hold me'), sheet);
  await sheet.getByRole('menuitem', { name: 'Delete' }).tap();
  const question = page.getByRole('alertdialog');
  await expect(question).toBeVisible();
  await expect(sheet).toHaveCount(0);
  await page.goBack();
  await expect(question).toHaveCount(0);
  await expect(findMessageText(page, 'Hold me')).toBeVisible();
  await page.getByRole('button', { name: 'Add an emoji' }).tap();
  const picker = page.getByRole('dialog', { name: 'Emoji' });
  await expect(picker).toBeVisible();
  await page.goBack();
  await expect(picker).toHaveCount(0);
  expect(getPath()).toBe(`/home/${classId}`);

  // The composer, which had the focus, does not end the selection.
  await findComposer(page).tap();
  await pressLong(page, findMessage(page, 'Hold me'), sheet);
  await sheet.getByRole('menuitem', { name: 'Select text' }).tap();
  await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe('Hold me');
  await expect(sheet).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL(/\/search$/);
});
