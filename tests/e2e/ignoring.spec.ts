import type { Locator, Page } from '@playwright/test';
import { toMentionToken } from '#contract/mentions.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import { measureSidewaysOverflow, findViolations } from './axe.ts';
import { expect, type Windows, type Site, test } from './fixtures.ts';
import {
  findComposer,
  findClassLink,
  findMessage,
  openMenu,
  findRoom,
  findMessageText,
  waitUntilListIsStill,
  chooseClassAction,
  openClassPanel,
  findClassPanel,
} from './room.ts';

/** Ada, Ben and Cem are in one class. Ben has it open. */
async function openThreeWindows(windows: Windows, site: Site) {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const cem = await site.createStudent();
  await cem.join(classId);
  const benPage = await windows.openWindowAs(ben);
  await expect(findComposer(benPage)).toBeVisible();
  return { ada, ben, cem, classId, benPage };
}

const choose = (page: Page, item: string) => page.getByRole('menuitem', { name: item }).click();

async function ignore(page: Page, text: string): Promise<void> {
  await openMenu(page, text);
  await choose(page, 'Ignore this person');
}

const findLine = (page: Page, text: string): Locator =>
  findRoom(page).getByRole('article', { name: text, exact: true });

async function rename(student: TestClient, classId: string, anonymousName: string): Promise<void> {
  await student.call('changePersona', { params: { classId }, body: { anonymousName } });
}

test('a member ignores a person on all devices at the same time [SELF-7, SELF-8, SELF-14]', async ({
  windows,
  site,
}) => {
  const { ada, ben, cem, classId, benPage } = await openThreeWindows(windows, site);
  const phone = await windows.openWindowAs(ben, { viewport: { width: 360, height: 640 } });
  await expect(findComposer(phone)).toBeVisible();
  await ada.post(classId, 'one');
  await ada.post(classId, 'two');
  await cem.post(classId, 'between');
  await ada.post(classId, 'three');
  await expect(findMessageText(benPage, 'three')).toBeVisible();
  const undo = benPage.getByRole('status').getByRole('button', { name: 'Undo' });
  await ignore(benPage, 'two');
  await undo.click();
  await expect(findMessageText(benPage, 'two')).toBeVisible();
  await expect(findMessageText(phone, 'two')).toBeVisible();
  await ignore(benPage, 'two');
  for (const page of [benPage, phone]) {
    await expect(findLine(page, '2 messages from ignored people')).toBeVisible();
    await expect(findLine(page, 'Message from an ignored person')).toBeVisible();
    await expect(findMessageText(page, 'between')).toBeVisible();
    for (const text of ['one', 'two', 'three']) {
      await expect(findMessageText(page, text)).toHaveCount(0);
    }
  }
  expect(await findViolations(benPage)).toEqual([]);
  await ada.post(classId, 'four');
  await expect(findLine(phone, '2 messages from ignored people')).toHaveCount(2);

  await findLine(phone, '2 messages from ignored people')
    .first()
    .getByRole('button', { name: 'Show' })
    .click();
  await expect(findMessageText(phone, 'one')).toBeVisible();
  await expect(findMessage(phone, 'one')).toBeFocused();
  await expect(findMessageText(benPage, 'one')).toHaveCount(0);

  await openMenu(phone, 'one');
  await choose(phone, 'Stop ignoring this person');
  await expect(findMessageText(phone, 'four')).toBeVisible();
  await expect(findMessageText(benPage, 'one')).toBeVisible();
});

test('replies, search results, announcements and the line of new messages leave out an ignored person [SELF-8, SELF-10]', async ({
  windows,
  site,
}) => {
  const { ada, cem, classId, benPage } = await openThreeWindows(windows, site);
  const { id } = await ada.post(classId, 'a provocation');
  await expect(findMessageText(benPage, 'a provocation')).toBeVisible();
  await ignore(benPage, 'a provocation');
  const replying = await cem.connect();
  await replying.post(classId, 'in between');
  await replying.request({
    type: 'post',
    classId,
    id: '00000000-0000-4000-8000-000000000001',
    text: 'an answer',
    replyTo: id,
  });
  const quote = findMessage(benPage, 'an answer').getByRole('button', {
    name: 'Reply to a collapsed message',
  });
  await expect(quote).toBeVisible();
  await expect(findRoom(benPage).getByText('a provocation')).toHaveCount(0);
  await ada.post(classId, 'another provocation');
  await expect(findLine(benPage, 'Message from an ignored person')).toHaveCount(2);
  await expect(benPage.getByRole('log', { name: 'New messages' })).not.toContainText('another');

  await benPage.getByRole('button', { name: 'Search messages' }).click();
  await benPage.getByRole('searchbox').fill('provocation');
  const results = benPage.getByRole('list', { name: 'Messages found' });
  await expect(results.getByRole('listitem')).toHaveCount(2);
  await expect(results).not.toContainText('provocation');
  await results.getByRole('button').first().click();
  await expect(results).toContainText('another provocation');
  await expect(results.getByRole('link')).toBeFocused();
  await benPage.getByRole('button', { name: 'Close search' }).click();

  await quote.click();
  await expect(findMessageText(benPage, 'a provocation')).toBeVisible();
});

