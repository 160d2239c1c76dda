// Files that cost a decoder far more than their pixels, and files of cameras and programs that look like them.
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import type { AppError } from '#contract/errors.ts';
import { createCostlyPictures } from '#tests/support/costly-pictures.ts';
import { listPictureProcesses } from '#tests/support/processes.ts';
import { noSandbox } from '#server/base/file-worker.ts';
import { createLog } from '#server/base/log.ts';
import { createPictureProcessor, PictureProcess } from './picture-processor.ts';

const processor = createPictureProcessor(
  createLog({ write: () => {} }),
  new PictureProcess(Promise.resolve(noSandbox)),
  { isUsedUp: () => false, add() {} },
);
afterAll(() => processor.stop());
const { signal } = new AbortController();

const ticksPerSecond = 100;

function measureProcess(): { seconds: number; megabytes: number } {
  const [child] = listPictureProcesses();
  if (!child) return { seconds: 0, megabytes: 0 };
  const status = readFileSync(`/proc/${child.pid}/status`, 'latin1');
  const kilobytes = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]);
  return { seconds: child.busyTicks / ticksPerSecond, megabytes: kilobytes / 1024 };
}

const processFile = (file: Uint8Array) =>
  processor.process('mallory', file, signal).then(
    ({ shape }) => ({ outcome: 'accepted', shape }),
    (error: unknown) => ({ outcome: (error as AppError).code, shape: null }),
  );

test.each(Object.entries(await createCostlyPictures()))(
  '%s costs at most six seconds and 500 MB [PIC-87]',
  async (_, { file, outcome }) => {
    const costBefore = measureProcess();

    const result = await processFile(file);

    expect(result.outcome).toBe(outcome);
    const costAfter = measureProcess();
    expect(costAfter.seconds - costBefore.seconds).toBeLessThan(6);
    expect(costAfter.megabytes).toBeLessThan(500);
  },
);

test.each(['jpeg', 'png', 'webp', 'gif'] as const)(
  'a picture in the format %s with other bytes behind its end is a picture [PIC-87]',
  async (format) => {
    const size = { width: 50, height: 40 };
    const picture = await sharp({ create: { ...size, channels: 3, background: 'red' } })
      .toFormat(format)
      .toBuffer();
    const longTail = '\0'.repeat(3000);
    const tails = ['\0', 'end', 'a page of text behind it', longTail];

    for (const tail of tails) {
      const result = await processFile(Buffer.concat([picture, Buffer.from(tail)]));
      expect(result, JSON.stringify(tail.slice(0, 20))).toMatchObject({ shape: size });
    }
  },
);

test('a JPEG with a film behind it, as phones write it, is a picture [PIC-87]', async () => {
  const jpeg = await sharp({ create: { width: 50, height: 40, channels: 3, background: 'red' } })
    .jpeg({ progressive: true })
    .toBuffer();
  const film = Buffer.concat(Array.from({ length: 200 }, () => Buffer.from([0xff, 0xda, 0, 2])));

  expect(await processFile(Buffer.concat([jpeg, film]))).toMatchObject({
    shape: { width: 50, height: 40 },
  });
});
