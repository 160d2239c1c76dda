import { expect, signIn, test } from './fixtures.ts';
import { meet, findMessage, pick, findMessageText, say } from './room.ts';

test('the room announces new messages of other members once, with the names of their tiles [CHAT-16, PERSONA-36]', async ({
  windows,
  site,
}) => {
  const { ada, classId, adaPage, benPage } = await meet(windows, site);
  await say(adaPage, 'Already said');
  await expect(findMessageText(benPage, 'Already said')).toBeVisible();
  await benPage.clock.install();
  await benPage.reload();
  await expect(findMessageText(benPage, 'Already said')).toBeVisible();
  // Every line that the live region ever contained, as a screen reader receives it.
  await benPage.evaluate(() => {
    const announcements: string[] = [];
    Object.assign(globalThis, { announcements });
    const log = document.querySelector('[role=log]');
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) announcements.push((node.textContent ?? '').trim());
      }
    }).observe(log!, { childList: true, subtree: true });
  });
  await say(benPage, 'My own');
  await say(adaPage, 'Yes');
  await expect(findMessageText(benPage, 'Yes')).toBeVisible();
  // Later changes in the room announce nothing again, and the same text in a new message is announced.
  await pick(adaPage, 'My own', 'Heart');
  await expect(findMessage(benPage, 'My own').getByRole('list')).toHaveText('Heart: 1');
  await say(adaPage, 'Yes');
  await expect(findMessageText(benPage, 'Yes')).toHaveCount(2);
  const listAnnouncements = () =>
    benPage.evaluate(() => (globalThis as unknown as { announcements: string[] }).announcements);
  const announcement: unknown = expect.stringMatching(/^[A-Z][a-z]+ [A-Z][a-z]+, Anonymous: Yes$/);
  await expect.poll(listAnnouncements).toEqual([announcement, announcement]);
  await expect(findMessage(benPage, 'Yes').first()).toHaveAccessibleName(
    /^[A-Z][a-z]+ [A-Z][a-z]+, Anonymous, /,
  );
  const log = benPage.getByRole('log', { name: 'New messages' });
  await expect(log).toHaveCount(1);

  const socket = await ada.connect();
  for (let n = 1; n <= 20; n++) await socket.post(classId, `Line ${n}`);
  await expect(log).toContainText('Line 20');
  expect(await log.locator('span').count()).toBeLessThanOrEqual(3);
  // Each line ends automatically, also while newer ones arrive.
  await benPage.clock.fastForward(8000);
  await socket.post(classId, 'Line 21');
  await expect(log.locator('span')).toHaveText([/Line 21/]);
});

test('a room that stays open past midnight labels older messages Yesterday [CHAT-17]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  const classId = await ada.createClass();
  await ada.post(classId, 'Said today');
  const page = await windows.openWindow();
  await page.clock.install();
  await signIn(page, ada);
  await expect(findMessageText(page, 'Said today')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible();
  await page.clock.fastForward('24:00:00');
  await expect(page.getByRole('heading', { name: 'Yesterday' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Today' })).toHaveCount(0);
});
