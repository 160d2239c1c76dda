// How the screen of moderators works for someone who decides many cases, on a phone too.
import type { Page, Route } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { postPictures, upload } from '#tests/support/pictures.ts';
import { measureSidewaysOverflow, findViolations } from './axe.ts';
import { expect, smallPhone, test, type Site } from './fixtures.ts';
import {
  createModerator,
  decideByKey,
  endTimeToUndo,
  findCaseRow,
  findReasonField,
  grant,
  reportBy,
} from './moderation.ts';
import { createPlainPicture } from './picture-files.ts';

const findCaseDetail = (page: Page) => page.getByRole('region', { name: 'Case', exact: true });

/** Messages of Ben around one of Ada's, which is reported. */
async function createReportBetweenMessages(site: Site) {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  for (let n = 1; n <= 5; n++) await ben.post(classId, `Before ${n} `.repeat(40));
  const { id } = await ada.post(classId, 'Bad words');
  await ben.post(classId, 'What happened after');
  return { ada, ben, classId, id };
}

test('the reported message stays in view while the messages around it arrive, and the next case is loaded before the moderator reaches it [MOD-80]', async ({
  windows,
  site,
}) => {
  const { ada, classId, id } = await createReportBetweenMessages(site);
  const older = await ada.post(classId, 'Other words');
  for (const messageId of [older.id, id]) await reportBy(site, 1, classId, { messageId });
  const { desk } = await createModerator(windows, site, classId, 'Dana');
  await desk.setViewportSize({ width: 1024, height: 480 });
  await desk.reload();
  const reported = findCaseDetail(desk).getByRole('listitem').filter({ hasText: 'Bad words' });
  await expect(reported).toBeInViewport({ ratio: 1 });

  // On a slow line, what the moderator reads does not move.
  let arrive = () => {};
  const arrival = new Promise<void>((resolve) => (arrive = resolve));
  await desk.route('**/context', async (route) => {
    await arrival;
    await route.continue();
  });
  await desk.reload();
  await expect(reported).toBeVisible();
  await desk.getByRole('group', { name: 'What was reported' }).hover();
  await desk.mouse.wheel(0, 20);
  const { y } = (await reported.boundingBox())!;
  arrive();
  await expect(findCaseDetail(desk).getByText('Before 5')).toHaveCount(1);
  expect(Math.abs((await reported.boundingBox())!.y - y)).toBeLessThan(40);

  await desk.keyboard.press('3');
  await expect(findReasonField(desk)).toBeFocused();
  await expect(reported).toBeInViewport({ ratio: 1 });

  await desk.waitForLoadState('networkidle');
  windows.expectConsoleError('ERR_FAILED');
  await desk.unroute('**/context');
  await desk.route('**/context', (route) => route.abort());
  await desk.keyboard.press('Escape');
  await desk.keyboard.press('j');
  await expect(findCaseRow(desk, 'Other words')).toHaveAttribute('aria-current', 'true');
  await expect(findCaseDetail(desk).getByText('Before 5')).toHaveCount(1);
});

test('what to do in an urgent case, and the decisions, stay in view next to a long context and a notice [MOD-99, LAYOUT-101]', async ({
  windows,
  site,
}) => {
  const { ada, classId, id } = await createReportBetweenMessages(site);
  const { moderator, desk } = await createModerator(windows, site, classId, 'Dana');
  await moderator.join(classId);
  // The decision about the moderator's report is news for the moderator.
  const { id: otherId } = await ada.post(classId, 'Other bad words');
  const body = { messageId: otherId, reason: 'spam' } as const;
  await moderator.call('reportMember', { params: { classId }, body });
  await desk.reload();
  await expect(findCaseRow(desk, 'Other bad words')).toBeVisible();
  await decideByKey(desk, '1', 'Not against the rules');
  await reportBy(site, 1, classId, { messageId: id, reason: 'self-harm' });
  await endTimeToUndo(site);
  await desk.setViewportSize({ width: 1024, height: 640 });
  await desk.goto('/moderation');
  await expect(findCaseRow(desk, 'Bad words').getByText('Self-harm')).toHaveCSS(
    'font-weight',
    '600',
  );
  await findCaseRow(desk, 'Bad words').click();

  const reported = findCaseDetail(desk).getByRole('listitem').filter({ hasText: 'Bad words' });
  await expect(desk.getByText('News from a moderator')).toBeVisible();
  await expect(reported.first()).toBeInViewport({ ratio: 1 });
  await expect(desk.getByRole('region', { name: 'What to do now' })).toBeInViewport({ ratio: 1 });
  // The trial fails if something covers the button.
  for (const name of ['Keep', 'Remove', 'Mute', 'Remove from class', 'Escalate']) {
    await desk.getByRole('button', { name, exact: true }).click({ trial: true });
  }
});

