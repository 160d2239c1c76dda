// Creates folders for whole copies of the database. A copy must not stay after its command ends or is killed.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFile } from '#server/store/folder-lock.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const lockName = 'in-use.lock';
/** The command of a younger folder may not have locked it yet. */
const minAgeMs = 10_000;

export interface TemporaryFolder {
  path: string;
  remove(): void;
}

/**
 * Creates a folder, and removes the folders that killed commands left.
 *
 * @param prefix such as `backchannel-drill-`
 */
export function makeTemporaryFolder(prefix: string): TemporaryFolder {
  removeAbandoned(prefix);
  const path = mkdtempSync(join(tmpdir(), prefix));
  const unlock = lockFile(join(path, lockName));
  const leave = () => process.exit(1);
  const remove = () => {
    for (const signal of signals) process.off(signal, leave);
    process.off('exit', remove);
    unlock();
    rmSync(path, { recursive: true, force: true });
  };
  for (const signal of signals) process.once(signal, leave);
  process.once('exit', remove);
  return { path, remove };
}

function removeAbandoned(prefix: string): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const path = join(tmpdir(), name);
    try {
      if (Date.now() - statSync(path).mtimeMs < minAgeMs) continue;
      lockFile(join(path, lockName))();
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Another command uses the folder, or the folder belongs to another user.
    }
  }
}
