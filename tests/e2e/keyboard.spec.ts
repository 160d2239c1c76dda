import { findViolations } from './axe.ts';
import { expect, test } from './fixtures.ts';
import {
  openClassAlone,
  findClassLink,
  findMessage,
  openMenu,
  findMessageText,
  say,
} from './room.ts';

test('? lists the shortcuts, and Ctrl+/ does so even while typing [KEY-1, KEY-6, LAYOUT-5, LAYOUT-11]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site);
  const composer = page.getByPlaceholder('Type a message...');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(composer).toBeFocused();
  await page.keyboard.type('Really?');
  await expect(composer).toHaveValue('Really?');
  await expect(list).toHaveCount(0);

  await page.keyboard.press('Control+/');
  await expect(list).toBeVisible();
  await expect(list.getByText('Switch to another class')).toBeVisible();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(list).toHaveCount(0);
  await expect(composer).toBeFocused();
  await expect(composer).toHaveValue('Really?');

  await page
    .getByRole('group', { name: 'Messages' })
    .or(page.getByRole('link', { name: 'Home' }))
    .first()
    .focus();
  await page.keyboard.press('?');
  await expect(list).toBeVisible();
  await page.keyboard.press('?');
  await expect(list).toHaveCount(0);
  await expect(composer).toHaveValue('Really?');
});

