import { expect, stopServer, test } from './fixtures.ts';
import { aloneInAClass, newTab, room, said, say } from './room.ts';

test('messages written while the server is down are sent from a new tab, once and in order, and Log Out asks first [LOG-14, SEND-7, CHAT-7, CHAT-13, AUTH-19]', async ({
  people,
  site,
}) => {
  const { student, classId, page } = await aloneInAClass(people, site);
  const witness = await newTab(page, classId);
  // The code of the profile is loaded before the connection is lost.
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByText(student.email)).toBeVisible();
  await page.goBack();
  for (const one of [page, witness]) {
    await expect(one.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  }
  people.expectConsoleError('The profile could not be read.');
  await stopServer(people, site);
  await say(page, 'first');
  await say(page, 'second');
  await expect(said(page, 'second')).toBeVisible();
  await expect(room(page).getByText('Anonymous', { exact: true })).toBeVisible();
  await expect(
    page.getByText('You are offline. Messages will be sent when you are back.'),
  ).toBeVisible();
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('not sent and will be lost');
  await page.getByRole('button', { name: 'Cancel' }).click();
  // Another tab shows what is stored, so both tabs may close now.
  await expect(said(witness, 'second')).toBeVisible();
  await page.close();
  await witness.close();

  await site.start();
  const tab = await newTab(page, classId);
  await expect(said(tab, 'second')).toBeVisible();
  await expect(async () => {
    const { messages } = await student.call('listMessages', { params: { classId }, query: {} });
    expect(messages.map((message) => message.text)).toEqual(['first', 'second']);
  }).toPass({ timeout: 60_000 });
});
