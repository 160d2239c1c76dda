import { AppError } from '#contract/errors.ts';
import { blockBytes, type UploadPermit } from './upload-limiter.ts';

const timeoutMs = 120_000; // PIC-9
const idleTimeoutMs = 10_000; // PIC-9

/**
 * Reads the body in chunks, and waits for room in memory as it grows.
 *
 * @throws {AppError} IMAGE_TOO_LARGE, INVALID if the body does not arrive, and TOO_MANY if the upload
 *   must make room for others
 */
export async function receiveBody(
  request: Request,
  maxBytes: number,
  permit: Pick<UploadPermit, 'grow' | 'signal'>,
  onChunk: (chunk: Uint8Array) => void,
): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  const failure = new AbortController();
  const fail = (reason: unknown) => {
    failure.abort(reason);
    void reader?.cancel().catch(() => {});
  };
  const onAbort = () => fail(permit.signal.reason);
  const startIdleTimer = () => setTimeout(() => fail(createNotArrivedError()), idleTimeoutMs);
  permit.signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => fail(createNotArrivedError()), timeoutMs);
  let idleTimer = startIdleTimer();
  // Chunks are copied into blocks, because a chunk of one byte takes as much memory as one of hundreds.
  const blocks = [Buffer.allocUnsafeSlow(blockBytes)];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await receiveChunk(reader);
      failure.signal.throwIfAborted();
      if (done) return Buffer.concat(blocks, length);
      if (length + value.length > maxBytes) throw new AppError('IMAGE_TOO_LARGE');
      idleTimer.refresh();
      for (let from = 0; from < value.length;) {
        const free = blocks.length * blockBytes - length;
        const part = value.subarray(from, from + free);
        blocks.at(-1)?.set(part, blockBytes - free);
        [from, length] = [from + part.length, length + part.length];
        if (part.length < free) continue;
        // The timeout applies to the sender's silence, not to the time that the upload waits for room.
        clearTimeout(idleTimer);
        await permit.grow();
        failure.signal.throwIfAborted();
        blocks.push(Buffer.allocUnsafeSlow(blockBytes));
        idleTimer = startIdleTimer();
      }
      onChunk(value);
    }
  } finally {
    clearTimeout(timer);
    clearTimeout(idleTimer);
    permit.signal.removeEventListener('abort', onAbort);
  }
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

async function receiveChunk(reader: BodyReader | undefined): ReturnType<BodyReader['read']> {
  try {
    return (await reader?.read()) ?? { done: true, value: undefined };
  } catch {
    // The browser aborted the upload or lost its connection.
    throw createNotArrivedError();
  }
}

function createNotArrivedError(): AppError {
  return new AppError('UPLOAD_INCOMPLETE');
}
