import sharp from 'sharp';
import { afterEach, expect, it, vi } from 'vitest';
import { listPictureProcesses } from '#tests/support/processes.ts';
import { noSandbox } from '#server/base/file-worker.ts';
import { createLog } from '#server/base/log.ts';
import { createPictureProcessor, PictureProcess } from './picture-processor.ts';

afterEach(() => void vi.useRealTimers());

function createProcessor(lines: string[] = []) {
  return createPictureProcessor(
    createLog({ write: (line) => lines.push(line) }),
    new PictureProcess(Promise.resolve(noSandbox)),
    { isUsedUp: () => false, add() {} },
  );
}

const { signal } = new AbortController();
const file = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
  .png()
  .toBuffer();

it('processes a picture that arrives while the idle process ends [PIC-8]', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const processor = createProcessor();
  await processor.process('ada', file, signal);
  await vi.advanceTimersByTimeAsync(30_000);
  expect((await processor.process('ada', file, signal)).shape).toMatchObject({
    width: 9,
    height: 9,
  });
  processor.stop();
});

it('does not end the process of a picture by the timer of an earlier one [PIC-8]', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const processor = createProcessor();
  const first = processor.process('ada', file, signal);
  await expect(processor.process('ada', file, AbortSignal.abort())).rejects.toMatchObject({
    code: 'INVALID',
  });
  await first;
  await vi.advanceTimersByTimeAsync(29_999);
  const next = processor.process('ada', file, signal);
  await vi.advanceTimersByTimeAsync(1);
  expect((await next).shape).toMatchObject({ width: 9, height: 9 });
  processor.stop();
});

it('processes a picture for two minutes at most, then continues with the next [PIC-8]', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const lines: string[] = [];
  const processor = createProcessor(lines);
  expect((await processor.process('ada', file, signal)).shape).toMatchObject({
    width: 9,
    height: 9,
  });

  const [child] = listPictureProcesses();
  process.kill(child!.pid, 'SIGSTOP');
  let answer = 'none';
  const slow = processor.process('ada', file, signal).catch((error: unknown) => {
    answer = (error as { code: string }).code;
  });
  const next = processor.process('ada', file, signal);
  await vi.advanceTimersByTimeAsync(119_999);
  expect(answer).toBe('none');
  await vi.advanceTimersByTimeAsync(1);
  await slow;
  expect(answer).toBe('IMAGE_BROKEN');
  expect(lines.join('')).toContain('image.too-slow');
  expect((await next).shape).toMatchObject({ width: 9, height: 9 });
  processor.stop();
});
