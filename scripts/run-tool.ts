import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const projectRoot = resolve(import.meta.dirname, '..');

/**
 * Runs a package's command on this Node.js, not the machine's, and shows its output. Returns true if it
 * succeeded.
 */
export function runTool(packageName: string, args: string[], env: Record<string, string> = {}) {
  const { status, error } = spawnSync(process.execPath, [findCommandFile(packageName), ...args], {
    cwd: projectRoot,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error) console.error(`${packageName} did not start: ${error.message}`);
  return status === 0;
}

/** The first command of a package. */
export function findCommandFile(packageName: string): string {
  const folder = join(projectRoot, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>;
  };
  const file = typeof bin === 'string' ? bin : Object.values(bin)[0];
  if (!file) throw new Error(`${packageName} has no command.`);
  return join(folder, file);
}
