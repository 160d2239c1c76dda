import type { Locator } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { findViolations } from './axe.ts';
import { expect, smallPhone, test } from './fixtures.ts';
import {
  pressLong,
  meet,
  findMessage,
  openMenu,
  pick,
  findRoom,
  findMessageText,
  say,
} from './room.ts';

test('a member picks, changes and removes a reaction, and the other member sees each step [REACT-1, REACT-2, REACT-5, REACT-9, CHAT-3]', async ({
  windows,
  site,
}) => {
  const { ada, classId, adaPage, benPage } = await meet(windows, site);
  await say(adaPage, 'Is it open notes?');
  await expect(findMessageText(benPage, 'Is it open notes?')).toBeVisible();
  const toAda = findMessage(adaPage, 'Is it open notes?');
  const toBen = findMessage(benPage, 'Is it open notes?');
  await toBen.hover();
  const tools = toBen.getByRole('toolbar');
  for (const name of ['Heart', 'Thumbs up', 'Thumbs down', 'Poop']) {
    await expect(tools.getByRole('button', { name, exact: true })).toBeVisible();
  }
  const chips = toBen.getByRole('list', { name: 'Reactions' }).getByRole('button');
  const adaChips = toAda.getByRole('list', { name: 'Reactions' }).getByRole('listitem');

  await pick(benPage, 'Is it open notes?', 'Thumbs up');
  await expect(chips).toHaveText(['Thumbs up: 1']);
  await expect(chips).toHaveAttribute('aria-pressed', 'true');
  await expect(adaChips).toHaveText(['Thumbs up: 1']);
  await pick(benPage, 'Is it open notes?', 'Heart');
  await expect(chips).toHaveText(['Heart: 1']);
  await expect(adaChips).toHaveText(['Heart: 1']);
  await pick(benPage, 'Is it open notes?', 'Heart');
  await expect(chips).toHaveCount(0);
  await expect(adaChips).toHaveCount(0);

  // On one's own message the counts are not buttons, and tools and menu have no picker.
  await pick(benPage, 'Is it open notes?', 'Poop');
  await expect(adaChips).toHaveText(['Poop: 1']);
  await expect(adaChips.getByRole('button')).toHaveCount(0);
  await toAda.hover();
  await expect(toAda.getByRole('toolbar').getByRole('button')).toHaveCount(3);
  await expect(toAda.getByRole('button', { name: 'Heart' })).toHaveCount(0);
  await openMenu(adaPage, 'Is it open notes?');
  await expect(adaPage.getByRole('menuitem')).toHaveText([
    'Reply',
    'Edit',
    'Copy text',
    'Copy link',
    'Delete',
  ]);
  await expect(adaPage.getByRole('menuitemcheckbox')).toHaveCount(0);

  // Counts add up, and a click on a count toggles the member's own reaction.
  const cem = await site.createStudent();
  await cem.join(classId);
  const { id: messageId } = await ada.post(classId, 'Only the result');
  await (await cem.connect()).request({ type: 'react', classId, messageId, emoji: '👍' });
  const chip = findMessage(benPage, 'Only the result').getByRole('listitem').getByRole('button');
  await expect(chip).toHaveText('Thumbs up: 1');
  await expect(chip).toHaveAttribute('aria-pressed', 'false');
  const getFontWeight = () => chip.evaluate((element) => getComputedStyle(element).fontWeight);
  const plain = await getFontWeight();
  await chip.click();
  await expect(chip).toHaveText('Thumbs up: 2');
  await expect(chip).toHaveAttribute('aria-pressed', 'true');
  expect(await getFontWeight()).not.toBe(plain);

  await chip.click();
  await expect(chip).toHaveText('Thumbs up: 1');
});

test('in forced colors a member’s own reaction has an outline, under the message and in its tools [LAYOUT-25]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ada.post(classId, 'Is it open notes?');
  const benPage = await windows.openWindowAs(ben);
  await pick(benPage, 'Is it open notes?', 'Thumbs up');
  const message = findMessage(benPage, 'Is it open notes?');
  const chip = message.getByRole('list', { name: 'Reactions' }).getByRole('button');
  await expect(chip).toHaveText('Thumbs up: 1');

  await benPage.emulateMedia({ forcedColors: 'active' });

  const getOutlineStyle = (element: Locator) =>
    element.evaluate((node) => getComputedStyle(node).outlineStyle);
  expect(await getOutlineStyle(chip)).toBe('solid');
  await message.hover();
  const tools = message.getByRole('toolbar');
  expect(await getOutlineStyle(tools.getByRole('button', { pressed: true }))).toBe('solid');
});

