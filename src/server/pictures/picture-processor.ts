// Processes pictures in a child process, one at a time.
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError } from '#contract/errors.ts';
import { askFileWorker, forkFileWorker, type FileSandbox } from '#server/base/file-worker.ts';
import type { Log } from '#server/base/log.ts';
import type { ProcessedPicture } from './process-picture.ts';
import type { ProcessResult } from './picture-worker.ts';

export interface PictureProcessor {
  /**
   * Processes one picture at a time. Other calls wait.
   *
   * @param signal ends the waiting; it does not interrupt work in progress
   * @throws {AppError} if the file is not a supported picture
   */
  process(file: Uint8Array, signal: AbortSignal): Promise<ProcessedPicture>;
  stop(): void;
}

const program = fileURLToPath(new URL('picture-worker.ts', import.meta.url));
/** Decoding takes a few seconds at most. The limit allows for a machine that is busy with the chat. */
const timeoutMs = 120_000; // PIC-8
/** After this time without work, the process ends to free its memory. */
const idleMs = 30_000;

/** @param onFailed called if the child process ended or took too long */
export function createPictureProcessor(
  log: Log,
  sandbox: Promise<FileSandbox>,
  onFailed: () => void = () => {},
): PictureProcessor {
  let child: ChildProcess | null = null;
  let idleTimer: NodeJS.Timeout | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  function start(foundSandbox: FileSandbox): ChildProcess {
    const started = forkFileWorker(program, ['--max-old-space-size=128'], foundSandbox);
    started.once('exit', () => {
      if (child === started) child = null;
    });
    return started;
  }

  /** Forgets the process before it ends: a picture that arrives meanwhile gets a new one. */
  function endIdle(): void {
    child?.kill();
    child = null;
  }

  async function runChild(file: Uint8Array): Promise<ProcessResult> {
    clearTimeout(idleTimer);
    const foundSandbox = await sandbox;
    const worker = (child ??= start(foundSandbox));
    const answer = await askFileWorker<ProcessResult>(worker, file, timeoutMs);
    if (typeof answer === 'object') return answer;
    log.warn(`image.${answer}`);
    onFailed();
    if (child === worker) child = null;
    return { refused: 'IMAGE_BROKEN' };
  }

  return {
    async process(file, signal) {
      const job = queue.then(() => {
        if (signal.aborted) throw new AppError('INVALID');
        return runChild(file);
      });
      queue = job
        .catch(() => {})
        .then(() => {
          // A job that was aborted while it waited has not cleared the timer of the one before.
          clearTimeout(idleTimer);
          idleTimer = setTimeout(endIdle, idleMs).unref();
        });
      const result = await job;
      if ('refused' in result) throw new AppError(result.refused);
      return result.picture;
    },
    stop() {
      clearTimeout(idleTimer);
      child?.kill('SIGKILL');
    },
  };
}
