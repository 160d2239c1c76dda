// Code that the first screen does not need: when it loads, and what the member sees if it does not.
import type { Page } from '@playwright/test';
import { addTopic } from '#tests/support/topics.ts';
import { expect, test } from './fixtures.ts';
import { choose, createPlainPicture, findStagedPictures } from './picture-files.ts';
import {
  openClassAlone,
  findComposer,
  holdBackPreloading,
  findMessage,
  openMenu,
  pasteText,
  findMessageText,
  findRoom,
  say,
} from './room.ts';

const dialogs = '**/assets/dialogs-*.js';
const failure = 'This could not be loaded. Check your connection and try again.';

/** The paths of the scripts that the page requests from now on. */
function watchScripts(page: Page): string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') paths.push(new URL(request.url()).pathname);
  });
  return paths;
}

test('the page of a visitor loads sign-in, and a page of a member does not [ROUTE-15]', async ({
  windows,
  site,
}) => {
  const visitor = await windows.openWindow();
  await visitor.goto('/signin');
  await expect(visitor.locator('link[rel=modulepreload][href*="signed-out-area"]')).toHaveCount(1);
  const member = await windows.openWindowAs(await site.createStudent());
  const scripts = watchScripts(member);
  await member.goto('/home');
  await expect(member.getByText('Ask what everyone is wondering.')).toBeVisible();
  await member.waitForLoadState('networkidle');
  expect(scripts.some((path) => path.includes('member-area'))).toBe(true);
  expect(scripts.filter((path) => path.includes('signed-out-area'))).toEqual([]);
  await member.goto('/reset-password');
  await expect(member.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();
});

test('dialogs and menus load when the member first does something, or after three seconds [ROUTE-18]', async ({
  windows,
  site,
}) => {
  const { page, classId } = await openClassAlone(windows, site);
  const scripts = watchScripts(page);
  // Only the member's first key can load them.
  await holdBackPreloading(page);
  await page.reload();
  await expect(findComposer(page)).toBeFocused();
  const hasLoadedDialogs = () => scripts.some((path) => path.includes('/dialogs-'));
  expect(hasLoadedDialogs()).toBe(false);
  await page.keyboard.type('a');
  await expect.poll(hasLoadedDialogs).toBe(true);
  await expect(findComposer(page)).toHaveValue('a');

  const tab = await page.context().newPage();
  const scriptsOfTab = watchScripts(tab);
  await tab.clock.install();
  await tab.goto(`/home/${classId}`);
  await expect(findComposer(tab)).toBeFocused();
  await tab.clock.runFor(3000);
  await expect.poll(() => scriptsOfTab.some((path) => path.includes('/dialogs-'))).toBe(true);
});

test('text that is typed while code loads stays [ROUTE-18, SEND-28]', async ({ windows, site }) => {
  const { page } = await openClassAlone(windows, site);
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(dialogs, (route) => released.then(() => route.continue()));
  await page.reload();
  await expect(findComposer(page)).toBeFocused();
  await page.keyboard.type('plain words');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+b');
  await expect(findComposer(page)).toHaveValue('plain words');
  release();
  await expect(findComposer(page)).toHaveValue('**plain words**');

  await page.unroute(dialogs);
  let releaseAgain = () => {};
  const releasedAgain = new Promise<void>((resolve) => (releaseAgain = resolve));
  await page.route(dialogs, (route) => releasedAgain.then(() => route.continue()));
  await page.reload();
  await findComposer(page).fill('notes');
  await page.keyboard.press('Control+a');
  await pasteText(page, 'https://a.example/1');
  releaseAgain();
  await expect(findComposer(page)).toHaveValue('[notes](https://a.example/1)');
});

test('messages are sent once and lose nothing while the check before it loads [SEND-37]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/assets/personal-details-*.js', (route) =>
    released.then(() => route.continue()),
  );
  await page.reload();
  await say(page, 'first');
  await findComposer(page).press('Enter');
  await say(page, 'second');
  await findComposer(page).fill('third');
  release();
  await expect(findMessageText(page, 'second')).toBeVisible();
  await expect(findRoom(page).getByRole('article')).toHaveCount(2);
  await expect(findComposer(page)).toHaveValue('third');
});

test('a topic that is pressed while its code loads is shown, unless another is pressed [TOPIC-50]', async ({
  windows,
  site,
}) => {
  const { page, classId } = await openClassAlone(windows, site);
  await addTopic({ database: site }, classId);
  for (const last of ['Homework', 'All']) {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/assets/topic-log-*.js', (route) => released.then(() => route.continue()));
    await page.reload();
    await page.getByRole('button', { name: 'Homework' }).click();
    const lastTopic = page.getByRole('button', { name: last, exact: true });
    await lastTopic.click();
    const loaded = page.waitForResponse('**/assets/topic-log-*.js');
    release();
    await loaded;
    await expect(lastTopic).toHaveAttribute('aria-pressed', 'true');
    await page.unrouteAll();
  }
});

test('a notice says that a dialog, a menu or the editor did not load [ROUTE-18]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site);
  windows.expectConsoleError('ERR_FAILED');
  await say(page, 'to be edited');
  await expect(findMessageText(page, 'to be edited')).toBeVisible();
  await page.route(dialogs, (route) => route.abort());
  await page.reload();
  await findComposer(page).fill('a draft');
  const notice = page.getByText(failure);
  const expectFailure = async (action: () => Promise<void>) => {
    await action();
    await expect(notice).toBeVisible();
    // The next failure shows a new notice.
    await page.clock.runFor(10_000);
    await expect(notice).toHaveCount(0);
  };
  await page.clock.install();
  await expectFailure(() => page.getByRole('button', { name: /^You are/ }).click());
  await expectFailure(() => page.keyboard.press('Control+k'));
  await expectFailure(() => openMenu(page, 'to be edited'));
  await expectFailure(async () => {
    await findMessage(page, 'to be edited').hover();
    await findMessage(page, 'to be edited').getByRole('button', { name: 'Edit' }).click();
  });
  await expect(findMessageText(page, 'to be edited')).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(findComposer(page)).toHaveValue('a draft');

  await page.unroute(dialogs);
  await page.getByRole('button', { name: /^You are/ }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
});

test('an alert offers to load the staged pictures again if their code did not load [ROUTE-18]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site);
  windows.expectConsoleError('ERR_FAILED');
  await page.route(dialogs, (route) => route.abort());
  await page.reload();
  await choose(page, await createPlainPicture(100, 100));
  const alert = page.getByRole('alert').filter({ hasText: failure });
  await expect(alert).toBeVisible();
  await page.unroute(dialogs);
  await alert.getByRole('button', { name: 'Retry' }).click();
  await expect(findStagedPictures(page)).toBeVisible();
});
