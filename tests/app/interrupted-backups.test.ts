// Backups that are killed, and two of one name. Unfinished files have the whole content of the database.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommand } from '#tests/support/run-command.ts';
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

test('of two backups to one name at once, one is made [BACKUP-22]', async () => {
  const results = await Promise.all([backUp('same', '--with-key'), backUp('same', '--with-key')]);
  const [made, refused] = results.toSorted((one, other) => Number(one.code) - Number(other.code));
  expect(made?.code).toBe(0);
  expect(refused).toMatchObject({
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

  const [killed, foreign] = ['backchannel-drill-killed', 'backchannel-drills'].map((name) =>
    join(dir, 'temporary', name),
  );
  for (const folder of [killed, foreign]) {
    mkdirSync(folder!);
    writeFileSync(join(folder!, 'server.key'), 'content');
  }
  const anHourAgo = Date.now() / 1000 - 3600;
  utimesSync(killed!, anHourAgo, anHourAgo);
  expect(await backUp('next')).toMatchObject({ code: 0 });
  const drill = await runCommand('restore', ['--drill', join(dir, 'next')], settings);
  expect(drill).toMatchObject({ code: 0 });
  const after = readdirSync(join(dir, 'temporary'));
  expect(after.filter((name) => name.startsWith('backchannel'))).toEqual(['backchannel-drills']);
});
