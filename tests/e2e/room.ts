// What a person sees and does in the room that is open.
import type { Locator, Page } from '@playwright/test';

export function room(page: Page): Locator {
  return page.getByRole('group', { name: 'Messages' });
}

export function said(page: Page, text: string): Locator {
  return room(page).getByText(text, { exact: true });
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByPlaceholder('Type a message...').fill(text);
  await page.getByPlaceholder('Type a message...').press('Enter');
}
