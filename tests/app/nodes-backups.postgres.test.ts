// Daily backups of several nodes.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { redisCommand, setUpNodes } from '#tests/support/nodes.ts';

const today = `backchannel-${new Date().toISOString().slice(0, 10)}.sqlite`;

describe.skipIf(!redisCommand)('two nodes with BACKUP_DIR', () => {
  const folder = mkdtempSync(join(tmpdir(), 'backchannel-backups-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  // In one folder, a node that looks later would find the backup of the other one.
  const folders: string[] = [];
  const nodes = setUpNodes(2, () => {
    const BACKUP_DIR = join(folder, `of-node-${folders.length}`);
    folders.push(BACKUP_DIR);
    return { BACKUP_DIR, BACKUP_AT: '00:00', TIME_ZONE: 'UTC' };
  });
  const made = () => folders.map((dir) => existsSync(join(dir, today)));

  test('one node makes the backup, and another one after it has stopped [BACKUP-14, NODE-2]', async () => {
    await expect.poll(made, { timeout: 60_000 }).toContain(true);
    await sleep(35_000); // Each node looks every 30 seconds.
    expect(made().filter(Boolean)).toHaveLength(1);
    const first = nodes.apps.findIndex(({ logLines }) =>
      logLines.some((line) => line.includes('backup.made')),
    );
    await nodes.apps[first]!.close();
    await expect.poll(made, { timeout: 90_000 }).toEqual([true, true]);
  }, 240_000);
});
