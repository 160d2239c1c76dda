// Daily backups of several nodes.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { redisCommand, setUpNodes } from '#tests/support/nodes.ts';

/** The interval at which each node checks whether a backup is due. */
const intervalMs = 30_000;
/** A backup starts a process. */
const patience = { timeout: 60_000 };

describe.skipIf(!redisCommand)('two nodes with BACKUP_DIR', () => {
  const folder = mkdtempSync(join(tmpdir(), 'backchannel-backups-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterAll(() => {
    vi.useRealTimers();
  });
  // In one folder, a node that looks later would find the backup of the other one.
  const folders: string[] = [];
  const nodes = setUpNodes(2, () => {
    const BACKUP_DIR = join(folder, `of-node-${folders.length}`);
    folders.push(BACKUP_DIR);
    return { BACKUP_DIR, TIME_ZONE: 'UTC' };
  });
  const listBackups = (dir: string) =>
    existsSync(dir)
      ? readdirSync(dir).filter((file) => /^backchannel-[\d-]+\.sqlite$/.test(file))
      : [];
  const haveBackups = () => folders.map((dir) => listBackups(dir).length > 0);

  test('one of two nodes makes the backup, and the other one after the first has stopped [BACKUP-14, NODE-2]', async () => {
    await expect.poll(haveBackups, patience).toContain(true);

    const first = haveBackups().indexOf(true);
    for (const file of listBackups(folders[first]!)) rmSync(join(folders[first]!, file));

    vi.advanceTimersByTime(intervalMs);

    // While the first node makes its next backup, the other one would have made its own.
    await expect.poll(haveBackups, patience).toContain(true);
    expect(haveBackups().indexOf(true)).toBe(first);
    expect(haveBackups().filter(Boolean)).toHaveLength(1);

    await nodes.apps[first]!.close();
    await expect
      .poll(() => {
        vi.advanceTimersByTime(intervalMs);
        return haveBackups();
      }, patience)
      .toEqual([true, true]);
  });
});
