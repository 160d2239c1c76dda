// Topics of a class, as staff make them and a student uses them.
import type { Page } from '@playwright/test';
import { grantStaffByCommand } from '#tests/support/roles.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { findViolations } from './axe.ts';
import { expect, test, type Site, type Windows } from './fixtures.ts';
import {
  chooseClassAction,
  findComposer,
  findMessage,
  findMessageText,
  openMenu,
  say,
} from './room.ts';

const findBar = (page: Page) => page.getByRole('navigation', { name: 'Topics' });
/** Its number of unread messages follows the name. */
const findTopic = (page: Page, name: string) =>
  findBar(page).getByRole('button', { name: new RegExp(`^${name}`) });
const findDialog = (page: Page) => page.getByRole('dialog');
const findChoice = (page: Page) => page.getByRole('combobox', { name: 'Topic' });

/** Lee is staff, Ben is a student. Both see the room of a class without topics. */
async function openClass(windows: Windows, site: Site) {
  const { ada: lee, ben, classId } = await createClassWithTwoMembers(site);
  await grantStaffByCommand(site.settings, { email: lee.email, classId }, 'Prof. Lee');
  const leePage = await windows.openWindowAs(lee);
  const benPage = await windows.openWindowAs(ben);
  for (const page of [leePage, benPage]) await expect(findComposer(page)).toBeVisible();
  await expect(findBar(benPage)).toHaveCount(0);
  return { lee, ben, classId, leePage, benPage };
}

async function addTopics(page: Page, names: readonly string[]): Promise<void> {
  await chooseClassAction(page, 'Edit topics');
  for (const [n, name] of names.entries()) {
    if (n > 0) await findDialog(page).getByRole('button', { name: 'Add a topic' }).click();
    await findDialog(page).getByRole('textbox').nth(n).fill(name);
  }
  expect(await findViolations(page)).toEqual([]);
  await findDialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(findDialog(page)).toHaveCount(0);
}

test('staff make topics, a student writes in one, and a press on a topic shows only its messages [TOPIC-50, TOPIC-52, TOPIC-53, TOPIC-56]', async ({
  windows,
  site,
}) => {
  const { lee, classId, leePage, benPage } = await openClass(windows, site);
  await addTopics(leePage, ['Homework', 'Exam']);

  await findChoice(benPage).selectOption('Exam');
  await say(benPage, 'About the exam');
  await expect(findMessage(leePage, 'About the exam')).toContainText('Exam');
  await findChoice(benPage).selectOption('No topic');
  await say(benPage, 'About anything');
  await expect(findMessageText(leePage, 'About anything')).toBeVisible();

  // Its tools show now, and cover the corner.
  await findMessage(leePage, 'About the exam').hover();
  await findMessage(leePage, 'About the exam').getByRole('button', { name: 'Exam' }).click();
  await expect(findTopic(leePage, 'Exam')).toHaveAttribute('aria-pressed', 'true');
  await expect(findMessageText(leePage, 'About anything')).toHaveCount(0);
  await expect(findMessageText(leePage, 'About the exam')).toBeVisible();
  await findTopic(leePage, 'Homework').click();
  await expect(leePage.getByText('No messages in this topic yet.')).toBeVisible();
  await findTopic(leePage, 'All').click();
  await expect(findMessageText(leePage, 'About anything')).toBeVisible();
  expect(await findViolations(leePage)).toEqual([]);

  // Someone else adds one meanwhile.
  await chooseClassAction(leePage, 'Edit topics');
  const { settings } = await lee.call('readClassSettings', { params: { classId } });
  const topics = [...settings.topics!, { name: 'Lab' }];
  const body = { version: settings.version, topics };
  await lee.call('changeTopics', { params: { classId }, body });
  await expect(findTopic(leePage, 'Lab')).toBeVisible();
  windows.expectConsoleError('409');
  await findDialog(leePage).getByRole('button', { name: 'Save' }).click();
  await expect(findDialog(leePage).getByRole('alert')).not.toBeEmpty();
  await findDialog(leePage).getByRole('button', { name: 'Save' }).click();
  await expect(findDialog(leePage)).toHaveCount(0);
  await expect(findTopic(benPage, 'Lab')).toBeVisible();
});

test('the author and staff move a message, a student mutes a topic, and a search stays in it [TOPIC-54, TOPIC-55, TOPIC-57]', async ({
  windows,
  site,
}) => {
  const { leePage, benPage } = await openClass(windows, site);
  await addTopics(leePage, ['Homework', 'Exam']);
  await say(benPage, 'the deadline of exercise 2');
  await say(benPage, 'the deadline of the fee');

  await openMenu(leePage, 'the deadline of exercise 2');
  await leePage.getByRole('menuitem', { name: 'Move to a topic' }).click();
  await findDialog(leePage).getByRole('combobox', { name: 'Topic' }).selectOption('Homework');
  windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  await leePage.context().setOffline(true);
  await findDialog(leePage).getByRole('button', { name: 'Move' }).click();
  await expect(findDialog(leePage)).toContainText('The server cannot be reached.');
  await leePage.context().setOffline(false);
  await findDialog(leePage).getByRole('button', { name: 'Move' }).click();
  await expect(findMessage(benPage, 'the deadline of exercise 2')).toContainText('Homework');

  await findTopic(benPage, 'Homework').click();
  await benPage.getByRole('button', { name: 'Search messages' }).click();
  await benPage.getByRole('searchbox').fill('deadline');
  const results = benPage.locator('[data-result]');
  await expect(results).toHaveCount(1);
  await expect(results).toContainText('Homework');
  await benPage.getByRole('checkbox', { name: 'Only in “Homework”' }).uncheck();
  await expect(results).toHaveCount(2);
  await benPage.keyboard.press('Escape');

  await benPage.getByRole('button', { name: 'Mute this topic' }).click();
  await expect(benPage.getByText('Topic muted. Mentions of you still count.')).toBeVisible();
  await benPage.reload();
  await findTopic(benPage, 'Homework').click();
  await expect(benPage.getByRole('button', { name: 'Unmute this topic' })).toBeVisible();
});
