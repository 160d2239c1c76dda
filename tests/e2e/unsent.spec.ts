import { twoInAClass } from '#tests/support/test-client.ts';
import { expect, stopServer, test } from './fixtures.ts';
import { aloneInAClass, newTab, room, said, say } from './room.ts';

test('messages written while the server is down are sent from a new tab, once and in order [LOG-14, SEND-7, CHAT-7, CHAT-13]', async ({
  people,
  site,
}) => {
  const { student, classId, page } = await aloneInAClass(people, site);
  const witness = await newTab(page, classId);
  for (const one of [page, witness]) {
    await expect(one.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  }
  await stopServer(people, site);
  await say(page, 'first');
  await say(page, 'second');
  await expect(said(page, 'second')).toBeVisible();
  await expect(room(page).getByText('Anonymous', { exact: true })).toBeVisible();
  await expect(
    page.getByText('You are offline. Messages will be sent when you are back.'),
  ).toBeVisible();
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

test('a message written before the first connection survives a closed tab, and is sent once [LOG-14, LOG-18]', async ({
  people,
  site,
}) => {
  const student = await site.newStudent();
  const classId = await student.createClass();
  const window = await people.newWindowOf(student);
  // Nothing in this window connects.
  await window.goto('about:blank');
  const openBlocked = async () => {
    const tab = await window.context().newPage();
    // The connection attempt neither fails nor succeeds.
    await tab.routeWebSocket(/\/live$/, () => {});
    await tab.goto(`/home/${classId}`);
    await expect(tab.getByRole('heading', { name: 'CS 146' })).toBeVisible();
    return tab;
  };
  const tab = await openBlocked();
  await say(tab, 'said too early');
  await expect(said(tab, 'said too early')).toBeVisible();
  // Another tab shows the message after it is stored.
  const witness = await openBlocked();
  await expect(said(witness, 'said too early')).toBeVisible();
  await tab.close();
  await witness.close();

  const reopened = await newTab(window, classId);
  await expect(said(reopened, 'said too early')).toBeVisible();
  await expect(async () => {
    const { messages } = await student.call('listMessages', { params: { classId }, query: {} });
    expect(messages.map((message) => message.text)).toEqual(['said too early']);
  }).toPass({ timeout: 20_000 });
  await expect(said(reopened, 'said too early')).toHaveCount(1);
});

test('two tabs show the same unsent message, and it is sent once [LOG-15]', async ({
  people,
  site,
}) => {
  const { student, classId, page } = await aloneInAClass(people, site);
  const tab = await newTab(page, classId);
  await expect(tab.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  await stopServer(people, site);
  await say(page, 'from the first tab');
  await expect(said(tab, 'from the first tab')).toBeVisible();
  await site.start();
  await expect(async () => {
    const { messages } = await student.call('listMessages', { params: { classId }, query: {} });
    expect(messages.map((message) => message.text)).toEqual(['from the first tab']);
  }).toPass({ timeout: 60_000 });
  for (const one of [page, tab]) await expect(said(one, 'from the first tab')).toHaveCount(1);
});

test('logging out with an unsent message asks first [AUTH-19]', async ({ people, site }) => {
  const student = await site.newStudent();
  await student.createClass();
  const page = await people.newWindowOf(student);
  await expect(page.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  // Load the profile's code before the connection is lost.
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByText(student.email)).toBeVisible();
  await page.goBack();
  people.expectConsoleError('The profile could not be read.');
  await stopServer(people, site);
  await say(page, 'not sent');
  await expect(said(page, 'not sent')).toBeVisible();
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('not sent and will be lost');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await site.start();
  await page.goBack();
  await expect(said(page, 'not sent')).toBeVisible();
});

test('the room shows that another member types, and marks an edited message [WIRE-12, SEND-15]', async ({
  people,
  site,
}) => {
  const { ada, ben, classId } = await twoInAClass(site);
  const [adaPage, benPage] = [await people.newWindowOf(ada), await people.newWindowOf(ben)];
  await expect(benPage.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  await adaPage.getByPlaceholder('Type a message...').pressSequentially('Hel');
  await expect(benPage.getByText('Someone is typing…')).toBeVisible();
  await expect(adaPage.getByText('Someone is typing…')).toHaveCount(0);
  await say(adaPage, 'Hello wrold');
  await expect(said(benPage, 'Hello wrold')).toBeVisible();
  const { messages } = await ada.call('listMessages', { params: { classId }, query: {} });
  const socket = await ada.connect();
  const messageId = messages[0]?.id ?? '';
  await socket.request({ type: 'edit', classId, messageId, text: 'Hello world' });
  await expect(room(benPage).getByText('Hello world')).toBeVisible();
  await expect(room(benPage).getByText('(edited)')).toBeVisible();
  await socket.request({ type: 'delete', classId, messageId });
  await expect(room(benPage).getByText('Hello world')).toHaveCount(0);
});
