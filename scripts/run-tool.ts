import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const projectRoot = resolve(import.meta.dirname, '..');

/**
 * Runs the command of a package with the Node.js of this process, not with that of the machine, and shows its output.
 *
 * @returns whether the command succeeded
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

/** Finds the file of the first command of a package. */
function findCommandFile(packageName: string): string {
  const folder = join(projectRoot, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>;
  };
  const file = typeof bin === 'string' ? bin : Object.values(bin)[0];
  if (!file) throw new Error(`${packageName} has no command.`);
  return join(folder, file);
}
