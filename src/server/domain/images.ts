// Uploaded pictures: whose they are, which message has them, and how long they are kept without one.
import { createHmac, type Hmac, type KeyObject } from 'node:crypto';
import type { Picture } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { isPlainLine } from '#contract/text.ts';
import type { UnitOfWork } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import {
  dueForRemoval,
  findImage,
  insertImage,
  claimUnsent,
  updateKeptUntil,
  type ImageRow,
} from '../storage/queries/images.ts';
import { memberOf, type Member } from './membership.ts';
import type { Actor } from './messages.ts';
import { randomId } from '../random-id.ts';

const quarterHourMs = 15 * 60_000;
const unsentRetentionMs = 60 * 60_000; // PIC-14

/** How a picture that was made is shown, but for its names and what its sender says of it. */
export type Shape = Pick<Picture, 'width' | 'height' | 'placeholder' | 'animated'>;

/**
 * Takes the uploaded bytes. The same ones are the same picture of this member in this class. Without
 * the server's key it confirms no known file, and no two classes' rows as being of the same one.
 */
export function imageDigest(personaKey: KeyObject, { classId, persona }: Member): Hmac {
  const owner = JSON.stringify(['image', classId, persona.memberId]);
  return createHmac('sha256', personaKey).update(owner);
}

/**
 * Keeps the picture for its uploader, who has an hour to send it. To be written before its files are:
 * then each file has a row that leads to its end.
 *
 * @returns its id
 * @throws {AppError} NOT_FOUND
 */
export async function keepImage(
  { db }: UnitOfWork,
  { personaKey, accountId, classId }: Actor,
  made: { shape: Shape; digest: string; bytes: number },
): Promise<string> {
  const { persona } = await memberOf(db, personaKey, accountId, classId);
  const imageId = randomId();
  await insertImage(db, {
    imageId,
    classId,
    memberId: persona.memberId,
    digest: made.digest,
    bytes: made.bytes,
    shape: JSON.stringify(made.shape),
    keptUntil: Math.ceil((Date.now() + unsentRetentionMs) / quarterHourMs) * quarterHourMs,
  });
  return imageId;
}

/**
 * The member's own upload in this class, in a message or not.
 *
 * @throws {AppError} IMAGE_GONE
 */
export async function uploadOf(
  { db }: UnitOfWork,
  { classId, persona }: Member,
  imageId: string,
): Promise<ImageRow> {
  const image = await findImage(db, imageId);
  const own = image?.classId === classId && image.memberId === persona.memberId;
  if (!image || !own) throw new AppError('IMAGE_GONE');
  return image;
}

/** From here on a message has it. @throws {AppError} IMAGE_GONE where another has, or its hour is over */
export async function sendImage({ db }: UnitOfWork, { imageId }: ImageRow): Promise<void> {
  if (!(await claimUnsent(db, imageId, null))) throw new AppError('IMAGE_GONE');
}

/** Nobody sees it any more; its files are to be deleted after the commit. */
export async function detachImage({ db }: UnitOfWork, imageId: string): Promise<void> {
  await updateKeptUntil(db, imageId, dueForRemoval);
}

/** The same, unless a message has it. @returns false where that is so, or there is none */
export async function claimUnsentForRemoval({ db }: UnitOfWork, imageId: string): Promise<boolean> {
  return claimUnsent(db, imageId, dueForRemoval);
}

/** The one of one's own that is not sent. @returns false where there is no such picture */
export async function discardImage(
  write: UnitOfWork,
  { personaKey, accountId, classId }: Actor,
  imageId: string,
): Promise<boolean> {
  const { persona } = await memberOf(write.db, personaKey, accountId, classId);
  const image = await findImage(write.db, imageId);
  if (image?.classId !== classId || image.memberId !== persona.memberId) return false;
  return claimUnsentForRemoval(write, imageId);
}

/**
 * Members see the pictures of their class's messages, and of the unsent ones their own.
 *
 * @throws {AppError} NOT_FOUND
 */
export async function checkMaySee(
  db: Database,
  personaKey: Actor['personaKey'],
  accountId: string,
  imageId: string,
): Promise<void> {
  const image = await findImage(db, imageId);
  if (!image || image.keptUntil === dueForRemoval) throw new AppError('NOT_FOUND');
  const { persona } = await memberOf(db, personaKey, accountId, image.classId);
  const sent = image.keptUntil === null;
  if (!sent && image.memberId !== persona.memberId) throw new AppError('NOT_FOUND');
}

/** What the sender says is to be seen, as one line. @throws {AppError} INVALID */
export function checkedAlt(typed: string, image: ImageRow | null): string {
  const alt = typed.normalize('NFC').replace(/\s+/g, ' ').trim();
  if (alt && !image) throw new AppError('INVALID', 'Only a picture can have a description.');
  if (!isPlainLine(alt)) {
    throw new AppError('INVALID', 'The description holds a character that cannot be used here.');
  }
  return alt;
}
