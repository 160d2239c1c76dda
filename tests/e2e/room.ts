// What a person sees and does in the open room and in the class list.
import type { BrowserContextOptions, Locator, Page } from '@playwright/test';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';

import { expect, type Windows, type Site } from './fixtures.ts';

export function findRoom(page: Page): Locator {
  return page.getByRole('group', { name: 'Messages' });
}

export function findMessageText(page: Page, text: string): Locator {
  return findRoom(page).getByText(text, { exact: true });
}

/** Waits until the list has not moved for half a second. A wheel moves it later than the mouse reports. */
export async function waitUntilListIsStill(page: Page): Promise<void> {
  await findRoom(page).evaluate(async (list) => {
    let top = list.scrollTop;
    let stillSince = performance.now();
    while (performance.now() - stillSince < 500) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      if (list.scrollTop !== top) [top, stillSince] = [list.scrollTop, performance.now()];
    }
  });
}

/** Waits until no animation runs, because what moves or fades has neither its place nor its colors yet. */
export async function waitForAnimations(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document.getAnimations().every((animation) => animation.playState !== 'running'),
  );
}

/** Waits for the code of dialogs and staged pictures, which a page loads soon after its first screen. */
export async function waitUntilPreloaded(page: Page): Promise<void> {
  await page.mouse.move(1, 1);
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/dialogs-')),
  );
}

/** The code of dialogs, menus and the search panel does not load by itself. Call it before the page loads. */
export async function holdBackPreloading(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const start = setTimeout;
    window.setTimeout = ((act: () => void, ms?: number) =>
      ms === 3000 ? 0 : start(act, ms)) as typeof setTimeout;
  });
}

/** The element that says, by `aria-busy`, whether the message with this text is still being sent. */
export function findDelivery(page: Page, text: string): Locator {
  return findRoom(page).locator('[aria-busy]').filter({ hasText: text });
}

/** The button that goes to the newest message, or says how many are new. */
export function findNewestButton(page: Page): Locator {
  return page.getByRole('button', { name: /newest message|new$/ });
}

/** The line above the first new message. */
export function findNewMessagesLine(page: Page): Locator {
  return findRoom(page).getByRole('heading', { name: /new message/ });
}

/** The text field of the room. */
export function findComposer(page: Page): Locator {
  return page.getByRole('textbox', { name: /^Message to / });
}

/** Pastes it over the selection of the composer. */
export async function pasteText(page: Page, text: string): Promise<void> {
  await findComposer(page).evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    if (!element.dispatchEvent(event)) return;
    document.execCommand('insertText', false, pasted);
  }, text);
}

export async function say(page: Page, text: string): Promise<void> {
  await findComposer(page).fill(text);
  await findComposer(page).press('Enter');
}

/** The message with this text, including its controls. */
export function findMessage(page: Page, text: string): Locator {
  return findRoom(page).getByRole('article').filter({ hasText: text });
}

/** Picks a reaction with the mouse. */
export async function pick(page: Page, text: string, name: string): Promise<void> {
  await findMessage(page, text).hover();
  const tools = findMessage(page, text).getByRole('toolbar');
  await tools.getByRole('button', { name, exact: true }).click();
}

/** Opens the menu of the message with its button. */
export async function openMenu(page: Page, text: string): Promise<void> {
  const message = findMessage(page, text);
  // If something above it appears meanwhile, the message leaves the pointer, and its tools disappear.
  await expect(async () => {
    await message.hover();
    await message.getByRole('button', { name: 'More' }).click({ timeout: 2000 });
  }).toPass();
}

/** Holds a finger on the element until the expected element appears. */
export async function pressLong(page: Page, target: Locator, result: Locator): Promise<void> {
  const box = await target.boundingBox();
  if (!box) throw new Error('There is nothing to press.');
  const touch = await page.context().newCDPSession(page);
  const touchPoints = [{ x: box.x + box.width / 3, y: box.y + box.height / 2 }];
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  await expect(result).toBeVisible();
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

/** The row of a class in the class list. */
export function findClassLink(page: Page, label: string | RegExp): Locator {
  return page.getByRole('navigation', { name: 'My Classes' }).getByRole('link', { name: label });
}

/** Another tab of the same browser that opens the class. */
export async function openTab(page: Page, classId: string): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(`/home/${classId}`);
  return tab;
}

/** One student who created the class, with a window that shows it. */
export async function openClassAlone(
  windows: Windows,
  site: Site,
  options?: BrowserContextOptions,
): Promise<{ student: TestClient; classId: string; page: Page }> {
  const student = await site.createStudent();
  const classId = await student.createClass();
  return { student, classId, page: await windows.openWindowAs(student, options) };
}

export interface Meeting {
  ada: TestClient;
  ben: TestClient;
  classId: string;
  adaPage: Page;
  benPage: Page;
}

/** Two students in one class, each with its room open. */
export async function meet(windows: Windows, site: Site): Promise<Meeting> {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const options = { baseURL: site.origin };
  const adaPage = await windows.openWindowAs(ada, options);
  const benPage = await windows.openWindowAs(ben, options);
  for (const page of [adaPage, benPage]) {
    await expect(page.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  }
  return { ada, ben, classId, adaPage, benPage };
}

/** The panel of the open class. */
export function findClassPanel(page: Page): Locator {
  const close = page.getByRole('button', { name: 'Close class details' });
  return page.getByRole('main').getByRole('region').filter({ has: close });
}

/** Opens a part of the panel of the open class. */
export async function openClassPanel(
  page: Page,
  part: 'Details' | 'People' | 'Pictures and files',
): Promise<Locator> {
  const panel = findClassPanel(page);
  if (!(await panel.isVisible())) {
    await page.getByRole('heading', { level: 1 }).getByRole('button').click();
  }
  await panel.getByRole('button', { name: part, exact: true }).click();
  return panel;
}

/** Presses a button of the details of the open class. */
export async function chooseClassAction(page: Page, name: string): Promise<void> {
  const panel = await openClassPanel(page, 'Details');
  await panel.getByRole('button', { name, exact: true }).click();
}

/** Leaves a class by its options. */
export async function deleteClass(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: `Options for ${label}` }).click();
  await page.getByRole('menuitem', { name: 'Delete Class' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
}

/** Opens a page of the profile by the links of a wide window. */
export async function openProfilePage(
  page: Page,
  title: 'Notifications' | 'Appearance' | 'On this device' | 'Devices',
): Promise<void> {
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByRole('link', { name: title, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
}