test('the keyboard alone reaches a message, its tools and its menu, and returns [CHAT-14, CHAT-15]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const page = await windows.openWindowAs(ben);
  const adaSocket = await ada.connect();
  const benSocket = await ben.connect();
  for (const text of ['first', 'second', 'third']) await adaSocket.post(classId, text);
  await benSocket.post(classId, 'mine');
  await expect(findMessageText(page, 'mine')).toBeVisible();
  await page.getByPlaceholder('Type a message...').fill('a draft');

  await page.keyboard.press('Shift+Tab');
  await expect(page.getByRole('button', { name: 'Add pictures' })).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(findRoom(page)).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(findMessage(page, 'mine')).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(findMessage(page, 'second')).toBeFocused();
  await page.keyboard.press('Home');
  await expect(findMessage(page, 'first')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(findMessage(page, 'second')).toBeFocused();

  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(
    findMessage(page, 'second').getByRole('button', { name: 'Thumbs up', exact: true }),
  ).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(findMessage(page, 'second').getByRole('list')).toHaveText('Thumbs up: 1');
  // The arrow keys move between messages from the tools too, and Tab goes from a message to its counts.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Tab');
  await expect(
    findMessage(page, 'second').getByRole('button', { name: 'Thumbs up: 1' }),
  ).toBeFocused();

  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menu')).toBeVisible();
  await expect(page.getByRole('menuitemcheckbox', { name: 'Heart' })).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Reply' })).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(findMessage(page, 'third').getByRole('list')).toHaveText('Heart: 1');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expect(findMessage(page, 'third')).toBeFocused();
  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menu')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(findMessage(page, 'third')).toBeFocused();

  await page.keyboard.press('Escape');
  await expect(page.getByPlaceholder('Type a message...')).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('End');
  await expect(findMessage(page, 'mine')).toBeFocused();
  await page.keyboard.type('!');
  await expect(page.getByPlaceholder('Type a message...')).toHaveValue('a draft!');
});

test('a right-click opens the menu of a message [CHAT-14]', async ({ windows, site }) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const benPage = await windows.openWindowAs(ben);
  await ada.post(classId, 'See https://university.edu');
  await findMessage(benPage, 'See').locator('time').click({ button: 'right' });
  await expect(benPage.getByRole('menu')).toBeVisible();
  // A press outside the menu closes it and does nothing else.
  const box = await benPage.getByRole('link', { name: 'Create', exact: true }).boundingBox();
  await benPage.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + 5);
  await expect(benPage.getByRole('menu')).toHaveCount(0);
  expect(benPage.url()).toContain(classId);
  // For a link the browser's own menu opens, because it offers more.
  await findMessage(benPage, 'See').getByRole('link').click({ button: 'right' });
  await expect(benPage.getByRole('menu')).toHaveCount(0);
});

