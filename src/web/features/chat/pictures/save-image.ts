import type { Picture } from '#contract/entities.ts';

/** Neutral file names that do not reveal the server's id of the picture. */
const pictureName = 'picture.webp';
export const pdfName = 'document.pdf';

/** Saves the picture or the PDF. */
export function saveImage({ imageUrl, pdfUrl }: Pick<Picture, 'imageUrl' | 'pdfUrl'>): void {
  const link = document.createElement('a');
  link.href = pdfUrl ?? imageUrl;
  link.download = pdfUrl ? pdfName : pictureName;
  link.click();
}
