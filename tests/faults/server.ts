// The server under test: the process that `npm start` runs, which may be killed, paused and started anew.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { liftedLimits } from '#server/limits/read-rates.ts';
import { startProcess, type ServerProcess } from '../app/server-process.ts';

export interface TestedServer {
  readonly origin: string;
  readonly dataDir: string;
  pid(): number;
  /** @param preload a file of ./preload, which runs inside the server before it */
  start(preload?: Preload): Promise<void>;
  /** Ends it as given and waits for the end. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when it has ended, by itself or not. */
  ended(): Promise<void>;
  /** What it uses now is what its growth is measured against. */
  markMemory(): void;
  /** Null where the system does not tell. */
  memory(): { before: number; peak: number } | null;
  output(): string;
}

export interface Preload {
  file: string;
  settings: Readonly<Record<string, string>>;
}

export function createTestedServer(dataDir: string, port: number): TestedServer {
  let running: ServerProcess | null = null;
  let memory: { before: number; peak: number } | null = null;

  const bytesNow = () => (running?.child.pid ? memoryOf(running.child.pid) : null);
  const sampling = setInterval(() => {
    const bytes = bytesNow();
    if (memory && bytes) memory.peak = Math.max(memory.peak, bytes);
  }, 200);
  sampling.unref();

  return {
    origin: `http://127.0.0.1:${port}`,
    dataDir,
    pid: () => running?.child.pid ?? 0,
    output: () => running?.output() ?? '',
    memory: () => memory,
    markMemory() {
      const bytes = bytesNow();
      memory = bytes ? { before: bytes, peak: bytes } : null;
    },
    async start(preload) {
      const server = startProcess('node', {
        PORT: String(port),
        DATA_DIR: dataDir,
        // What is looked for is what faults do: nobody is kept from writing as fast as he can.
        ...liftedLimits,
        ...preload?.settings,
        ...(preload ? { NODE_OPTIONS: `--import ${preloadUrl(preload.file)}` } : {}),
      });
      running = server;
      const endWithUs = () => server.child.kill('SIGKILL');
      process.once('exit', endWithUs);
      void server.ended.then(() => process.off('exit', endWithUs));
      await server.printed('data folder');
    },
    async end(signal) {
      running?.child.kill('SIGCONT');
      running?.child.kill(signal);
      await running?.ended;
    },
    signal: (signal) => running?.child.kill(signal),
    async ended() {
      await running?.ended;
    },
  };
}

function preloadUrl(file: string): string {
  return pathToFileURL(join(import.meta.dirname, 'preload', file)).href;
}

function memoryOf(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024 || null;
  } catch {
    return null;
  }
}
