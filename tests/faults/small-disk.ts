import { execFileSync, spawnSync } from 'node:child_process';

/**
 * Mounts a disk of so many MiB on the folder.
 *
 * @returns how to take it away
 */
export function mountSmallDisk(folder: string, mebibytes: number): () => void {
  const options = `size=${mebibytes}m,mode=0700`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  return () => spawnSync('umount', ['--lazy', folder], { stdio: 'ignore' });
}
