import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { projectRoot } from '../../scripts/run-tool.ts';

export function listDescendants(pid: number): number[] {
  // Any thread of a process can start another process.
  const texts = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'),
  );
  const children = texts.join(' ').split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...listDescendants(child)]);
}

/** Finds the server among the descendants of a process. */
export function findServer(pid: number): number | undefined {
  return listDescendants(pid).find((descendant) =>
    /^[^\0]*node\0.*src\/server\/main\.ts/.test(
      readFileSync(`/proc/${descendant}/cmdline`, 'utf8'),
    ),
  );
}

/**
 * Runs a program to its end.
 *
 * @returns what it printed
 * @throws if it fails
 */
export function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${command} ended with ${status}:\n${stdout}\n${stderr}`);
  return stdout.trim();
}
