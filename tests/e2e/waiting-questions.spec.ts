// Questions of a lecture that wait until staff release them, in the windows of a student, of staff and of another student.
import type { Page } from '@playwright/test';
import { grantStaffByCommand } from '#tests/support/roles.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { checkLooks } from './axe.ts';
import { expect, test, type Site, type Windows } from './fixtures.ts';
import { findComposer, findRoom } from './room.ts';

const findPanel = (page: Page) => page.getByRole('region', { name: 'Questions in CS 146' });
const findOwn = (page: Page) => page.getByRole('list', { name: 'Your questions for release' });
const findQueue = (page: Page) => page.getByRole('region', { name: /^Waiting for you/ });

/** Lee may hold lectures, and Ben is a student. */
async function openRooms(windows: Windows, site: Site) {
  const { ada: lee, ben, classId } = await createClassWithTwoMembers(site);
  await grantStaffByCommand(site.settings, { email: lee.email, classId }, 'Prof. Lee');
  const leePage = await windows.openWindowAs(lee);
  const benPage = await windows.openWindowAs(ben);
  for (const page of [leePage, benPage]) await expect(findComposer(page)).toBeVisible();
  await leePage.keyboard.press('Alt+q');
  await findPanel(leePage).getByRole('button', { name: 'Lecture' }).click();
  return { ben, classId, leePage, benPage };
}

/** The window of another student. */
async function openBystander(windows: Windows, site: Site, classId: string): Promise<Page> {
  const cem = await site.createStudent();
  await cem.join(classId);
  const page = await windows.openWindowAs(cem);
  await expect(findComposer(page)).toBeVisible();
  return page;
}

async function ask(page: Page, text: string): Promise<void> {
  await findComposer(page).fill(text);
  await page.getByRole('button', { name: 'Ask as a question', exact: true }).first().click();
  await findComposer(page).press('Enter');
  await expect(findComposer(page)).toHaveValue('');
}

test('a question waits for its asker and staff alone, and appears for everyone with its release [LECT-60, LECT-62, LECT-63]', async ({
  windows,
  site,
}) => {
  const { ben, classId, leePage, benPage } = await openRooms(windows, site);
  const cemPage = await openBystander(windows, site, classId);
  await findPanel(leePage).getByLabel('Review questions before the class sees them').click();
  await findPanel(leePage).getByRole('button', { name: 'Start lecture' }).click();
  await expect(cemPage.getByRole('button', { name: /^Lecture until/ })).toBeVisible();

  await ask(benPage, 'What is due?');
  await expect(findOwn(benPage)).toContainText(
    'What is due?Waits for release. Only you and staff see it.',
  );
  await expect(findRoom(benPage).getByRole('article')).toHaveCount(0);
  await expect(leePage.getByRole('button', { name: /^Lecture until/ })).toContainText(
    '1 to release',
  );
  await expect(findQueue(leePage)).toContainText('What is due?');
  await checkLooks(benPage, 'a question that waits');
  await checkLooks(leePage, 'questions that wait for staff');

  await benPage.reload();
  await expect(findOwn(benPage)).toContainText('What is due?');
  const otherPage = await windows.openWindowAs(ben);
  await expect(findOwn(otherPage)).toContainText('What is due?');
  await expect(findRoom(cemPage).getByText('What is due?')).toHaveCount(0);

  await findQueue(leePage).getByRole('button', { name: 'Show to the class' }).click();
  for (const page of [leePage, benPage, cemPage, otherPage]) {
    await expect(findRoom(page).getByRole('article')).toHaveText(/What is due\?/);
  }
  await expect(findOwn(benPage)).toHaveCount(0);
  await expect(findOwn(otherPage)).toHaveCount(0);
  await expect(findQueue(leePage)).toHaveCount(0);
});

