import { sql, type Selectable } from 'kysely';
import type { Message, Picture } from '#contract/entities.ts';
import { planLimitOnce, planOnce, prepareQuery } from '#server/store/prepare-query.ts';
import type { Database, Tables, DatabaseTransaction } from '#server/store/tables.ts';

export type ImageRow = Selectable<Tables['images']>;

export async function insertImage(db: DatabaseTransaction, row: ImageRow): Promise<void> {
  await db.insertInto('images').values(row).execute();
}

export async function findImage(db: Database, imageId: string): Promise<ImageRow | null> {
  const row = await db
    .selectFrom('images')
    .selectAll()
    .where('imageId', '=', imageId)
    .executeTakeFirst();
  return row ?? null;
}

/** The pictures with these ids, in any order. */
export async function listImages(db: Database, imageIds: readonly string[]): Promise<ImageRow[]> {
  if (imageIds.length === 0) return [];
  return db.selectFrom('images').selectAll().where('imageId', 'in', imageIds).execute();
}

/**
 * Takes the pictures from their message.
 *
 * @param status `deleted`: their files and rows are deleted later; `evidence`: only moderators see them, until the evidence is erased
 */
export async function retireImages(
  db: DatabaseTransaction,
  imageIds: readonly string[],
  status: 'deleted' | 'evidence',
): Promise<void> {
  if (imageIds.length === 0) return;
  await db
    .updateTable('images')
    .set({ status, expiresAt: null })
    .where('imageId', 'in', imageIds)
    .execute();
}

/** Marks the pictures as deleted if they were only evidence. */
export async function releaseEvidenceImages(
  db: DatabaseTransaction,
  imageIds: readonly string[] | 'all',
): Promise<void> {
  if (imageIds.length === 0) return;
  await db
    .updateTable('images')
    .set({ status: 'deleted' })
    .where('status', '=', 'evidence')
    .$if(imageIds !== 'all', (query) => query.where('imageId', 'in', imageIds as string[]))
    .execute();
}

/**
 * Claims an unsent picture for a message or for deletion.
 *
 * @returns false if there is no unsent picture with this id
 */
export async function claimUnsentImage(
  db: DatabaseTransaction,
  imageId: string,
  status: 'sent' | 'deleted',
): Promise<boolean> {
  const result = await db
    .updateTable('images')
    .set({ status, expiresAt: null })
    .where('imageId', '=', imageId)
    .where('status', '=', 'unsent')
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Deleted pictures, then unsent ones that have expired, the oldest first. */
export async function listDueImages(db: Database, now: number, limit: number): Promise<ImageRow[]> {
  return (
    db
      .selectFrom('images')
      .selectAll()
      // With a parameter instead of the literal, SQLite would not use the partial index.
      .where('status', '!=', sql.lit('sent'))
      .where((eb) => eb.or([eb('status', '=', 'deleted'), eb('expiresAt', '<=', now)]))
      .orderBy('status')
      .orderBy('expiresAt')
      .limit(limit)
      .execute()
  );
}

export async function deleteImage(db: DatabaseTransaction, imageId: string): Promise<void> {
  await db.deleteFrom('images').where('imageId', '=', imageId).execute();
}

/** The file name of a picture, as large as browsers show it. */
export function toDisplayName(imageId: string): string {
  return `${imageId}.webp`;
}

/** The file name of a picture's small version. */
export function toThumbName(imageId: string): string {
  return `${imageId}.small.webp`;
}

/** The file name of a PDF, whose picture shows the first page. */
export function toPdfName(imageId: string): string {
  return `${imageId}.pdf`;
}

/** The names of all files that a picture or a PDF can have. */
export function toFileNames(imageId: string): string[] {
  return [toDisplayName(imageId), toThumbName(imageId), toPdfName(imageId)];
}

export function toContentType(name: string): string {
  return name.endsWith('.pdf') ? 'application/pdf' : 'image/webp';
}

/** The part of a picture that a message's row stores. */
export interface SentImage extends Omit<Picture, 'imageUrl' | 'thumbUrl' | 'pdfUrl'> {
  imageId: string;
}

/** @param imagesColumn the `images` column of a message's row */
export function parseSentImages(imagesColumn: string | null): SentImage[] {
  return imagesColumn === null ? [] : (JSON.parse(imagesColumn) as SentImage[]);
}

/** The path of a picture in the store, as messages contain it. */
export function toStoragePath(imageId: string): string {
  return `images/${toDisplayName(imageId)}`;
}

/** The picture as the API returns it. */
export function toPicture({ imageId, ...fields }: SentImage): Picture {
  const imageUrl = `/${toStoragePath(imageId)}`;
  const pdf = fields.pages !== undefined && { pdfUrl: `/images/${toPdfName(imageId)}` };
  return { imageUrl, thumbUrl: `/images/${toThumbName(imageId)}`, ...pdf, ...fields };
}

type PictureFields = Pick<Message, 'imageUrl' | 'storagePath' | 'images'>;
const noPictures: PictureFields = { imageUrl: null, storagePath: null, images: [] };

/** @param imagesColumn the `images` column of a message's row */
export function toPictures(imagesColumn: string | null): PictureFields {
  const sentImages = parseSentImages(imagesColumn);
  const [firstImage] = sentImages;
  if (!firstImage) return noPictures;
  const storagePath = toStoragePath(firstImage.imageId);
  return { imageUrl: `/${storagePath}`, storagePath, images: sentImages.map(toPicture) };
}

export async function sumPictureBytes(db: Database): Promise<number> {
  const row = await db
    .selectFrom('images')
    .select(({ fn }) => fn.sum<number | string | null>('bytes').as('total'))
    .executeTakeFirst();
  return Number(row?.total ?? 0);
}

const selectWithPictures = prepareQuery((db, $: PictureRange & { limit: number }) =>
  db
    .selectFrom('messages')
    .select(['seq', 'id', 'memberId', 'createdAt', 'images'])
    .where('classId', '=', planOnce($.classId))
    .where('seq', '>=', $.from)
    .where('seq', '<', $.before)
    .where('images', 'is not', null)
    .where('moderation', 'is', null)
    .where('deleted', '=', 0)
    .orderBy('seq', 'desc')
    .limit(planLimitOnce($.limit)),
);

/** The messages with `from <= seq < before`. */
interface PictureRange {
  classId: string;
  from: number;
  before: number;
}

export type PictureMessage = Pick<Message, 'seq' | 'id' | 'memberId' | 'createdAt' | 'images'>;

/** Lists the messages with pictures, newest first, without deleted, hidden and removed ones. */
export async function listPictureMessages(
  db: Database,
  range: PictureRange,
  limit: number,
): Promise<PictureMessage[]> {
  const rows = await selectWithPictures(db, { ...range, limit });
  return rows.map((row) => ({ ...row, images: toPictures(row.images).images }));
}
