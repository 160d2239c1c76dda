import { spawnSync } from 'node:child_process';
import { listDescendants, readProcessFile } from '#tests/support/processes.ts';
import { projectRoot } from '../../scripts/run-tool.ts';

/** Finds the server among the descendants of a process. */
export function findServer(pid: number): number | undefined {
  return listDescendants(pid).find((descendant) =>
    /^[^\0]*node\0.*src\/server\/main\.ts/.test(readProcessFile(descendant, 'cmdline')),
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
