import { Refusal } from '#contract/errors.ts';

const longestMs = 120_000; // PIC-4

/**
 * Reads the whole body, chunk by chunk.
 *
 * @throws {Refusal} IMAGE_TOO_LARGE, and INVALID for one that does not arrive
 */
export async function receiveBody(
  request: Request,
  mostBytes: number,
  onChunk: (chunk: Uint8Array) => void,
): Promise<Uint8Array> {
  const body = new Uint8Array(mostBytes);
  let length = 0;
  const reader = request.body?.getReader();
  let tooLate = false;
  const timer = setTimeout(() => {
    tooLate = true;
    void reader?.cancel();
  }, longestMs);
  try {
    for (;;) {
      const { done, value } = await next(reader);
      if (tooLate) throw notArrived();
      if (done) return body.subarray(0, length);
      if (length + value.length > mostBytes) throw new Refusal('IMAGE_TOO_LARGE');
      body.set(value, length);
      length += value.length;
      onChunk(value);
    }
  } finally {
    clearTimeout(timer);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function next(reader: Reader | undefined): ReturnType<Reader['read']> {
  try {
    return (await reader?.read()) ?? { done: true, value: undefined };
  } catch {
    // The browser gave up, or lost its connection.
    throw notArrived();
  }
}

function notArrived(): Refusal {
  return new Refusal('INVALID', 'The picture did not arrive whole. Please try again.');
}