test('Ctrl+K switches to a class by a part of its name [KEY-2, LAYOUT-5]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const art = await student.createClass({ subjectAbbreviation: 'art', courseName: 'Drawing' });
  const cs = await student.createClass({ courseName: 'Input/Output & Interrupts' });
  const math = await student.createClass({ subjectAbbreviation: 'math', courseName: 'Calculus' });
  const other = await site.createStudent();
  await other.join(math);
  const page = await windows.openWindowAs(student);
  await expect(page).toHaveURL(`/home/${art}`);
  await expect(page.getByPlaceholder('Type a message...')).toBeFocused();
  // The unread count appears only after the class list has subscribed to the class.
  await expect(findClassLink(page, /MATH/)).toBeVisible();
  await other.post(math, 'News');
  await expect(findClassLink(page, /MATH/)).toContainText('1 unread message');

  await page.keyboard.type('half a thought');
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Switch class' });
  const field = dialog.getByRole('combobox', { name: 'Class' });
  const options = dialog.getByRole('option');
  await expect(field).toBeFocused();
  await expect(options).toHaveText([/^MATH 146.*1 unread message/, /^CS 146/, /^ART 146.*Open$/]);
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await findViolations(page), colorScheme).toEqual([]);
  }
  await page.keyboard.press('ArrowUp');
  await expect(options.last()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true');
  await expect(field).toHaveAttribute(
    'aria-activedescendant',
    (await options.nth(1).getAttribute('id')) ?? '',
  );
  await page.keyboard.type('inptout');
  await expect(options).toHaveText([/^CS 146/]);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/home/${cs}`);
  await expect(dialog).toHaveCount(0);
  // The URL changes before the room appears.
  await expect(page.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  await expect(page.getByPlaceholder('Type a message...')).toBeFocused();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('zzz');
  await expect(dialog.getByText('None of your classes has this name.')).toBeVisible();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByPlaceholder('Type a message...')).toBeFocused();

  await page.keyboard.press('Control+k');
  await options.filter({ hasText: 'ART' }).click();
  await expect(page).toHaveURL(`/home/${art}`);
  await expect(page.getByPlaceholder('Type a message...')).toHaveValue('half a thought');
});

test('the composer gets the focus after a dialog that was opened before the room appeared [LAYOUT-13]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const art = await student.createClass({ subjectAbbreviation: 'art' });
  const cs = await student.createClass();
  const page = await windows.openWindowAs(student);
  await expect(page).toHaveURL(`/home/${art}`);
  await expect(page.getByPlaceholder('Type a message...')).toBeFocused();
  // Both keys are pressed in one task, so that the URL changes first, then the dialog opens, then the room appears.
  await page.evaluate(() => {
    const press = (key: string, modifiers: KeyboardEventInit) =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...modifiers }),
      );
    press('ArrowDown', { altKey: true });
    press('k', { ctrlKey: true, metaKey: /Mac/.test(navigator.platform) });
  });
  await expect(page).toHaveURL(`/home/${cs}`);
  await expect(page.getByRole('combobox', { name: 'Class' })).toBeFocused();
  await expect(page.getByRole('heading', { name: 'CS 146', includeHidden: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByPlaceholder('Type a message...')).toBeFocused();

  // The heading has the focus if the dialog opens after the heading has appeared and before the composer has.
  await page.getByRole('heading', { name: 'CS 146' }).focus();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Class' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByPlaceholder('Type a message...')).toBeFocused();
});

test('Alt+Up and Alt+Down step through the classes, and the class list is one tab stop [KEY-4, KEY-5, KEY-6]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const art = await student.createClass({ subjectAbbreviation: 'art' });
  const cs = await student.createClass();
  await student.createClass({ subjectAbbreviation: 'math' });
  const page = await windows.openWindowAs(student);
  const composer = page.getByPlaceholder('Type a message...');
  await expect(page).toHaveURL(`/home/${art}`);
  await expect(composer).toBeFocused();
  await page.keyboard.type('a draft');
  await page.keyboard.press('Alt+ArrowUp');
  await expect(page).toHaveURL(`/home/${art}`);
  await page.keyboard.press('Alt+ArrowDown');
  await expect(page).toHaveURL(`/home/${cs}`);
  await expect(composer).toBeFocused();
  await expect(composer).toHaveValue('');
  await page.getByRole('button', { name: 'Options for CS 146' }).click();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(page).toHaveURL(`/home/${cs}`);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+ArrowUp');
  await expect(page).toHaveURL(`/home/${art}`);
  await expect(composer).toHaveValue('a draft');

  await findClassLink(page, /^CS/).click();
  await expect(page.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  await page.getByRole('link', { name: 'Profile' }).focus();
  await page.keyboard.press('Tab');
  await expect(findClassLink(page, /^CS/)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(findClassLink(page, /^MATH/)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(findClassLink(page, /^MATH/)).toBeFocused();
  await page.keyboard.press('Home');
  await expect(findClassLink(page, /^ART/)).toBeFocused();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: 'Options for MATH 146' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Share Class' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Delete Class' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Options for MATH 146' })).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(findClassLink(page, /^MATH/)).toBeFocused();
  await page.keyboard.press('Tab');
  // The edge of the list is the next tab stop.
  await expect(page.getByRole('separator', { name: 'Width of the class list' })).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(findClassLink(page, /^CS/)).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'ART 146' })).toBeVisible();
});

test('Esc closes an edit and keeps its text, and Esc closes the class list that covers a room [KEY-6, KEY-7, LAYOUT-11]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site);
  await say(page, 'The exam is on Tuesday');
  await expect(findMessageText(page, 'The exam is on Tuesday')).toBeVisible();
  const editor = page.getByRole('textbox', { name: 'Edit your message' });
  const edit = async () => {
    await openMenu(page, 'The exam');
    await page.getByRole('menuitem', { name: 'Edit' }).click();
  };
  await edit();
  await editor.fill('The exam is on Thursday');
  await editor.press('Escape');
  await expect(editor).toHaveCount(0);
  await expect(findMessage(page, 'on Tuesday')).toBeVisible();
  await edit();
  await expect(editor).toHaveValue('The exam is on Thursday');
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await edit();
  await expect(editor).toHaveValue('The exam is on Tuesday');
  await editor.press('Escape');

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Class list' }).click();
  await page.getByRole('button', { name: 'Options for CS 146' }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'My Classes' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { name: 'CS 146' })).toBeVisible();
});
