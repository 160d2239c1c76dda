// The program that makes pictures, one after the other, for the server that started it.
import { writeFileSync } from 'node:fs';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { processPicture, type ProcessedPicture } from './process-picture.ts';

// Where memory runs out, Linux ends this and not the server.
try {
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Another system.
}

export type Made = { picture: ProcessedPicture } | { refused: ErrorCode };

process.on('message', (file: Uint8Array) => {
  void make(file).then((made) => process.send?.(made));
});
// The server is gone, in whatever way: nobody is left to make a picture for.
process.on('disconnect', () => process.exit());

async function make(file: Uint8Array): Promise<Made> {
  try {
    return { picture: await processPicture(file) };
  } catch (error) {
    return { refused: error instanceof AppError ? error.code : 'INTERNAL' };
  }
}
