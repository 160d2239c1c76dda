// Backups: once a day, the server copies the database and the pictures on the disk, because administrators forget to set backups up.
// The files are the only record of the backups (decision 8). The backup before a migration is made by open-spine.ts, which runs
// earlier in the start.
import type { Feature, Server } from '#server/feature.ts';
import { startScheduledBackups } from './scheduled-backups.ts';

export function createBackups(server: Pick<Server, 'config' | 'lease' | 'log'>): Feature | null {
  const { backups } = server.config;
  if (!backups) return null;
  return { start: () => startScheduledBackups(server, backups) };
}
