// Child processes that decode uploaded files. If a file crashes a decoder or fills its memory, only that
// process ends.
import { fork, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/** Why there is no result. */
export type WorkerFailure = 'too-slow' | 'process-died';

/** What keeps the child away from everything but its file. */
export interface FileSandbox {
  kind: 'bubblewrap' | 'landlock' | 'none';
  /** A command that runs the command after it. */
  launcher: readonly string[];
}

/** Node.js itself needs 0.7, and a picture of 40 megapixels 0.8 at most. */
const maxDataKilobytes = 2 * 1024 * 1024; // PIC-8

/**
 * A file that needs more memory ends its process, and if memory runs out, Linux ends this process and not the server. Its
 * memory, which holds the file of a member, is never written to a core dump.
 */
const limitsOfLinux = [
  '/bin/sh',
  '-c',
  `ulimit -c 0; ulimit -d ${maxDataKilobytes}; echo 1000 >/proc/self/oom_score_adj; exec "$@"`,
  'sh',
];

export const noSandbox: FileSandbox = {
  kind: 'none',
  launcher: process.platform === 'linux' ? limitsOfLinux : [],
};

/** @param execArgv the options of Node.js */
export function forkFileWorker(
  program: string,
  execArgv: readonly string[],
  sandbox: FileSandbox,
): ChildProcess {
  const command = [...sandbox.launcher, process.execPath, ...execArgv];
  const worker = fork(program, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // The child gets no server settings, because they contain secrets. Fewer arenas return memory
    // sooner.
    env: { MALLOC_ARENA_MAX: '2' },
    execPath: command[0],
    execArgv: command.slice(1),
  });
  worker.on('error', () => worker.kill('SIGKILL'));
  return worker;
}

/** Sends one file. Resolves to the result, or kills the worker and resolves to the failure. */
export function askFileWorker<Answer extends object>(
  worker: ChildProcess,
  file: Uint8Array,
  timeoutMs: number,
): Promise<Answer | WorkerFailure> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => fail('too-slow'), timeoutMs);
    const onExit = (code: number | null, signal: string | null) => {
      const hasUsedUpTime = signal === timeSignal || code === codeOfTimeSignal;
      fail(hasUsedUpTime ? 'too-slow' : 'process-died');
    };
    const finish = (answer: Answer | WorkerFailure) => {
      clearTimeout(timer);
      worker.off('message', finish);
      worker.off('exit', onExit);
      resolve(answer);
    };
    function fail(failure: WorkerFailure): void {
      worker.kill('SIGKILL');
      finish(failure);
    }
    worker.once('message', finish);
    worker.once('exit', onExit);
    worker.send(file, (error) => error && fail('process-died'));
  });
}

/** The signal with which Unix ends a process that has used up its processor time. */
const timeSignal = 'SIGXCPU';
/** What bubblewrap exits with after this signal. */
const codeOfTimeSignal = 128 + constants.signals[timeSignal];
const timeCheckIntervalMs = 250;

/**
 * The child's side: processes each file that the server sends, with a low priority, because the chat comes first.
 *
 * @param maxProcessorMs of each file; the decoder must leave the main thread free
 */
export function answerFiles(
  run: (file: Uint8Array) => Promise<object>,
  maxProcessorMs = Infinity,
): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not every operating system allows this.
  }
  process.on('message', (file: Uint8Array) => {
    const timer = startTimeCheck(maxProcessorMs);
    void run(file).then((answer) => {
      clearInterval(timer);
      process.send?.(answer);
    });
  });
  // The server has ended, so this process is no longer needed.
  process.on('disconnect', () => process.exit());
}

/** Bounds the time of each file. `ulimit -t` would count all files of a process together. */
function startTimeCheck(maxProcessorMs: number): NodeJS.Timeout {
  const usedBefore = process.cpuUsage();
  return setInterval(() => {
    const { user, system } = process.cpuUsage(usedBefore);
    // An exit would wait for the decoder.
    if ((user + system) / 1000 > maxProcessorMs) process.kill(process.pid, timeSignal);
  }, timeCheckIntervalMs);
}