test('on a phone a case replaces the queue until Back, and nothing moves when the line to undo comes and goes [MOD-88, MOD-51]', async ({
  windows,
  site,
}) => {
  const { ada, classId, id } = await createReportBetweenMessages(site);
  const older = await ada.post(classId, 'Other words');
  for (const messageId of [older.id, id]) await reportBy(site, 1, classId, { messageId });
  const moderator = await site.createStudent();
  await grant(site, moderator, classId, 'Dana');
  const desk = await windows.openWindowAs(moderator, smallPhone);
  await desk.clock.install();
  await desk.goto('/moderation');
  await expect(findCaseRow(desk, 'Bad words')).toBeVisible();
  const measureTop = async (text: string) => (await findCaseRow(desk, text).boundingBox())?.y;
  const first = await measureTop('Bad words');
  await findCaseRow(desk, 'Bad words').tap();
  await expect(desk.getByRole('heading', { name: 'Reported message in CS 146' })).toBeVisible();
  await expect(findCaseRow(desk, 'Bad words')).toHaveCount(0);
  expect(await findViolations(desk)).toEqual([]);
  expect(await measureSidewaysOverflow(desk)).toBe(0);
  const mute = desk.getByRole('button', { name: 'Mute' });
  await expect(mute).toBeInViewport({ ratio: 1 });
  await expect(desk.getByRole('heading', { name: 'Moderation' })).toBeInViewport();
  await mute.tap();
  await expect(findReasonField(desk)).not.toBeFocused();
  await expect(findCaseDetail(desk).getByText('Bad words')).toBeInViewport();
  // A finger can reach everything that the form offers.
  const form = desk.getByRole('form', { name: 'Decision' });
  for (const button of await form.getByRole('button').all()) {
    expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(44);
  }
  await desk.goBack();
  await expect(findCaseRow(desk, 'Bad words')).toBeVisible();

  await findCaseRow(desk, 'Bad words').tap();
  await desk.getByRole('button', { name: 'Keep' }).tap();
  await desk.getByRole('button', { name: 'Not against the rules' }).tap();
  await desk.getByRole('button', { name: 'Keep message' }).tap();
  const undo = desk.getByRole('button', { name: 'Undo' });
  await expect(undo).toBeInViewport({ ratio: 1 });
  await expect(findCaseRow(desk, 'Bad words')).toHaveCount(0);
  expect(await measureTop('Other words')).toBe(first);
  await desk.clock.fastForward(11_000);
  await expect(undo).toHaveCount(0);
  expect(await measureTop('Other words')).toBe(first);
});

test('pictures of evidence open at full size, also after their message is deleted [MOD-52]', async ({
  windows,
  site,
}) => {
  const { ada, classId } = await createClassWithTwoMembers(site);
  const socket = await ada.connectTo(classId);
  const pictures = [];
  for (const width of [640, 320]) {
    const { buffer } = await createPlainPicture(width, 240);
    pictures.push({ imageId: (await upload(ada, classId, buffer)).imageId, alt: `Page ${width}` });
  }
  const id = await postPictures(socket, classId, pictures, { text: 'Look at them' });
  await reportBy(site, 1, classId, { messageId: id });
  await socket.request({ type: 'delete', classId, messageId: id });
  const { desk } = await createModerator(windows, site, classId, 'Dana');
  await expect(findCaseDetail(desk).getByText('Deleted by its author')).toBeVisible();
  for (const { alt } of pictures) {
    const picture = findCaseDetail(desk).getByRole('img', { name: alt });
    await expect
      .poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth))
      .toBeGreaterThan(100);
  }
  const openedPage = desk.context().waitForEvent('page');
  await findCaseDetail(desk).getByRole('link', { name: 'Page 640' }).click();
  const full = await openedPage;
  await expect
    .poll(() => full.evaluate(() => document.querySelector('img')?.naturalWidth))
    .toBe(640);
});

