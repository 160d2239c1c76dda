import type { Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { measureSidewaysOverflow, findViolations } from './axe.ts';
import { expect, test } from './fixtures.ts';
import {
  findCaseRow,
  endTimeToUndo,
  createModerator,
  createOperator,
  findReasonField,
  reportBy,
} from './moderation.ts';
import { findComposer, findMessage } from './room.ts';

const sizes = [
  [320, 640],
  [390, 844],
  [768, 1024],
  [1280, 800],
] as const;

async function hasNoSidewaysScroll(page: Page): Promise<void> {
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => measureSidewaysOverflow(page)).toBeLessThanOrEqual(0);
  }
}

test('a suspended member sees why, appeals, and is back after the suspension is lifted [SUSP-21, SUSP-23, APPEAL-21]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const bad = await ada.post(classId, 'I know where you live');
  await ben.post(classId, 'Please stop');
  await reportBy(site, 1, classId, { messageId: bad.id, reason: 'threat' });
  const author = await windows.openWindowAs(ada);
  await expect(findMessage(author, 'I know where you live')).toBeVisible();

  const { desk } = await createModerator(windows, site, classId, 'Robin');
  await findCaseRow(desk, 'I know where you live').click();
  await desk.keyboard.press('5');
  await desk.getByLabel('Remove the message too').check();
  await findReasonField(desk).fill('A threat, twice');
  await findReasonField(desk).press('Enter');
  await expect(desk.getByRole('button', { name: 'Undo' })).toBeVisible();
  await endTimeToUndo(site);
  await expect(desk.getByText('Message removed', { exact: false }).first()).toBeVisible();

  const operator = await createOperator(site, 'Olga');
  const office = await windows.openWindowAs(operator);
  await office.goto('/moderation');
  await office.getByRole('button', { name: 'Escalated' }).click();
  await expect(findCaseRow(office, 'I know where you live')).toBeVisible();
  await findCaseRow(office, 'I know where you live').click();
  const escalation = office.getByRole('form', { name: 'Escalation' });
  await expect(escalation).toBeVisible();
  // The moderator of the class sees that it was escalated, and has no form for it.
  await desk.getByRole('button', { name: 'Escalated' }).click();
  await findCaseRow(desk, 'I know where you live').click();
  await expect(desk.getByText('Escalated to operators')).toBeVisible();
  await expect(desk.getByRole('form', { name: 'Escalation' })).toHaveCount(0);

  await office.locator('body').press('1');
  await escalation.getByLabel('a month').check();
  expect(await findViolations(office)).toEqual([]);
  await escalation.getByRole('button', { name: 'Suspend', exact: true }).click();
  await expect(escalation.getByLabel('Reason')).toBeFocused();
  await expect(escalation.getByLabel('Reason')).toHaveAccessibleDescription(
    /Please enter a reason\.$/,
  );
  await escalation.getByLabel('Reason').fill('You threatened a classmate');
  await escalation.getByLabel('Reason').press('Enter');
  await expect(office.getByText('Account suspended for a month').first()).toBeVisible();
  await office.getByRole('button', { name: 'Undo' }).click();
  await expect(office.getByText('The decision was undone.')).toBeVisible();
  await findCaseRow(office, 'I know where you live').click();
  await office.locator('body').press('1');
  await escalation.getByLabel('a month').check();
  await escalation.getByLabel('Reason').fill('You threatened a classmate');
  await escalation.getByRole('button', { name: 'Suspend', exact: true }).click();
  await endTimeToUndo(site);

  // The open tab says so when the suspension begins.
  windows.expectConsoleError('403');
  windows.expectConsoleError('401');
  windows.expectConsoleError('WebSocket connection');
  const heading = author.getByRole('heading', { name: 'Your account is suspended' });
  await expect(heading).toBeVisible();
  await expect(author.getByText('You threatened a classmate')).toBeVisible();
  await expect(author.getByText(/^Suspended until/)).toBeVisible();
  await expect(author.getByText('I know where you live')).toHaveCount(0);
  expect(await findViolations(author)).toEqual([]);
  await hasNoSidewaysScroll(author);
  await expect(author.getByRole('link', { name: 'Download my data' })).toBeVisible();

  // A sign-in shows the same.
  const second = await windows.openWindow();
  await second.goto('/signin');
  await second.getByLabel(/^Email/).fill(ada.email);
  await second.getByLabel('Password', { exact: true }).fill(ada.password);
  await second.getByRole('button', { name: 'Sign In' }).click();
  await expect(second.getByRole('heading', { name: 'Your account is suspended' })).toBeVisible();
  await second.goto('/home');
  await expect(second.getByRole('heading', { name: 'Your account is suspended' })).toBeVisible();

  await author.getByRole('button', { name: 'Appeal' }).click();
  const form = author.getByRole('dialog', { name: 'Appeal' });
  await form.getByRole('button', { name: 'Send appeal' }).click();
  await expect(form.getByLabel('Why do you disagree?')).toBeFocused();
  await expect(form.getByLabel('Why do you disagree?')).toHaveAccessibleDescription(
    /Please write why you disagree\.$/,
  );
  await form.getByLabel('Why do you disagree?').fill('It was a line of a song');
  windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  await author.context().setOffline(true);
  await form.getByRole('button', { name: 'Send appeal' }).click();
  await expect(form.getByRole('alert')).toContainText('The server cannot be reached.');
  await expect(form.getByLabel('Why do you disagree?')).toHaveValue('It was a line of a song');
  await author.context().setOffline(false);
  await form.getByRole('button', { name: 'Send appeal' }).click();
  await expect(author.getByText('You have appealed.', { exact: false })).toBeVisible();
  await expect(author.getByRole('button', { name: 'Appeal' })).toHaveCount(0);

  // Not for moderators, and not for the operator who suspended.
  await desk.getByRole('button', { name: 'Appeals' }).click();
  await expect(desk.getByText('No appeal to decide.', { exact: false })).toBeVisible();
  await office.getByRole('button', { name: 'Appeals' }).click();
  await findCaseRow(office, 'I know where you live').click();
  const appeal = office.getByRole('form', { name: 'Appeal' });
  // What the person wrote comes first.
  await expect(office.getByText('It was a line of a song')).toBeInViewport();
  await office.locator('body').press('2');
  await appeal.getByLabel('Reason').fill('A song indeed');
  await createOperator(site, 'Pat');
  await appeal.getByLabel('Reason').press('Enter');
  await expect(appeal.getByRole('alert')).toContainText('your own decision');
  await expect(appeal.getByLabel('Reason')).toHaveValue('A song indeed');

  const third = await windows.openWindowAs(await createOperator(site, 'Quinn'));
  await third.goto('/moderation?state=appeals');
  await findCaseRow(third, 'I know where you live').click();
  const decision = third.getByRole('form', { name: 'Appeal' });
  await third.locator('body').press('2');
  await decision.getByLabel('Reason').fill('A song indeed');
  await decision.getByLabel('Reason').press('Enter');
  await expect(third.getByText('Appeal: lifted').first()).toBeVisible();
  await endTimeToUndo(site);
  await expect
    .poll(async () => (await ada.call('me', {})).account?.suspended, { timeout: 20_000 })
    .toBe(false);
  await author.getByRole('button', { name: 'Check again' }).click();
  await author.goto(`/home/${classId}`);
  await expect(findComposer(author)).toBeVisible();
});

