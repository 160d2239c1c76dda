import { EventEmitter } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { randomUUID } from 'node:crypto';
import { createLog } from '#server/base/log.ts';
import { startScheduledBackups } from './scheduled-backups.ts';

const createWorker = () =>
  Object.assign(new EventEmitter(), {
    pid: -1,
    send: () => {},
    kill: vi.fn<() => void>(() => void worker.emit('close')),
  });
let worker: ReturnType<typeof createWorker>;
const fork = vi.hoisted(() => vi.fn<() => unknown>());
vi.mock('node:child_process', () => ({ fork }));

beforeEach(() => {
  vi.useFakeTimers();
  worker = createWorker();
  fork.mockImplementation(() => worker);
});
afterEach(() => void vi.useRealTimers());

test('a backup ends before another node can take the lease and begin one in the same folder [BACKUP-14]', async () => {
  let isHeld = true;
  const logLines: string[] = [];
  const stop = startScheduledBackups(
    {
      config: { database: { kind: 'sqlite', file: 'none' }, images: { kind: 'disk', dir: 'none' } },
      lease: { isHeld: () => isHeld },
      log: createLog({ write: (line) => void logLines.push(line) }),
    } as never,
    { dir: join(tmpdir(), randomUUID()), time: { startMinute: 0, timeZone: 'UTC' } },
  );
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fork).toHaveBeenCalledOnce();
  expect(worker.kill).not.toHaveBeenCalled();

  isHeld = false;
  await vi.advanceTimersByTimeAsync(1_000);

  expect(worker.kill).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fork).toHaveBeenCalledOnce();
  expect(logLines).toEqual([]);
  await stop();
});
