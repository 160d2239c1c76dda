// Runs the Redis server that the system's packages installed, until the tests end. The server stores nothing on the disk.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from './find-free-port.ts';
import { findCommand } from './system-commands.ts';

export interface Redis {
  readonly url: string;
  readonly port: number;
  findPid(): number;
  /** Ends the server as a crash does. */
  kill(): Promise<void>;
  /** Starts the server again on the same port, without data. */
  start(): Promise<void>;
  /** Suspends the server: it accepts connections but answers nothing. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export const findRedis = () => findCommand('redis-server') ?? findCommand('valkey-server');

/** @param command the path that `findRedis` returned */
export async function startRedis(command: string): Promise<Redis> {
  const port = await findFreePort();
  const options = `--port ${port} --bind 127.0.0.1 --save  --appendonly no --loglevel warning`;
  let child: ChildProcess | null = null;
  const end = () => void child?.kill('SIGKILL');
  process.on('exit', end);

  async function start(): Promise<void> {
    child = spawn(command, options.split(' '), { cwd: tmpdir(), stdio: 'ignore' });
    while (!(await isListening(port))) await sleep(20);
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    findPid: () => child!.pid!,
    start,
    kill,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async stop() {
      process.off('exit', end);
      await kill();
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
