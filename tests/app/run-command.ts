// Runs a command of package.json to its end, as the operator does.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Ran {
  code: number | null;
  /** Both output streams, without npm's own lines. */
  output: string;
}

export async function runCommand(
  command: 'backup' | 'restore' | 'search:reindex',
  args: readonly string[],
  settings: Readonly<Record<string, string | undefined>>,
): Promise<Ran> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...settings };
  const child = spawn('npm', ['run', '--silent', command, '--', ...args], { cwd: root, env });
  const ended = once(child, 'close') as Promise<[number | null]>;
  const printed = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, output: printed.join('').trim() };
}
