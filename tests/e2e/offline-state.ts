// What the browser's database keeps for the time without a network.
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { waitUntilPreloaded } from './room.ts';

export const keptLine = /These messages were kept on this device/;

/** The texts that the database holds of each class, or null if it does not exist. */
export async function findKeptData(page: Page): Promise<string[][] | null> {
  return page.evaluate(async () => {
    const names = (await indexedDB.databases()).map(({ name }) => name);
    if (!names.includes('backchannel-kept')) return null;
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('backchannel-kept');
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(new Error('It does not open.')));
    });
    const rooms = database.transaction('rooms').objectStore('rooms').getAll();
    await new Promise((resolve) => rooms.addEventListener('success', resolve));
    database.close();
    return (rooms.result as { replica: { messages: { text: string }[] } }[]).map(({ replica }) =>
      replica.messages.map(({ text }) => text),
    );
  });
}

export async function waitUntilKept(page: Page, ...texts: string[]): Promise<void> {
  await waitUntilPreloaded(page);
  await expect
    .poll(async () => JSON.stringify(await findKeptData(page)), { timeout: 15_000 })
    .toContain(JSON.stringify(texts).slice(1, -1));
}
