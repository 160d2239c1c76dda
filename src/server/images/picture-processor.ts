// Makes pictures in a process of its own, so that a file that breaks or fills its decoder ends that
// process and not the server. It has a low priority: the chat comes first.
import { fork, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { AppError } from '#contract/errors.ts';
import type { Log } from '../log.ts';
import type { ProcessedPicture } from './process-picture.ts';
import type { Made } from './picture-process.ts';

export interface PictureProcessor {
  /**
   * One at a time: the others wait.
   *
   * @param signal ends the waiting; what has begun is not interrupted
   * @throws {AppError} of an uploaded file that is no picture of ours
   */
  make(file: Uint8Array, signal: AbortSignal): Promise<ProcessedPicture>;
  stop(): void;
}

const program = fileURLToPath(new URL('picture-process.ts', import.meta.url));
/** Of decoders that are at most seconds at work: on a machine that is busy with the chat, too. */
const maxMs = 120_000; // PIC-8
/** Without work it ends, and its memory is free. */
const idleMs = 30_000;

export function createPictureProcessor(log: Log): PictureProcessor {
  let child: ChildProcess | null = null;
  let idle: NodeJS.Timeout | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  function start(): ChildProcess {
    const started = fork(program, {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Nothing of the server's own: its settings hold secrets. Fewer arenas give memory back sooner.
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
      // Not every system lets us.
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
