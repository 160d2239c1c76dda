/** How a picture is called where it is not seen. */
export function pictureName(alt: string): string {
  return alt ? `Picture: ${alt}` : 'Picture';
}

/** Under a name that says nothing: not even the one by which the server knows it. */
const fileName = 'picture.webp';

export function savePicture(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
}
