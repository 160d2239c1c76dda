// Writing a message: shortcuts, pasted text, emoji, the preview and drafts.
import { expect, test } from './fixtures.ts';
import { openClassAlone, findComposer, pasteText } from './room.ts';

test('shortcuts and pasted text format the selection, and a preview shows it [SEND-27, SEND-28, SEND-29, SEND-30]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site);
  await findComposer(page).fill('one two');
  await page.keyboard.press('Shift+Control+ArrowLeft');
  for (const [key, text] of [
    ['Control+b', 'one **two**'],
    ['Control+b', 'one two'],
    // The selection still grows at its start.
    ['Shift+Control+ArrowLeft', 'one two'],
    ['Control+i', '*one two*'],
    ['Control+i', 'one two'],
    ['Shift+Control+ArrowRight', 'one two'],
    ['Control+i', 'one *two*'],
    ['Control+z', 'one two'],
    ['Control+e', 'one `two`'],
    ['Control+z', 'one two'],
    ['Control+Shift+X', 'one ~~two~~'],
    ['Control+a', 'one ~~two~~'],
    ['Control+e', '`one ~~two~~`'],
    ['Control+e', 'one ~~two~~'],
  ] as const) {
    await page.keyboard.press(key);
    await expect(findComposer(page)).toHaveValue(text);
  }
  await page.keyboard.press('Control+/');
  await expect(page.getByRole('dialog')).toContainText('Bold, italic');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await findComposer(page).fill('see notes');
  await page.keyboard.press('Shift+Control+ArrowLeft');
  await pasteText(page, 'https://a.example/1');
  await expect(findComposer(page)).toHaveValue('see [notes](https://a.example/1)');
  await page.keyboard.press('Control+z');
  await expect(findComposer(page)).toHaveValue('see notes');

  const code = 'if (a) {\n\tb();\n}';
  await findComposer(page).fill('');
  await pasteText(page, code);
  await expect(findComposer(page)).toHaveValue(code);
  await page.getByRole('button', { name: 'Format as code' }).click();
  await expect(findComposer(page)).toHaveValue(`\`\`\`\n${code}\n\`\`\`\n`);
  await expect(page.getByRole('button', { name: 'Format as code' })).toHaveCount(0);
  await expect(findComposer(page)).toBeFocused();
  await page.keyboard.press('Control+z');
  await expect(findComposer(page)).toHaveValue(code);

  const preview = page.getByRole('region', { name: 'Preview' });
  await findComposer(page).fill('plain');
  await expect(preview).toHaveCount(0);
  await findComposer(page).fill('**bold**');
  await expect(preview).toContainText('bold');
  await preview.getByRole('button', { name: 'Hide preview' }).click();
  await expect(preview).not.toContainText('bold');
  await page.reload();
  await expect(findComposer(page)).toHaveValue('**bold**');
  await preview.getByRole('button', { name: 'Show preview' }).click();
  await expect(preview).toContainText('bold');
});

test('typing a colon and letters suggests emoji, which the keyboard and the mouse can choose [SEND-31]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site);
  const list = page.getByRole('listbox', { name: 'Emoji' });
  const findOption = (n: number) => list.getByRole('option').nth(n);
  // The list changes with each letter, so the ids of its options change, too.
  const expectActiveOption = async (n: number) => {
    await expect(findOption(n)).toHaveAttribute('aria-selected', 'true');
    await expect(async () => {
      const id = await findOption(n).getAttribute('id');
      expect(await findComposer(page).getAttribute('aria-activedescendant')).toBe(id);
    }).toPass();
  };
  await findComposer(page).pressSequentially('Done :tada');
  await expectActiveOption(0);
  await page.keyboard.press('Enter');
  await expect(findComposer(page)).toHaveValue('Done 🎉');
  await expect(list).toHaveCount(0);
  await page.keyboard.press('Control+z');
  await expect(findComposer(page)).toHaveValue('Done :tada');
  await page.keyboard.press('End');
  await expect(list).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(list).toHaveCount(0);
  await findComposer(page).pressSequentially('a');
  await expect(list).toHaveCount(0);
  await findComposer(page).fill('');
  await findComposer(page).pressSequentially(':thu');
  await expect(list).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expectActiveOption(1);
  await list.getByRole('option', { name: 'thumbs up' }).click();
  await expect(findComposer(page)).toHaveValue('👍');
  await expect(findComposer(page)).toBeFocused();
  await findComposer(page).fill('');
  await findComposer(page).pressSequentially('so :heart: at 10:30 ::');
  await expect(findComposer(page)).toHaveValue('so ❤️ at 10:30 ::');
});

test('the emoji picker searches, follows the arrow keys and remembers [SEND-32]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site);
  await findComposer(page).fill('ab');
  await page.keyboard.press('ArrowLeft');
  const open = () => page.getByRole('button', { name: 'Add an emoji' }).click();
  const picker = page.getByRole('dialog', { name: 'Emoji' });
  await open();
  await expect(picker.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('rocket');
  await page.keyboard.press('Enter');
  await expect(picker).toHaveCount(0);
  await expect(findComposer(page)).toHaveValue('a🚀b');
  await expect(findComposer(page)).toBeFocused();
  await open();
  await expect(picker.getByRole('tab', { name: 'Recent' })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  const emojiButtons = picker.getByRole('tabpanel').getByRole('button');
  await expect(emojiButtons.first()).toHaveAccessibleName('rocket');
  expect(await emojiButtons.count()).toBeGreaterThan(50);
  await picker.getByRole('tab', { name: 'Food & Drink' }).click();
  await picker.getByRole('searchbox').focus();
  await page.keyboard.press('ArrowDown');
  await expect(picker.getByRole('button', { name: 'grapes' })).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(picker.getByRole('button', { name: 'melon', exact: true })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(picker).toHaveCount(0);
  await open();
  await expect(picker).toBeVisible();
  await page.mouse.click(5, 5);
  await expect(picker).toHaveCount(0);
});

test('each class keeps its own draft, and the class list shows the drafts of other classes [SEND-10, LIST-31, LAYOUT-11]', async ({
  windows,
  site,
}) => {
  const { student, page } = await openClassAlone(windows, site);
  await student.createClass({ courseNumber: '200' });
  await page.reload();
  const list = page.getByRole('navigation', { name: 'My Classes' });
  const findRow = (label: RegExp) => list.getByRole('link', { name: label });
  await findComposer(page).fill('  not   yet\n**sent** ');
  await page.keyboard.press('Escape');
  await expect(list).not.toContainText('Draft');
  await findRow(/^CS 200/).click();
  await expect(findComposer(page)).toHaveValue('');
  await expect(findRow(/^CS 146/)).toContainText('Draft: not yet **sent**');
  await findComposer(page).fill('for the other class');
  await page.reload();
  await expect(findComposer(page)).toHaveValue('for the other class');
  await expect(findRow(/^CS 146/)).toContainText('Draft: not yet **sent**');
  await findRow(/^CS 146/).click();
  await expect(findComposer(page)).toHaveValue('  not   yet\n**sent** ');
  await expect(findRow(/^CS 200/)).toContainText('Draft: for the other class');
  await findComposer(page).fill('');
  await findRow(/^CS 200/).click();
  await expect(list).not.toContainText('Draft');
});
