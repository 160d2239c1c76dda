// Writes directly to a socket's file descriptor. Node's streams make a write a tenth more expensive
// (decision 10).
import { writeSync } from 'node:fs';
import type { Duplex } from 'node:stream';

/** Node's undocumented handle below a socket. If it is missing, the stream writes everything. */
interface Connected {
  readonly _handle?: { readonly fd?: number } | null;
}

/** Writes what the kernel accepts immediately. The stream handles the rest and every failure. */
export function writeNow(stream: Duplex, bytes: Buffer): void {
  const taken = stream.writableLength === 0 ? bytesWrittenNow(stream as Connected, bytes) : 0;
  if (taken < bytes.length) stream.write(taken === 0 ? bytes : bytes.subarray(taken));
}

function bytesWrittenNow({ _handle }: Connected, bytes: Buffer): number {
  const fd = _handle?.fd;
  if (fd === undefined || fd < 0) return 0;
  try {
    return writeSync(fd, bytes);
  } catch {
    return 0;
  }
}
