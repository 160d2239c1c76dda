// Processes PDFs in child processes, one at a time. Each PDF gets a new process, so that a file that takes
// over the renderer cannot reach the next one.
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError } from '#contract/errors.ts';
import { askFileWorker, forkFileWorker, type FileSandbox } from '#server/base/file-worker.ts';
import type { Log } from '#server/base/log.ts';
import { createDecodingTurns, type DecodingTime } from '../decoding-turns.ts';
import type { PdfResult } from './pdf-worker.ts';
import type { ProcessedPdf } from './process-pdf.ts';

export interface PdfProcessor {
  /**
   * Processes one PDF at a time. Other calls wait.
   *
   * @param signal ends the waiting and the work
   * @throws {AppError} PDF_BUSY if too many PDFs are waiting; otherwise the file is not a PDF that the server can show
   */
  process(accountId: string, file: Uint8Array, signal: AbortSignal): Promise<ProcessedPdf>;
  stop(): void;
}

const program = fileURLToPath(new URL('pdf-worker.ts', import.meta.url));
const timeoutMs = 120_000; // PDF-9
/** MuPDF's memory, in pages of 64 KiB: 512 MB. */
const wasmPages = 8192; // PDF-9
/** The maximum number of PDFs that wait. The files of more PDFs would take the memory that uploads of pictures need (PIC-9). */
const maxWaiting = 2; // PDF-22

/** @param onFailed called if the child process ended or took too long */
export function createPdfProcessor(
  log: Log,
  sandbox: Promise<FileSandbox>,
  decodingTime: DecodingTime,
  onFailed: () => void = () => {},
): PdfProcessor {
  let worker: ChildProcess | null = null;
  const turns = createDecodingTurns({
    decodingTime,
    maxWaiting,
    timeoutMs: maxWaiting * timeoutMs,
    busyCode: 'PDF_BUSY',
  });

  async function run(file: Uint8Array, signal: AbortSignal): Promise<ProcessedPdf> {
    const foundSandbox = await sandbox;
    if (signal.aborted) throw new AppError('INVALID');
    const options = ['--max-old-space-size=128', `--wasm-max-mem-pages=${wasmPages}`];
    const process = forkFileWorker(program, options, foundSandbox);
    worker = process;
    const stop = () => process.kill('SIGKILL');
    signal.addEventListener('abort', stop, { once: true });
    const answer = await askFileWorker<PdfResult>(process, file, timeoutMs);
    signal.removeEventListener('abort', stop);
    stop();
    if (signal.aborted) throw new AppError('INVALID');
    if (typeof answer === 'string') {
      log.warn(`pdf.${answer}`);
      onFailed();
      throw new AppError('PDF_TOO_COMPLEX');
    }
    if ('rejected' in answer) throw new AppError(answer.rejected);
    return answer.pdf;
  }

  return {
    process(accountId, file, signal) {
      return turns.run(accountId, () => run(file, signal));
    },
    stop() {
      worker?.kill('SIGKILL');
    },
  };
}
