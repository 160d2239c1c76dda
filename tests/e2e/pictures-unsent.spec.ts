import { expect, signIn, stopServer, test } from './fixtures.ts';
import { choose, chooseAndUpload, loaded, photo, pictures, staged } from './picture-files.ts';
import { aloneInAClass, delivery, message, newTab, said, untilPreloaded } from './room.ts';

test('a picture sent without a connection survives a closed tab, and another tab sends it once [PIC-30, LOG-14]', async ({
  people,
  site,
}) => {
  const { student, classId, page } = await aloneInAClass(people, site);
  const witness = await newTab(page, classId);
  await expect(witness.getByRole('heading', { name: 'CS 146' })).toBeVisible();
  people.expectConsoleError('ERR_CONNECTION_RESET');
  await untilPreloaded(page);
  await stopServer(people, site);
  await choose(page, await photo(500, 300));
  await expect(staged(page).getByRole('button', { name: 'Retry' })).toBeVisible();
  await page.getByPlaceholder('Type a message...').fill('of yesterday');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const unsent = message(page, 'of yesterday').getByRole('img', { name: 'Picture' });
  await expect(unsent).toBeVisible();
  // Another tab shows the message with its picture after it is stored.
  await expect(
    message(witness, 'of yesterday').getByRole('img', { name: 'Picture' }).locator('img'),
  ).toBeVisible();
  await page.close();
  await witness.close();

  await site.start();
  const tab = await newTab(page, classId);
  await expect(said(tab, 'of yesterday')).toBeVisible();
  await loaded(pictures(tab));
  await expect(said(tab, 'of yesterday')).toHaveCount(1);
  const { messages } = await student.call('listMessages', { params: { classId }, query: {} });
  expect(messages).toMatchObject([{ text: 'of yesterday', images: [{ width: 500, height: 300 }] }]);
});

test('a picture that the server has collected is uploaded again when its message is sent [PIC-30]', async ({
  people,
  site,
}) => {
  const { student, classId, page } = await aloneInAClass(people, site);
  const { imageId } = await chooseAndUpload(page, await photo());
  await student.call('deleteImage', { params: { classId, imageId } });
  await page.getByPlaceholder('Type a message...').fill('an hour later');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await loaded(message(page, 'an hour later').getByRole('button', { name: 'Picture' }));
});

test('a browser without storage space for the picture says so and keeps the text [PIC-32]', async ({
  people,
  site,
}) => {
  const { classId, page } = await aloneInAClass(people, site);
  await page.addInitScript(() => {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (value: { pictures?: { bytes: unknown }[] }) {
      if (value.pictures?.some(({ bytes }) => bytes))
        throw new DOMException('No room.', 'QuotaExceededError');
      return put.call(this, value);
    };
  });
  await page.reload();
  await page.route('**/api/classes/*/images', () => undefined);
  await choose(page, await photo());
  await page.getByPlaceholder('Type a message...').fill('worth keeping');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(
    message(page, 'worth keeping').getByText(
      'This browser has no space to save the file. Keep this tab open until it is sent.',
    ),
  ).toBeVisible();
  const next = await page.context().newPage();
  await page.close();
  await next.goto(`/home/${classId}`);
  const failed = message(next, 'worth keeping');
  await expect(failed).toContainText(
    'This browser had no space to save the file. Retry sends only the text.',
  );
  await failed.getByRole('button', { name: 'Retry' }).click();
  await expect(delivery(next, 'worth keeping')).toHaveAttribute('aria-busy', 'false');
});

test('signing out removes all pictures from the browser [PIC-30, AUTH-18]', async ({
  people,
  site,
}) => {
  const { page } = await aloneInAClass(people, site);
  await page.route('**/api/classes/*/images', () => undefined);
  await choose(page, await photo());
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const stored = () =>
    page.evaluate(
      () =>
        new Promise<number>((resolve, reject) => {
          const opening = indexedDB.open('backchannel');
          opening.addEventListener('error', () => reject(new Error('There is no store.')));
          opening.addEventListener('success', () => {
            const request = opening.result.transaction('outbox').objectStore('outbox').count();
            request.addEventListener('success', () => {
              opening.result.close();
              resolve(request.result);
            });
          });
        }),
    );
  await expect.poll(stored).toBe(1);
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('not sent and will be lost');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Log Out' }).click();
  await expect(page).toHaveURL('/signin');
  // The page reloads in the meantime.
  await expect(async () => expect(await stored()).toBe(0)).toPass();
});

test('an unsent message of an earlier version keeps its picture [PIC-71]', async ({
  people,
  site,
}) => {
  const student = await site.newStudent();
  const classId = await student.createClass();
  const { account } = await student.call('me', {});
  const page = await people.newWindow();
  // A page without scripts: the earlier version's store must exist before the app opens it.
  await page.goto('/favicon.svg');
  const { buffer } = await photo(500, 300);
  await page.evaluate(
    ({ owner, base64, ofClass }) =>
      new Promise<void>((resolve, reject) => {
        const entry = {
          ...{ id: '11111111-1111-4111-8111-111111111111', classId: ofClass, account: owner },
          ...{ text: 'of last week', replyTo: null, createdAt: 1, failure: null },
          picture: {
            bytes: new Blob([Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))]),
            ...{ size: { width: 500, height: 300 }, alt: 'Board', imageId: null },
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
  await loaded(message(page, 'of last week').getByRole('button', { name: 'Picture: Board' }));
});
