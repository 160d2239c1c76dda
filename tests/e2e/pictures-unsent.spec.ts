import { expect, signIn, test } from './fixtures.ts';
import {
  choose,
  expectLoaded,
  createPhoto,
  findPictures,
  findStagedPictures,
} from './picture-files.ts';
import {
  openClassAlone,
  findMessage,
  findRoom,
  openTab,
  say,
  findMessageText,
  waitUntilPreloaded,
} from './room.ts';

test('another tab sends a picture that was sent without a connection in a closed tab [PIC-30, PIC-90, LOG-14]', async ({
  windows,
  site,
}) => {
  const { student, classId, page } = await openClassAlone(windows, site);
  const context = page.context();
  const witness = await openTab(page, classId);
  await expect(witness.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  windows.expectConsoleError('WebSocket connection');
  await waitUntilPreloaded(page);
  await context.setOffline(true);
  await choose(page, await createPhoto(500, 300));
  await expect(findStagedPictures(page).getByRole('button', { name: 'Retry' })).toBeVisible();
  await page.getByPlaceholder('Type a message...').fill('of yesterday');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const unsent = findMessage(page, 'of yesterday').getByRole('img', { name: 'Picture' });
  await expect(unsent).toBeVisible();
  // Another tab shows the message with its picture after it is stored.
  await expect(
    findMessage(witness, 'of yesterday').getByRole('img', { name: 'Picture' }).locator('img'),
  ).toBeVisible();
  // A text does not wait for the picture, so it comes before the picture in each tab.
  for (const text of ['one', 'two']) await say(page, text);
  for (const shownPage of [page, witness]) {
    await expect(findRoom(shownPage).getByRole('article')).toContainText([
      'one',
      'two',
      'of yesterday',
    ]);
  }
  await page.close();
  await witness.close();

  await context.setOffline(false);
  const tab = await context.newPage();
  await tab.goto(`/home/${classId}`);
  await expect(findMessageText(tab, 'of yesterday')).toBeVisible();
  await expectLoaded(findPictures(tab));
  await expect(findMessageText(tab, 'of yesterday')).toHaveCount(1);
  const { messages } = await student.call('listMessages', { params: { classId }, query: {} });
  expect(messages).toMatchObject([
    { text: 'one' },
    { text: 'two' },
    { text: 'of yesterday', images: [{ width: 500, height: 300 }] },
  ]);
});

test('an unsent message of an earlier version keeps its picture [UPGRADE-1]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  const { account } = await student.call('me', {});
  const page = await windows.openWindow();
  // A page without scripts: the earlier version's store must exist before the app opens it.
  await page.goto('/favicon.svg');
  const { buffer } = await createPhoto(500, 300);
  await page.evaluate(
    ({ owner, base64, ofClass }) =>
      new Promise<void>((resolve, reject) => {
        const entry = {
          id: '11111111-1111-4111-8111-111111111111',
          classId: ofClass,
          account: owner,
          text: 'of last week',
          replyTo: null,
          createdAt: 1,
          failure: null,
          picture: {
            bytes: new Blob([Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))]),
            size: { width: 500, height: 300 },
            alt: 'Board',
            imageId: null,
          },
        };
        const opening = indexedDB.open('backchannel', 1);
        opening.addEventListener('upgradeneeded', () => {
          const store = opening.result.createObjectStore('outbox', { keyPath: 'id' });
          store.createIndex('account', 'account');
          store.put(entry);
        });
        opening.addEventListener('error', () => reject(new Error('No store.')));
        opening.addEventListener('success', () => {
          opening.result.close();
          resolve();
        });
      }),
    { owner: account?.key ?? '', base64: buffer.toString('base64'), ofClass: classId },
  );
  await signIn(page, student);
  await expectLoaded(
    findMessage(page, 'of last week').getByRole('button', { name: 'Picture: Board' }),
  );
});
