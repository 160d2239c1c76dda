// An instructor who speaks as staff, and a student who reads it.
import type { Locator, Page } from '@playwright/test';
import { grantStaffByCommand } from '#tests/support/roles.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { findViolations } from './axe.ts';
import { expect, test, type Windows, type Site } from './fixtures.ts';
import { choose, createPhoto, findPictures } from './picture-files.ts';
import {
  findComposer,
  findMessage,
  openMenu,
  findMessageText,
  say,
  openClassPanel,
} from './room.ts';

/** Lee may speak as staff, Ben is a student. Both see the room. */
async function openClassWithStaff(windows: Windows, site: Site) {
  const { ada: lee, ben, classId } = await createClassWithTwoMembers(site);
  await grantStaffByCommand(site.settings, { email: lee.email, classId }, 'Prof. Lee');
  const leePage = await windows.openWindowAs(lee);
  const benPage = await windows.openWindowAs(ben);
  for (const page of [leePage, benPage]) await expect(findComposer(page)).toBeVisible();
  return { lee, ben, classId, leePage, benPage };
}

const findSpeakerChoice = (page: Page) => page.getByRole('group', { name: 'You speak as' });
const findStaffChoice = (page: Page) =>
  findSpeakerChoice(page).getByRole('radio', { name: /^Prof. Lee/ });
const findOwnChoice = (page: Page) =>
  findSpeakerChoice(page).getByRole('radio', { name: /^[A-Z][a-z]+ [A-Z][a-z]+$/ });
const findStaffBadge = (place: Locator) => place.getByText('Staff', { exact: true });
const findSendButton = (page: Page, name = 'Send') =>
  page.getByRole('button', { name, exact: true });

async function sayAsStaff(page: Page, text: string): Promise<void> {
  await findStaffChoice(page).check();
  await say(page, text);
}

test('A member who may speak as staff chooses a name once, and it stays [STAFF-20, STAFF-22]', async ({
  windows,
  site,
}) => {
  const { leePage, benPage } = await openClassWithStaff(windows, site);
  await expect(findSpeakerChoice(benPage)).toHaveCount(0);
  const countCodeLoads = (page: Page) =>
    page.evaluate(
      () =>
        performance
          .getEntriesByType('resource')
          .filter(({ name }) => name.includes('speaker-choice')).length,
    );
  expect(await countCodeLoads(leePage)).toBeGreaterThan(0);
  expect(await countCodeLoads(benPage)).toBe(0);

  // Nothing is sent until a name is chosen.
  await expect(findOwnChoice(leePage)).not.toBeChecked();
  await expect(findStaffChoice(leePage)).not.toBeChecked();
  await expect(findSpeakerChoice(leePage)).toContainText('Choose who speaks.');
  await findComposer(leePage).fill('A shy question');
  await expect(findSendButton(leePage)).toHaveAttribute('aria-disabled', 'true');
  await findComposer(leePage).press('Enter');
  await expect(findOwnChoice(leePage)).toBeFocused();
  await leePage.keyboard.press('Space');
  await expect(findOwnChoice(leePage)).toBeChecked();
  await expect(findComposer(leePage)).toBeFocused();
  await leePage.keyboard.press('Enter');
  await expect(findMessageText(benPage, 'A shy question')).toBeVisible();
  await findStaffChoice(leePage).click();
  await expect(findComposer(leePage)).toBeFocused();
  await findComposer(leePage).fill('Quiz on Friday');
  await expect(findSendButton(leePage, 'Send as Prof. Lee')).toBeVisible();
  await expect(findComposer(leePage)).toHaveAccessibleName(/ as Prof\. Lee$/);
  expect(await findViolations(leePage)).toEqual([]);
  await leePage.reload();
  await expect(findStaffChoice(leePage)).toBeChecked();
  await expect(findComposer(leePage)).toHaveValue('Quiz on Friday');
  await findComposer(leePage).press('Enter');
  for (const page of [leePage, benPage]) {
    await expect(findMessageText(page, 'Quiz on Friday')).toBeVisible();
    await expect(findStaffBadge(findMessage(page, 'Quiz on Friday'))).toBeVisible();
    await expect(findStaffBadge(findMessage(page, 'A shy question'))).toHaveCount(0);
  }
  await expect(findMessage(benPage, 'Quiz on Friday')).toHaveAccessibleName(
    /^Prof\. Lee \(Staff\), /,
  );

  await expect(findStaffChoice(leePage)).toBeChecked();
  await say(leePage, 'And on Monday');
  await expect(findMessage(benPage, 'And on Monday')).toHaveAccessibleName(
    /^Prof\. Lee \(Staff\), /,
  );
});

test('the badge of staff is everywhere next to the name [STAFF-23, STAFF-20]', async ({
  windows,
  site,
}) => {
  const { leePage, benPage } = await openClassWithStaff(windows, site);
  await sayAsStaff(leePage, 'Quiz on Friday');
  // The quote of a reply right below its message is not shown.
  await say(leePage, 'Bring a pen');
  await expect(findMessageText(benPage, 'Bring a pen')).toBeVisible();
  await openMenu(benPage, 'Quiz on Friday');
  await benPage.getByRole('menuitem', { name: 'Reply' }).click();
  await expect(findStaffBadge(benPage.getByRole('group', { name: 'Your reply' }))).toBeVisible();
  await say(benPage, 'Which chapters?');
  await expect(findStaffBadge(findMessage(benPage, 'Which chapters?'))).toBeVisible();
  await findComposer(benPage).pressSequentially('@Pro');
  await expect(benPage.getByRole('option', { name: /Prof\. Lee \(?Staff/ })).toBeVisible();
  await findComposer(benPage).fill('');
  const panel = await openClassPanel(benPage, 'People');
  await expect(panel.getByRole('listitem').filter({ hasText: 'Prof. Lee' })).toContainText('Staff');
  await benPage.keyboard.press('Escape');
  await benPage.getByRole('button', { name: 'Search messages' }).click();
  await benPage.getByRole('searchbox').fill('quiz');
  await expect(findStaffBadge(benPage.locator('[data-result]').first())).toBeVisible();

  await findStaffChoice(leePage).check();
  await choose(leePage, await createPhoto());
  await expect(findOwnChoice(leePage)).toBeDisabled();
  await expect(findSpeakerChoice(leePage)).toContainText(
    'To change it, remove the pictures first.',
  );
  await say(leePage, 'The board');
  await expect(findStaffBadge(findMessage(benPage, 'The board'))).toBeVisible();
  await expect(findPictures(benPage)).toHaveCount(1);
  await expect(findOwnChoice(leePage)).toBeEnabled();
});
