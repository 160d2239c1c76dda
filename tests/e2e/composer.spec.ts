// Writing a message: shortcuts, pasted text, emoji, the preview and the question before it is sent.
import { expect, test } from './fixtures.ts';
import { aloneInAClass, composer, meet, pasteText, room, said, say } from './room.ts';

test('shortcuts mark the selection, and undo takes the mark away [SEND-27, KEY-16]', async ({
  people,
  site,
}) => {
  const { page } = await aloneInAClass(people, site);
  await composer(page).fill('one two');
  await page.keyboard.press('Shift+Control+ArrowLeft');
  for (const [key, text] of [
    ['Control+b', 'one **two**'],
    ['Control+b', 'one two'],
    ['Control+i', 'one *two*'],
    ['Control+z', 'one two'],
    ['Control+e', 'one `two`'],
    ['Control+z', 'one two'],
    ['Control+Shift+X', 'one ~~two~~'],
  ] as const) {
    await page.keyboard.press(key);
    await expect(composer(page)).toHaveValue(text);
  }
  await page.keyboard.press('Control+/');
  await expect(page.getByRole('dialog')).toContainText('Bold, italic');
});

test('a pasted address makes the selection a link, and undo removes it [SEND-28]', async ({
  people,
  site,
}) => {
  const { page } = await aloneInAClass(people, site);
  await composer(page).fill('see notes');
  await page.keyboard.press('Shift+Control+ArrowLeft');
  await pasteText(page, 'https://a.example/1');
  await expect(composer(page)).toHaveValue('see [notes](https://a.example/1)');
  await page.keyboard.press('Control+z');
  await expect(composer(page)).toHaveValue('see notes');
});

test('pasted code keeps its indentation and can be formatted [SEND-29]', async ({
  people,
  site,
}) => {
  const { page } = await aloneInAClass(people, site);
  const code = 'if (a) {\n\tb();\n}';
  await composer(page).focus();
  await pasteText(page, code);
  await expect(composer(page)).toHaveValue(code);
  await page.getByRole('button', { name: 'Format as code' }).click();
  await expect(composer(page)).toHaveValue(`\`\`\`\n${code}\n\`\`\`\n`);
  await expect(page.getByRole('button', { name: 'Format as code' })).toHaveCount(0);
  await expect(composer(page)).toBeFocused();
  await page.keyboard.press('Control+z');
  await expect(composer(page)).toHaveValue(code);
  await composer(page).fill('');
  await pasteText(page, 'Two lines\nof plain text');
  await expect(page.getByRole('button', { name: 'Format as code' })).toHaveCount(0);
});

test('a text with Markdown has a preview, which the member can hide [SEND-30]', async ({
  people,
  site,
}) => {
  const { page } = await aloneInAClass(people, site);
  const preview = page.getByRole('region', { name: 'Preview' });
  await composer(page).fill('plain');
  await expect(preview).toHaveCount(0);
  await composer(page).fill('**bold**');
  await expect(preview).toContainText('bold');
  await preview.getByRole('button', { name: 'Hide preview' }).click();
  await expect(preview).not.toContainText('bold');
  await page.reload();
  await expect(composer(page)).toHaveValue('**bold**');
  await preview.getByRole('button', { name: 'Show preview' }).click();
  await expect(preview).toContainText('bold');
});

test('a colon and letters suggest emoji, by keyboard and by mouse [SEND-31]', async ({
  people,
  site,
}) => {
  const { page } = await aloneInAClass(people, site);
  const list = page.getByRole('listbox', { name: 'Emoji' });
  const option = (n: number) => list.getByRole('option').nth(n);
  const expectActive = async (n: number) => {
    await expect(option(n)).toHaveAttribute('aria-selected', 'true');
    const id = (await option(n).getAttribute('id'))!;
    await expect(composer(page)).toHaveAttribute('aria-activedescendant', id);
  };
  await composer(page).pressSequentially('Done :tad');
  await expectActive(0);
  await page.keyboard.press('Enter');
  await expect(composer(page)).toHaveValue('Done 🎉');
  await expect(list).toHaveCount(0);
  await page.keyboard.press('Control+z');
  await expect(composer(page)).toHaveValue('Done :tad');
  await page.keyboard.press('End');
  await expect(list).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(list).toHaveCount(0);
  await composer(page).pressSequentially('a');
  await expect(list).toHaveCount(0);
  await composer(page).fill('');
  await composer(page).pressSequentially(':thu');
  await expect(list).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expectActive(1);
  await list.getByRole('option', { name: 'thumbs up' }).click();
  await expect(composer(page)).toHaveValue('👍');
  await expect(composer(page)).toBeFocused();
  await composer(page).fill('');
  await composer(page).pressSequentially('so :heart: at 10:30 ::');
  await expect(composer(page)).toHaveValue('so ❤️ at 10:30 ::');
});

test('the emoji picker searches, follows the arrow keys and remembers [SEND-32, KEY-17]', async ({
  people,
  site,
}) => {
  const { page } = await aloneInAClass(people, site);
  await composer(page).fill('ab');
  await page.keyboard.press('ArrowLeft');
  const open = () => page.getByRole('button', { name: 'Add an emoji' }).click();
  const picker = page.getByRole('dialog', { name: 'Emoji' });
  await open();
  await expect(picker.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('rocket');
  await page.keyboard.press('Enter');
  await expect(picker).toHaveCount(0);
  await expect(composer(page)).toHaveValue('a🚀b');
  await expect(composer(page)).toBeFocused();
  await open();
  await expect(picker.getByRole('tab', { name: 'Recent' })).toHaveAttribute(
    'aria-selected',
    'true',
  );
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

test('a text with a phone number asks once before it is sent [SEND-37]', async ({
  people,
  site,
}) => {
  const { adaPage: page, benPage } = await meet(people, site);
  await say(page, 'Call (555) 123-4567');
  const question = page.getByRole('status').filter({ hasText: 'Send anyway?' });
  await expect(question).toContainText('This looks like a phone number. Send anyway?');
  await expect(composer(page)).toBeFocused();
  await question.getByRole('button', { name: 'Edit' }).click();
  await expect(question).toHaveCount(0);
  await expect(composer(page)).toHaveValue('Call (555) 123-4567');
  await page.keyboard.press('Enter');
  await expect(said(benPage, 'Call (555) 123-4567')).toBeVisible();
  await say(page, 'b@c.example');
  await expect(question).toContainText('an email address');
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await composer(page).fill('Nothing personal');
  await page.keyboard.press('Enter');
  await expect(said(benPage, 'Nothing personal')).toBeVisible();
  await expect(room(benPage)).not.toContainText('b@c.example');
});

test('the class list shows the drafts of other classes [LIST-31]', async ({ people, site }) => {
  const { student, page } = await aloneInAClass(people, site);
  await student.createClass({ courseNumber: '200' });
  await page.reload();
  const list = page.getByRole('navigation', { name: 'My Classes' });
  await composer(page).fill('  not   yet\n**sent** ');
  await expect(list).not.toContainText('Draft');
  await list.getByRole('link', { name: /^CS 200/ }).click();
  const row = list.getByRole('link', { name: /^CS 146/ });
  await expect(row).toContainText('Draft: not yet **sent**');
  await page.reload();
  await expect(row).toContainText('Draft: not yet **sent**');
  await row.click();
  await expect(list).not.toContainText('Draft');
  await composer(page).fill('');
  await list.getByRole('link', { name: /^CS 200/ }).click();
  await expect(list).not.toContainText('Draft');
});
