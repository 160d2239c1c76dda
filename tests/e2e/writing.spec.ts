// Two people write what a class talks in: code, formulas, lists, pictures, mentions, replies and emoji.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { choose, pictures, plain, staged } from './picture-files.ts';
import {
  composer,
  classListLink,
  meet,
  message,
  openMenu,
  room,
  messageText,
  say,
} from './room.ts';

const last = (page: Page) => room(page).getByRole('article').last();

test('two people write everything that a class writes, and read it on other screens [MARKUP-1, MARKUP-10, MENTION-1, PIC-64, SEND-27, SEND-37, SEND-40]', async ({
  windows,
  site,
}, testInfo) => {
  test.setTimeout(120_000);
  const { ada, ben, classId, adaPage, benPage } = await meet(windows, site);
  for (const [student, anonymousName] of [
    [ada, 'Quiet Fox'],
    [ben, 'Calm Owl'],
  ] as const) {
    await student.call('changePersona', { params: { classId }, body: { anonymousName } });
  }

  // A question with a formula, and a preview of it before it is sent.
  await composer(adaPage).fill(
    'Why is $\\sum_{i=1}^n i = \\frac{n(n+1)}{2}$?\n- induction\n- **pairs**',
  );
  await expect(adaPage.getByRole('region', { name: 'Preview' }).getByRole('math')).toBeVisible();
  await composer(adaPage).press('Enter');
  await expect(last(benPage).getByRole('math')).toBeVisible();
  await expect(last(benPage).getByRole('listitem')).toHaveText(['induction', 'pairs']);

  // A reply that mentions the author, with bold by a shortcut and an emoji by name.
  await openMenu(benPage, 'induction');
  await benPage.getByRole('menuitem', { name: 'Reply' }).click();
  await composer(benPage).pressSequentially('@qui');
  await benPage.keyboard.press('Enter');
  await benPage.keyboard.press('Control+b');
  await benPage.keyboard.type('pairs');
  await benPage.keyboard.press('Control+b');
  await benPage.keyboard.type(' :tada:');
  await expect(composer(benPage)).toHaveValue('@Quiet Fox **pairs** 🎉');
  await benPage.keyboard.press('Enter');
  await expect(last(adaPage)).toContainText('@Quiet Fox');
  await expect(last(adaPage).getByRole('strong')).toHaveText('pairs');
  await expect(last(adaPage)).toHaveAttribute('data-mentions-me');

  // Code, colored, with a button that copies it.
  await say(adaPage, '```python\ndef total(n):\n    return n * (n + 1) // 2\n```');
  const code = last(benPage).getByRole('group', { name: 'Code, python' });
  await expect(code.locator('[data-token="keyword"]').first()).toHaveText('def');
  await expect(last(benPage).getByRole('button', { name: /^Copy/ })).toBeAttached();

  // Three pictures of the whiteboard in one message.
  await choose(adaPage, await plain(400, 300), await plain(300, 400), await plain(500, 300));
  await expect(staged(adaPage).getByRole('listitem')).toHaveCount(3);
  await composer(adaPage).fill('The whiteboard');
  await composer(adaPage).press('Enter');
  await expect(pictures(benPage)).toHaveCount(3);
  await pictures(benPage).first().click();
  await expect(benPage.getByRole('dialog')).toContainText('1 of 3');
  await benPage.keyboard.press('ArrowRight');
  await expect(benPage.getByRole('dialog')).toContainText('2 of 3');
  await benPage.keyboard.press('Escape');

  // A phone number is sent only after a question, and the message is taken back.
  await composer(benPage).fill('Call me: 030 1234567');
  await composer(benPage).press('Enter');
  await expect(benPage.getByText('This looks like a phone number. Send anyway?')).toBeVisible();
  await expect(messageText(adaPage, 'Call me: 030 1234567')).toHaveCount(0);
  await composer(benPage).press('Enter');
  await expect(messageText(adaPage, 'Call me: 030 1234567')).toBeVisible();
  await openMenu(benPage, 'Call me');
  await benPage.getByRole('menuitem', { name: 'Delete' }).click();
  await benPage.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(messageText(benPage, 'Call me: 030 1234567')).toHaveCount(0);
  await expect(messageText(adaPage, 'Call me: 030 1234567')).toHaveCount(0, { timeout: 15_000 });

  // A mention counts apart in the class list of a member who reads something else.
  const otherId = await ada.createClass({ courseNumber: '200' });
  await adaPage.goto(`/home/${otherId}`);
  await expect(classListLink(adaPage, /CS 146/)).toBeVisible();
  await say(benPage, 'plain news');
  await composer(benPage).pressSequentially('@qui');
  await benPage.keyboard.press('Enter');
  await benPage.keyboard.type('are you there?');
  await benPage.keyboard.press('Enter');
  await expect(classListLink(adaPage, /CS 146/)).toContainText('@1');

  // The search in the messages finds a word of the code, and a permalink leads back to the formula.
  await adaPage.goto(`/home/${classId}`);
  await expect(message(adaPage, 'are you there?')).toBeInViewport();
  await adaPage.keyboard.press('Control+f');
  await adaPage.getByRole('searchbox').fill('induction');
  await expect(adaPage.locator('mark').first()).toHaveText('induction');
  await adaPage.keyboard.press('Escape');

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1920, 1280, 768, 390, 320]) {
      await benPage.emulateMedia({ colorScheme });
      await benPage.setViewportSize({ width, height: 900 });
      expect(await benPage.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await benPage.screenshot({ path: testInfo.outputPath(`${colorScheme}-${width}.png`) });
    }
  }
});
