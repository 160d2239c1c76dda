/** Discovery documents and sets of keys have a few kilobytes. */
const maxAnswerBytes = 1024 * 1024; // OIDC-9, LTI-4

/** Limits the length of an answer, because an endless answer that arrives fast does not reach the timeout. */
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
