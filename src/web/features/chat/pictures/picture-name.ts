/** How a picture is called where it is not seen. */
export function pictureName(alt: string): string {
  return alt ? `Picture: ${alt}` : 'Picture';
}