test('a muted member appeals next to the message field and sees the decision [APPEAL-21]', async ({
  windows,
  site,
}) => {
  const { ada, classId } = await createClassWithTwoMembers(site);
  const bad = await ada.post(classId, 'You are all idiots');
  await reportBy(site, 1, classId, { messageId: bad.id });
  const { desk } = await createModerator(windows, site, classId, 'Robin');
  const author = await windows.openWindowAs(ada);
  await findCaseRow(desk, 'You are all idiots').click();
  await desk.keyboard.press('3');
  await expect(findReasonField(desk)).toBeFocused();
  await desk.getByLabel('Escalate to operators too').check();
  await findReasonField(desk).fill('Insults');
  await findReasonField(desk).press('Enter');
  await endTimeToUndo(site);
  await expect(author.getByText('A moderator muted you', { exact: false })).toBeVisible();
  await author.getByRole('button', { name: 'Appeal' }).click();
  const form = author.getByRole('dialog', { name: 'Appeal' });
  await form.getByLabel('Why do you disagree?').fill('I meant it kindly');
  await form.getByRole('button', { name: 'Send appeal' }).click();
  await expect(author.getByText('You have appealed.', { exact: false })).toBeVisible();
  await hasNoSidewaysScroll(author);

  const operator = await createOperator(site, 'Olga');
  const { cases } = await operator.call('listCases', { query: { classId, state: 'appeals' } });
  const review = cases[0]!.reviews.find(({ kind }) => kind === 'appeal')!;
  expect(review.text).toBe('I meant it kindly');
  await operator.call('decideReview', {
    params: { reviewId: review.reviewId },
    body: { version: review.version, decision: 'keep', reason: 'Kindness looks different' },
  });
  await endTimeToUndo(site);
  await author.reload();
  await expect(author.getByText('Your appeal was decided: it stays as it is.')).toBeVisible();
  await expect(author.getByText('Kindness looks different')).toBeVisible();
});
