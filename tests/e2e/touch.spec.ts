// A phone: Return, Back, sheets and swipes.
import type { Locator, Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, phone, test } from './fixtures.ts';
import { createPlainPicture, findPictures, sendPicture } from './picture-files.ts';
import { grant } from './moderation.ts';
import {
  findComposer,
  pressLong,
  findMessage,
  findMessageText,
  findRoom,
  openClassAlone,
} from './room.ts';

/** Whether Back would close a sheet, dialog or list. */
function hasEntryOfLayer(page: Page): Promise<boolean> {
  return page.evaluate(() => 'layer' in ((history.state ?? {}) as object));
}

async function openEmojiPicker(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add pictures, PDFs or a poll' }).tap();
  await page.getByRole('menuitem', { name: 'Add an emoji' }).tap();
}

test('Return on a phone breaks the line, the button sends, and no field has small text [SEND-25, LAYOUT-15]', async ({
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
  await page.evaluate(() => localStorage.setItem('settings', '{"textSize":"small"}'));
  for (const path of ['/create', '/search']) {
    await page.goto(path);
    const fields = page.getByRole('main').locator('input, select, textarea');
    await expect(fields.first()).toBeVisible();
    for (const shownField of await fields.all()) {
      await expect(shownField).toHaveCSS('font-size', '16px');
    }
  }
});

test('Back on a phone closes what is open, then leaves the room [CHAT-14, SEND-26, KEY-20]', async ({
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
    await expect.poll(() => hasEntryOfLayer(page)).toBe(false);
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
  await openEmojiPicker(page);
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
  await expect.poll(() => hasEntryOfLayer(page)).toBe(false);
  await page.goBack();
  await expect(page).toHaveURL(/\/search$/);
});

/** Moves a finger on the element. The browser makes the steps itself, because a slow one would be a long press. */
async function swipe(page: Page, target: Locator, { rightPx }: { rightPx: number }): Promise<void> {
  // The code of the gesture loads after the room.
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/swipe-to-reply-')),
  );
  // A row is hidden until it is measured.
  await expect(target).toBeInViewport();
  const { x, y, height } = (await target.boundingBox())!;
  const input = await page.context().newCDPSession(page);
  await input.send('Input.synthesizeScrollGesture', {
    x: Math.round(x + 60),
    y: Math.round(y + height / 2),
    xDistance: rightPx,
    preventFling: true,
    gestureSourceType: 'touch',
  });
}

/** Moves a finger in single steps, because Chromium scrolls nothing in a gesture that it makes itself. */
async function scrollByFinger(
  page: Page,
  target: Locator,
  { rightPx, downPx }: { rightPx: number; downPx: number },
): Promise<void> {
  const { x, y } = (await target.boundingBox())!;
  const input = await page.context().newCDPSession(page);
  await input.send('Input.dispatchTouchEvent', {
    type: 'touchStart',
    touchPoints: [{ x: x + 60, y: y + 5 }],
  });
  for (let share = 0.1; share <= 1; share += 0.1) {
    const point = { x: x + 60 + rightPx * share, y: y + 5 + downPx * share };
    await input.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
  }
  await input.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

test('a swipe to the side replies to a message of anyone, and a swipe up or down scrolls [CHAT-80]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const socket = await ada.connectTo(classId);
  for (let n = 1; n <= 40; n++) await socket.post(classId, `Line ${n}`);
  await ben.post(classId, 'My own');
  const page = await windows.openWindowAs(ben, phone);
  const reply = page.getByRole('group', { name: 'Your reply' });
  await expect(findMessage(page, 'My own')).toBeInViewport();
  const { x: place } = (await findMessage(page, 'Line 40').boundingBox())!;

  for (const text of ['My own', 'Line 40']) {
    await swipe(page, findMessage(page, text), { rightPx: 120 });
    await expect(reply).toContainText(text);
    await expect(findComposer(page)).toBeFocused();
    await reply.getByRole('button', { name: 'Cancel reply' }).tap();
    await expect(reply).toHaveCount(0);
  }

  // A short swipe moves the message and nothing else. The list does not become wider.
  await findMessage(page, 'Line 40').evaluate((row) => {
    const list = row.closest('[role=group]')!;
    const { left } = row.getBoundingClientRect();
    const watch = () => {
      const { moved = '0', wider = '0' } = row.dataset;
      const movedPx = row.getBoundingClientRect().left - left;
      row.dataset['moved'] = String(Math.max(Number(moved), movedPx));
      row.dataset['wider'] = String(Math.max(Number(wider), list.scrollWidth - list.clientWidth));
      requestAnimationFrame(watch);
    };
    watch();
  });
  await swipe(page, findMessage(page, 'Line 40'), { rightPx: 35 });
  await expect.poll(async () => (await findMessage(page, 'Line 40').boundingBox())!.x).toBe(place);
  const distances = await findMessage(page, 'Line 40').evaluate((row) => {
    return { moved: row.dataset['moved'], wider: row.dataset['wider'] };
  });
  expect(Number(distances.moved)).toBeGreaterThan(5);
  expect(distances.wider).toBe('0');
  await expect(reply).toHaveCount(0);

  const getTop = () => findRoom(page).evaluate((list) => list.scrollTop);
  const top = await getTop();
  await scrollByFinger(page, findMessage(page, 'Line 36'), { rightPx: 70, downPx: 200 });
  await expect.poll(getTop).toBeLessThan(top - 100);
  await swipe(page, findRoom(page).getByText('Line 30', { exact: true }), { rightPx: -100 });
  await expect(reply).toHaveCount(0);
});

test('a long press on a picture or a persona opens the menu of the message [CHAT-14]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await sendPicture(ada, classId, await createPlainPicture(200, 150));
  const page = await windows.openWindowAs(ben, phone);
  const sheet = page.getByRole('menu', { name: 'Message options' });
  await expect(findPictures(page)).toHaveCount(1);

  for (const target of [findPictures(page), findRoom(page).getByText('Anonymous')]) {
    await pressLong(page, target, sheet);
    await expect(sheet.getByRole('menuitem', { name: 'Save picture' })).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.goBack();
    await expect(sheet).toHaveCount(0);
  }
});

