// The child process that processes one PDF for the server.
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { answerFiles } from '#server/base/file-worker.ts';
import { processPdf, type ProcessedPdf } from './process-pdf.ts';

export type PdfResult = { pdf: ProcessedPdf } | { rejected: ErrorCode };

new Worker(new URL('../../base/end-with-parent.ts', import.meta.url), {
  workerData: { parent: process.ppid },
}).unref();

answerFiles(async (file): Promise<PdfResult> => {
  try {
    return { pdf: await processPdf(file) };
  } catch (error) {
    return { rejected: error instanceof AppError ? error.code : 'INTERNAL' };
  }
});
