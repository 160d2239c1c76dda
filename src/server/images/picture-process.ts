// The child process that processes pictures for the server, one after the other.
import { writeFileSync } from 'node:fs';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { processPicture, type ProcessedPicture } from './process-picture.ts';

// If memory runs out, Linux kills this process and not the server.
try {
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Other systems do not have this file.
}

export type Made = { picture: ProcessedPicture } | { refused: ErrorCode };

process.on('message', (file: Uint8Array) => {
  void make(file).then((made) => process.send?.(made));
});
// The server has ended, so this process is no longer needed.
process.on('disconnect', () => process.exit());

async function make(file: Uint8Array): Promise<Made> {
  try {
    return { picture: await processPicture(file) };
  } catch (error) {
    return { refused: error instanceof AppError ? error.code : 'INTERNAL' };
  }
}
