// A question that only staff see, from a student's phone to the message that staff publish, with a classmate who must learn nothing.
import type { Page } from '@playwright/test';
import { grantStaffByCommand } from '#tests/support/roles.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { checkLooks } from './axe.ts';
import { expect, phone, test, type Site, type Windows } from './fixtures.ts';
import { findComposer, findMessageText, findRoom } from './room.ts';

const findPanel = (page: Page) => page.getByRole('region', { name: 'Questions in CS 146' });
const findPrivateField = (page: Page) =>
  page.getByRole('textbox', { name: 'Question to the staff of CS 146' });
const findSwitch = (page: Page) => page.getByRole('button', { name: 'Only staff' });

/** Lee is staff, Ben asks from a phone, and Cem is in the class. */
async function openRooms(windows: Windows, site: Site) {
  const { ada: lee, ben, classId } = await createClassWithTwoMembers(site);
  await grantStaffByCommand(site.settings, { email: lee.email, classId }, 'Prof. Lee');
  const cem = await site.createStudent();
  await cem.join(classId);
  const leePage = await windows.openWindowAs(lee);
  const benPage = await windows.openWindowAs(ben, phone);
  const cemPage = await windows.openWindowAs(cem);
  for (const page of [leePage, benPage, cemPage]) await expect(findComposer(page)).toBeVisible();
  return { leePage, benPage, cemPage };
}

async function writeToStaff(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Ask as a question', exact: true }).click();
  await findComposer(page).fill(text);
  await findSwitch(page).click();
  await expect(findPrivateField(page)).toHaveValue(text);
}

/** Opens the conversations. */
async function openPrivate(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Questions/ }).click();
  await findPanel(page).getByRole('button', { name: 'To staff', exact: true }).click();
}

/** The server tells staff of what an asker does at a random moment, up to half a minute later. */
const publication = { timeout: 40_000 };

test('a student asks staff in private, they talk, and staff publish the answer with consent, while a classmate sees nothing [PRIV-50, PRIV-52, PRIV-53, PRIV-54, PRIV-55]', async ({
  windows,
  site,
}) => {
  const { leePage, benPage, cemPage } = await openRooms(windows, site);
  const [leePanel, benPanel] = [findPanel(leePage), findPanel(benPage)];
  await openPrivate(leePage);
  await expect(leePanel).toContainText('No one has asked in private yet.');

  await writeToStaff(benPage, 'I missed the exam. Am I failing?');
  await expect(benPage.getByText('Only staff read this.')).toBeVisible();
  await checkLooks(benPage, 'a question for staff only');
  await benPage.reload();
  await expect(findPrivateField(benPage)).toHaveValue('I missed the exam. Am I failing?');
  await benPage.getByRole('button', { name: 'Ask staff' }).click();
  await expect(findPrivateField(benPage)).toHaveValue('');

  const asked = leePanel.getByRole('region', { name: /^Not answered yet/ });
  await expect(asked).toContainText('Someone, asking privately', publication);
  await expect(asked).toContainText('I missed the exam. Am I failing?');
  await checkLooks(leePage, 'a private question for staff');
  await asked
    .getByRole('textbox', { name: 'Reply as Prof. Lee' })
    .fill('No, there is a second date.');
  await asked.getByRole('button', { name: 'Reply', exact: true }).click();
  const answered = leePanel.getByRole('region', { name: /^Answered/ });
  await answered.getByText('Someone, asking privately').click();
  await answered.getByRole('button', { name: 'Ask to publish' }).click();
  await expect(answered).toContainText('You asked whether you may publish it.');

  await benPage.reload();
  await benPage.getByRole('button', { name: /Something new in private/ }).click();
  await expect(benPanel).toContainText('No, there is a second date.');
  await checkLooks(benPage, 'an answer of staff');
  await benPanel.getByRole('button', { name: 'Yes', exact: true }).click();
  await benPanel.getByRole('textbox', { name: 'Add something' }).fill('When is it?');
  await benPanel.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(benPanel.getByRole('listitem').filter({ hasText: 'When is it?' })).not.toHaveCount(
    0,
  );

  await expect(asked).toContainText('When is it?', publication);
  await leePanel.getByRole('button', { name: 'Publish', exact: true }).click();
  const staffField = leePage.getByRole('textbox', { name: 'Message to CS 146 as Prof. Lee' });
  await expect(staffField).toHaveValue('To a question that we got:\n\nNo, there is a second date.');
  await staffField.fill('The exam has a second date.');
  await staffField.press('Enter');
  await expect(findMessageText(cemPage, 'The exam has a second date.')).toBeVisible();
  await leePanel.getByRole('button', { name: 'Mark as done' }).click();
  await expect(leePanel.getByRole('region', { name: /^Done/ })).toContainText('When is it?');

  await openPrivate(cemPage);
  await expect(findPanel(cemPage)).toContainText('You have asked staff nothing in private here.');
  await expect(findRoom(cemPage).getByRole('article')).toHaveCount(1);
  await expect(cemPage.getByText('Am I failing?')).toHaveCount(0);

  await benPanel.getByRole('button', { name: 'Withdraw' }).click();
  await benPage.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click();
  await expect(benPanel).toContainText('You have asked staff nothing in private here.');
});

test('a question that goes to staff instead while its check loads never reaches the class [PRIV-50]', async ({
  windows,
  site,
}) => {
  const { benPage } = await openRooms(windows, site);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await benPage.route('**/assets/personal-details-*.js', (route) =>
    released.then(() => route.continue()),
  );
  await benPage.reload();
  await benPage.getByRole('button', { name: 'Ask as a question', exact: true }).click();
  await findComposer(benPage).fill('I feel ill.');
  await findComposer(benPage).press('Control+Enter');
  await findSwitch(benPage).click();
  release();
  await expect(findPrivateField(benPage)).toHaveValue('I feel ill.');
  await benPage.getByRole('button', { name: 'Ask staff' }).click();
  await expect(findPrivateField(benPage)).toHaveValue('');
  await expect(findRoom(benPage).getByRole('article')).toHaveCount(0);
});
