// What members report and moderators decide, in windows.
import type { Locator, Page } from '@playwright/test';
import type { CallInput } from '#contract/http.ts';
import { grantRoleByCommand } from '#tests/support/roles.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { expect, type Windows, type Site } from './fixtures.ts';

/** Grants a role as the operator of the server does. @param classId null for an operator of all classes */
export async function grant(
  site: Site,
  { email }: TestClient,
  classId: string | null,
  staffName: string,
): Promise<void> {
  await grantRoleByCommand(site.settings, { email, classId }, staffName);
}

export async function createOperator(site: Site, staffName = 'Kim'): Promise<TestClient> {
  const operator = await site.createStudent();
  await grant(site, operator, null, staffName);
  return operator;
}

/** A moderator of the class, who is not a member of it, on the screen of moderators. */
export async function createModerator(
  windows: Windows,
  site: Site,
  classId: string,
  staffName: string,
): Promise<{ moderator: TestClient; desk: Page }> {
  const moderator = await site.createStudent();
  await grant(site, moderator, classId, staffName);
  const desk = await windows.openWindowAs(moderator);
  await desk.getByRole('link', { name: 'Moderation' }).click();
  await expect(desk.getByRole('heading', { name: 'Moderation' })).toBeVisible();
  return { moderator, desk };
}

/** Members of the class who report the message or person. */
export async function reportBy(
  site: Site,
  count: number,
  classId: string,
  body: Partial<CallInput<'reportMember'>['body']>,
): Promise<void> {
  for (let n = 0; n < count; n++) {
    const member = await site.createStudent();
    await member.join(classId);
    await member.call('reportMember', { params: { classId }, body: { reason: 'spam', ...body } });
  }
}

/** A case in the queue. */
export function findCaseRow(desk: Page, text: string): Locator {
  return desk.getByRole('list', { name: 'Cases' }).getByRole('link').filter({ hasText: text });
}

export function findReasonField(desk: Page): Locator {
  return desk.getByRole('form', { name: 'Decision' }).getByRole('textbox', { name: 'Reason' });
}

/** Decides the selected case with the keyboard. The decision can be undone for ten seconds. */
export async function decideByKey(desk: Page, key: string, reason: string): Promise<void> {
  await desk.keyboard.press(key);
  await expect(findReasonField(desk)).toBeFocused();
  await desk.keyboard.type(reason);
  await desk.keyboard.press('Enter');
  await expect(desk.getByRole('button', { name: 'Undo' })).toBeVisible();
}

/** Applies the decision that was just made, as ten seconds would. */
export async function endTimeToUndo(site: Site): Promise<void> {
  const listPending = () =>
    site.query(
      `select "caseId" from cases where status = 'pending'
       union all select "caseId" from reviews where status = 'pending'`,
    );
  await expect.poll(listPending).not.toEqual([]);
  for (const table of ['cases', 'reviews']) {
    await site.query(`update ${table} set "effectiveAt" = 1 where status = 'pending'`);
  }
  await expect.poll(listPending).toEqual([]);
}