test('the form suggests the reasons of the reports and the earlier ones of the moderator, and Undo brings the case back with what was typed [MOD-82, MOD-83]', async ({
  windows,
  site,
}) => {
  const { ada, classId } = await createClassWithTwoMembers(site);
  for (const text of ['First bad words', 'Second bad words']) {
    const { id } = await ada.post(classId, text);
    await reportBy(site, 1, classId, { messageId: id, reason: 'harassment' });
  }
  const { desk } = await createModerator(windows, site, classId, 'Dana');
  await expect(findCaseRow(desk, 'Second bad words')).toHaveAttribute('aria-current', 'true');
  await desk.keyboard.press('2');
  await expect(findReasonField(desk)).toBeFocused();
  await desk.keyboard.press('Tab');
  await expect(desk.getByRole('button', { name: 'Harassment' })).toBeFocused();
  await desk.keyboard.press('Enter');
  await expect(findReasonField(desk)).toBeFocused();
  await expect(findReasonField(desk)).toHaveValue('Harassment');
  await desk.keyboard.type(' of another member');
  await desk.keyboard.press('Enter');

  // The next case has the focus, for the keys and for screen readers.
  await expect(findCaseRow(desk, 'First bad words')).toHaveAttribute('aria-current', 'true');
  await expect(desk.getByRole('heading', { name: /^Reported message/ })).toBeFocused();
  await desk.keyboard.press('2');
  const suggested = desk.getByRole('group', { name: 'Suggested reasons' }).getByRole('button');
  await expect(suggested).toHaveText(['Harassment of another member', 'Harassment']);
  await desk.keyboard.press('Escape');
  await desk.keyboard.press('1');
  await expect(suggested).toHaveText(['Not against the rules']);

  await desk.keyboard.press('Escape');
  await desk.keyboard.press('3');
  await desk.getByRole('radio', { name: 'a week' }).check();
  await findReasonField(desk).fill('Insults');
  await findReasonField(desk).press('Enter');
  await expect(findCaseRow(desk, 'First bad words')).toHaveCount(0);
  await expect(desk.getByRole('button', { name: 'Undo U' })).toBeVisible();
  windows.expectConsoleError('ERR_FAILED');
  await desk.route('**/decision', (route) => route.abort());
  await desk.keyboard.press('u');
  await expect(desk.getByText('The server cannot be reached.')).toBeVisible();
  await desk.unroute('**/decision');
  await desk.keyboard.press('u');
  await expect(findCaseRow(desk, 'First bad words')).toHaveAttribute('aria-current', 'true');
  await expect(desk.getByRole('heading', { name: /^Reported message/ })).toBeFocused();
  await expect(findReasonField(desk)).toHaveValue('Insults');
  await expect(desk.getByRole('radio', { name: 'a week' })).toBeChecked();
});

test('a moderator who goes on to another case before the reply stays there, and gets the error or the line to undo [MOD-15, MOD-83]', async ({
  windows,
  site,
}) => {
  const { ada, classId } = await createClassWithTwoMembers(site);
  for (const text of ['First bad words', 'Second bad words']) {
    const { id } = await ada.post(classId, text);
    await reportBy(site, 1, classId, { messageId: id });
  }
  const { desk } = await createModerator(windows, site, classId, 'Dana');
  const firstCase = findCaseRow(desk, 'First bad words');
  const secondCase = findCaseRow(desk, 'Second bad words');
  const decideAndGoOn = async (end: 'abort' | 'continue') => {
    const { promise: hasGoneOn, resolve: release } = Promise.withResolvers<void>();
    const finish = async (route: Route) => {
      await hasGoneOn;
      await route[end]();
    };
    await desk.route('**/decision', finish, { times: 1 });
    await findReasonField(desk).press('Enter');
    await expect(desk.getByRole('button', { name: 'Saving' })).toBeVisible();
    await firstCase.click();
    await expect(firstCase).toHaveAttribute('aria-current', 'true');
    release();
  };

  windows.expectConsoleError('ERR_FAILED');
  await expect(secondCase).toHaveAttribute('aria-current', 'true');
  await desk.keyboard.press('2');
  await findReasonField(desk).fill('Insults');
  await decideAndGoOn('abort');
  await expect(desk.getByText('The server cannot be reached.')).toBeVisible();

  await secondCase.click();
  await expect(findReasonField(desk)).toHaveValue('Insults');
  await decideAndGoOn('continue');
  await expect(desk.getByRole('button', { name: 'Undo U' })).toBeVisible();
  await expect(secondCase).toHaveCount(0);
  await expect(firstCase).toHaveAttribute('aria-current', 'true');
});

test('the filter by reason finds a case that is not on the first page [MOD-51]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const socket = await ada.connectTo(classId);
  for (let n = 0; n <= 50; n++) {
    const { id: messageId } = await socket.post(classId, `Message ${n}`);
    const reason = n === 0 ? 'cheating' : 'spam';
    await ben.call('reportMember', { params: { classId }, body: { messageId, reason } });
  }
  const { desk } = await createModerator(windows, site, classId, 'Dana');
  await expect(findCaseRow(desk, 'Message 50')).toBeVisible();
  await desk.getByRole('group', { name: 'Filters' }).getByLabel('Reason').selectOption('Cheating');
  await expect(findCaseRow(desk, 'Message 0')).toBeVisible();
  await expect(desk.getByText('No case matches these filters.')).toHaveCount(0);
});
