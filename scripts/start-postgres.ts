// Runs the PostgreSQL server that the system's packages installed, in a temporary folder and until the tests end.
import { spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findFreePort } from './find-free-port.ts';
import { findCommand } from './system-commands.ts';

export interface Postgres {
  /** The connection URL of the server. Its only user is a superuser. */
  readonly url: string;
  /** Finds its main process. */
  findPid(): number;
  /** Breaks every connection, as a crash does, and restarts on the same port and data. */
  restart(): Promise<void>;
  /** Ends the server as a crash does. */
  kill(): Promise<void>;
  /** Starts the server again on the same port and data. */
  start(): Promise<void>;
  /** Suspends all processes of the server: it accepts connections but answers nothing. Works only on Linux. */
  pause(): void;
  resume(): void;
  /** Stops the server and removes its folder. */
  stop(): void;
}

/**
 * A file system in memory, where fsync takes no time. PostgreSQL cannot run with `fsync=off` instead, because Backchannel rejects
 * such a database.
 */
const memoryFolder = '/dev/shm';
const neededBytes = 2 * 1024 ** 3;
/** The second keeps the log of the last moments, which tests read, from other tests' checkpoints. */
const logOptions = '-c max_wal_size=256MB -c wal_keep_size=128MB';
const debianFolder = '/usr/lib/postgresql';

/** Finds the folder of the PostgreSQL commands: Debian's newest version, or else the folder that PATH names. */
export function findPostgres(): string | undefined {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : [];
  const folders = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(debianFolder, version, 'bin'));
  const command = findCommand('initdb');
  if (command) folders.push(dirname(command));
  return folders.find((folder) =>
    ['initdb', 'pg_ctl', 'postgres'].every((name) => existsSync(join(folder, name))),
  );
}

function findFastestFolder(): string {
  if (!existsSync(memoryFolder)) return tmpdir();
  const { bavail, bsize } = statfsSync(memoryFolder);
  return bavail * bsize > neededBytes ? memoryFolder : tmpdir();
}

/** @param commandFolder the folder that `findPostgres` returned */
export async function startPostgres(commandFolder: string): Promise<Postgres> {
  const folder = mkdtempSync(join(findFastestFolder(), 'backchannel-postgres-'));
  const data = join(folder, 'data');
  const logFile = join(folder, 'log');
  const pidFile = join(data, 'postmaster.pid');
  const user = findUnprivilegedUser();
  const spawnOptions = { ...user, cwd: folder, stdio: 'ignore' } as const;
  if (user) chownSync(folder, user.uid, user.gid);
  const control = [join(commandFolder, 'pg_ctl'), '--pgdata', data, '--wait', '--silent'];

  function stop(): void {
    process.off('exit', stop);
    for (const signal of signals) process.off(signal, leave);
    if (existsSync(pidFile)) {
      resume();
      const [command = '', ...args] = control;
      spawnSync(command, [...args, '--mode', 'immediate', 'stop'], spawnOptions);
    }
    rmSync(folder, { recursive: true, force: true });
  }

  function leave(): never {
    stop();
    process.exit(130);
  }

  async function run(...[command = '', ...args]: string[]): Promise<void> {
    const child = spawn(command, args, spawnOptions);
    const code = await new Promise((resolve) => {
      child.on('error', resolve).on('exit', resolve);
    });
    if (code === 0) return;
    const log = existsSync(logFile) ? readFileSync(logFile, 'utf8') : '';
    throw new Error(`${command} failed (${String(code)}).\n${log}`);
  }

  const findPid = () => Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  const suspended = new Set<number>();

  function pause(): void {
    // The main process is suspended first, so that it starts no other process meanwhile.
    const main = findPid();
    process.kill(main, 'SIGSTOP');
    suspended.add(main);
    const children = readFileSync(`/proc/${main}/task/${main}/children`, 'utf8');
    for (const child of children.split(' ').filter(Boolean).map(Number)) {
      process.kill(child, 'SIGSTOP');
      suspended.add(child);
    }
  }

  function resume(): void {
    for (const pid of suspended) process.kill(pid, 'SIGCONT');
    suspended.clear();
  }

  process.on('exit', stop);
  for (const signal of signals) process.on(signal, leave);
  try {
    const initdb = [join(commandFolder, 'initdb'), '--pgdata', data, '--username', 'tests'];
    await run(...initdb, '--auth', 'trust', '--encoding', 'UTF8', '--no-locale', '--no-sync');
    const port = await findFreePort();
    // Without a Unix socket, only loopback connections are possible.
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=300 ${logOptions}`;
    const start = () => run(...control, '--log', logFile, '--options', options, 'start');
    await start();
    return {
      url: `postgres://tests@127.0.0.1:${port}/postgres`,
      findPid,
      restart: () => run(...control, '--log', logFile, '--mode', 'immediate', 'restart'),
      kill: () => run(...control, '--mode', 'immediate', 'stop'),
      start,
      pause,
      resume,
      stop,
    };
  } catch (error) {
    stop();
    throw error;
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** PostgreSQL cannot run as root, so root starts it as the user that the package of PostgreSQL created. */
function findUnprivilegedUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { stdout } = spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' });
    return Number.parseInt(stdout, 10);
  });
  if (!uid || !gid) throw new Error('There is no user "postgres" to run PostgreSQL as.');
  return { uid, gid };
}
