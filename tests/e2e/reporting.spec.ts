// Reports as a member sends and follows them, on slow lines and small screens.
import type { Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { findViolations } from './axe.ts';
import { expect, phone, signIn, test } from './fixtures.ts';
import {
  findComposer,
  pressLong,
  findMessage,
  openMenu,
  findRoom,
  chooseClassAction,
  openClassPanel,
} from './room.ts';

const lowPhone = { ...phone, viewport: { width: 320, height: 568 } };

async function openReport(page: Page, text: string): Promise<void> {
  await openMenu(page, text);
  await page.getByRole('menuitem', { name: 'Report' }).click();
}

async function reportPerson(page: Page): Promise<void> {
  const panel = await openClassPanel(page, 'People');
  await panel.getByRole('button', { name: /^Options for/ }).click();
  await page.getByRole('menuitem', { name: 'Report' }).click();
}

test('a second report of a person says that it changes nothing [MOD-43]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const { id } = await ada.post(classId, 'Bad words');
  const body = { messageId: id, reason: 'spam' } as const;
  await ben.call('reportMember', { params: { classId }, body });
  const page = await windows.openWindowAs(ben);
  let arrive = () => {};
  const arrival = new Promise<void>((resolve) => (arrive = resolve));
  await page.route('**/reports', async (route) => {
    await arrival;
    await route.continue();
  });
  await openReport(page, 'Bad words');
  const text = page.getByLabel(/What should moderators know/);
  await text.fill('It is about me');
  const response = page.waitForResponse('**/reports');
  arrive();
  await response;
  await page.getByLabel('Harassment').check();
  await expect(text).toHaveValue('It is about me');
  await page.keyboard.press('Escape');

  await reportPerson(page);
  await page.getByLabel('Harassment').check();
  await page.getByRole('button', { name: 'Report', exact: true }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await reportPerson(page);
  const repeatDialog = page.getByRole('dialog', { name: 'You have already reported this person' });
  await expect(repeatDialog).toContainText('A moderator will look at it.');
  await expect(repeatDialog).toContainText(
    'If they write something new, please report that message.',
  );
});

test('‘Your Reports’ shows whom and what the member reported, ten at a time [MOD-44]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const socket = await ada.connectTo(classId);
  for (let n = 1; n <= 11; n++) {
    const { id } = await socket.post(classId, `Bad words ${n}`);
    const body = { messageId: id, reason: 'spam' } as const;
    await ben.call('reportMember', { params: { classId }, body });
  }
  const page = await windows.openWindowAs(ben);
  await chooseClassAction(page, 'Your Reports');
  const reports = page.getByRole('list', { name: 'Your reports' }).getByRole('listitem');
  await expect(reports).toHaveCount(10);
  await expect(reports.first()).toContainText(/[A-Z][a-z]+ [A-Z][a-z]+ Bad words \d+/);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(reports).toHaveCount(11);
  await expect(reports.last()).toContainText(/Bad words \d+/);
});

test('the buttons and the errors of a report stay visible on a phone [MOD-87]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ada.post(classId, 'Bad words');
  const page = await windows.openWindowAs(ben, lowPhone);
  await page.goto(`/home/${classId}`);
  const item = page.getByRole('menuitem', { name: 'Report' });
  await pressLong(page, findMessage(page, 'Bad words'), item);
  await item.tap();
  const form = page.getByRole('dialog', { name: 'Report a message' });
  const send = form.getByRole('button', { name: 'Report' });
  await expect(send).toBeInViewport({ ratio: 1 });
  await send.tap();
  const problem = form.getByText('Please choose a reason.');
  await expect(problem).toBeInViewport({ ratio: 1 });
  const buttons = await send.boundingBox();
  const sentence = await problem.boundingBox();
  expect(sentence!.y + sentence!.height).toBeLessThanOrEqual(buttons!.y);
});

test('a long reason of a mute leaves space for messages and the composer on a phone [MOD-88]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  await student.post(classId, 'Hello');
  const page = await windows.openWindow(lowPhone);
  // The frame that the server sends when a moderator mutes the member.
  let mute = () => {};
  await page.routeWebSocket('**/live', (socket) => {
    socket.connectToServer();
    const sanction = {
      kind: 'mute',
      until: Date.now() + 3_600_000,
      reason: 'Please read the rules of this class. '.repeat(13).trim(),
    };
    mute = () => socket.send(JSON.stringify({ type: 'sanction', classId, sanction }));
  });
  await signIn(page, student);
  await expect(findMessage(page, 'Hello')).toBeVisible();
  mute();
  await expect(page.getByText(/^A moderator muted you in this class until/)).toBeVisible();
  await expect(findComposer(page)).toBeInViewport({ ratio: 1 });
  const { height } = (await findRoom(page).boundingBox())!;
  expect(height).toBeGreaterThan(150);
  expect(await findViolations(page)).toEqual([]);
});
