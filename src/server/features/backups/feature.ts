// Backups: a copy of the database once a day, and one before each migration (app.ts), because operators forget both.
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
