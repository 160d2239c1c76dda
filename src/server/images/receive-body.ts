import { AppError } from '#contract/errors.ts';
import { blockBytes, type UploadPlace } from './upload-gate.ts';

const maxMs = 120_000; // PIC-4
const silenceMs = 10_000; // PIC-53

/**
 * Reads the whole body chunk by chunk, and asks for room as it grows.
 *
 * @throws {AppError} IMAGE_TOO_LARGE, INVALID if the body does not arrive, and TOO_MANY if the upload
 *   must make room for others
 */
export async function receiveBody(
  request: Request,
  maxBytes: number,
  place: Pick<UploadPlace, 'grow' | 'signal'>,
  onChunk: (chunk: Uint8Array) => void,
): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  const failing = new AbortController();
  const fail = (reason: unknown) => {
    failing.abort(reason);
    void reader?.cancel().catch(() => {});
  };
  const makeRoom = () => fail(place.signal.reason);
  const startSilence = () => setTimeout(() => fail(notArrived()), silenceMs);
  place.signal.addEventListener('abort', makeRoom, { once: true });
  const whole = setTimeout(() => fail(notArrived()), maxMs);
  let silence = startSilence();
  // Chunks are copied into blocks, because a chunk of one byte takes as much memory as one of hundreds.
  const blocks = [Buffer.allocUnsafeSlow(blockBytes)];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await next(reader);
      failing.signal.throwIfAborted();
      if (done) return Buffer.concat(blocks, length);
      if (length + value.length > maxBytes) throw new AppError('IMAGE_TOO_LARGE');
      silence.refresh();
      for (let from = 0; from < value.length;) {
        const free = blocks.length * blockBytes - length;
        const part = value.subarray(from, from + free);
        blocks.at(-1)?.set(part, blockBytes - free);
        [from, length] = [from + part.length, length + part.length];
        if (part.length < free) continue;
        // The timeout applies to the sender's silence, not to the time that the upload waits for room.
        clearTimeout(silence);
        await place.grow();
        failing.signal.throwIfAborted();
        blocks.push(Buffer.allocUnsafeSlow(blockBytes));
        silence = startSilence();
      }
      onChunk(value);
    }
  } finally {
    clearTimeout(whole);
    clearTimeout(silence);
    place.signal.removeEventListener('abort', makeRoom);
  }
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

async function next(reader: BodyReader | undefined): ReturnType<BodyReader['read']> {
  try {
    return (await reader?.read()) ?? { done: true, value: undefined };
  } catch {
    // The browser aborted the upload or lost its connection.
    throw notArrived();
  }
}

function notArrived(): AppError {
  return new AppError('INVALID', 'The picture did not arrive whole. Please try again.');
}
