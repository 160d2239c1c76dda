// A command of package.json as its operator runs it, to its end.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Ran {
  code: number | null;
  /** What it printed, both streams, without npm's own lines. */
  output: string;
}

export function runCommand(
  command: 'backup' | 'restore',
  args: readonly string[],
  settings: Readonly<Record<string, string | undefined>>,
): Ran {
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...settings };
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', command, '--', ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  return { code: status, output: `${stdout}${stderr}`.trim() };
}
