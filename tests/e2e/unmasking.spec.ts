// Two operators in two windows unmask a person, and members learn that this is possible.
import type { Page } from '@playwright/test';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import { findViolations } from './axe.ts';
import { createSite, expect, signIn, test, type Windows, type Site } from './fixtures.ts';
import { findCaseRow, grant, reportBy } from './moderation.ts';
import { openClassPanel } from './room.ts';

const ground = 'Order 12/345 of the district court';

async function openDeskAsOperator(windows: Windows, site: Site, name: string) {
  const operator = await site.createStudent();
  await grant(site, operator, null, name);
  const desk = await windows.openWindow({ baseURL: site.origin });
  await signIn(desk, operator);
  await desk.goto('/moderation');
  return { operator, desk };
}

async function createReportedCase(site: Site) {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const { id } = await ada.post(classId, 'I will find you');
  await ben.call('reportMember', {
    params: { classId },
    body: { messageId: id, reason: 'threat' },
  });
  return { ada, ben, classId, messageId: id };
}

const findUnmaskingPanel = (desk: Page) => desk.getByRole('region', { name: 'Unmasking' });

async function request(desk: Page, operator: TestClient): Promise<void> {
  await findUnmaskingPanel(desk).getByRole('button', { name: 'Request…' }).click();
  const form = desk.getByRole('dialog', { name: 'Request to unmask' });
  await form.getByRole('textbox', { name: 'Legal ground' }).fill(ground);
  await form.getByLabel('Your password', { exact: true }).fill(operator.password);
  await form.getByRole('button', { name: 'Send request' }).click();
  await expect(form).toBeHidden();
}

