import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LiveEnd, Student } from '../../scripts/student.ts';
import { jpeg, postPicture, upload } from './pictures.ts';
import { enter, joinClass, newClass, startApp, type RunningApp } from './running-app.ts';

let app: RunningApp;
let ada: Student;
let bob: Student;
let classId: string;
let live: LiveEnd;
let bobsLive: LiveEnd;
beforeAll(async () => {
  app = await startApp();
  ada = await app.newStudent();
  bob = await app.newStudent();
  classId = await newClass(ada);
  await joinClass(bob, classId);
  live = await ada.connect();
  bobsLive = await bob.connect();
  await enter(live, classId);
  await enter(bobsLive, classId);
});
afterAll(() => app.stop());

describe('a picture', () => {
  test('alone is a message, with where it is and how large it is shown [SEND-2, SEND-18, PIC-1, PIC-5, PIC-12]', async () => {
    const { imageId, ...shown } = await upload(ada, classId, await jpeg(300, 200));
    const id = await postPicture(live, classId, imageId, { alt: '  A \n blackboard ' });
    const isOurs = ({ items }: { items: { kind: string }[] }) =>
      items.some((item) => 'message' in item && (item.message as { id: string }).id === id);
    const { items } = await bobsLive.frame('events', isOurs);
    const { imageUrl, storagePath, ...image } = shown;
    expect(items).toMatchObject([
      { message: { text: '', imageUrl, storagePath, image: { ...image, alt: 'A blackboard' } } },
    ]);
    expect(imageUrl).toBe(`/${storagePath}`);
    expect(image).toMatchObject({ width: 300, height: 200, animated: false });

    const { messages } = await bob.call('listMessages', { params: { classId }, query: {} });
    expect(messages.at(-1)).toMatchObject({ id, imageUrl, storagePath });
    for (const [url, width] of [
      [imageUrl, 300],
      [image.thumbUrl, 300],
    ] as const) {
      const file = await bob.fetch(url);
      expect((await sharp(await file.arrayBuffer()).metadata()).width).toBe(width);
    }
  });
});
