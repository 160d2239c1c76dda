/** The accessible name of a picture. */
export function pictureName(alt: string): string {
  return alt ? `Picture: ${alt}` : 'Picture';
}

/** A neutral file name that does not reveal the server's id of the picture. */
const fileName = 'picture.webp';

export function savePicture(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
}
