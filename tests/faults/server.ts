// The server under test: the process of `npm start`. Tests can kill, pause and restart it.
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import { measureMemory } from '#tests/support/measure-memory.ts';
import { startProcess, type ServerProcess } from '#tests/support/server-process.ts';

export interface TestedServer {
  readonly origin: string;
  readonly dataDir: string;
  pid(): number;
  /** @param preload a file of ./preload, which runs in the server process first */
  start(preload?: Preload): Promise<void>;
  /** Sends the signal and waits for the exit. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when the process has exited, for any reason. */
  ended(): Promise<void>;
  /** Takes the current memory use as the baseline for growth. */
  markMemory(): void;
  /** Null if the system does not report it. */
  memory(): { bytesBefore: number; peak: number } | null;
  output(): string;
}

export interface Preload {
  file: string;
  settings: Readonly<Record<string, string>>;
}

/** @param settings by default all limits are lifted: the tests look for the effects of faults, not of limits */
export function createTestedServer(
  dataDir: string,
  port: number,
  settings: Readonly<Record<string, string>> = unlimitedRates,
  command: 'node' | 'node with web' = 'node',
): TestedServer {
  let currentProcess: ServerProcess | null = null;
  let memory: { bytesBefore: number; peak: number } | null = null;

  const measureCurrentMemory = () =>
    currentProcess?.child.pid ? measureMemory(currentProcess.child.pid) : null;
  const sampling = setInterval(() => {
    const bytes = measureCurrentMemory();
    if (memory && bytes) memory.peak = Math.max(memory.peak, bytes);
  }, 200);
  sampling.unref();

  return {
    origin: `http://127.0.0.1:${port}`,
    dataDir,
    pid: () => currentProcess?.child.pid ?? 0,
    output: () => currentProcess?.output() ?? '',
    memory: () => memory,
    markMemory() {
      const bytes = measureCurrentMemory();
      memory = bytes ? { bytesBefore: bytes, peak: bytes } : null;
    },
    async start(preload) {
      const server = startProcess(command, {
        PORT: String(port),
        DATA_DIR: dataDir,
        ...settings,
        ...preload?.settings,
        ...(preload ? { NODE_OPTIONS: `--import ${preloadUrl(preload.file)}` } : {}),
      });
      currentProcess = server;
      const endWithUs = () => server.child.kill('SIGKILL');
      process.once('exit', endWithUs);
      void server.ended.then(() => process.off('exit', endWithUs));
      await server.started();
    },
    async end(signal) {
      currentProcess?.child.kill('SIGCONT');
      currentProcess?.child.kill(signal);
      await currentProcess?.ended;
    },
    signal: (signal) => currentProcess?.child.kill(signal),
    async ended() {
      await currentProcess?.ended;
    },
  };
}

function preloadUrl(file: string): string {
  return pathToFileURL(join(import.meta.dirname, 'preload', file)).href;
}
