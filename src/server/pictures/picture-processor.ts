// Processes pictures in a child process, one at a time.
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError } from '#contract/errors.ts';
import {
  askFileWorker,
  forkFileWorker,
  type FileSandbox,
  type WorkerFailure,
} from '#server/base/file-worker.ts';
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
 * The worker ends after 20 seconds of processor time (PIC-8). This limit allows for a machine that is busy with the chat.
 */
const timeoutMs = 120_000; // PIC-8
/** After this time without work, the process ends to free its memory. */
const idleMs = 30_000;
/** The same number as uploads that wait for memory (PIC-9). */
const maxWaiting = 1000;
/** A browser that has waited longer has most likely given up. */
const maxWaitMs = 10 * 60_000;

/** A child process that runs only while there are pictures. It processes one at a time. */
export class PictureProcess {
  readonly #sandbox: Promise<FileSandbox>;
  #child: ChildProcess | null = null;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(sandbox: Promise<FileSandbox>) {
    this.#sandbox = sandbox;
  }

  /** @throws {AppError} INVALID if the signal is aborted before the work begins */
  async run(file: Uint8Array, signal: AbortSignal): Promise<ProcessResult | WorkerFailure> {
    clearTimeout(this.#idleTimer);
    try {
      const sandbox = await this.#sandbox;
      if (signal.aborted) throw new AppError('INVALID');
      const child = (this.#child ??= this.#start(sandbox));
      const answer = await askFileWorker<ProcessResult>(child, file, timeoutMs);
      if (typeof answer === 'string' && this.#child === child) this.#child = null;
      return answer;
    } finally {
      this.#idleTimer = setTimeout(() => this.#endIdle(), idleMs).unref();
    }
  }

  stop(): void {
    clearTimeout(this.#idleTimer);
    this.#child?.kill('SIGKILL');
  }

  #start(sandbox: FileSandbox): ChildProcess {
    const child = forkFileWorker(program, ['--max-old-space-size=128'], sandbox);
    child.once('exit', () => {
      if (this.#child === child) this.#child = null;
    });
    return child;
  }

  /** Forgets the process before it ends: a picture that arrives meanwhile gets a new one. */
  #endIdle(): void {
    this.#child?.kill();
    this.#child = null;
  }
}

/** @param onFailed called if the child process ended or took too long */
export function createPictureProcessor(
  log: Log,
  process: PictureProcess,
  decodingTime: DecodingTime,
  onFailed: () => void = () => {},
): PictureProcessor {
  const turns = createDecodingTurns({
    decodingTime,
    maxWaiting,
    timeoutMs: maxWaitMs,
    busyCode: 'TOO_MANY',
  });
  return {
    async process(accountId, file, signal) {
      const result = await turns.run(accountId, () => process.run(file, signal));
      if (typeof result === 'string') {
        log.warn(`image.${result}`);
        onFailed();
        throw new AppError('IMAGE_BROKEN');
      }
      if ('rejected' in result) throw new AppError(result.rejected);
      return result.picture;
    },
    stop: () => process.stop(),
  };
}
