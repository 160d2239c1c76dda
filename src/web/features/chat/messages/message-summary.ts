import type { Personas } from '#contract/persona-name.ts';
import {
  addDescription,
  countImages,
  describeImages,
  moderationTexts,
  toShownAlt,
} from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { toPlainText } from '#web/markup/message-markup.ts';
import { isPdfFile } from '#web/sync/uploads/pdf-file.ts';
import type { RoomMessage } from '#web/sync/room/room.ts';

const maxSummaryLength = 280;

type Content = Pick<RoomMessage, 'text' | 'images' | 'unsentPictures'> &
  Partial<Pick<RoomMessage, 'isConcealed' | 'moderation'>>;

/** A summary for quotes and screen readers: the readable text, and which pictures and PDFs there are. */
export function summarizeMessage(message: Content, names: Personas): string {
  const { text, images, unsentPictures, isConcealed, moderation } = message;
  if (isConcealed && moderation) return moderationTexts[moderation];
  const isSent = images.length > 0;
  return [
    toPlainText(text, names),
    isSent ? describeImages(images) : describeUnsent(unsentPictures),
  ]
    .filter(Boolean)
    .map((part) => part.slice(0, maxSummaryLength))
    .join(' · ');
}

function describeUnsent(pictures: Content['unsentPictures']): string {
  const pdfCount = pictures.filter(({ bytes }) => isPdfFile(bytes)).length;
  const alts = pictures.map(toShownAlt).filter(Boolean);
  return addDescription(countImages({ imageCount: pictures.length, pdfCount }), alts.join('; '));
}

interface Labeled {
  alt: string;
  isPdf: boolean;
  /** Absent until the PDF is sent. */
  pages?: number | undefined;
}

/** The accessible name of a picture or a PDF, with its position if its message has several. */
export function toImageLabel({ alt, isPdf, pages }: Labeled, index = 0, count = 1): string {
  const kind = isPdf ? 'pdf' : 'picture';
  const label =
    count > 1
      ? getText('chat.picture.place', { kind, number: index + 1, count })
      : getText('chat.picture.label', { kind });
  return addDescription(pages ? getText('chat.pdf.labelWithPages', { label, pages }) : label, alt);
}