test('only a mention in a muted class counts in the title [SELF-15]', async ({ windows, site }) => {
  const { ada, ben, classId, benPage } = await openThreeWindows(windows, site);
  await ben.createClass({ subjectAbbreviation: 'zoo', courseNumber: '9' });
  await ben.post(classId, 'so that they can mention me');
  const { me } = await ben.snapshot(classId);
  await chooseClassAction(benPage, 'Mute Class');
  await expect(findClassPanel(benPage).getByRole('button', { name: 'Unmute Class' })).toBeVisible();
  await findClassLink(benPage, 'ZOO 9').click();
  await expect(findClassLink(benPage, /CS 146.*Muted/)).toBeVisible();
  await ada.post(classId, 'unimportant');
  await ada.post(classId, 'and more');
  await ada.post(classId, `hello ${toMentionToken(me.memberId)}`);
  await expect(findClassLink(benPage, /CS 146.*Muted.*1 mention of you/)).toBeVisible();
  await expect(benPage).toHaveTitle(/^\(1\)/);
  await benPage.reload();
  await expect(findClassLink(benPage, /CS 146.*Muted.*1 mention of you/)).toBeVisible();
  await expect(benPage).toHaveTitle(/^\(1\)/);
  const { version } = await ben.call('readPreferences', { params: { classId } });
  const body = { ignored: [], hidden: [], muted: false, version };
  await ben.call('savePreferences', { params: { classId }, body });
  await expect(findClassLink(benPage, /CS 146.*3 unread messages/)).toBeVisible();
});

