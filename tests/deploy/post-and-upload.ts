import { expect } from 'vitest';
import { createManyPages } from '#tests/support/pdf-files.ts';
import { createJpeg, loadImageMetadata, upload } from '#tests/support/pictures.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';

/** Signs up two students. One of them reads what the other writes, and the other uploads files. */
export async function postAndUpload(origin: string): Promise<{ ada: TestClient; classId: string }> {
  const ada = createTestClient(origin, 'ada@university.edu');
  const ben = createTestClient(origin, 'ben@university.edu');
  await ada.signUp();
  await ben.signUp();
  const classId = await ada.createClass();
  await ben.join(classId);
  const socket = await ben.connectTo(classId);
  const { id } = await ada.post(classId, 'the first message');
  await socket.waitFor('events', ({ items }) =>
    items.some((item) => item.kind === 'posted' && item.message.id === id),
  );
  const { imageUrl } = await upload(ada, classId, await createJpeg(300, 200));
  expect(await loadImageMetadata(ada, imageUrl)).toMatchObject({ width: 300 });
  expect(await upload(ada, classId, createManyPages(2))).toMatchObject({ pages: 2 });
  return { ada, classId };
}
