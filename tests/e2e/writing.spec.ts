// Two people write what a class talks in: code, formulas, lists, pictures, mentions, replies and emoji.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { choose, findPictures, createPlainPicture, findStagedPictures } from './picture-files.ts';
import {
  findComposer,
  findClassLink,
  meet,
  findMessage,
  openMenu,
  findRoom,
  findMessageText,
  say,
} from './room.ts';

const findLastMessage = (page: Page) => findRoom(page).getByRole('article').last();

test('two members write every kind of message and read them on other screens [MARKUP-1, MARKUP-10, MENTION-1, PIC-64, SEND-27, SEND-37, SEND-40]', async ({
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
  await findComposer(adaPage).fill(
    'Why is $\\sum_{i=1}^n i = \\frac{n(n+1)}{2}$?\n- induction\n- **pairs**',
  );
  await expect(adaPage.getByRole('region', { name: 'Preview' }).getByRole('math')).toBeVisible();
  await findComposer(adaPage).press('Enter');
  await expect(findLastMessage(benPage).getByRole('math')).toBeVisible();
  await expect(findLastMessage(benPage).getByRole('listitem')).toHaveText(['induction', 'pairs']);

  // A reply that mentions the author, with bold by a shortcut and an emoji by name.
  await openMenu(benPage, 'induction');
  await benPage.getByRole('menuitem', { name: 'Reply' }).click();
  await findComposer(benPage).pressSequentially('@qui');
  await benPage.keyboard.press('Tab');
  await benPage.keyboard.press('Control+b');
  await benPage.keyboard.type('pairs');
  await benPage.keyboard.press('Control+b');
  await benPage.keyboard.type(' :tada:');
  await expect(findComposer(benPage)).toHaveValue('@Quiet Fox **pairs** 🎉');
  await benPage.keyboard.press('Enter');
  await expect(findLastMessage(adaPage)).toContainText('@Quiet Fox');
  await expect(findLastMessage(adaPage).getByRole('strong')).toHaveText('pairs');
  await expect(findLastMessage(adaPage)).toHaveAttribute('data-mentions-me');

  // Code, colored, with a button that copies it.
  await say(adaPage, '```python\ndef total(n):\n    return n * (n + 1) // 2\n```');
  const code = findLastMessage(benPage).getByRole('group', { name: 'Code, python' });
  await expect(code.locator('[data-token="keyword"]').first()).toHaveText('def');
  await expect(findLastMessage(benPage).getByRole('button', { name: /^Copy/ })).toBeAttached();

  // Three pictures of the whiteboard in one message.
  await choose(
    adaPage,
    await createPlainPicture(400, 300),
    await createPlainPicture(300, 400),
    await createPlainPicture(500, 300),
  );
  await expect(findStagedPictures(adaPage).getByRole('listitem')).toHaveCount(3);
  await findComposer(adaPage).fill('The whiteboard');
  await findComposer(adaPage).press('Enter');
  await expect(findPictures(benPage)).toHaveCount(3);
  await findPictures(benPage).first().click();
  await expect(benPage.getByRole('dialog')).toContainText('1 of 3');
  await benPage.keyboard.press('ArrowRight');
  await expect(benPage.getByRole('dialog')).toContainText('2 of 3');
  await benPage.keyboard.press('Escape');

  // A phone number is sent only after a question, and the message is taken back.
  await findComposer(benPage).fill('Call me: 030 1234567');
  await findComposer(benPage).press('Enter');
  await expect(benPage.getByText('This looks like a phone number. Send anyway?')).toBeVisible();
  await expect(findMessageText(adaPage, 'Call me: 030 1234567')).toHaveCount(0);
  await findComposer(benPage).press('Enter');
  await expect(findMessageText(adaPage, 'Call me: 030 1234567')).toBeVisible();
  await openMenu(benPage, 'Call me');
  await benPage.getByRole('menuitem', { name: 'Delete' }).click();
  await benPage.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(findMessageText(benPage, 'Call me: 030 1234567')).toHaveCount(0);
  await expect(findMessageText(adaPage, 'Call me: 030 1234567')).toHaveCount(0, {
    timeout: 15_000,
  });

  // A mention counts apart in the class list of a member who reads something else.
  const otherId = await ada.createClass({ courseNumber: '200' });
  await adaPage.goto(`/home/${otherId}`);
  await expect(findClassLink(adaPage, /CS 146/)).toBeVisible();
  await say(benPage, 'plain news');
  await findComposer(benPage).pressSequentially('@qui');
  await benPage.keyboard.press('Tab');
  await benPage.keyboard.type('are you there?');
  await benPage.keyboard.press('Enter');
  await expect(findClassLink(adaPage, /CS 146/)).toContainText('@1');

  // The search in the messages finds a word of the code, and a permalink leads back to the formula.
  await adaPage.goto(`/home/${classId}`);
  await expect(findMessage(adaPage, 'are you there?')).toBeInViewport();
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
