// The list of a class's pictures and PDFs.
import { expect, test } from 'vitest';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import { createJpeg, postPicture, upload } from '#tests/support/pictures.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

const image = {
  imageId: 'AAAAAAAAAAAAAAAA',
  width: 4,
  height: 3,
  placeholder: '',
  animated: false,
  alt: '',
};

/** Gives messages of text some pictures, without an upload. */
async function givePictures(classId: string, count: number): Promise<void> {
  const images = JSON.stringify(Array.from({ length: count }, () => image));
  await app.database.query(
    `update messages set images = '${images}' where "classId" = '${classId}'`,
  );
}

const listPage = (student: TestClient, classId: string, cursor?: number) =>
  student.call('listPictures', { params: { classId }, query: { before: cursor } });

test('a member lists the pictures of a class, and no one else does [PANEL-7]', async () => {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const socket = await ada.connectTo(classId);
  await socket.post(classId, 'Only words');
  const { imageId, imageUrl, thumbUrl } = await upload(ada, classId, await createJpeg(40, 30));
  const id = await postPicture(socket, classId, imageId, { text: 'The board', alt: 'A tree' });
  const { me } = await ada.snapshot(classId);

  const page = await listPage(ben, classId);

  const picture = { imageUrl, thumbUrl, width: 40, height: 30, alt: 'A tree' };
  expect(page).toMatchObject({
    messages: [{ id, memberId: me.memberId, images: [picture] }],
    nextBefore: null,
  });
  expect(Object.keys(page.messages[0] ?? {}).toSorted()).toEqual([
    'createdAt',
    'id',
    'images',
    'memberId',
  ]);
  const stranger = await app.createStudent();
  await expect(listPage(stranger, classId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await ben.leave(classId);
  await expect(listPage(ben, classId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('deleted, hidden and removed messages are not among the pictures [PANEL-7]', async () => {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const socket = await ada.connectTo(classId);
  const { id: shownId } = await socket.post(classId, 'Shown');
  const { id: hiddenId } = await socket.post(classId, 'Hidden after reports');
  const { id: removedId } = await socket.post(classId, 'Removed by a moderator');
  await givePictures(classId, 1);
  for (const [messageId, moderation] of Object.entries({
    [hiddenId]: 'hidden',
    [removedId]: 'removed',
  })) {
    await app.database.query(
      `update messages set moderation = '${moderation}' where id = '${messageId}'`,
    );
  }
  const { imageId } = await upload(ada, classId, await createJpeg(40, 30));
  const messageId = await postPicture(socket, classId, imageId);
  const listIds = async () => (await listPage(ben, classId)).messages.map(({ id }) => id);

  expect(await listIds()).toEqual([messageId, shownId]);
  await socket.request({ type: 'delete', classId, messageId });

  expect(await listIds()).toEqual([shownId]);
});

test('a page of pictures ends with the fiftieth, and the next one follows it [PANEL-7]', async () => {
  const { ada, classId } = await createClassWithTwoMembers(app);
  const socket = await ada.connectTo(classId);
  const ids: string[] = [];
  for (let n = 0; n < 8; n++) ids.push((await socket.post(classId, `Sheet ${n}`)).id);
  await givePictures(classId, 9);

  const first = await listPage(ada, classId);
  const second = await listPage(ada, classId, first.nextBefore ?? undefined);

  expect([...first.messages, ...second.messages].map(({ id }) => id)).toEqual(ids.toReversed());
  // Five messages have 45 pictures.
  expect(first.messages).toHaveLength(6);
  expect(second.nextBefore).toBe(null);
});

test('one call looks for pictures in 2,048 entries of the log [PANEL-7]', async () => {
  const { ada, classId } = await createClassWithTwoMembers(app);
  const { id } = await ada.post(classId, 'The first picture');
  const { seq } = (await ada.snapshot(classId)).messages[0]!;
  await givePictures(classId, 1);
  await app.database.query(`update classes set seq = ${seq + 2048} where "classId" = '${classId}'`);

  const newest = await listPage(ada, classId);
  const next = await listPage(ada, classId, newest.nextBefore ?? undefined);

  expect(newest).toEqual({ messages: [], nextBefore: seq + 1 });
  expect(next).toMatchObject({ messages: [{ id }], nextBefore: null });
});
