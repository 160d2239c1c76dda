import { AppError } from '#contract/errors.ts';
import { blockBytes, type UploadPlace } from './upload-gate.ts';

const maxMs = 120_000; // PIC-4
const silenceMs = 10_000; // PIC-53

/**
 * Reads the whole body, chunk by chunk, into the room that it is given.
 *
 * @throws {AppError} IMAGE_TOO_LARGE, INVALID for one that does not arrive, and TOO_MANY for one that has
 *   to make room for others
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
  // Copied, because a chunk of one byte takes as much memory as one of hundreds.
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
        // Only the sender's own silence counts, and not the time that is waited for room.
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

type Database = ReadableStreamDefaultReader<Uint8Array>;

async function next(reader: Database | undefined): ReturnType<Database['read']> {
  try {
    return (await reader?.read()) ?? { done: true, value: undefined };
  } catch {
    // The browser gave up, or lost its connection.
    throw notArrived();
  }
}

function notArrived(): AppError {
  return new AppError('INVALID', 'The picture did not arrive whole. Please try again.');
}
