// A write to a connection past Node's streams, which make it a tenth dearer (decision 10).
import { writeSync } from 'node:fs';
import type { Duplex } from 'node:stream';

/** What is below a socket. Node does not document it: without it, all is left to the stream. */
interface Connected {
  readonly _handle?: { readonly fd?: number } | null;
}

/** Writes what the kernel takes at once, and leaves the rest, and every failure, to the stream. */
export function writeNow(stream: Duplex, bytes: Buffer): void {
  const taken = stream.writableLength === 0 ? takenPerBatch(stream as Connected, bytes) : 0;
  if (taken < bytes.length) stream.write(taken === 0 ? bytes : bytes.subarray(taken));
}

function takenPerBatch({ _handle }: Connected, bytes: Buffer): number {
  const fd = _handle?.fd;
  if (fd === undefined || fd < 0) return 0;
  try {
    return writeSync(fd, bytes);
  } catch {
    return 0;
  }
}