test('a person who cannot be ignored because of an error comes back with a reason [SELF-4, SELF-17]', async ({
  windows,
  site,
}) => {
  const { ada, classId, benPage } = await openThreeWindows(windows, site);
  await ada.post(classId, 'hello');
  await expect(findMessageText(benPage, 'hello')).toBeVisible();
  windows.expectConsoleError('ERR_FAILED');
  await benPage.route('**/preferences', (route) => route.abort());
  await ignore(benPage, 'hello');
  const status = benPage.getByRole('status').filter({ hasText: 'This was not saved.' });
  await expect(status).toContainText('The server cannot be reached.');
  await expect(findMessageText(benPage, 'hello')).toBeVisible();
  await benPage.unroute('**/preferences');
  await status.getByRole('button', { name: 'Retry' }).click();
  await expect(findLine(benPage, 'Message from an ignored person')).toBeVisible();

  // The start of a room never shows what is ignored.
  await benPage.addInitScript(() => {
    const observation = { text: false };
    Object.assign(globalThis, { observation });
    new MutationObserver(() => {
      if (document.body?.textContent?.includes('hello')) observation.text = true;
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });
  await benPage.reload();
  await expect(findLine(benPage, 'Message from an ignored person')).toBeVisible();
  const observation = await benPage.evaluate(
    () => (globalThis as unknown as { observation: object }).observation,
  );
  expect(observation).toEqual({ text: false });
});

test('the place in the room stays while ignored messages collapse [SELF-14, SELF-18]', async ({
  windows,
  site,
}) => {
  const { ada, cem, classId, benPage } = await openThreeWindows(windows, site);
  const loud = await ada.connect();
  const calm = await cem.connect();
  // The room goes on far below the view, which would otherwise follow the end of the shorter list.
  for (let n = 0; n < 24; n++) {
    await loud.post(classId, `noise ${n}\nwith a second line`);
    await loud.post(classId, `more noise ${n}`);
    await calm.post(classId, `calm ${n}`);
  }
  await expect(findMessageText(benPage, 'calm 23')).toBeVisible();
  await findMessage(benPage, 'calm 23').hover();
  const anchor = findMessageText(benPage, 'calm 5');
  await expect(async () => {
    await benPage.mouse.wheel(0, -400);
    await expect(anchor).toBeAttached({ timeout: 500 });
  }).toPass();
  await waitUntilListIsStill(benPage);
  await anchor.evaluate((element) => element.scrollIntoView({ block: 'start' }));
  const tools = findMessage(benPage, 'more noise 6').getByRole('button', { name: 'More' });
  await tools.focus();
  await waitUntilListIsStill(benPage);
  const boxBefore = await anchor.boundingBox();
  await benPage.keyboard.press('Enter');
  await choose(benPage, 'Ignore this person');
  await expect(findLine(benPage, '2 messages from ignored people').first()).toBeVisible();
  await waitUntilListIsStill(benPage);
  // Everything above it became shorter, and it did not move.
  const boxAfter = await anchor.boundingBox();
  expect(Math.abs((boxAfter?.y ?? 0) - (boxBefore?.y ?? 0))).toBeLessThan(4);

  // The line that took the place of the message has the focus. Arrows pass each line once.
  const getFocusedLabel = () =>
    benPage.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await expect.poll(getFocusedLabel).toBe('2 messages from ignored people');
  await benPage.keyboard.press('ArrowDown');
  await expect.poll(getFocusedLabel).toContain('calm 6');
  await benPage.keyboard.press('ArrowUp');
  await expect.poll(getFocusedLabel).toBe('2 messages from ignored people');
  await benPage.keyboard.press('ArrowUp');
  await expect.poll(getFocusedLabel).toContain('calm 5');
  await benPage.keyboard.press('ArrowDown');
  await benPage.keyboard.press('Enter');
  await expect.poll(getFocusedLabel).toContain('noise 6');
});

test('a member finds ignored people and hidden messages in a list and brings them back [SELF-8, SELF-14, SELF-16, LAYOUT-7, LAYOUT-101]', async ({
  windows,
  site,
}) => {
  const { ada, ben, cem, classId, benPage } = await openThreeWindows(windows, site);
  await rename(ada, classId, 'Blue Fox');
  await ben.post(classId, 'A question');
  for (const text of ['One', 'Two', 'Three']) await ada.post(classId, text);
  await cem.post(classId, 'A spoiler of the exam');
  await openMenu(benPage, 'A spoiler of the exam');
  await choose(benPage, 'Hide this message');
  await expect(findLine(benPage, 'Hidden message')).toBeVisible();
  await expect(findMessageText(benPage, 'A spoiler of the exam')).toHaveCount(0);

  const list = await openClassPanel(benPage, 'People');
  const options = list.getByRole('button', { name: 'Options for Blue Fox' });
  await options.click();
  await choose(benPage, 'Ignore');
  await expect(list.getByText('(ignored)')).toBeVisible();
  await options.click();
  await expect(benPage.getByRole('menuitem')).toHaveText(['Mention', 'Stop ignoring', 'Report']);
  await benPage.keyboard.press('Escape');
  await list.getByRole('button', { name: 'Close class details' }).click();

  const collapsed = findLine(benPage, '3 messages from ignored people');
  for (const width of [320, 768, 1280, 1920]) {
    await benPage.setViewportSize({ width, height: 700 });
    await expect(collapsed.getByRole('button')).toBeInViewport();
    const { x, width: lineWidth } = (await collapsed.boundingBox())!;
    expect(x + lineWidth).toBeLessThanOrEqual(width);
    expect(await measureSidewaysOverflow(benPage)).toBe(0);
  }

  await benPage.setViewportSize({ width: 1280, height: 720 });
  await chooseClassAction(benPage, 'Ignored and Hidden');
  const dialog = benPage.getByRole('dialog', { name: 'Ignored and hidden in CS 146' });
  await expect(dialog).toContainText('Blue Fox');
  await expect(dialog).toContainText('A spoiler of the exam');
  expect(await findViolations(benPage)).toEqual([]);
  await dialog.getByRole('button', { name: 'Stop ignoring Blue Fox' }).click();
  await dialog.getByRole('button', { name: 'Stop hiding' }).click();
  await expect(findMessageText(benPage, 'Two')).toBeVisible();
  await expect(findMessageText(benPage, 'A spoiler of the exam')).toBeVisible();
  await dialog.getByRole('button', { name: 'Ignore Blue Fox' }).click();
  await dialog.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expect(dialog.getByRole('button', { name: 'Ignore Blue Fox' })).toBeFocused();
});
