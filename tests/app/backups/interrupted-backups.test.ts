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
const files = () => readdirSync(dir).filter((name) => name !== 'temporary');

test('of two simultaneous backups to one name, one is made [BACKUP-22]', async () => {
  const results = await Promise.all([backUp('same', '--with-key'), backUp('same', '--with-key')]);
  const [made, rejected] = results.toSorted((one, other) => Number(one.code) - Number(other.code));
  expect(made?.code).toBe(0);
  expect(rejected).toMatchObject({
    code: 1,
    output: expect.stringMatching(/another process makes|exists already/) as string,
  });
  expect(files()).toEqual(['same', 'same.key']);
  const drill = await runCommand('restore', ['--drill', join(dir, 'same')], settings);
  expect(drill).toMatchObject({ code: 0 });
});

test('what a killed backup left is removed by the next one [BACKUP-22]', async () => {
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
  expect(files()).toEqual(['complete', 'complete.key', 'next', 'notes.key', 'notes.unfinished']);
});

test('what a killed restore or drill left is removed by the next start [BACKUP-22]', async () => {
  const { DATA_DIR: data } = app.database.settings;
  const left = ['', '-wal', '-journal'].map((part) => `backchannel.sqlite.restoring${part}`);
  await app.restart(async () => {
    for (const name of left) writeFileSync(join(data, name), 'content');
  });
  expect(readdirSync(data).filter((name) => name.includes('restoring'))).toEqual([]);

  expect(await backUp('next')).toMatchObject({ code: 0 });
  const child = spawn(process.execPath, ['scripts/restore.ts', '--drill', join(dir, 'next')], {
    env: createChildEnvironment(settings),
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const serverLock = () => {
    const [folder = ''] = readdirSync(join(dir, 'temporary')).filter((name) =>
      name.startsWith('backchannel-drill-'),
    );
    return join(dir, 'temporary', folder, 'server.lock');
  };
  await expect.poll(() => existsSync(serverLock()), { timeout: 30_000 }).toBe(true);
  child.kill('SIGKILL');
  await ended;
  // Its server ends, too.
  await expect.poll(() => Boolean(lockFile(serverLock())()), { timeout: 30_000 }).toBe(true);

  const drilled = dirname(serverLock());
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
  const after = readdirSync(join(dir, 'temporary'));
  expect(after.filter((name) => name.startsWith('backchannel'))).toEqual(['backchannel-drills']);
});

test.skipIf(Boolean(diskFull.missing?.()))(
  'on a full disk a backup and a restore leave nothing and say so [BACKUP-22]',
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
      const elsewhere = { DATA_DIR: small };
      expect(await runCommand('restore', [join(dir, 'complete')], elsewhere)).toMatchObject({
        code: 1,
        output: expect.stringMatching(/^Cannot restore: the disk has no space for/),
      });
      expect(readdirSync(small)).toEqual(['ballast', 'server.lock']);
    } finally {
      unmount();
    }
  },
);
