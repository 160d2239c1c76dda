// Starts a server under test in its own process: Backchannel as `npm start` does, or any other program.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../scripts/find-free-port.ts';

export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  readonly origin: string;
  /** Has an IPC channel if the caller asked for it. */
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

export interface Program {
  /** Executable and arguments. */
  command(port: number): readonly string[];
  environment?: Readonly<Record<string, string>>;
  /** The default is a free port. */
  port?: number;
  withChannel?: boolean;
  isReady?(port: number): Promise<boolean>;
}

const projectRoot = resolve(import.meta.dirname, '..');
/** The start reads the members of all classes. */
const startTimeoutMs = 120_000;
const stopTimeoutMs = 15_000;

/** Waits until the server is ready. Its errors are shown. */
export async function startServer(program: Program): Promise<ServerProcess> {
  const port = program.port ?? (await findFreePort());
  const [executable, ...args] = program.command(port) as [string, ...string[]];
  const child = spawn(executable, args, {
    cwd: projectRoot,
    env: { PATH: process.env['PATH'], ...program.environment, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit', ...(program.withChannel ? ['ipc' as const] : [])],
  });
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const exit = new Promise<void>((done) => child.once('exit', () => done()));
  const isReady = program.isReady ?? canConnect;
  const deadline = performance.now() + startTimeoutMs;
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.`);
    if (performance.now() > deadline) throw new Error('The server did not become ready.');
    await sleep(50);
  }
  return {
    pid: child.pid!,
    port,
    origin: `http://localhost:${port}`,
    child,
    async stop() {
      process.off('exit', killAtExit);
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      await exit;
      clearTimeout(timer);
    },
  };
}

export interface BackchannelOptions {
  dataDir: string;
  port?: number;
  settings?: Readonly<Record<string, string>>;
  nodeOptions?: readonly string[];
  withChannel?: boolean;
  /** Whether the server also serves the web app, which must be built. */
  withWeb?: boolean;
}

/** Starts Backchannel with the Node options of `npm start`, and with the cache of compiled files. */
export function startBackchannel(options: BackchannelOptions): Promise<ServerProcess> {
  const { dataDir, port, settings, nodeOptions = [] } = options;
  const { withChannel = false, withWeb = false } = options;
  const startArguments = loadPackage(projectRoot).scripts!.start!.split(' ').slice(3);
  const webOption = withWeb ? [] : ['--without-web'];
  return startServer({
    command: () => [process.execPath, ...nodeOptions, ...startArguments, ...webOption],
    environment: {
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      DATA_DIR: dataDir,
      ...settings,
    },
    withChannel,
    ...(port !== undefined && { port }),
    async isReady(usedPort) {
      const response = await fetch(`http://localhost:${usedPort}/readyz`).catch(() => null);
      return response?.ok ?? false;
    },
  });
}

export function getBackchannelVersion(): string {
  return `Backchannel ${loadPackage(projectRoot).version}, Node ${process.versions.node}`;
}

/** The package.json of a folder. */
export function loadPackage(folder: string): { version: string; scripts?: { start?: string } } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ReturnType<
    typeof loadPackage
  >;
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => done(false));
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
  });
}
