import type { Page } from '@playwright/test';
import { revokeRoleByCommand } from '#tests/support/roles.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { findViolations } from './axe.ts';
import { createSite, expect, test } from './fixtures.ts';
import {
  findCaseRow,
  decideByKey,
  endTimeToUndo,
  grant,
  createModerator,
  createOperator,
  findReasonField,
  reportBy,
} from './moderation.ts';
import {
  findComposer,
  findClassLink,
  meet,
  findMessage,
  openMenu,
  pick,
  findRoom,
  findMessageText,
  say,
  chooseClassAction,
  openClassPanel,
} from './room.ts';

const openReport = async (page: Page, text: string) => {
  await openMenu(page, text);
  await page.getByRole('menuitem', { name: 'Report' }).click();
};

test('a member reports a message and a person, and sees the decisions [MOD-41, MOD-43, MOD-44, MOD-99]', async ({
  windows,
}) => {
  const site = await createSite({ HELP_LINE: 'Counselling: 555 0100', LIMITS: 'reports=2/1d' });
  try {
    const { ada, ben, classId } = await createClassWithTwoMembers(site);
    await ada.post(classId, 'You will be sorry');
    await ada.post(classId, 'And again');
    await ben.post(classId, 'Leave me alone');
    const page = await windows.openWindowAs(ben, { baseURL: site.origin });

    await openMenu(page, 'Leave me alone');
    await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeVisible();
    await expect(page.getByRole('menuitem', { name: 'Report' })).toHaveCount(0);
    await page.keyboard.press('Escape');

    await openReport(page, 'You will be sorry');
    const form = page.getByRole('dialog', { name: 'Report a message' });
    await expect(form).toContainText('Moderators see the message, not who reported it.');
    await expect(form).toContainText('You will be sorry');
    expect(await findViolations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Report' }).click();
    await expect(form.getByRole('radiogroup')).toHaveAccessibleDescription(
      'Please choose a reason.',
    );
    await expect(form.getByRole('radio').first()).toBeFocused();
    await form.getByLabel('Self-harm or suicide').check();
    await expect(form.getByLabel('Only the university’s operators')).not.toBeChecked();
    await form.getByLabel(/What should moderators know/).fill('He means me.');

    // What was typed survives a failure.
    windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
    windows.expectConsoleError('WebSocket connection');
    await page.context().setOffline(true);
    await form.getByRole('button', { name: 'Report' }).click();
    await expect(form.getByRole('alert')).toContainText('The server cannot be reached.');
    await expect(form.getByLabel(/What should moderators know/)).toHaveValue('He means me.');
    await page.context().setOffline(false);
    await form.getByRole('button', { name: 'Report' }).click();
    const thanksDialog = page.getByRole('dialog', { name: 'Thank you for your report' });
    await expect(thanksDialog).toContainText('Moderators see the message, not who reported it.');
    await expect(thanksDialog).toContainText('Counselling: 555 0100');
    await thanksDialog.getByRole('button', { name: 'Done' }).click();
    // Closing gives the focus back, which would close a menu that is opened meanwhile.
    await expect(thanksDialog).toHaveCount(0);

    await openReport(page, 'You will be sorry');
    const repeatDialog = page.getByRole('dialog', {
      name: 'You have already reported this message',
    });
    await repeatDialog.getByRole('button', { name: 'OK' }).click();
    await expect(repeatDialog).toHaveCount(0);

    const list = await openClassPanel(page, 'People');
    // Not for oneself.
    await expect(list.getByRole('button', { name: /^Options for/ })).toHaveCount(1);
    await list.getByRole('button', { name: /^Options for/ }).click();
    await page.getByRole('menuitem', { name: 'Report' }).click();
    const person = page.getByRole('dialog', { name: 'Report a person' });
    await person.getByLabel('Harassment').check();
    await person.getByRole('button', { name: 'Report' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await list.getByRole('button', { name: 'Close class details' }).click();
    await expect(list).toHaveCount(0);

    windows.expectConsoleError('429');
    await openReport(page, 'And again');
    await form.getByLabel('Spam').check();
    await form.getByLabel(/What should moderators know/).fill('More of it');
    await form.getByRole('button', { name: 'Report', exact: true }).click();
    await expect(form.getByRole('alert')).toContainText('You have sent many reports today.');
    await expect(form.getByLabel(/What should moderators know/)).toHaveValue('More of it');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await expect(form).toHaveCount(0);

    const operator = await createOperator(site, 'Dana');
    const { cases } = await operator.call('listCases', { query: {} });
    const reportedCase = cases.find(({ messageId }) => messageId !== null)!;
    expect(reportedCase.reports).toMatchObject([{ reason: 'self-harm', text: 'He means me.' }]);
    const desk = await windows.openWindowAs(operator, { baseURL: site.origin });
    await desk.goto(`/moderation/${reportedCase.caseId}`);
    const guidance = desk.getByRole('region', { name: 'What to do now' });
    await expect(guidance).toContainText('Take it seriously');
    await expect(guidance).toContainText('Counselling: 555 0100');
    await expect(desk.getByText(`Case ${reportedCase.caseId.slice(0, 6)}`)).toBeVisible();
    await desk.getByRole('button', { name: 'Escalate', exact: true }).click();
    await expect(desk.getByLabel('Remove the message too')).not.toBeChecked();
    await operator.call('decideCase', {
      params: { caseId: reportedCase.caseId },
      body: { version: reportedCase.version, decision: 'remove', reason: 'A threat' },
    });
    await endTimeToUndo(site);
    await expect(findRoom(page).getByText('Removed by a moderator')).toBeVisible();
    await page.reload();
    const news = page.getByText('News from a moderator');
    await expect(news).toBeVisible();
    // One line has place below the newest message.
    expect((await news.locator('..').boundingBox())!.height).toBeLessThanOrEqual(32);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const decisions = page.getByRole('dialog', { name: 'Decisions' });
    await expect(decisions).toContainText('A moderator removed the message that you reported.');
    expect(await findViolations(page)).toEqual([]);
    await decisions.getByRole('button', { name: 'Close' }).click();
    await expect(news).toHaveCount(0);
    await chooseClassAction(page, 'Your Reports');
    const reports = page.getByRole('list', { name: 'Your reports' }).getByRole('listitem');
    await expect(reports).toHaveCount(2);
    await expect(reports.filter({ hasText: 'Self-harm' })).toContainText(
      'A moderator removed the message',
    );
    await expect(reports.filter({ hasText: 'Harassment' })).toContainText(
      'Waiting for a moderator',
    );
    expect(await findViolations(page)).toEqual([]);
  } finally {
    await windows.closeWindows();
    await site.end();
  }
});

test('three reports hide a message behind a click everywhere [MOD-45]', async ({
  windows,
  site,
}) => {
  const { ada, classId, adaPage, benPage } = await meet(windows, site);
  const { id } = await ada.post(classId, 'Spiteful words about Ben');
  // The quote of a reply right below its message is not shown.
  await ada.post(classId, 'Something else');
  await expect(findMessageText(benPage, 'Something else')).toBeVisible();
  await openMenu(benPage, 'Spiteful words about Ben');
  await benPage.getByRole('menuitem', { name: 'Reply' }).click();
  await say(benPage, 'Please stop');
  await expect(findMessageText(adaPage, 'Please stop')).toBeVisible();

  await reportBy(site, 3, classId, { messageId: id });
  for (const page of [adaPage, benPage]) {
    const hiddenMessage = findMessage(page, 'Hidden after reports').first();
    await expect(hiddenMessage).toBeVisible();
    await expect(findRoom(page).getByText('Spiteful words')).toHaveCount(0);
    await expect(hiddenMessage).toHaveAttribute('aria-label', /Hidden after reports/);
    const reply = findMessage(page, 'Please stop');
    await expect(reply.getByRole('button', { name: /Hidden after reports/ })).toBeVisible();
  }
  await benPage.keyboard.press('Control+f');
  await benPage.keyboard.type('spiteful');
  await expect(benPage.getByRole('list', { name: 'Messages found' })).toContainText(
    'Hidden after reports',
  );
  await benPage.keyboard.press('Escape');
  await benPage.reload();
  const hiddenMessage = findMessage(benPage, 'Hidden after reports').first();
  await hiddenMessage.hover();
  await expect(hiddenMessage.getByRole('button', { name: 'More' })).toHaveCount(0);
  await hiddenMessage.getByRole('button', { name: 'Show' }).click();
  await expect(findMessageText(benPage, 'Spiteful words about Ben')).toBeVisible();
  expect(await findViolations(benPage)).toEqual([]);
  await findMessage(benPage, 'Spiteful words about Ben')
    .getByRole('button', { name: 'Hide', exact: true })
    .click();
  await expect(findMessageText(benPage, 'Spiteful words about Ben')).toHaveCount(0);
});

test('a moderator removes a message by keyboard, and everyone in the room sees it live [MOD-53, MOD-46, MOD-50, MOD-51, MOD-52, LAYOUT-100, MOD-15]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId, adaPage, benPage } = await meet(windows, site);
  await ben.post(classId, 'What **happened** before');
  const { id } = await ada.post(classId, 'First bad words');
  await (
    await ada.connect()
  ).request({ type: 'edit', classId, messageId: id, text: 'Edited words' });
  const second = await ada.post(classId, 'Second bad words');
  await ben.post(classId, 'What happened after');
  await pick(benPage, 'Second bad words', 'Thumbs up');
  await reportBy(site, 1, classId, { messageId: id, reason: 'harassment', text: 'It hurts' });
  const { desk } = await createModerator(windows, site, classId, 'Dana');
  await reportBy(site, 1, classId, { messageId: second.id, reason: 'spam' });

  // The newest case comes first, and the first one is selected: the second report arrived live.
  await expect(findCaseRow(desk, 'Second bad words')).toBeVisible();
  await desk.keyboard.press('k');
  await expect(findCaseRow(desk, 'Second bad words')).toHaveAttribute('aria-current', 'true');
  const detail = desk.getByRole('region', { name: 'Case', exact: true });
  await expect(detail.getByText('What happened after')).toBeVisible();
  await expect(detail.getByText('Other cases in this class: 1 open.')).toBeVisible();
  expect(await findViolations(desk)).toEqual([]);
  await desk.keyboard.press('j');
  await expect(findCaseRow(desk, 'Edited words')).toHaveAttribute('aria-current', 'true');
  await expect(detail.getByText('What happened before').locator('strong')).toHaveText('happened');
  await expect(detail.getByText('It hurts')).toBeVisible();
  await desk.keyboard.press('k');

  // A decision needs a reason.
  await desk.keyboard.press('2');
  await desk.keyboard.press('Enter');
  await expect(detail.getByRole('textbox', { name: 'Reason' })).toHaveAccessibleDescription(
    /Please enter a reason\.$/,
  );
  await desk.keyboard.type('Against the rules');
  await desk.keyboard.press('Enter');
  await expect(desk.getByText('Message removed')).toBeVisible();
  await expect(desk.getByRole('timer')).toHaveText(/^\d+ s$/);
  await expect(findCaseRow(desk, 'Second bad words')).toHaveCount(0);
  // It can still be undone.
  await desk.keyboard.press('u');
  await expect(desk.getByText('The decision was undone.')).toBeVisible();
  await expect(findCaseRow(desk, 'Second bad words')).toBeVisible();
  await expect(findMessageText(benPage, 'Second bad words')).toBeVisible();

  await findCaseRow(desk, 'Second bad words').click();
  await decideByKey(desk, '2', 'Against the rules');
  await endTimeToUndo(site);
  for (const page of [adaPage, benPage]) {
    await expect(findRoom(page).getByText('Removed by a moderator')).toBeVisible();
    await expect(findRoom(page).getByText('Second bad words')).toHaveCount(0);
  }
  const removedMessage = findMessage(benPage, 'Removed by a moderator');
  await removedMessage.hover();
  await expect(removedMessage.getByRole('toolbar')).toHaveCount(0);
  await removedMessage.click({ button: 'right' });
  await expect(benPage.getByRole('menu')).toHaveCount(0);
  await benPage.bringToFront();
  await benPage.goto(`/home/${classId}?message=${second.id}`);
  await expect(findMessage(benPage, 'Removed by a moderator')).toBeFocused();
  await expect(findRoom(benPage).getByText('Second bad words')).toHaveCount(0);

  await desk.getByRole('button', { name: 'Decided', exact: true }).click();
  await expect(findCaseRow(desk, 'Second bad words')).toContainText('Message removed by Dana');
  await desk.getByLabel('Reason').first().selectOption('Cheating');
  await expect(desk.getByText('No case matches these filters.')).toBeVisible();
  await desk.reload();
  await expect(desk.getByText('No case matches these filters.')).toBeVisible();
  await desk.keyboard.press('?');
  await expect(desk.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText(
    'Undo the last decision, for ten seconds',
  );
});

test('two moderators see each other’s decisions live and keep what they typed [MOD-56]', async ({
  windows,
  site,
}) => {
  const { ada, classId } = await createClassWithTwoMembers(site);
  const { id } = await ada.post(classId, 'Bad words');
  await reportBy(site, 1, classId, { messageId: id });
  const { desk } = await createModerator(windows, site, classId, 'Dana');
  const { desk: other } = await createModerator(windows, site, classId, 'Robin');
  await expect(findCaseRow(desk, 'Bad words')).toBeVisible();
  await expect(findCaseRow(other, 'Bad words')).toBeVisible();
  await other.keyboard.press('1');
  await other.keyboard.type('It is a quotation from the book');
  await decideByKey(desk, '2', 'Against the rules');
  await expect(findCaseRow(other, 'Bad words')).toHaveCount(0);
  const detail = other.getByRole('region', { name: 'Case', exact: true });
  await expect(detail.getByRole('status').filter({ hasText: 'by Dana' })).toContainText(
    'Message removed by Dana',
  );
  await expect(findReasonField(other)).toHaveValue('It is a quotation from the book');
  await desk.keyboard.press('u');
  await expect(findCaseRow(other, 'Bad words')).toBeVisible();
  await expect(findCaseRow(desk, 'Bad words')).toHaveAttribute('aria-current', 'true');

  // Both decide before the other's change arrives.
  windows.expectConsoleError('409');
  await other.route(/moderation\/cases\?/, () => {});
  await decideByKey(desk, '2', 'Against the rules');
  await findReasonField(other).press('Enter');
  await expect(detail.getByRole('alert')).toContainText('Dana has already decided this case.');
  await expect(findReasonField(other)).toHaveValue('It is a quotation from the book');
});

test('a muted member sees until when and why, and writes again after the mute is lifted [MOD-47, MOD-48, MOD-24]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const adaPage = await windows.openWindowAs(ada);
  await ben.post(classId, 'Hello Ada');
  const { id } = await ada.post(classId, 'Bad words');
  await ada.post(classId, 'Fine words');
  await reportBy(site, 1, classId, { messageId: id });
  const { desk } = await createModerator(windows, site, classId, 'Dana');
  await findComposer(adaPage).fill('A long draft');
  await expect(findCaseRow(desk, 'Bad words')).toBeVisible();
  await decideByKey(desk, '3', 'Insults in the room');
  await endTimeToUndo(site);
  await expect(adaPage.getByText(/^A moderator muted you in this class until/)).toBeVisible();
  await expect(adaPage.getByText('Insults in the room')).toBeVisible();
  await expect(findComposer(adaPage)).toHaveValue('A long draft');
  await expect(findComposer(adaPage)).not.toBeEditable();
  await findComposer(adaPage).press('Enter');
  await expect(findMessageText(adaPage, 'A long draft')).toHaveCount(0);
  await openMenu(adaPage, 'Fine words');
  await expect(adaPage.getByRole('menuitem', { name: 'Edit' })).toHaveCount(0);
  await expect(adaPage.getByRole('menuitem', { name: 'Delete' })).toBeVisible();
  await adaPage.keyboard.press('Escape');
  await findMessage(adaPage, 'Hello Ada').hover();
  await expect(
    findMessage(adaPage, 'Hello Ada').getByRole('button', { name: 'Thumbs up' }),
  ).toHaveCount(0);
  await adaPage.reload();
  await expect(adaPage.getByText('Insults in the room')).toBeVisible();
  await expect(findComposer(adaPage)).toHaveValue('A long draft');

  const { cases } = await listModeratorCases(desk);
  await desk.goto(`/moderation/${cases[0]}?state=decided`);
  await desk.getByRole('button', { name: 'Lift' }).click();
  const dialog = desk.getByRole('dialog', { name: 'Lift the mute?' });
  await dialog.getByLabel('Reason').fill('They apologized');
  await dialog.getByRole('button', { name: 'Lift' }).click();
  await expect(desk.getByRole('button', { name: 'Lift' })).toHaveCount(0);
  await expect(findComposer(adaPage)).toBeEditable();
  await findComposer(adaPage).press('Enter');
  await expect(findMessageText(adaPage, 'A long draft')).toBeVisible();
});

/** The ids of the decided cases in the queue. */
async function listModeratorCases(desk: Page): Promise<{ cases: string[] }> {
  await desk.getByRole('button', { name: 'Decided', exact: true }).click();
  const rows = desk.getByRole('list', { name: 'Cases' }).getByRole('link');
  await expect(rows).not.toHaveCount(0);
  const links = await rows.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  return { cases: links.map((link) => /moderation\/([\w-]{16})/.exec(link)?.[1] ?? '') };
}

test('a removed member sees why, and cannot join again [MOD-49]', async ({ windows, site }) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const adaPage = await windows.openWindowAs(ada);
  await ben.post(classId, 'For members only');
  const { id } = await ada.post(classId, 'Bad words');
  await reportBy(site, 1, classId, { messageId: id });
  const { desk } = await createModerator(windows, site, classId, 'Dana');
  await expect(findMessageText(adaPage, 'For members only')).toBeVisible();
  await findComposer(adaPage).fill('A long draft');
  await expect(findCaseRow(desk, 'Bad words')).toBeVisible();
  await decideByKey(desk, '4', 'Threats against a classmate');
  await endTimeToUndo(site);
  windows.expectConsoleError('403');
  const expectReason = async () => {
    const reason = adaPage.getByText('A moderator removed you from this class.');
    await expect(reason).toBeVisible();
    expect((await reason.boundingBox())!.y).toBeLessThan(120);
    await expect(adaPage.getByText('Threats against a classmate')).toBeVisible();
    await expect(adaPage.getByRole('region', { name: 'Not sent' })).toContainText('A long draft');
    await expect(adaPage.getByText('For members only')).toHaveCount(0);
    await expect(findComposer(adaPage)).toHaveCount(0);
  };
  await expectReason();
  await adaPage.reload();
  await expectReason();
  await expect(findClassLink(adaPage, 'CS 146')).toHaveCount(0);
  expect(await findViolations(adaPage)).toEqual([]);
  const otherTab = await adaPage.context().newPage();
  await otherTab.goto(`/home/${classId}`);
  await expect(otherTab.getByText('A moderator removed you from this class.')).toBeVisible();
  await expect(otherTab.getByText('Threats against a classmate')).toBeVisible();
  await expect(otherTab.getByRole('button', { name: 'Join', exact: true })).toHaveCount(0);
  await expect(otherTab.getByText('For members only')).toHaveCount(0);
  await expect(ada.join(classId)).rejects.toMatchObject({ code: 'REMOVED_FROM_CLASS' });
});

test('only accounts with a role see the screen of moderators, and only operators the audit log and the administration [MOD-94, ADMIN-16]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const stranger = await windows.openWindowAs(ben);
  await expect(stranger.getByRole('link', { name: 'Home' })).toBeVisible();
  await expect(stranger.getByRole('link', { name: 'Moderation' })).toHaveCount(0);
  for (const path of ['/moderation', '/admin']) {
    await stranger.goto(path);
    await expect(stranger.getByText('Page not found')).toBeVisible();
  }

  const { moderator, desk } = await createModerator(windows, site, classId, 'Dana');
  await expect(desk.getByText('Nothing to decide.')).toBeVisible();
  await expect(desk.getByRole('link', { name: 'Audit log' })).toHaveCount(0);
  windows.expectConsoleError('403');
  await revokeRoleByCommand(site.settings, { email: moderator.email, classId });
  await expect(desk).toHaveURL(/\/home/);
  await expect(desk.getByRole('link', { name: 'Moderation' })).toHaveCount(0);
  await grant(site, moderator, classId, 'Dana');
  await expect(desk.getByRole('link', { name: 'Moderation' })).toBeVisible();
  await desk.goto('/admin');
  await expect(desk).toHaveURL(/\/home/);

  await grant(site, ada, null, 'Robin');
  const operator = await windows.openWindowAs(ada);
  await operator.goto('/moderation/audit');
  const entries = operator.getByRole('list', { name: 'Audit log' }).getByRole('listitem');
  const granted = entries.filter({ hasText: 'Granted the role of operator' });
  await expect(granted.first()).toContainText('Command line');
  expect(await findViolations(operator)).toEqual([]);
});

