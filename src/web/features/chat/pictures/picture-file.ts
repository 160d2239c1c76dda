/** How a picture is called where it is not seen. */
export function pictureName(alt: string): string {
  return alt ? `Picture: ${alt}` : 'Picture';
}

/** `gone`: the server has it no more. `failed`: it did not come, and may the next time. */
export type LoadFailure = 'gone' | 'failed';

/** A browser does not say why a picture could not be loaded: the server is asked. */
export async function findLoadFailure(url: string): Promise<LoadFailure> {
  const answer = await fetch(url, { method: 'HEAD' }).catch(() => null);
  return answer?.status === 404 ? 'gone' : 'failed';
}

/** Under a name that says nothing: not even the one by which the server knows it. */
const fileName = 'picture.webp';

export function savePicture(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
}
