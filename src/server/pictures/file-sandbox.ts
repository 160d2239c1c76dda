// Runs the processes that decode uploaded files in a sandbox, without access to the data, the server key and the server's
// memory: an attacker who exploits a decoder must not learn who wrote which message. Decision 90.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listCommandFolders } from '#server/config/config.ts';
import {
  askFileWorker,
  forkFileWorker,
  noSandbox,
  type FileSandbox,
} from '#server/base/file-worker.ts';
import type { ProcessResult } from './picture-worker.ts';
import type { Log } from '#server/base/log.ts';

const trialProgram = fileURLToPath(new URL('picture-worker.ts', import.meta.url));
const programFolder = fileURLToPath(new URL('../../..', import.meta.url));

/** The paths that a decoder may read: Node.js, the program, shared libraries, and fonts for the logos of schools. */
const readablePaths = [
  process.execPath,
  ...['src', 'node_modules', 'package.json'].map((name) => `${programFolder}${name}`),
  ...['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache'],
  // Node.js exits if it is not allowed to open this file.
  '/etc/ssl/openssl.cnf',
  ...['/etc/fonts', '/usr/share/fonts'],
];

/** A decoder that is busy does not notice that the server is gone. */
const endWithParent = ['--pdeathsig', 'KILL'];

/** Omits `--proc`, which containers and systemd can forbid, and which Node.js does not need. */
const createBubblewrapArguments = (paths: readonly string[]) => [
  ...['user', 'pid', 'net'].map((namespace) => `--unshare-${namespace}`),
  ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
  ...paths.flatMap((path) => ['--ro-bind', path, path]),
  ...['--remount-ro', '/', '--chdir', '/', '--'],
];

/**
 * Landlock also protects the memory and the environment of processes outside the sandbox. It does not restrict network access and
 * signals.
 */
const createLandlockArguments = (paths: readonly string[]) => [
  ...endWithParent,
  ...['--no-new-privs', '--landlock-access', 'fs'],
  ...paths.flatMap((path) => {
    const rights = statSync(path).isDirectory()
      ? 'execute,read-file,read-dir'
      : 'execute,read-file';
    return ['--landlock-rule', `path-beneath:${rights}:${path}`];
  }),
  '--',
];

const kinds = [
  { kind: 'bubblewrap', command: 'bwrap', toOptions: createBubblewrapArguments },
  { kind: 'landlock', command: 'setpriv', toOptions: createLandlockArguments },
  { kind: 'none', command: 'setpriv', toOptions: () => [...endWithParent, '--'] },
] as const;

/** A PNG of one pixel. */
const smallestPicture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** The limit is generous, because the machine may be starting many programs at the same time. */
const trialMs = 60_000;

/**
 * Finds the first kind of sandbox in which a picture can be decoded. Each kind is tried, because the system can forbid a sandbox
 * that is installed.
 */
export async function findFileSandbox(): Promise<FileSandbox> {
  if (process.platform !== 'linux') return noSandbox;
  const paths = readablePaths.filter((path) => existsSync(path));
  for (const { kind, command, toOptions } of kinds) {
    const file = listCommandFolders()
      .map((folder) => join(folder, command))
      .find((path) => existsSync(path));
    if (!file) continue;
    const sandbox = { kind, launcher: [...noSandbox.launcher, file, ...toOptions(paths)] };
    if (await canDecode(sandbox)) return sandbox;
  }
  return noSandbox;
}

async function canDecode(sandbox: FileSandbox): Promise<boolean> {
  const worker = forkFileWorker(trialProgram, [], sandbox);
  const answer = await askFileWorker<ProcessResult>(worker, smallestPicture, trialMs);
  worker.kill('SIGKILL');
  return typeof answer === 'object' && 'picture' in answer;
}

export const sandboxHint =
  'Decoders of pictures and PDFs can read the data and the server key. On Linux, install bubblewrap, or see "Decoding in a sandbox" in docs/install.md.';

export function logSandbox({ kind }: FileSandbox, log: Log): void {
  if (kind === 'none') log.warn('sandbox.missing', { hint: sandboxHint });
  else log.info('sandbox.found', { sandbox: kind });
}
