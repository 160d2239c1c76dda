import type { Selectable } from 'kysely';
import type { Message, Picture } from '#contract/entities.ts';
import type { Database, Tables, DatabaseTransaction } from '../database.ts';

export type ImageRow = Selectable<Tables['images']>;

/** A `keptUntil` of a picture that nobody can see and whose files are due for removal. */
export const markedForRemoval = 0;

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

/**
 * Claims an unsent picture for a message (null) or for removal.
 *
 * @returns false if there is no unsent picture with this id
 */
export async function claimUnsent(
  db: DatabaseTransaction,
  imageId: string,
  keptUntil: number | null,
): Promise<boolean> {
  const result = await db
    .updateTable('images')
    .set({ keptUntil })
    .where('imageId', '=', imageId)
    .where('keptUntil', '>', markedForRemoval)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The pictures whose time has expired, without sent ones. */
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

/** The file names of a picture, both with its id. */
export function displayName(imageId: string): string {
  return `${imageId}.webp`;
}
export function thumbName(imageId: string): string {
  return `${imageId}.small.webp`;
}

/** The part of a picture that a message's row stores. */
export interface SentImage extends Omit<Picture, 'thumbUrl'> {
  imageId: string;
}

/** @param stored the `image` column of a message's row */
export function readSentImage(stored: string | null): SentImage | null {
  return stored === null ? null : (JSON.parse(stored) as SentImage);
}

/** The picture as the API returns it; nulls without one. */
export function toPicture(
  image: SentImage | null,
): Pick<Message, 'imageUrl' | 'storagePath' | 'image'> {
  if (!image) return { imageUrl: null, storagePath: null, image: null };
  const { imageId, ...shown } = image;
  const storagePath = `images/${displayName(imageId)}`;
  const thumbUrl = `/images/${thumbName(imageId)}`;
  return { imageUrl: `/${storagePath}`, storagePath, image: { ...shown, thumbUrl } };
}