test('a discarded question comes back, and after the lecture it is sent as an ordinary one [LECT-60, LECT-62, LECT-63]', async ({
  windows,
  site,
}) => {
  const { classId, leePage, benPage } = await openRooms(windows, site);
  const cemPage = await openBystander(windows, site, classId);
  await findPanel(leePage).getByRole('button', { name: 'Start lecture' }).click();
  // The form of the start has a box with the same label.
  await expect(findPanel(leePage).getByRole('button', { name: 'End…' })).toBeVisible();
  const box = findPanel(leePage).getByLabel('Review questions before the class sees them');
  // The box shows the new state when the server has answered.
  await box.click();
  await expect(box).toBeChecked();
  await expect(box).toBeEnabled();
  await expect(cemPage.getByRole('button', { name: /^Lecture until/ })).toBeVisible();
  await ask(benPage, 'What is due?');
  await ask(benPage, 'And when?');
  await expect(findOwn(benPage).getByRole('listitem')).toHaveCount(2);

  const waiting = findQueue(leePage).getByRole('listitem').filter({ hasText: 'What is due?' });
  await leePage.clock.install();
  await waiting.getByRole('button', { name: 'Discard' }).click();
  await expect(waiting).toHaveCount(0);
  await leePage.getByRole('button', { name: 'Undo' }).click();
  await waiting.getByRole('button', { name: 'Discard' }).click();
  await expect(waiting).toHaveCount(0);
  await leePage.clock.fastForward(10_000);

  const [first, second] = ['What is due?', 'And when?'].map((hasText) =>
    findOwn(benPage).getByRole('listitem').filter({ hasText }),
  ) as [ReturnType<typeof findOwn>, ReturnType<typeof findOwn>];
  await expect(first).toContainText('Not released. Only you see it.');
  await expect(second).toContainText('Waits for release.');
  await second.getByRole('button', { name: 'Take back' }).click();
  await expect(second).toHaveCount(0);
  await checkLooks(benPage, 'a question that came back');

  await findPanel(leePage).getByRole('button', { name: 'End…' }).click();
  await leePage.getByRole('alertdialog').getByRole('button', { name: 'End lecture' }).click();
  await first.getByRole('button', { name: 'Send again' }).click();

  await expect(findRoom(cemPage).getByRole('article')).toHaveText(/What is due\?/);
  await expect(findOwn(benPage)).toHaveCount(0);
});

test('the focus stays where staff and askers decide with the keyboard [LECT-82]', async ({
  windows,
  site,
}) => {
  const { leePage, benPage } = await openRooms(windows, site);
  const panel = findPanel(leePage);
  await panel.getByRole('button', { name: 'Start lecture' }).press('Enter');
  await expect(panel).toBeFocused();
  await panel.getByLabel('Review questions before the class sees them').press('Space');
  await expect(panel.getByLabel('Review questions before the class sees them')).toBeChecked();
  await expect(panel.getByLabel('Review questions before the class sees them')).toBeFocused();
  await expect(benPage.getByRole('button', { name: /^Lecture until/ })).toBeVisible();
  for (const text of ['First?', 'Second?', 'Third?']) {
    await ask(benPage, text);
    await expect(findOwn(benPage)).toContainText(text);
  }
  await expect(findQueue(leePage).getByRole('listitem')).toHaveCount(3);

  await findQueue(leePage)
    .getByRole('button', { name: 'Show to the class' })
    .first()
    .press('Enter');
  await expect(findQueue(leePage).getByRole('listitem')).toHaveCount(2);
  await expect(findQueue(leePage)).toBeFocused();
  await leePage.keyboard.press('Tab');
  await leePage.keyboard.press('Enter');
  await expect(findRoom(leePage).getByText('Second?')).toBeVisible();

  await findOwn(benPage).getByRole('button', { name: 'Take back' }).press('Enter');
  await expect(findOwn(benPage)).toHaveCount(0);
  await expect(benPage.locator('body')).not.toBeFocused();
  await expect(findQueue(leePage)).toHaveCount(0);
  await expect(panel).toBeFocused();
});
