// Two students and a poll. Fewer than five vote, so no counts appear.
import type { Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { checkLooks } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { findComposer, findRoom } from './room.ts';

const phone = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true };

const findPoll = (page: Page) => findRoom(page).getByRole('article', { name: /, poll: When\?$/ });

test('a student asks a poll, another votes with the keyboard, and the asker closes it [POLL-50, POLL-51, POLL-52, POLL-55, POLL-56]', async ({
  windows,
  site,
}) => {
  const { ada, ben } = await createClassWithTwoMembers(site);
  const adaPage = await windows.openWindowAs(ada, phone);
  const benPage = await windows.openWindowAs(ben);
  await findComposer(adaPage).fill('When?');
  // A narrow composer has one button for both, so that the field has space.
  await adaPage.getByRole('button', { name: 'Add pictures, PDFs or a poll' }).tap();
  await adaPage.getByRole('menuitem', { name: 'New poll' }).tap();
  const dialog = adaPage.getByRole('dialog', { name: 'New poll' });
  await expect(dialog.getByRole('textbox', { name: 'Question' })).toHaveValue('When?');
  await dialog.getByRole('button', { name: 'Ask', exact: true }).tap();
  await expect(dialog).toContainText('Please type at least two options.');
  await dialog.getByRole('textbox', { name: 'Option 1' }).fill('Monday');
  await dialog.getByRole('textbox', { name: 'Option 2' }).fill('Call 0151 23456789');
  await checkLooks(adaPage, 'the dialog of a poll');
  await dialog.getByRole('button', { name: 'Ask', exact: true }).tap();
  await expect(dialog).toContainText('To ask anyway, press Ask again.');
  await dialog.getByRole('textbox', { name: 'Option 2' }).fill('Friday');
  await dialog.getByRole('button', { name: 'Ask', exact: true }).tap();
  await expect(dialog).toHaveCount(0);
  await expect(findComposer(adaPage)).toHaveValue('');

  const poll = findPoll(benPage);
  await poll.focus();
  await poll.getByRole('radio', { name: 'Monday' }).focus();
  await benPage.keyboard.press('ArrowDown');
  await expect(poll.getByRole('radio', { name: 'Friday' })).toBeFocused();
  await expect(poll.getByRole('radio', { checked: true })).toHaveCount(0);
  await benPage.keyboard.press('Enter');
  await expect(poll.getByRole('radio', { name: 'Friday' })).toBeChecked();
  await expect(poll).toContainText('Counts appear when 5 people have voted');
  await checkLooks(benPage, 'a poll with the own vote');
  await benPage.reload();
  await expect(poll.getByRole('radio', { name: 'Friday' })).toBeChecked();

  await findPoll(adaPage).focus();
  await adaPage.keyboard.press('Enter');
  await adaPage.getByRole('menuitem', { name: 'Close the poll now' }).tap();
  await expect(poll).toContainText('closed');
  await expect(poll.getByRole('radio')).toHaveCount(0);
  await expect(poll).toContainText('No counts: fewer than 5 people voted');
});
