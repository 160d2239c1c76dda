// Uploads and sends pictures as a browser does.
import { randomUUID } from 'node:crypto';
import sharp, { type Metadata } from 'sharp';
import { AppError, type ErrorBody } from '#contract/errors.ts';
import type { CallReply } from '#contract/http.ts';
import { toRouteUrl } from '#contract/routes.ts';
import type { TestClient } from './test-client.ts';
import type { TestSocket } from './test-socket.ts';

export type Upload = CallReply<'uploadImage'>;

/** Returns the response, whatever its status. */
export function sendFile(
  student: TestClient,
  classId: string,
  file: Uint8Array,
  headers: Record<string, string> = { 'content-type': 'application/octet-stream' },
  query: { as?: 'staff' } = {},
): Promise<Response> {
  const url = toRouteUrl('uploadImage', { params: { classId }, query });
  return student.fetch(url, { method: 'POST', body: new Uint8Array(file), headers });
}

/** @throws {AppError} */
export async function upload(
  student: TestClient,
  classId: string,
  file: Uint8Array,
  query: { as?: 'staff' } = {},
): Promise<Upload> {
  const response = await sendFile(student, classId, file, undefined, query);
  if (response.ok) return (await response.json()) as Upload;
  const { code, message } = (await response.json()) as ErrorBody;
  throw new AppError(code, message);
}

interface PostedPicture {
  imageId: string;
  alt?: string | undefined;
  spoiler?: true;
}

/** Posts a picture and returns the message's id after the acknowledgement. */
export function postPicture(
  socket: TestSocket,
  classId: string,
  imageId: string,
  { alt, ...fields }: { text?: string; alt?: string; id?: string } = {},
): Promise<string> {
  return postPictures(socket, classId, [{ imageId, alt }], fields);
}

/** Posts pictures in one message and returns the message's id after the acknowledgement. */
export async function postPictures(
  socket: TestSocket,
  classId: string,
  pictures: readonly PostedPicture[],
  { id = randomUUID(), text = '' }: { text?: string; id?: string } = {},
): Promise<string> {
  const images = pictures.map(({ imageId, alt, spoiler }) => ({ imageId, alt, spoiler }));
  const answer = await socket.request({ type: 'post', classId, id, text, images });
  if (answer.type === 'nack') throw new AppError(answer.code, answer.message);
  return id;
}

/** A picture in which every pixel differs, like a photograph. */
export async function createNoise(width = 60, height = 40, channels: 3 | 4 = 3) {
  const pixels = new Uint8Array(width * height * channels);
  for (let i = 0; i < pixels.length; i += 65_536) {
    crypto.getRandomValues(pixels.subarray(i, i + 65_536));
  }
  return sharp(pixels, { raw: { width, height, channels } });
}

export async function createJpeg(width?: number, height?: number): Promise<Uint8Array> {
  return (await createNoise(width, height)).jpeg().toBuffer();
}

/** The metadata of a file that the server returns. */
export async function loadImageMetadata(student: TestClient, url: string): Promise<Metadata> {
  const response = await student.fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  return sharp(await response.arrayBuffer()).metadata();
}
