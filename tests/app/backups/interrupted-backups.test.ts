// Backups that are killed, and two of one name. Unfinished files have the whole content of the database.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { diskFull } from '#tests/faults/faults/disk-full.ts';
import { mountSmallDisk } from '#tests/faults/small-disk.ts';
import { lockFile } from '#server/store/folder-lock.ts';
import { createChildEnvironment } from '#tests/support/child-environment.ts';
import { runCommand, runCommandProcess } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';

let app: RunningApp;
let dir: string;
let settings: Record<string, string>;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'backchannel-interrupted-'));
  app = await startApp();
  // The commands put their temporary folders here.
  mkdirSync(join(dir, 'temporary'));
  settings = { ...app.database.settings, TMPDIR: join(dir, 'temporary') };
});
afterEach(async () => {
  await app.stop();
  rmSync(dir, { recursive: true });
});

const backUp = (name: string, ...args: string[]) =>
  runCommand('backup', [join(dir, name), ...args], settings);
const listFiles = () => readdirSync(dir).filter((name) => name !== 'temporary');

test('only one of two simultaneous backups to the same name is made [BACKUP-22]', async () => {
  const results = await Promise.all([backUp('same', '--with-key'), backUp('same', '--with-key')]);
  const [firstResult, secondResult] = results.toSorted(
    (first, second) => Number(first.code) - Number(second.code),
  );
  expect(firstResult?.code).toBe(0);
  expect(secondResult).toMatchObject({
    code: 1,
    output: expect.stringMatching(/another process makes|exists already/) as string,
  });
  expect(listFiles()).toEqual(['same', 'same.key']);

  const drill = await runCommand('restore', ['--drill', join(dir, 'same')], settings);
  expect(drill).toMatchObject({ code: 0 });
});

test('the next backup removes the files of a killed one [BACKUP-22]', async () => {
  for (const name of ['killed.unfinished', 'killed.unfinished.lock', 'killed.key']) {
    writeFileSync(join(dir, name), 'content');
  }
  writeFileSync(join(dir, 'killed.unfinished.lock'), '');
  mkdirSync(join(dir, 'killed.images'));
  writeFileSync(join(dir, 'complete.unfinished.lock'), '');
  for (const name of ['complete', 'complete.key', 'notes.unfinished', 'notes.key']) {
    writeFileSync(join(dir, name), 'of the operator');
  }

  expect(await backUp('next')).toMatchObject({ code: 0 });
  expect(listFiles()).toEqual([
    'complete',
    'complete.key',
    'next',
    'notes.key',
    'notes.unfinished',
  ]);
});

test('the next start removes the files of a killed restore or drill [BACKUP-22]', async () => {
  const { DATA_DIR: data } = app.database.settings;
  const leftFiles = ['', '-wal', '-journal'].map((part) => `backchannel.sqlite.restoring${part}`);
  await app.restart(async () => {
    for (const name of leftFiles) writeFileSync(join(data, name), 'content');
  });

  expect(readdirSync(data).filter((name) => name.includes('restoring'))).toEqual([]);

  expect(await backUp('next')).toMatchObject({ code: 0 });

  const child = spawn(process.execPath, ['scripts/restore.ts', '--drill', join(dir, 'next')], {
    env: createChildEnvironment(settings),
    stdio: 'ignore',
  });
  const exit = once(child, 'exit');
  const findServerLock = () => {
    const [folder = ''] = readdirSync(join(dir, 'temporary')).filter((name) =>
      name.startsWith('backchannel-drill-'),
    );
    return join(dir, 'temporary', folder, 'server.lock');
  };
  await expect.poll(() => existsSync(findServerLock()), { timeout: 30_000 }).toBe(true);

  child.kill('SIGKILL');
  await exit;
  // Its server ends, too.
  await expect.poll(() => Boolean(lockFile(findServerLock())()), { timeout: 30_000 }).toBe(true);

  const drilled = dirname(findServerLock());
  const [killed, foreign] = ['backchannel-drill-killed', 'backchannel-drills'].map((name) =>
    join(dir, 'temporary', name),
  );
  for (const folder of [killed, foreign]) {
    mkdirSync(folder!);
    writeFileSync(join(folder!, 'server.key'), 'content');
  }
  const anHourAgo = Date.now() / 1000 - 3600;
  for (const folder of [killed!, drilled]) utimesSync(folder, anHourAgo, anHourAgo);
  const drill = await runCommandProcess('restore', ['--drill', join(dir, 'next')], settings);
  expect(drill).toMatchObject({ code: 0 });

  const leftFolders = readdirSync(join(dir, 'temporary'));
  expect(leftFolders.filter((name) => name.startsWith('backchannel'))).toEqual([
    'backchannel-drills',
  ]);
});

test.skipIf(Boolean(diskFull.missing?.()))(
  'a backup and a restore on a full disk say so and leave no file [BACKUP-22]',
  async () => {
    expect(await backUp('complete', '--with-key')).toMatchObject({ code: 0 });

    const small = join(dir, 'small');
    mkdirSync(small);
    const unmount = mountSmallDisk(small, 1);
    try {
      writeFileSync(join(small, 'ballast'), Buffer.alloc(960_000));
      expect(await backUp('small/one', '--with-key')).toMatchObject({
        code: 1,
        output: expect.stringMatching(/^Cannot back up: the disk has no space for/),
      });
      const smallDisk = { DATA_DIR: small };
      expect(await runCommand('restore', [join(dir, 'complete')], smallDisk)).toMatchObject({
        code: 1,
        output: expect.stringMatching(/^Cannot restore: the disk has no space for/),
      });
      expect(readdirSync(small)).toEqual(['ballast', 'server.lock']);
    } finally {
      unmount();
    }
  },
);
