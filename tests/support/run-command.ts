// Runs the operator's commands to their end, each in its own process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { childEnvironment, type Settings } from './child-environment.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface CommandResult {
  code: number | null;
  /** Both streams, without npm's own lines. */
  output: string;
}

/** Runs a command of package.json. */
export async function runCommand(
  command: 'backup' | 'restore' | 'migrate-to-postgres' | 'search:reindex' | 'doctor',
  args: readonly string[],
  settings: Settings,
): Promise<CommandResult> {
  const { code, out, err } = await run(
    'npm',
    ['run', '--silent', command, '--', ...args],
    settings,
  );
  return { code, output: (out + err).trim() };
}

/** Runs `npm run admin`. `errors` has the lines of its error output. */
export async function admin(
  settings: Settings,
  ...args: string[]
): Promise<{ code: number | null; out: string; errors: string[] }> {
  const { code, out, err } = await run(process.execPath, ['scripts/admin.ts', ...args], settings);
  return { code, out, errors: err.split('\n').filter(Boolean) };
}

async function run(file: string, args: readonly string[], settings: Settings) {
  const child = spawn(file, args, { cwd: root, env: childEnvironment(settings) });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await closed;
  return { code, out, err };
}
