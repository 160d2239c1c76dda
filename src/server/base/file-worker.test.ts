// The limits of the processes that decode files.
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ChildProcess } from 'node:child_process';
import { askFileWorker, forkFileWorker, noSandbox } from './file-worker.ts';

const program = fileURLToPath(new URL('../../../tests/support/costly-worker.ts', import.meta.url));
const timeoutMs = 60_000;
let worker: ChildProcess;
beforeEach(() => {
  worker = forkFileWorker(program, [], noSandbox);
});
afterEach(() => void worker.kill('SIGKILL'));

test('a process that decodes ends when a file has used up its processor time, and each file has its own [PIC-8]', async () => {
  expect(await askFileWorker(worker, Buffer.from('nothing'), timeoutMs)).toEqual({});

  expect(await askFileWorker(worker, Buffer.from('processor'), timeoutMs)).toBe('too-slow');
});

test('a process that decodes gets less than two gigabytes of memory [PIC-8]', async () => {
  const answer = await askFileWorker<{ megabytes: number }>(
    worker,
    Buffer.from('memory'),
    timeoutMs,
  );

  expect(answer).toEqual({ megabytes: expect.any(Number) });
  expect((answer as { megabytes: number }).megabytes).toBeLessThan(2048);
});
