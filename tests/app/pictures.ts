// Uploads and sends pictures as a browser does.
import { randomUUID } from 'node:crypto';
import sharp, { type Metadata } from 'sharp';
import { AppError, type ErrorBody } from '#contract/errors.ts';
import type { CallReply } from '#contract/http.ts';
import { routeUrl } from '#contract/route-url.ts';
import type { LiveEnd, Student } from '../../scripts/student.ts';
import { ask } from './running-app.ts';

export type Upload = CallReply<'uploadImage'>;

/** Returns the response, whatever its status. */
export function sendFile(
  student: Student,
  classId: string,
  file: Uint8Array,
  headers: Record<string, string> = { 'content-type': 'application/octet-stream' },
): Promise<Response> {
  const url = routeUrl('uploadImage', { params: { classId } });
  return student.fetch(url, { method: 'POST', body: new Uint8Array(file), headers });
}

/** @throws {AppError} */
export async function upload(student: Student, classId: string, file: Uint8Array): Promise<Upload> {
  const response = await sendFile(student, classId, file);
  if (response.ok) return (await response.json()) as Upload;
  const { code, message } = (await response.json()) as ErrorBody;
  throw new AppError(code, message);
}

/** Posts a picture and returns the message's id after the acknowledgement. */
export async function postPicture(
  live: LiveEnd,
  classId: string,
  imageId: string,
  more: { text?: string; alt?: string; id?: string } = {},
): Promise<string> {
  const { id = randomUUID(), text = '', alt } = more;
  const answer = await ask(live, { type: 'post', classId, id, text, imageId, alt });
  if (answer.type === 'nack') throw new AppError(answer.code, answer.message);
  return id;
}

/** A picture in which every pixel differs, like a photograph. */
export async function noise(width = 60, height = 40, channels: 3 | 4 = 3) {
  const pixels = new Uint8Array(width * height * channels);
  for (let i = 0; i < pixels.length; i += 65_536) {
    crypto.getRandomValues(pixels.subarray(i, i + 65_536));
  }
  return sharp(pixels, { raw: { width, height, channels } });
}

export async function jpeg(width?: number, height?: number): Promise<Uint8Array> {
  return (await noise(width, height)).jpeg().toBuffer();
}

/** The metadata of a file that the server returns. */
export async function imageFile(student: Student, url: string): Promise<Metadata> {
  const response = await student.fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  return sharp(await response.arrayBuffer()).metadata();
}
