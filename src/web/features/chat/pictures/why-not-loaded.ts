/** `gone`: the server has it no more. `failed`: it did not come, and may the next time. */
export type NotLoaded = 'gone' | 'failed';

/** A browser does not say why a picture could not be loaded: the server is asked. */
export async function whyNotLoaded(url: string): Promise<NotLoaded> {
  const answer = await fetch(url, { method: 'HEAD' }).catch(() => null);
  return answer?.status === 404 ? 'gone' : 'failed';
}
