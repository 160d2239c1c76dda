// A start that fails, after each of the parts that it opens.
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createApp } from '#server/app.ts';
import { createLog } from '#server/base/log.ts';
import { StopTogether } from '#server/base/stop-together.ts';
import { loadConfig } from '#server/config/config.ts';
import { lockFolder } from '#server/store/folder-lock.ts';
import { createTestDatabase } from '#tests/support/test-database.ts';

const log = createLog({ write() {} });

afterEach(() => vi.restoreAllMocks());

/** Lets the start fail right after it has opened this part. @returns the number of opened parts so far */
function failAfter(part: number): () => number {
  let openedCount = 0;
  for (const parts of [AsyncDisposableStack.prototype, StopTogether.prototype]) {
    const { defer } = parts;
    vi.spyOn(parts, 'defer').mockImplementation(function (this: typeof parts, release: () => void) {
      defer.call(this, release);
      openedCount += 1;
      if (openedCount === part) throw new Error('planted');
    });
  }
  return () => openedCount;
}

/** Timers and handles that keep the process alive. */
const listActive = () => process.getActiveResourcesInfo();

function listOpenFiles(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync(join('/proc/self/fd', fd));
      return file.startsWith(folder) ? [file] : [];
    } catch {
      // The descriptor of the list itself.
      return [];
    }
  });
}

test('a start that fails at any point leaves no timer, file or lock', async () => {
  const database = await createTestDatabase();
  const config = loadConfig({ ...database.settings, KEEP_FREE_GB: '0' });
  const activeBefore = listActive();
  const listNew = () => {
    const knownKinds = [...activeBefore];
    return listActive().filter((kind) => {
      const place = knownKinds.indexOf(kind);
      if (place >= 0) knownKinds.splice(place, 1);
      return place < 0;
    });
  };
  const checkReleased = async (message: string): Promise<void> => {
    await expect.poll(listNew, { message: message }).toEqual([]);
    expect(listOpenFiles(config.dataDir), message).toEqual([]);
    lockFolder(config.dataDir)();
  };

  const countOpened = failAfter(0);
  const app = await createApp(config, log, null);
  const partCount = countOpened();
  await app.close();

  await checkReleased('after a stop');
  expect(partCount).toBeGreaterThan(20);

  for (let part = 1; part <= partCount; part++) {
    vi.restoreAllMocks();
    failAfter(part);
    await expect(createApp(config, log, null), `part ${part}`).rejects.toThrow('planted');
    await checkReleased(`part ${part}`);
  }
  await database.drop();
});
