// Uploaded pictures: their owner, their message, and how long unsent ones are kept.
import { createHmac, type Hmac, type KeyObject } from 'node:crypto';
import type { Picture } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { isPlainLine } from '#contract/text.ts';
import { createRandomId } from '#server/base/random-id.ts';
import {
  claimUnsentImage,
  findImage,
  insertImage,
  listImages,
  type ImageRow,
} from './attachment-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Reader } from '#server/store/site.ts';
import {
  hasMemberId,
  getMember,
  getSpeaker,
  type Actor,
  type Member,
} from '#server/chat/members/member.ts';
import { checkNotMuted } from '#server/chat/messages/may-post.ts';

const quarterHourMs = 15 * 60_000;
const unsentRetentionMs = 60 * 60_000; // PIC-14

/**
 * What browsers need to show a picture, without its file names and the sender's description. The column `shape` stores it as JSON.
 */
export type PictureProperties = Pick<
  Picture,
  'width' | 'height' | 'placeholder' | 'animated' | 'pages'
>;

/**
 * Creates a keyed hash for the uploaded bytes. Equal bytes have the same digest only for the same member in the same class.
 * Without the server key, no one can tell whether a digest belongs to a known file.
 */
export function createImageHmac(personaKey: KeyObject, { classId, persona }: Member): Hmac {
  const owner = JSON.stringify(['image', classId, persona.memberId]);
  return createHmac('sha256', personaKey).update(owner);
}

/**
 * Stores the row of a picture, which its uploader can send within an hour. The caller writes the files afterwards, so that every
 * file has a row by which it is removed.
 *
 * @param asStaff whether the picture is for a message as staff. It cannot change later, because that would link the two personas
 * @returns the picture's id
 * @throws {AppError} NOT_FOUND, NOT_ALLOWED, MUTED
 */
export async function addImage(
  unitOfWork: UnitOfWork,
  { accountId, classId }: Actor,
  picture: { shape: PictureProperties; digest: string; bytes: number },
  asStaff: boolean,
): Promise<string> {
  const member = getSpeaker(await getMember(unitOfWork, accountId, classId), asStaff);
  checkNotMuted(member);
  const { persona } = member;
  const imageId = createRandomId();
  await insertImage(unitOfWork.db, {
    imageId,
    classId,
    memberId: persona.memberId,
    digest: picture.digest,
    bytes: picture.bytes,
    shape: JSON.stringify(picture.shape),
    status: 'unsent',
    expiresAt: Math.ceil((Date.now() + unsentRetentionMs) / quarterHourMs) * quarterHourMs,
  });
  return imageId;
}

/** A picture of a new message. */
export interface PostedImage {
  imageId: string;
  alt?: string | undefined;
  spoiler?: true | undefined;
}

/** An upload with the sender's description, and whether the sender hid it. */
export interface DescribedImage extends Pick<Picture, 'alt' | 'spoiler'> {
  image: ImageRow;
}

/**
 * Finds the posted pictures, sent or unsent, in the order of the message. All must be uploads of the speaker in this class.
 *
 * @throws {AppError} TOO_MANY_IMAGES, IMAGE_GONE, INVALID
 */
export async function findOwnImages(
  { db }: UnitOfWork,
  { classId, persona }: Member,
  postedImages: readonly PostedImage[],
): Promise<DescribedImage[]> {
  if (postedImages.length > limits.messageImages) throw new AppError('TOO_MANY_IMAGES');
  const imageIds = postedImages.map(({ imageId }) => imageId);
  if (new Set(imageIds).size < imageIds.length) {
    throw new AppError('PICTURE_TWICE');
  }
  const imagesById = new Map(
    (await listImages(db, imageIds)).map((image) => [image.imageId, image]),
  );
  return postedImages.map(({ imageId, alt = '', spoiler }) => {
    const image = imagesById.get(imageId);
    // The picture may belong to the member's other persona.
    const isOfSpeaker = image?.classId === classId && image.memberId === persona.memberId;
    if (!image || !isOfSpeaker) throw new AppError('IMAGE_GONE');
    return { image, alt: parseAlt(alt), spoiler };
  });
}

/**
 * Attaches the pictures to a message.
 *
 * @throws {AppError} IMAGE_GONE if another message has one of the pictures, or the hour to send it has passed
 */
export async function attachImages(
  { db }: UnitOfWork,
  images: readonly DescribedImage[],
): Promise<void> {
  for (const { image } of images) {
    if (!(await claimUnsentImage(db, image.imageId, 'sent'))) throw new AppError('IMAGE_GONE');
  }
}

/**
 * Deletes the picture, but only if no message has it.
 *
 * @returns false if a message has the picture, or if it is missing
 */
export async function claimUnsentForDeletion(
  { db }: UnitOfWork,
  imageId: string,
): Promise<boolean> {
  return claimUnsentImage(db, imageId, 'deleted');
}

/**
 * Discards the member's own unsent picture.
 *
 * @returns false if there is no such picture
 */
export async function discardImage(
  unitOfWork: UnitOfWork,
  { accountId, classId }: Actor,
  imageId: string,
): Promise<boolean> {
  const member = await getMember(unitOfWork, accountId, classId);
  const image = await findImage(unitOfWork.db, imageId);
  if (image?.classId !== classId || !hasMemberId(member, image.memberId)) return false;
  return claimUnsentForDeletion(unitOfWork, imageId);
}

/**
 * Checks that the account may see the picture: members see the pictures in messages of their class, and their own unsent ones.
 *
 * @throws {AppError} NOT_FOUND
 */
export async function checkMaySee(
  reader: Reader,
  accountId: string,
  imageId: string,
): Promise<void> {
  const image = await findImage(reader.db, imageId);
  if (!image || image.status === 'deleted' || image.status === 'evidence') {
    throw new AppError('NOT_FOUND');
  }
  const member = await getMember(reader, accountId, image.classId);
  const isSent = image.status === 'sent';
  if (!isSent && !hasMemberId(member, image.memberId)) throw new AppError('NOT_FOUND');
}

/**
 * The sender's description of the picture, as one line.
 *
 * @throws {AppError} INVALID
 */
function parseAlt(typedText: string): string {
  const alt = typedText.normalize('NFC').replace(/\s+/g, ' ').trim();
  if (!isPlainLine(alt)) {
    throw new AppError('DESCRIPTION_CHARACTERS');
  }
  return alt;
}