test('one operator asks, another confirms and sees the address once [UNMASK-14, UNMASK-15]', async ({
  windows,
}) => {
  const site = await createSite({ UNMASKING: 'on' });
  try {
    const { ada } = await createReportedCase(site);
    const ann = await openDeskAsOperator(windows, site, 'Ann');
    const bob = await openDeskAsOperator(windows, site, 'Bob');
    await findCaseRow(ann.desk, 'I will find you').click();
    await findUnmaskingPanel(ann.desk).getByRole('button', { name: 'Request…' }).click();
    const form = ann.desk.getByRole('dialog', { name: 'Request to unmask' });
    const reason = form.getByRole('textbox', { name: 'Legal ground' });
    await expect(reason).toBeFocused();
    await ann.desk.keyboard.type('too short');
    await ann.desk.keyboard.press('Tab');
    await ann.desk.keyboard.type('not my password');
    await ann.desk.keyboard.press('Enter');
    await expect(reason).toBeFocused();
    await expect(reason).toHaveAccessibleDescription(/in 20 to 500 characters/);
    await reason.fill(ground);
    windows.expectConsoleError('403');
    await form.getByRole('button', { name: 'Send request' }).click();
    await expect(form.getByRole('alert')).toContainText('not your current password');
    await expect(reason).toHaveValue(ground);
    expect(await findViolations(ann.desk)).toEqual([]);
    const password = form.getByLabel('Your password', { exact: true });
    await password.fill(ann.operator.password);
    await password.press('Enter');
    await expect(form).toBeHidden();
    await expect(findUnmaskingPanel(ann.desk)).toContainText('You asked to unmask this person.');
    await expect(
      findUnmaskingPanel(ann.desk).getByRole('button', { name: 'Confirm…' }),
    ).toHaveCount(0);

    // It appears for the other operator without a reload.
    await expect(bob.desk.getByText('Ann’s request to unmask a person in CS 146')).toBeVisible();
    await bob.desk.getByRole('link', { name: 'Open the case' }).click();
    await expect(findUnmaskingPanel(bob.desk)).toContainText('Ann asked to unmask this person.');
    await expect(findUnmaskingPanel(bob.desk)).toContainText(ground);
    expect(await findViolations(bob.desk)).toEqual([]);
    await findUnmaskingPanel(bob.desk).getByRole('button', { name: 'Confirm…' }).click();
    const confirm = bob.desk.getByRole('dialog', { name: 'Unmask this person?' });
    await expect(confirm).toContainText(ground);
    await expect(confirm).toContainText('The public number of unmaskings rises by one.');
    expect(await findViolations(bob.desk)).toEqual([]);
    await confirm.getByLabel('Your password', { exact: true }).fill('not my password');
    await bob.desk.keyboard.press('Enter');
    await expect(confirm.getByRole('alert')).toContainText('not your current password');
    await confirm.getByLabel('Your password', { exact: true }).fill(bob.operator.password);
    await bob.desk.keyboard.press('Enter');

    const addressDialog = bob.desk.getByRole('dialog', { name: 'The address of this person' });
    await expect(addressDialog).toContainText(ada.email);
    await expect(addressDialog).toContainText('it will not be shown again');
    expect(await findViolations(bob.desk)).toEqual([]);
    await bob.desk.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await addressDialog.getByRole('button', { name: 'Copy' }).click();
    expect(await bob.desk.evaluate(() => navigator.clipboard.readText())).toBe(ada.email);
    // Escape hides the address and does not lose it.
    await bob.desk.keyboard.press('Escape');
    await expect(addressDialog).toBeHidden();
    await findUnmaskingPanel(bob.desk).getByRole('button', { name: 'Show address' }).click();
    await expect(addressDialog).toContainText(ada.email);
    await addressDialog.getByRole('button', { name: 'I have noted it' }).click();

    const usedText = 'Used: Ann asked, Bob confirmed and saw the address';
    for (const { desk } of [ann, bob]) {
      await expect(findUnmaskingPanel(desk)).toContainText(usedText);
      expect(await desk.content()).not.toContain(ada.email);
    }
    await bob.desk.reload();
    await expect(findUnmaskingPanel(bob.desk)).toContainText(usedText);
    await expect(bob.desk.getByRole('button', { name: 'Show address' })).toHaveCount(0);
    const storedText = await bob.desk.evaluate(() =>
      [localStorage, sessionStorage].map((storage) => JSON.stringify(storage)).join(' '),
    );
    expect(storedText).not.toContain(ada.email);
    await bob.desk.getByRole('link', { name: 'Audit log' }).click();
    await expect(
      bob.desk
        .getByRole('listitem')
        .filter({ hasText: 'Confirmed the request and saw the address' }),
    ).toBeVisible();
  } finally {
    await windows.closeWindows();
    await site.end();
  }
});

