import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getErrorCode } from '#server/base/startup-failure.ts';
import { waitUntil } from '../settle.ts';
import type { Fault } from '../stage.ts';
import { mountSmallDisk } from '../small-disk.ts';
import { watchReading } from '../watch-reading.ts';

/** The disk fills up under load and later has free space again. */
export const diskFull: Fault = {
  name: 'disk-full',
  missing() {
    if (process.platform !== 'linux') return 'a small disk can be mounted on Linux only.';
    const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0;
    return mayMount ? null : 'this user may not mount a small disk.';
  },
  prepareFolder(dataDir) {
    mkdirSync(dataDir, { recursive: true });
    return mountSmallDisk(dataDir, 16);
  },
  async run(stage) {
    const { server, history, observe } = stage;
    const { operations } = history;
    const hasAnswer = (kind: 'later' | 'acknowledged', startedAt: number) => () =>
      operations.some(({ answers }) =>
        answers.some((answer) => answer.kind === kind && answer.time > startedAt),
      );
    await sleep(700);
    const ballast = join(server.dataDir, 'ballast');
    fillDisk(ballast);
    const reading = watchReading(stage);
    const full = performance.now();
    const isRejected = await waitUntil(hasAnswer('later', full), 8_000);
    observe('a full disk refuses with "try again"', isRejected, 'no such answer in 8 s');
    await sleep(1_500);
    reading.end('while the disk is full');
    rmSync(ballast);
    const freed = performance.now();
    const writesAgain = await waitUntil(hasAnswer('acknowledged', freed), 8_000);
    observe(
      'writes succeed when the disk has space again',
      writesAgain,
      'nothing acknowledged in 8 s',
    );
    await sleep(700);
  },
};

export function fillDisk(file: string): void {
  const descriptor = openSync(file, 'w');
  for (const size of [65_536, 512]) {
    try {
      for (;;) writeSync(descriptor, Buffer.alloc(size));
    } catch (error) {
      if (getErrorCode(error) !== 'ENOSPC') throw error;
    }
  }
  closeSync(descriptor);
}
