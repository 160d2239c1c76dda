import { execFileSync, spawnSync } from 'node:child_process';

/**
 * Mounts a disk of this many MiB on the folder.
 *
 * @returns a function that unmounts it
 */
export function mountSmallDisk(folder: string, mebibytes: number): () => void {
  const options = `size=${mebibytes}m,mode=0700`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  return () => spawnSync('umount', ['--lazy', folder], { stdio: 'ignore' });
}