test('the queue of moderators says what failed, and that there is no network [LAYOUT-8]', async ({
  windows,
  site,
}) => {
  const { ada, classId } = await createClassWithTwoMembers(site);
  const { id } = await ada.post(classId, 'Bad words');
  await reportBy(site, 1, classId, { messageId: id });
  const { desk } = await createModerator(windows, site, classId, 'Dana');
  await expect(findCaseRow(desk, 'Bad words')).toBeVisible();
  windows.expectConsoleError('500');
  await desk.route('**/api/moderation/**', (route) =>
    route.fulfill({ status: 500, json: { code: 'INTERNAL', message: 'Something went wrong.' } }),
  );
  await desk.reload();
  await expect(desk.getByRole('alert').filter({ hasText: 'Something went wrong.' })).toBeVisible();
  await desk.unroute('**/api/moderation/**');
  await desk.getByRole('button', { name: 'Retry' }).first().click();
  await expect(findCaseRow(desk, 'Bad words')).toBeVisible();

  windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  windows.expectConsoleError('WebSocket connection');
  await desk.keyboard.press('2');
  await desk.keyboard.type('Against the rules');
  await desk.context().setOffline(true);
  await expect(desk.getByText('You are offline.')).toBeVisible();
  await desk.keyboard.press('Enter');
  await expect(
    desk.getByRole('form', { name: 'Decision' }).getByText('What you typed is still here.'),
  ).toBeVisible();
  await expect(findReasonField(desk)).toHaveValue('Against the rules');
  await desk.context().setOffline(false);
  await findReasonField(desk).press('Enter');
  await expect(desk.getByRole('button', { name: 'Undo' })).toBeVisible();
});
