/** Discovery documents and sets of keys have a few kilobytes. */
const maxAnswerBytes = 1024 * 1024; // OIDC-9, LTI-4

/** Limits the length of the answer, because an endless answer that arrives fast does not reach the timeout. */
export async function fetchLimited(url: string, options: RequestInit): Promise<Response> {
  const { body, status, headers } = await fetch(url, options);
  return new Response(body && limitLength(body), { status, headers });
}

export function limitLength(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let length = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        length += chunk.length;
        if (length > maxAnswerBytes) throw new Error('The answer is too long.');
        controller.enqueue(chunk);
      },
    }),
  );
}
