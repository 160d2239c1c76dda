// Processes pictures in a child process, one at a time.
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError } from '#contract/errors.ts';
import { askFileWorker, forkFileWorker, type FileSandbox } from '#server/base/file-worker.ts';
import type { Log } from '#server/base/log.ts';
import { createDecodingTurns, type DecodingTime } from './decoding-turns.ts';
import type { ProcessedPicture } from './process-picture.ts';
import type { ProcessResult } from './picture-worker.ts';

export interface PictureProcessor {
  /**
   * Processes one picture at a time. Other calls wait.
   *
   * @param signal ends the waiting; it does not interrupt work in progress
   * @throws {AppError} TOO_MANY if too many pictures are waiting; otherwise the file is not a supported picture
   */
  process(accountId: string, file: Uint8Array, signal: AbortSignal): Promise<ProcessedPicture>;
  stop(): void;
}

const program = fileURLToPath(new URL('picture-worker.ts', import.meta.url));
/**
 * The worker ends after 20 seconds of processor time (PIC-88). This limit allows for a machine that is busy with the chat.
 */
const timeoutMs = 120_000; // PIC-8
/** After this time without work, the process ends to free its memory. */
const idleMs = 30_000;
/** The same number as uploads that wait for memory (PIC-9). */
const maxWaiting = 1000;
/** A browser that has waited longer has most likely given up. */
const maxWaitMs = 10 * 60_000;

interface Dependencies {
  log: Log;
  sandbox: Promise<FileSandbox>;
  decodingTime: DecodingTime;
  /** Called if the child process ended or took too long. */
  onFailed?: () => void;
}

export function createPictureProcessor({
  log,
  sandbox,
  decodingTime,
  onFailed = () => {},
}: Dependencies): PictureProcessor {
  let child: ChildProcess | null = null;
  let idleTimer: NodeJS.Timeout | undefined;
  const turns = createDecodingTurns({
    decodingTime,
    maxWaiting,
    timeoutMs: maxWaitMs,
    busyCode: 'TOO_MANY',
  });

  function start(foundSandbox: FileSandbox): ChildProcess {
    const startedChild = forkFileWorker(program, ['--max-old-space-size=128'], foundSandbox);
    startedChild.once('exit', () => {
      if (child === startedChild) child = null;
    });
    return startedChild;
  }

  /** Forgets the process before it ends: a picture that arrives meanwhile gets a new one. */
  function endIdle(): void {
    child?.kill();
    child = null;
  }

  async function runChild(file: Uint8Array, signal: AbortSignal): Promise<ProcessResult> {
    clearTimeout(idleTimer);
    const foundSandbox = await sandbox;
    if (signal.aborted) throw new AppError('INVALID');
    const worker = (child ??= start(foundSandbox));
    const answer = await askFileWorker<ProcessResult>(worker, file, timeoutMs);
    if (typeof answer === 'object') return answer;
    log.warn(`image.${answer}`);
    onFailed();
    if (child === worker) child = null;
    return { rejected: 'IMAGE_BROKEN' };
  }

  return {
    async process(accountId, file, signal) {
      const result = await turns.run(accountId, () =>
        runChild(file, signal).finally(() => {
          idleTimer = setTimeout(endIdle, idleMs).unref();
        }),
      );
      if ('rejected' in result) throw new AppError(result.rejected);
      return result.picture;
    },
    stop() {
      clearTimeout(idleTimer);
      child?.kill('SIGKILL');
    },
  };
}
