// The child process that processes pictures for the server, one after the other.
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { answerFiles } from '#server/base/file-worker.ts';
import { processPicture, type ProcessedPicture } from './process-picture.ts';

export type ProcessResult = { picture: ProcessedPicture } | { rejected: ErrorCode };

/** The limit on processor time. An animation of 300 frames needs five seconds. */
const maxProcessorMs = 20_000; // PIC-8

answerFiles(async (file): Promise<ProcessResult> => {
  try {
    return { picture: await processPicture(file) };
  } catch (error) {
    return { rejected: error instanceof AppError ? error.code : 'INTERNAL' };
  }
}, maxProcessorMs);
