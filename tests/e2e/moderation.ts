// What members report and moderators decide, in windows.
import type { Locator, Page } from '@playwright/test';
import type { CallInput } from '#contract/http.ts';
import { admin } from '#tests/support/run-command.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { expect, type People, type Site } from './fixtures.ts';

/** Grants a role as the operator of the server does. @param classId null for an operator of all classes */
export async function grant(
  site: Site,
  { email }: TestClient,
  classId: string | null,
  staffName: string,
): Promise<void> {
  const role = classId === null ? ['grant-operator', email] : ['grant-moderator', email, classId];
  const { errors } = await admin(site.settings, ...role, staffName);
  expect(errors).toEqual([]);
}

/** A moderator of the class, who is not a member of it, on the screen of moderators. */
export async function moderatorOf(
  people: People,
  site: Site,
  classId: string,
  staffName: string,
): Promise<{ moderator: TestClient; desk: Page }> {
  const moderator = await site.newStudent();
  await grant(site, moderator, classId, staffName);
  const desk = await people.newWindowOf(moderator);
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
    const member = await site.newStudent();
    await member.join(classId);
    await member.call('reportMember', { params: { classId }, body: { reason: 'spam', ...body } });
  }
}

/** A case in the queue. */
export function caseRow(desk: Page, text: string): Locator {
  return desk.getByRole('list', { name: 'Cases' }).getByRole('link').filter({ hasText: text });
}

export function reasonField(desk: Page): Locator {
  return desk.getByRole('form', { name: 'Decision' }).getByRole('textbox', { name: 'Reason' });
}

/** Decides the selected case with the keyboard. The decision can be undone for ten seconds. */
export async function decideByKey(desk: Page, key: string, reason: string): Promise<void> {
  await desk.keyboard.press(key);
  await expect(reasonField(desk)).toBeFocused();
  await desk.keyboard.type(reason);
  await desk.keyboard.press('Enter');
  await expect(desk.getByRole('button', { name: 'Undo' })).toBeVisible();
}
