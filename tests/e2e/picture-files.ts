// Typical picture files, and the actions that a person does with them.
import { randomBytes } from 'node:crypto';
import { expect, type Locator, type Page } from '@playwright/test';
import sharp from 'sharp';
import type { TestClient } from '#tests/support/test-client.ts';
import { postPicture, postPictures, upload, type Upload } from '#tests/support/pictures.ts';
import { findRoom } from './room.ts';

export interface PictureFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** A picture in which every pixel differs, like a photograph. */
export async function createPhoto(width = 600, height = 400): Promise<PictureFile> {
  const raw = { width, height, channels: 3 } as const;
  const buffer = await sharp(randomBytes(width * height * 3), { raw })
    .jpeg()
    .toBuffer();
  return { name: 'Ada Lovelace at home.jpg', mimeType: 'image/jpeg', buffer };
}

/** A picture of one color, which compresses to almost nothing. */
export async function createPlainPicture(width: number, height: number): Promise<PictureFile> {
  const create = { width, height, channels: 3, background: '#36507e' } as const;
  const buffer = await sharp({ create, limitInputPixels: false }).png().toBuffer();
  return { name: 'plain.png', mimeType: 'image/png', buffer };
}

/** An endless animation of a red and a blue frame. */
export async function createAnimation(width = 80, height = 60): Promise<PictureFile> {
  const frames = await Promise.all(
    ['#c0392b', '#2a5ea8'].map((background) =>
      sharp({ create: { width, height, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  const buffer = await sharp(frames, { join: { animated: true } })
    .gif({ delay: [100, 100], loop: 0 })
    .toBuffer();
  return { name: 'moves.gif', mimeType: 'image/gif', buffer };
}

/** Chooses files with the '+' button, which has a menu on a phone. */
export async function choose(page: Page, ...files: PictureFile[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  const button = page.getByRole('button', { name: 'Add pictures' });
  await button.click();
  if (await button.getAttribute('aria-haspopup')) {
    await page.getByRole('menuitem', { name: 'Add pictures' }).click();
  }
  await (await chooser).setFiles(files);
}

/** Chooses a file and returns the server's upload response. */
export async function chooseAndUpload(page: Page, file: PictureFile): Promise<Upload> {
  const uploaded = page.waitForResponse((response) => response.url().endsWith('/images'));
  await choose(page, file);
  return (await (await uploaded).json()) as Upload;
}

export function findStagedPictures(page: Page): Locator {
  return page.getByRole('group', { name: /^(Pictures?|PDF|Pictures and PDFs) to send$/ });
}

/** The loaded pictures in the room, oldest first. */
export function findPictures(page: Page): Locator {
  return findRoom(page).getByRole('button', { name: /^Picture/ });
}

/** Waits until the picture itself is shown, not its placeholder or a broken image. */
export async function expectLoaded(picture: Locator): Promise<void> {
  const image = picture.locator('img').last();
  const measureWidth = () => image.evaluate((element: HTMLImageElement) => element.naturalWidth);
  await expect.poll(measureWidth).toBeGreaterThan(0);
}

/** Sends a picture without a browser. @returns the message's id */
export async function sendPicture(
  student: TestClient,
  classId: string,
  file: PictureFile,
  details: { text?: string; alt?: string } = {},
): Promise<string> {
  const { imageId } = await upload(student, classId, file.buffer);
  const socket = await student.connect();
  const id = await postPicture(socket, classId, imageId, details);
  socket.close();
  return id;
}

/** Sends several pictures in one message without a browser. */
export async function sendPictures(
  student: TestClient,
  classId: string,
  files: readonly PictureFile[],
  details: { text?: string; alts?: readonly string[] } = {},
): Promise<string> {
  const { text = '', alts = [] } = details;
  const images = [];
  for (const [n, { buffer }] of files.entries()) {
    const { imageId } = await upload(student, classId, buffer);
    images.push({ imageId, alt: alts[n] });
  }
  const socket = await student.connect();
  const id = await postPictures(socket, classId, images, { text });
  socket.close();
  return id;
}

/** Encodes the file as one string, because a Buffer is serialized byte by byte. */
function toPortable({ name, mimeType, buffer }: PictureFile) {
  return { name, mimeType, base64: buffer.toString('base64') };
}

/** Drags the files into the window and over the room. */
export async function dragOver(page: Page, ...files: PictureFile[]) {
  const data = await page.evaluateHandle((dragged) => {
    const transfer = new DataTransfer();
    for (const { name, mimeType, base64 } of dragged) {
      const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
      transfer.items.add(new File([bytes], name, { type: mimeType }));
    }
    return transfer;
  }, files.map(toPortable));
  for (const type of ['dragenter', 'dragover']) {
    await page.getByRole('main').dispatchEvent(type, { dataTransfer: data });
  }
  return data;
}

export async function paste(
  page: Page,
  files: PictureFile | readonly PictureFile[],
  text?: string,
): Promise<void> {
  await page.getByPlaceholder('Type a message...').evaluate(
    (field, { pasted, also }) => {
      const clipboardData = new DataTransfer();
      for (const { name, mimeType, base64 } of pasted) {
        const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
        clipboardData.items.add(new File([bytes], name, { type: mimeType }));
      }
      if (also) clipboardData.setData('text/plain', also);
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      field.dispatchEvent(event);
    },
    { pasted: [files].flat().map(toPortable), also: text },
  );
}
