// Uploaded pictures: their owner, their message, and how long unsent ones are kept.
import { createHmac, type Hmac, type KeyObject } from 'node:crypto';
import type { Picture } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { isPlainLine } from '#contract/text.ts';
import type { UnitOfWork } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import {
  markedForRemoval,
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

/** How a picture is shown, without its file names and the sender's description. */
export type Shape = Pick<Picture, 'width' | 'height' | 'placeholder' | 'animated'>;

/**
 * Hash the uploaded bytes with it: equal bytes are the same picture of this member in this class. Without the
 * server key, a digest neither confirms a known file nor matches one of another class.
 */
export function imageDigest(personaKey: KeyObject, { classId, persona }: Member): Hmac {
  const owner = JSON.stringify(['image', classId, persona.memberId]);
  return createHmac('sha256', personaKey).update(owner);
}

/**
 * Stores the picture, which its uploader can send within an hour. Insert the row before writing the files, so
 * that every file has a row that leads to its removal.
 *
 * @returns the picture's id
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
 * The member's own upload in this class, sent or unsent.
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

/**
 * Attaches the picture to a message.
 *
 * @throws {AppError} IMAGE_GONE if another message has it or its hour has passed
 */
export async function sendImage({ db }: UnitOfWork, { imageId }: ImageRow): Promise<void> {
  if (!(await claimUnsent(db, imageId, null))) throw new AppError('IMAGE_GONE');
}

/** Hides the picture. The caller deletes its files after the commit. */
export async function detachImage({ db }: UnitOfWork, imageId: string): Promise<void> {
  await updateKeptUntil(db, imageId, markedForRemoval);
}

/**
 * Like `detachImage`, but only if no message has the picture.
 *
 * @returns false if a message has it or it is missing
 */
export async function claimUnsentForRemoval({ db }: UnitOfWork, imageId: string): Promise<boolean> {
  return claimUnsent(db, imageId, markedForRemoval);
}

/**
 * Discards the member's own unsent picture.
 *
 * @returns false if there is no such picture
 */
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
 * Members can see the pictures of their class's messages and their own unsent ones.
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
  if (!image || image.keptUntil === markedForRemoval) throw new AppError('NOT_FOUND');
  const { persona } = await memberOf(db, personaKey, accountId, image.classId);
  const sent = image.keptUntil === null;
  if (!sent && image.memberId !== persona.memberId) throw new AppError('NOT_FOUND');
}

/**
 * The sender's description of the picture, as one line.
 *
 * @throws {AppError} INVALID
 */
export function checkedAlt(typed: string, image: ImageRow | null): string {
  const alt = typed.normalize('NFC').replace(/\s+/g, ' ').trim();
  if (alt && !image) throw new AppError('INVALID', 'Only a picture can have a description.');
  if (!isPlainLine(alt)) {
    throw new AppError('INVALID', 'The description holds a character that cannot be used here.');
  }
  return alt;
}
