import type { Page } from '@playwright/test';
import { registerPlatform } from '#tests/support/lti-launch.ts';
import {
  roles,
  startLtiPlatform,
  type Launch,
  type LtiPlatform,
} from '#tests/support/lti-platform.ts';
import { grantStaffByCommand } from '#tests/support/roles.ts';
import { findViolations } from './axe.ts';
import { expect, test, type Site } from './fixtures.ts';

/** A platform on another site than the app: 127.0.0.1 and localhost share no cookies. */
async function setUp(site: Site): Promise<LtiPlatform> {
  const platform = await startLtiPlatform(site.origin);
  await registerPlatform({ database: site }, platform);
  return platform;
}

/** Opens the page of the course, and follows the link in its frame into a window of its own. */
async function openFromCourse(page: Page, platform: LtiPlatform, launch: Launch): Promise<Page> {
  await page.goto(platform.start(launch).courseUrl);
  const link = page.frameLocator('iframe').getByRole('link', { name: 'Open in a new window' });
  const context = page.context();
  if (context.browser()?.browserType().name() === 'firefox') {
    // Firefox's driver does not report a window that a frame of another site opens.
    const opened = await context.newPage();
    await opened.goto(await link.evaluate((element: HTMLAnchorElement) => element.href));
    return opened;
  }
  const opening = context.waitForEvent('page');
  await link.click();
  return opening;
}

test('a course in a frame of its platform opens in a window, where an instructor links its class and a student joins it [LTI-2, LTI-8, LTI-9]', async ({
  windows,
  site,
}) => {
  const platform = await setUp(site);
  const lee = await site.createStudent();
  const classId = await lee.createClass({ courseName: 'Botany', sectionNumber: '41' });
  await grantStaffByCommand(site.settings, { email: lee.email, classId }, 'Prof. Lee');
  const course = { id: 'framed', label: 'CS 146', title: 'Botany for all' };
  const ada = await site.createStudent();
  const adasPage = await windows.openWindowAs(ada);

  const early = await openFromCourse(adasPage, platform, { course });
  await expect(early.getByText('Your instructor has not linked this course yet.')).toBeVisible();
  await early.close();

  const leesPage = await windows.openWindowAs(lee);
  const linking = await openFromCourse(leesPage, platform, { course, roles: [roles.instructor] });
  await expect(linking).toHaveURL(`${site.origin}/course`);
  await expect(linking.getByRole('heading', { name: 'Botany for all' })).toBeVisible();
  expect(await findViolations(linking)).toEqual([]);
  await linking.getByRole('combobox').selectOption({ label: 'CS 146' });
  await linking.getByRole('button', { name: 'Link', exact: true }).click();
  await expect(linking).toHaveURL(`${site.origin}/home/${classId}`);

  const joining = await openFromCourse(adasPage, platform, { course });
  await joining.getByRole('dialog').getByRole('button', { name: 'Join' }).click();
  await expect(joining.getByRole('textbox', { name: /message/i })).toBeVisible();

  await windows.closeWindows();
  await platform.stop();
});

test('the link of a class that is picked in a window arrives in the frame of the platform [LTI-13]', async ({
  windows,
  site,
}) => {
  const platform = await setUp(site);
  const lee = await site.createStudent();
  const classId = await lee.createClass({ courseName: 'Botany', sectionNumber: '42' });
  await grantStaffByCommand(site.settings, { email: lee.email, classId }, 'Prof. Lee');
  const page = await windows.openWindowAs(lee);

  const picking = await openFromCourse(page, platform, {
    course: { id: 'picked for' },
    roles: [roles.instructor],
    deepLinking: {},
  });
  await picking.getByRole('combobox').selectOption({ label: 'CS 146' });
  await picking.getByRole('button', { name: 'Link', exact: true }).click();
  await expect(picking.getByText('Go back to your course.')).toBeVisible();

  const frame = page.frameLocator('iframe');
  await expect(frame.getByRole('heading', { name: 'Back in the course' })).toBeVisible();
  expect(platform.linked).toHaveLength(1);
  await windows.closeWindows();
  await platform.stop();
});
