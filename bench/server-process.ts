// Starts a server under test in its own process: Backchannel as `npm start` does, or any other program.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import packageJson from '../package.json' with { type: 'json' };
import { findFreePort } from '../scripts/find-free-port.ts';

export interface ServerProcess {
  /** More than one if the server has several nodes. */
  readonly pids: readonly number[];
  readonly port: number;
  readonly origin: string;
  /** Forgets the delays so far of a server that is monitored. */
  resetDelays(): void;
  measureDelays(): Promise<Delays>;
  stop(): Promise<void>;
}

export interface Delays {
  /** The longest delay of the event loop. */
  longestMs: number;
  /** The most CPU time between two turns of the event loop. */
  longestCpuMs: number;
}

export interface ServerOptions {
  /** Whether `measureDelays` works. */
  isMonitored?: boolean;
  environment?: Readonly<Record<string, string>>;
  port?: number;
}

const projectRoot = resolve(import.meta.dirname, '..');
const monitor = join(import.meta.dirname, 'event-loop-monitor.ts');
/** The start reads the members of all classes. */
const startTimeoutMs = 120_000;
const stopTimeoutMs = 15_000;

/**
 * Waits until the server is ready. Its errors are shown.
 *
 * @param program the arguments of Node.js
 */
export async function startServer(
  program: (port: number) => readonly string[],
  { isMonitored = false, environment = {}, port }: ServerOptions = {},
): Promise<ServerProcess> {
  const usedPort = port ?? (await findFreePort());
  const args = [...(isMonitored ? ['--import', monitor] : []), ...program(usedPort)];
  const child = spawn(process.execPath, args, {
    cwd: projectRoot,
    env: { PATH: process.env['PATH'], ...environment, PORT: String(usedPort) },
    stdio: ['ignore', 'ignore', 'inherit', ...(isMonitored ? ['ipc' as const] : [])],
  });
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const exit = once(child, 'exit');
  const origin = `http://localhost:${usedPort}`;
  const deadline = performance.now() + startTimeoutMs;
  while (!(await isReady(origin))) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.`);
    if (performance.now() > deadline) throw new Error('The server did not become ready.');
    await sleep(50);
  }
  return {
    pids: [child.pid!],
    port: usedPort,
    origin,
    resetDelays: () => void child.send('reset'),
    async measureDelays() {
      const reply = once(child, 'message');
      child.send('report');
      const [delays] = (await reply) as [Delays];
      return delays;
    },
    async stop() {
      process.off('exit', killAtExit);
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      await exit;
      clearTimeout(timer);
    },
  };
}

/** Starts Backchannel with the Node options of `npm start`, and with the cache of compiled files. */
export function startBackchannel(
  settings: Readonly<Record<string, string>>,
  { withWeb = false, ...options }: { withWeb?: boolean; isMonitored?: boolean; port?: number },
): Promise<ServerProcess> {
  const startArguments = packageJson.scripts.start.split(' ').slice(3);
  const cache = process.env['NODE_COMPILE_CACHE'] ?? '';
  return startServer(() => [...startArguments, ...(withWeb ? [] : ['--without-web'])], {
    ...options,
    environment: { NODE_COMPILE_CACHE: cache, ...settings },
  });
}

/** The other servers do not know the path, and are ready when they say so. */
async function isReady(origin: string): Promise<boolean> {
  const response = await fetch(`${origin}/readyz`).catch(() => null);
  return response !== null && response.status < 500;
}
