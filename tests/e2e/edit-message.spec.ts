import { expect, signIn, test } from './fixtures.ts';
import { meet, findMessage, openMenu, findRoom, findMessageText, say } from './room.ts';

test('an author edits in place, Esc cancels and Enter saves [CHAT-14, SEND-15, SEND-16, SEND-17, LAYOUT-11]', async ({
  windows,
  site,
}) => {
  const { adaPage, benPage } = await meet(windows, site);
  await say(adaPage, 'The exam is on Tuesday');
  await expect(findMessageText(benPage, 'The exam is on Tuesday')).toBeVisible();
  const composer = adaPage.getByPlaceholder('Type a message...');
  const editor = adaPage.getByRole('textbox', { name: 'Edit your message' });
  await composer.fill('a draft');

  await adaPage.bringToFront();
  await openMenu(adaPage, 'The exam');
  await adaPage.getByRole('menuitem', { name: 'Edit' }).click();
  await expect(editor).toBeFocused();
  await expect(editor).toHaveValue('The exam is on Tuesday');
  await editor.fill('Something else');
  await editor.press('Escape');
  await expect(editor).toHaveCount(0);
  await expect(findMessageText(adaPage, 'The exam is on Tuesday')).toBeVisible();
  await expect(composer).toHaveValue('a draft');
  await expect(composer).toBeFocused();

  await findMessage(adaPage, 'The exam').hover();
  await findMessage(adaPage, 'The exam').getByRole('button', { name: 'Edit' }).click();
  await editor.fill('The exam is on Thursday');
  await editor.press('Shift+Enter');
  await editor.pressSequentially('at nine');
  await editor.press('Enter');
  for (const page of [adaPage, benPage]) {
    await expect(
      findRoom(page).getByText('The exam is on Thursday at nine (edited)'),
    ).toBeVisible();
    await expect(findRoom(page).getByText('Tuesday')).toHaveCount(0);
  }
  await expect(composer).toHaveValue('a draft');

  await composer.press('ArrowUp');
  await expect(editor).toHaveCount(0);
  await composer.fill('');
  await composer.press('ArrowUp');
  await expect(editor).toBeFocused();
  await editor.fill('   ');
  await editor.press('Enter');
  await expect(findRoom(adaPage).getByRole('alert')).toHaveText('Please write something first.');
  await editor.press('Escape');
  await findMessage(benPage, 'The exam').hover();
  await expect(findMessage(benPage, 'The exam').getByRole('button', { name: 'Edit' })).toHaveCount(
    0,
  );

  await benPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openMenu(benPage, 'The exam');
  await benPage.getByRole('menuitem', { name: 'Copy text' }).click();
  await expect(benPage.getByRole('status').filter({ hasText: 'Copied.' })).toBeVisible();
  const copied = await benPage.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe('The exam is on Thursday\nat nine');

  windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  windows.expectConsoleError('WebSocket connection');
  await adaPage.context().setOffline(true);
  await expect(adaPage.getByText('You are offline.')).toBeVisible();
  await composer.press('ArrowUp');
  await editor.fill('The exam is canceled');
  await editor.press('Enter');
  await expect(findRoom(adaPage).getByRole('alert')).toHaveText(
    'The server cannot be reached. Please check your connection and try again.',
  );
  await expect(editor).toHaveValue('The exam is canceled');
});

test('an edit that is saved late leaves the next editor open, and says if it failed [SEND-16]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  for (const text of ['First', 'Second']) await student.post(classId, text);
  const page = await windows.openWindow();
  let deliverEdit = () => {};
  let disconnect = async () => {};
  await page.routeWebSocket('**/live', (socket) => {
    const server = socket.connectToServer();
    disconnect = () => socket.close();
    socket.onMessage((frame) => {
      if (String(frame).includes('"type":"edit"')) deliverEdit = () => server.send(frame);
      else server.send(frame);
    });
  });
  await signIn(page, student);
  const editor = page.getByRole('textbox', { name: 'Edit your message' });
  const edit = async (message: string, text: string) => {
    await openMenu(page, message);
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await editor.fill(text);
  };

  await edit('First', 'First, edited');
  await editor.press('Enter');
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  await edit('Second', 'Second, edited');
  deliverEdit();
  await expect(findRoom(page).getByText('First, edited (edited)')).toBeVisible();
  await expect(editor).toBeFocused();
  await expect(editor).toHaveValue('Second, edited');

  await editor.press('Enter');
  await edit('First', 'First, edited twice');
  await disconnect();
  await expect(page.getByText('The server cannot be reached.')).toBeVisible();
  await expect(editor).toHaveValue('First, edited twice');
});
