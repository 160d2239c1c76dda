// Backups: a copy of the database, and of pictures on the disk, once a day, because operators forget to set one up.
// The files are the only record of it (decision 76). open-spine.ts makes the one before a
// migration earlier in the start.
import type { Feature, Server } from '#server/feature.ts';
import { startScheduledBackups } from './scheduled-backups.ts';

export function createBackups({
  config,
  keys,
  keyCheck,
  lease,
  log,
}: Pick<Server, 'config' | 'keys' | 'keyCheck' | 'lease' | 'log'>): Feature | null {
  const { backups } = config;
  if (!backups) return null;
  const backupKeys = { keyCheck, backupKey: keys.backups };
  return {
    start: () => startScheduledBackups({ config, backups, keys: backupKeys, lease, log }),
  };
}
