import type { Selectable } from 'kysely';
import type { Message, Picture } from '#contract/entities.ts';
import type { Database, Tables, DatabaseTransaction } from '../database.ts';

export type ImageRow = Selectable<Tables['images']>;

/** Its `keptUntil`: nobody sees it any more. */
export const dueForRemoval = 0;

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

export async function updateKeptUntil(
  db: DatabaseTransaction,
  imageId: string,
  keptUntil: number,
): Promise<void> {
  await db.updateTable('images').set({ keptUntil }).where('imageId', '=', imageId).execute();
}

/** One that waits to be sent is taken, by a message (null) or for good. False when none waits. */
export async function claimUnsent(
  db: DatabaseTransaction,
  imageId: string,
  keptUntil: number | null,
): Promise<boolean> {
  const result = await db
    .updateTable('images')
    .set({ keptUntil })
    .where('imageId', '=', imageId)
    .where('keptUntil', '>', dueForRemoval)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Those whose time is over, sent ones excepted. */
export async function listDueImages(db: Database, now: number, limit: number): Promise<ImageRow[]> {
  return db
    .selectFrom('images')
    .selectAll()
    .where('keptUntil', '<=', now)
    .orderBy('keptUntil')
    .limit(limit)
    .execute();
}

export async function deleteImage(db: DatabaseTransaction, imageId: string): Promise<void> {
  await db.deleteFrom('images').where('imageId', '=', imageId).execute();
}

/** The name of each of a picture's files; both begin with its id. */
export function displayName(imageId: string): string {
  return `${imageId}.webp`;
}
export function thumbName(imageId: string): string {
  return `${imageId}.small.webp`;
}

/** What a message's row keeps of its picture. */
export interface SentImage extends Omit<Picture, 'thumbUrl'> {
  imageId: string;
}

/** @param stored the column `image` of a message's row */
export function readSentImage(stored: string | null): SentImage | null {
  return stored === null ? null : (JSON.parse(stored) as SentImage);
}

/** A picture as it travels; nulls without one. */
export function toPicture(
  image: SentImage | null,
): Pick<Message, 'imageUrl' | 'storagePath' | 'image'> {
  if (!image) return { imageUrl: null, storagePath: null, image: null };
  const { imageId, ...shown } = image;
  const storagePath = `images/${displayName(imageId)}`;
  const thumbUrl = `/images/${thumbName(imageId)}`;
  return { imageUrl: `/${storagePath}`, storagePath, image: { ...shown, thumbUrl } };
}