test('a pointer, the focus and a long press show who chose a reaction [REACT-10, REACT-9, KEY-20]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const cem = await site.createStudent();
  await cem.join(classId);
  for (const [student, anonymousName] of [
    [ben, 'Quiet Fox'],
    [cem, 'Calm Owl'],
  ] as const) {
    await student.call('changePersona', { params: { classId }, body: { anonymousName } });
  }
  const { id: messageId } = await ada.post(classId, 'Is it open notes?');
  const adaPage = await windows.openWindowAs(ada);
  const benPage = await windows.openWindowAs(ben);
  const toBen = findMessage(benPage, 'Is it open notes?');
  const chip = toBen.getByRole('button', { name: /^Thumbs up: / });
  await pick(benPage, 'Is it open notes?', 'Thumbs up');
  // No one has seen Cem before: the log names only an id, and the names load with the list.
  await (await cem.connect()).request({ type: 'react', classId, messageId, emoji: '👍' });
  await expect(chip).toHaveText('Thumbs up: 2');
  const benTip = benPage.getByRole('tooltip');

  await chip.hover();
  await expect(benTip.getByRole('listitem')).toHaveText(['Quiet Fox, you', 'Calm Owl']);
  await expect(benTip).toContainText('Thumbs up: 2');
  await expect(chip).toHaveAccessibleName('Thumbs up: 2. You and Calm Owl');
  expect(await findViolations(benPage)).toEqual([]);
  await benTip.hover();
  await expect(benTip).toBeVisible();
  await benPage.keyboard.press('Escape');
  await expect(benTip).toHaveCount(0);
  await chip.hover({ position: { x: 4, y: 4 } });
  await expect(benTip).toBeVisible();
  await findRoom(benPage).hover({ position: { x: 5, y: 5 } });
  await expect(benTip).toHaveCount(0);
  await findRoom(benPage).focus();
  await benPage.keyboard.press('End');
  await benPage.keyboard.press('Tab');
  await expect(toBen.getByRole('button', { name: /^[A-Z][a-z]+ [A-Z][a-z]+$/ })).toBeFocused();
  await benPage.keyboard.press('Tab');
  await expect(chip).toBeFocused();
  await expect(benTip.getByRole('listitem')).toHaveText(['Quiet Fox, you', 'Calm Owl']);
  await benPage.keyboard.press('Tab');
  await expect(benTip.getByRole('list')).toBeFocused();
  await benPage.keyboard.press('Tab');
  await expect(toBen.getByRole('button', { name: 'More' })).toBeFocused();
  await expect(benTip).toHaveCount(0);

  // An author sees them, too, although the chips of an own message are no buttons.
  const adaChip = findMessage(adaPage, 'Is it open notes?').getByRole('img', { name: /Thumbs up/ });
  await adaChip.hover();
  await expect(adaPage.getByRole('tooltip').getByRole('listitem')).toHaveText([
    'Calm Owl',
    'Quiet Fox',
  ]);

  const phonePage = await windows.openWindowAs(ada, smallPhone);
  const tip = phonePage.getByRole('tooltip');
  const phoneChip = findMessage(phonePage, 'Is it open notes?').getByRole('img', {
    name: /Thumbs up/,
  });
  await pressLong(phonePage, phoneChip, tip);
  await expect(tip.getByRole('listitem')).toHaveText(['Calm Owl', 'Quiet Fox']);
  await expect(phonePage.getByRole('menu')).toHaveCount(0);
  await phonePage.goBack();
  await expect(tip).toHaveCount(0);
  await expect(findMessage(phonePage, 'Is it open notes?')).toBeVisible();
});

test('the list of those who chose a reaction follows the room, marks ignored members and scrolls [REACT-10]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const { id: messageId } = await ada.post(classId, 'Is it open notes?');
  const fans = await Promise.all(Array.from({ length: 6 }, () => site.createStudent()));
  const sockets = await Promise.all(
    fans.map(async (fan, n) => {
      await fan.join(classId);
      await fan.call('changePersona', {
        params: { classId },
        body: { anonymousName: `Fan ${String.fromCodePoint(65 + n)}` },
      });
      const socket = await fan.connect();
      await socket.request({ type: 'react', classId, messageId, emoji: '❤️' });
      return socket;
    }),
  );
  const { me } = await fans[0]!.snapshot(classId);
  const body = { ignored: [me.memberId], hidden: [], muted: false, version: 0 };
  await ben.call('savePreferences', { params: { classId }, body });
  const page = await windows.openWindowAs(ben, { viewport: { width: 1280, height: 380 } });
  const chip = findMessage(page, 'Is it open notes?').getByRole('button', { name: /^Heart: 6/ });
  await expect(chip).toHaveAccessibleName(/^Heart: 6\. Fan \w, Fan \w, Fan \w, and 3 others$/);

  await chip.hover();
  const people = page.getByRole('tooltip').getByRole('listitem');
  await expect(people).toHaveCount(6);
  await expect(people.first()).toHaveText('Fan B');
  await expect(people.last()).toHaveText('Fan A(ignored)');
  await expect(people.last()).not.toBeInViewport();
  await people.last().scrollIntoViewIfNeeded();
  await expect(people.last()).toBeInViewport();

  await sockets[1]!.request({ type: 'react', classId, messageId, emoji: null });
  await expect(people).toHaveCount(5);
  await expect(people.first()).toHaveText('Fan C');
});