test('Back on a phone closes the dialog, then the class list under it, then leaves the room [KEY-20]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  const page = await windows.openWindowAs(student, phone);
  await page.goto('/search');
  await page.goto(`/home/${classId}`);
  const list = page.getByRole('heading', { name: 'My Classes' });
  const dialog = page.getByRole('alertdialog');
  const room = page.getByRole('heading', { name: 'CS 146' });
  await page.getByRole('button', { name: 'Class list' }).tap();
  await page.getByRole('button', { name: /^Options for/ }).tap();
  await page.getByRole('menuitem', { name: 'Delete Class' }).tap();
  await expect(dialog).toBeVisible();

  await page.goBack();
  await expect(dialog).toHaveCount(0);
  await expect(list).toBeVisible();
  await page.goBack();
  await expect(list).toHaveCount(0);
  await expect(room).toBeVisible();
  await page.goBack();

  await expect(page).toHaveURL(/\/search$/);
});

test('Back on a phone closes a list that covers a part of the screen, and nothing else [KEY-20]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  const { id } = await student.post(classId, 'The exam is on Friday');
  await grant(site, student, classId, 'Kim');
  const params = { classId };
  const { version } = (await student.call('readClassSettings', { params })).settings;
  await student.call('changeClassSettings', { params, body: { version, pins: [id] } });
  const page = await windows.openWindowAs(student, phone);
  for (const [path, button] of [
    [`/home/${classId}`, page.getByRole('button', { name: /pinned message/ })],
    ['/search?q=cs', page.getByRole('button', { name: /^Day/ })],
    ['/create', page.getByRole('combobox', { name: /^Days of the week/ })],
  ] as const) {
    await page.goto(path);
    await button.tap();
    await expect(button).toHaveAttribute('aria-expanded', 'true');

    await page.goBack();

    await expect(button).toHaveAttribute('aria-expanded', 'false');
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(path);
  }
});

test('Back on a phone leaves the room after a reload that has closed a dialog [KEY-20]', async ({
  windows,
  site,
}) => {
  const { classId, page } = await openClassAlone(windows, site, phone);
  await page.goto('/search');
  await page.goto(`/home/${classId}`);
  await openEmojiPicker(page);
  await expect(page.getByRole('dialog', { name: 'Emoji' })).toBeVisible();
  await page.reload();
  await expect(findComposer(page)).toBeVisible();
  await expect.poll(() => hasEntryOfLayer(page)).toBe(false);

  await page.goBack();

  await expect(page).toHaveURL(/\/search$/);
});
