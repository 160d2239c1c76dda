// The daily email: its switch on the profile, and the page that its link opens.
import type { Page } from '@playwright/test';
import { listDigestsTo, unsubscribePath, verify } from '#tests/support/digest-mails.ts';
import { startFakeSmtp, type FakeSmtp } from '#tests/support/fake-smtp.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { checkLooks } from './axe.ts';
import { createSite, expect, test, type Windows, type Site } from './fixtures.ts';

/** An hour of the day that has passed, so the server mails what was missed when it starts. */
const twoHoursAgo = new Date(Date.now() - 150 * 60_000).toISOString().slice(11, 16);
const fiveHoursMs = 5 * 60 * 60_000;

// The tests of this file share a server, so they run in order.
test.describe.configure({ mode: 'default' });
let smtp: FakeSmtp;
let site: Site & { end(): Promise<void> };
test.beforeAll(async () => {
  smtp = await startFakeSmtp();
  site = await createSite({ SMTP_URL: smtp.url, DIGEST_TIME: twoHoursAgo, TIME_ZONE: 'UTC' });
});
test.afterAll(async () => {
  await site.end();
  await smtp.stop();
});

const createStudent = (name: string) =>
  verify(smtp, createTestClient(site.origin, `${name}@university.edu`));

async function openProfile(windows: Windows, student: TestClient) {
  const page = await windows.openWindowAs(student, { baseURL: site.origin });
  await page.goto('/profile/notifications');
  return page;
}
const findSwitch = (page: Page) => page.getByRole('checkbox', { name: 'Email me a daily summary' });

test('a member turns the daily email on and off with the keyboard [DIGEST-1]', async ({
  windows,
}) => {
  const ada = await createStudent('ada');
  const page = await openProfile(windows, ada);
  const getDigest = async () => (await ada.call('readNotifications', {})).digest;
  await expect(findSwitch(page)).not.toBeChecked();
  await expect(findSwitch(page)).toHaveAccessibleDescription(/names your classes and roughly/);
  await findSwitch(page).focus();
  await page.keyboard.press('Space');
  await expect.poll(getDigest).toBe(true);
  await page.reload();
  await expect(findSwitch(page)).toBeChecked();
  await findSwitch(page).scrollIntoViewIfNeeded();
  await checkLooks(page, 'daily-email-switch');
  await page.getByText('Email me a daily summary').click();
  await expect.poll(getDigest).toBe(false);

  windows.expectConsoleError('503');
  await page.route('**/api/me/notifications/digest', (route) =>
    route.fulfill({ status: 503, json: { code: 'UNAVAILABLE', message: 'Please try again.' } }),
  );
  await findSwitch(page).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Please try again.' })).toBeVisible();
  await expect(findSwitch(page)).not.toBeChecked();
});

test('the link in a daily email opens a page whose button turns the email off [DIGEST-8]', async ({
  windows,
}) => {
  const cem = await createStudent('cem');
  const dee = await createStudent('dee');
  const classId = await cem.createClass();
  await dee.join(classId);
  await dee.snapshot(classId);
  await dee.call('saveDigest', { body: { digest: true } });
  await cem.post(classId, 'while dee is away');
  await site.stop();
  await site.query(`update messages set "createdAt" = "createdAt" - ${fiveHoursMs}`);
  await site.start();
  await expect.poll(() => listDigestsTo(smtp, dee), { timeout: 30_000 }).toHaveLength(1);
  const [mail = ''] = listDigestsTo(smtp, dee);
  expect(mail).toContain('CS 146: fewer than 10 new messages');
  const getDigest = async () => (await dee.call('readNotifications', {})).digest;
  const page = await windows.openWindow({ baseURL: site.origin });
  await page.goto(unsubscribePath(mail));
  const button = page.getByRole('button', { name: 'Turn off the daily email' });
  await expect(button).toBeVisible();
  await checkLooks(page, 'unsubscribe');
  expect(await getDigest()).toBe(true);
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main').getByRole('status')).toContainText(
    'You get no more daily emails.',
  );
  await expect(button).toHaveCount(0);
  expect(await getDigest()).toBe(false);
  await checkLooks(page, 'unsubscribed');
  await page.getByRole('link', { name: 'Go to sign in' }).click();
  await expect(page).toHaveURL('/signin');

  windows.expectConsoleError('400');
  await page.goto('/unsubscribe?token=wrong');
  await page.getByRole('button', { name: 'Turn off the daily email' }).click();
  await expect(page.getByRole('alert')).toContainText('This link is not valid.');
  await page.goto('/unsubscribe');
  await expect(page.getByRole('alert')).toContainText('This link is incomplete.');
  await expect(page.getByRole('button', { name: /Turn off/ })).toHaveCount(0);
});