test('members and operators see whether unmasking is possible, and what became of requests [UNMASK-14, UNMASK-16, OPEN-1, OPEN-4]', async ({
  windows,
}) => {
  const settings = { UNMASKING: 'off' };
  const site = await createSite(settings);
  try {
    const { ada, ben, classId } = await createReportedCase(site);
    await reportBy(site, 1, classId, { memberId: (await ada.snapshot(classId)).me.memberId });
    const { desk, operator } = await openDeskAsOperator(windows, site, 'Ann');
    const panel = findUnmaskingPanel(desk);
    await expect(panel).toContainText('UNMASKING=on switches it on');
    await expect(panel.getByRole('button')).toHaveCount(0);
    const page = await windows.openWindow({ baseURL: site.origin });
    await page.goto('/privacy');
    const findRow = (name: string) => page.getByRole('row', { name });
    await expect(findRow('Unmasked people')).toContainText('00');
    await expect(page.getByText('Unmasking is switched off')).toBeVisible();
    await page.goto('/signup');
    const notice = /two operators together can find out/;
    await expect(page.getByRole('heading', { name: /^Join/ })).toBeVisible();
    await expect(page.getByText(notice)).toHaveCount(0);

    windows.expectConsoleError('WebSocket connection');
    windows.expectConsoleError('ERR_CONNECTION_REFUSED');
    await site.stop();
    settings.UNMASKING = 'on';
    await site.start();
    await page.goto('/signup');
    await expect(page.getByText(notice)).toBeVisible();
    await page.goto('/privacy');
    await expect(page.getByText(notice)).toBeVisible();
    await signIn(page, ada);
    const news = page.getByRole('status').filter({ hasText: 'Unmasking is switched on since' });
    await expect(news).toBeVisible();
    await page.goto(`/home/${classId}`);
    await expect(page.getByText('I will find you')).toBeVisible();
    await expect(news).toHaveCount(0);
    const details = await openClassPanel(page, 'Details');
    await expect(details).toContainText('Last 30 days: nothing removed, no one muted.');
    await expect(details).toContainText(notice);

    const stranger = await site.createStudent();
    const other = await windows.openWindow({ baseURL: site.origin });
    await signIn(other, stranger);
    await other.goto(`/home/${classId}`);
    await expect(other.getByRole('dialog', { name: 'Join Class' })).toContainText(notice);

    await page.goto('/privacy');
    await page.route('**/api/openness', (route) => route.abort());
    windows.expectConsoleError('ERR_FAILED');
    await page.reload();
    await expect(page.getByRole('alert')).toContainText('The server cannot be reached.');
    await page.unroute('**/api/openness');
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(findRow('Unmasked people')).toBeVisible();

    // Requests for a class that was written in before.
    await desk.reload();
    await expect(panel).toContainText('They can never be unmasked there.');

    // Another class, which is written in from now on.
    const fresh = await ben.createClass({ courseNumber: '7' });
    await ben.post(fresh, 'Watch out');
    const { memberId } = (await ben.snapshot(fresh)).me;
    await ada.join(fresh);
    await ada.call('reportMember', {
      params: { classId: fresh },
      body: { memberId, reason: 'harassment' },
    });
    await desk.getByRole('link', { name: /CS 7/ }).first().click();
    await request(desk, operator);
    await expect(panel).toContainText('You asked to unmask this person.');
    await desk.context().setOffline(true);
    windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
    await expect(panel).toContainText('You are offline. Unmasking needs a connection.');
    await desk.context().setOffline(false);
    await panel.getByRole('button', { name: 'Withdraw' }).click();
    await expect(panel).toContainText('Withdrawn by Ann: Ann asked');

    await request(desk, operator);
    await site.query(
      `update unmaskings set "requestedAt" = "requestedAt" - 86400000 where status = 'open'`,
    );
    await desk.reload();
    await expect(panel).toContainText('Expired: Ann asked, and no one confirmed it in time');

    await request(desk, operator);
    const bob = await openDeskAsOperator(windows, site, 'Bob');
    await bob.desk.getByRole('link', { name: 'Open the case' }).click();
    await ben.leave(fresh);
    await findUnmaskingPanel(bob.desk).getByRole('button', { name: 'Confirm…' }).click();
    const confirm = bob.desk.getByRole('dialog', { name: 'Unmask this person?' });
    await confirm.getByLabel('Your password', { exact: true }).fill(bob.operator.password);
    windows.expectConsoleError('409');
    await bob.desk.keyboard.press('Enter');
    await expect(confirm.getByRole('alert')).toContainText('No account can be found');
    await confirm.getByRole('button', { name: 'Cancel' }).click();
    await expect(findUnmaskingPanel(bob.desk)).toContainText('and no account was found');

    await runAdminCommand(site.settings, 'archive-class', fresh);
    await desk.reload();
    await expect(panel).toContainText(
      'The class has ended, so no one can find the account any more.',
    );
    await desk.route('**/unmaskings', (route) => route.abort());
    windows.expectConsoleError('ERR_FAILED');
    await desk.reload();
    await expect(panel.getByRole('alert')).toContainText('The server cannot be reached.');
    await desk.unroute('**/unmaskings');
    await panel.getByRole('button', { name: 'Retry' }).click();
    await expect(panel).toContainText(
      'The class has ended, so no one can find the account any more.',
    );
  } finally {
    await windows.closeWindows();
    await site.end();
  }
});
