import type { RoomMessage } from '#web/sync/room.ts';
import { pictureName } from '../pictures/picture-file.ts';

const maxSummaryLength = 280;

type Content = Pick<RoomMessage, 'text' | 'image' | 'unsentPicture'>;

/** A one-line summary for screen readers: the text, and whether there is a picture. */
export function messageSummary({ text, image, unsentPicture }: Content): string {
  const alt = (image ?? unsentPicture)?.alt;
  const parts = [text, ...(alt === undefined ? [] : [pictureName(alt)])];
  return parts
    .filter(Boolean)
    .map((part) => part.slice(0, maxSummaryLength))
    .join(' ');
}
