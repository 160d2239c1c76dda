// Runs the operator's commands to their end: in this process, or each in its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '#server/config/config.ts';
import { runAdmin } from '../../scripts/commands/admin.ts';
import { runBackup } from '../../scripts/commands/backup.ts';
import type { RunCommand } from '../../scripts/commands/command-call.ts';
import { runDoctor } from '../../scripts/commands/doctor.ts';
import { runMigration } from '../../scripts/commands/migrate-to-postgres.ts';
import { runRestore } from '../../scripts/commands/restore.ts';
import { runReindex } from '../../scripts/commands/search-reindex.ts';
import { createChildEnvironment, type Settings } from './child-environment.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const commands = {
  admin: runAdmin,
  backup: runBackup,
  restore: runRestore,
  'migrate-to-postgres': runMigration,
  'search:reindex': runReindex,
  doctor: runDoctor,
};

export interface CommandResult {
  code: number | null;
  /** Both streams, without npm's own lines. */
  output: string;
}

/** Runs a command of package.json in this process. A process of its own would take a second. */
export async function runCommand(
  command: keyof typeof commands,
  args: readonly string[],
  settings: Settings,
): Promise<CommandResult> {
  return joinStreams(await call(commands[command], args, settings));
}

/** Runs a command of package.json as operators do, with the umask and the settings of a process. */
export async function runCommandProcess(
  command: keyof typeof commands,
  args: readonly string[],
  settings: Settings,
  { readsOutput = true } = {},
): Promise<CommandResult> {
  const child = spawn('npm', ['run', '--silent', command, '--', ...args], {
    cwd: root,
    env: createChildEnvironment(settings),
  });
  const closing = once(child, 'close') as Promise<[number | null]>;
  if (!readsOutput) child.stdout.destroy();
  const [out, err] = await Promise.all([readsOutput ? text(child.stdout) : '', text(child.stderr)]);
  const [code] = await closing;
  return joinStreams({ code, out, err });
}

/** Runs a command of `npm run admin` in this process. `errors` has the lines of its error output. */
export async function runAdminCommand(
  settings: Settings,
  ...args: string[]
): Promise<{ code: number | null; out: string; errors: string[] }> {
  return runAdminCommandWith('', settings, ...args);
}

/** @param input what the operator types */
export async function runAdminCommandWith(
  input: string,
  settings: Settings,
  ...args: string[]
): Promise<{ code: number | null; out: string; errors: string[] }> {
  const { code, out, err } = await call(runAdmin, args, settings, input);
  return { code, out, errors: err.split('\n').filter(Boolean) };
}

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

async function call(
  run: RunCommand,
  args: readonly string[],
  settings: Settings,
  input = '',
): Promise<Ended> {
  let out = '';
  let err = '';
  const code = await run({
    args,
    loadConfig: () => loadConfig({ ...settings }),
    envFile: null,
    out: { write: (line: string) => (out += line) },
    err: { write: (line: string) => (err += line) },
    input: Readable.from([input]),
  });
  return { code, out, err };
}

function joinStreams({ code, out, err }: Ended): CommandResult {
  return { code, output: (out + err).trim() };
}
