import { spawnSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './run-tool.ts';

/** Copies the files that git tracks, or would add, with their changes. */
export function copyCheckout(target: string): void {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { stdout } = spawnSync('git', args, { cwd: projectRoot, encoding: 'utf8' });
  for (const file of stdout.split('\0').filter(Boolean)) {
    const path = join(projectRoot, file);
    if (existsSync(path)) cpSync(path, join(target, file));
  }
}
