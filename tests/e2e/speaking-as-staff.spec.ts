// An instructor who speaks as staff, and a student who reads it.
import type { Locator, Page } from '@playwright/test';
import { grantStaffByCommand } from '#tests/support/roles.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { violations } from './axe.ts';
import { expect, test, type Windows, type Site } from './fixtures.ts';
import { choose, photo, pictures } from './picture-files.ts';
import { composer, message, openMenu, messageText, say } from './room.ts';

/** Lee may speak as staff, Ben is a student. Both see the room. */
async function staffed(windows: Windows, site: Site) {
  const { ada: lee, ben, classId } = await createClassWithTwoMembers(site);
  await grantStaffByCommand(site.settings, { email: lee.email, classId }, 'Prof. Lee');
  const leePage = await windows.openWindowAs(lee);
  const benPage = await windows.openWindowAs(ben);
  for (const page of [leePage, benPage]) await expect(composer(page)).toBeVisible();
  return { lee, ben, classId, leePage, benPage };
}

const choice = (page: Page) => page.getByRole('group', { name: /^Speak/ });
const asStaff = (page: Page) => choice(page).getByRole('radio', { name: /^Prof. Lee/ });
const asSelf = (page: Page) => choice(page).getByRole('radio', { name: 'Anonymous' });
const staffBadge = (place: Locator) => place.getByText('Staff', { exact: true });
const send = (page: Page, name = 'Send') => page.getByRole('button', { name, exact: true });

async function sayAsStaff(page: Page, text: string): Promise<void> {
  await asStaff(page).check();
  await say(page, text);
}

test('a member who may speak as staff chooses the name of each message, and must choose again after one as staff [STAFF-20, STAFF-21, STAFF-22]', async ({
  windows,
  site,
}) => {
  const { leePage, benPage } = await staffed(windows, site);
  await expect(asSelf(leePage)).toBeChecked();
  await expect(choice(benPage)).toHaveCount(0);
  const countCodeLoads = (page: Page) =>
    page.evaluate(
      () =>
        performance
          .getEntriesByType('resource')
          .filter(({ name }) => name.includes('speaker-choice')).length,
    );
  expect(await countCodeLoads(leePage)).toBeGreaterThan(0);
  expect(await countCodeLoads(benPage)).toBe(0);

  await say(leePage, 'A shy question');
  await expect(asSelf(leePage)).toBeChecked();
  await asStaff(leePage).check();
  await composer(leePage).fill('Quiz on Friday');
  await expect(send(leePage, 'Send as Prof. Lee')).toBeVisible();
  await expect(composer(leePage)).toHaveAccessibleName(/ as Prof\. Lee$/);
  expect(await violations(leePage)).toEqual([]);
  await leePage.reload();
  await expect(asStaff(leePage)).toBeChecked();
  await expect(composer(leePage)).toHaveValue('Quiz on Friday');
  await composer(leePage).press('Enter');
  for (const page of [leePage, benPage]) {
    await expect(messageText(page, 'Quiz on Friday')).toBeVisible();
    await expect(staffBadge(message(page, 'Quiz on Friday'))).toBeVisible();
    await expect(staffBadge(message(page, 'A shy question'))).toHaveCount(0);
  }
  await expect(message(benPage, 'Quiz on Friday')).toHaveAccessibleName(/^Prof\. Lee \(Staff\), /);

  // Nothing is sent until a name is chosen again.
  await expect(asSelf(leePage)).not.toBeChecked();
  await expect(asStaff(leePage)).not.toBeChecked();
  await expect(choice(leePage)).toContainText('Choose before you send.');
  await composer(leePage).fill('Me too');
  await expect(send(leePage)).toHaveAttribute('aria-disabled', 'true');
  await composer(leePage).press('Enter');
  await expect(asSelf(leePage)).toBeFocused();
  await leePage.keyboard.press('Space');
  await expect(asSelf(leePage)).toBeChecked();
  await composer(leePage).press('Enter');
  await expect(messageText(benPage, 'Me too')).toBeVisible();
  await expect(staffBadge(message(benPage, 'Me too'))).toHaveCount(0);
  await expect(asSelf(leePage)).toBeChecked();
});

test('the badge of staff is in quotes, people, suggestions and search results, and a chosen picture keeps its name [STAFF-23, STAFF-25]', async ({
  windows,
  site,
}) => {
  const { leePage, benPage } = await staffed(windows, site);
  await sayAsStaff(leePage, 'Quiz on Friday');
  await expect(messageText(benPage, 'Quiz on Friday')).toBeVisible();
  await openMenu(benPage, 'Quiz on Friday');
  await benPage.getByRole('menuitem', { name: 'Reply' }).click();
  await expect(staffBadge(benPage.getByRole('group', { name: 'Your reply' }))).toBeVisible();
  await say(benPage, 'Which chapters?');
  await expect(staffBadge(message(benPage, 'Which chapters?'))).toBeVisible();
  await composer(benPage).pressSequentially('@Pro');
  await expect(benPage.getByRole('option', { name: /Prof\. Lee\s*Staff/ })).toBeVisible();
  await composer(benPage).fill('');
  await benPage.getByRole('button', { name: /^People in/ }).click();
  await expect(
    benPage.getByRole('dialog').getByRole('listitem').filter({ hasText: 'Prof. Lee' }),
  ).toContainText('Staff');
  await benPage.keyboard.press('Escape');
  await benPage.getByRole('button', { name: 'Search messages' }).click();
  await benPage.getByRole('searchbox').fill('quiz');
  await expect(staffBadge(benPage.locator('[data-result]').first())).toBeVisible();

  await asStaff(leePage).check();
  await choose(leePage, await photo());
  await expect(asSelf(leePage)).toBeDisabled();
  await expect(choice(leePage)).toContainText('To change it, remove the pictures first.');
  await say(leePage, 'The board');
  await expect(staffBadge(message(benPage, 'The board'))).toBeVisible();
  await expect(pictures(benPage)).toHaveCount(1);
  await expect(asSelf(leePage)).toBeEnabled();
});
