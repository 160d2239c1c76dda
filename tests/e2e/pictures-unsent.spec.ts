import { signIn, test } from './fixtures.ts';
import { expectLoaded, createPhoto } from './picture-files.ts';
import { findMessage } from './room.ts';

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
