// Processes pictures in a child process. If a file crashes the decoder or fills its memory, only that
// process ends. It has a low priority, because the chat comes first.
import { fork, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { AppError } from '#contract/errors.ts';
import type { Log } from '../log.ts';
import type { ProcessedPicture } from './process-picture.ts';
import type { Made } from './picture-process.ts';

export interface PictureProcessor {
  /**
   * Processes one picture at a time. Other calls wait.
   *
   * @param signal ends the waiting; it does not interrupt work in progress
   * @throws {AppError} if the file is not a supported picture
   */
  make(file: Uint8Array, signal: AbortSignal): Promise<ProcessedPicture>;
  stop(): void;
}

const program = fileURLToPath(new URL('picture-process.ts', import.meta.url));
/** Decoding takes a few seconds at most. The limit allows for a machine that is busy with the chat. */
const maxMs = 120_000; // PIC-8
/** After this time without work, the process ends to free its memory. */
const idleMs = 30_000;

export function createPictureProcessor(log: Log): PictureProcessor {
  let child: ChildProcess | null = null;
  let idle: NodeJS.Timeout | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  function start(): ChildProcess {
    const started = fork(program, {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // The child gets no server settings, because they contain secrets. Fewer arenas return memory
      // sooner.
      env: { MALLOC_ARENA_MAX: '2' },
      execArgv: ['--max-old-space-size=128'],
    });
    started.on('error', () => started.kill('SIGKILL'));
    started.once('exit', () => {
      if (child === started) child = null;
    });
    try {
      setPriority(started.pid ?? 0, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // Not every operating system allows this.
    }
    return started;
  }

  function makeNow(file: Uint8Array): Promise<Made> {
    clearTimeout(idle);
    const maker = (child ??= start());
    return new Promise((resolve) => {
      const timer = setTimeout(() => end('image.too-slow'), maxMs);
      const died = () => end('image.maker-died');
      const done = (made: Made) => {
        clearTimeout(timer);
        maker.off('exit', died);
        resolve(made);
      };
      function end(event: 'image.too-slow' | 'image.maker-died'): void {
        maker.off('message', done);
        log.warn(event);
        maker.kill('SIGKILL');
        if (child === maker) child = null;
        done({ refused: 'IMAGE_BROKEN' });
      }
      maker.once('message', done);
      maker.once('exit', died);
      maker.send(file, (error) => error && died());
    });
  }

  return {
    async make(file, signal) {
      const own = turn.then(() => {
        if (signal.aborted) throw new AppError('INVALID');
        return makeNow(file);
      });
      turn = own
        .catch(() => {})
        .then(() => {
          idle = setTimeout(() => child?.kill(), idleMs).unref();
        });
      const made = await own;
      if ('refused' in made) throw new AppError(made.refused);
      return made.picture;
    },
    stop() {
      clearTimeout(idle);
      child?.kill('SIGKILL');
    },
  };
}
