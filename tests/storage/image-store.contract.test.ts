import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '#server/config/config.ts';
import type { S3Config } from '#server/config/config-types.ts';
import { createDiskStore, type ImageStore } from '#server/pictures/image-store.ts';
import { createS3Store } from '#server/pictures/s3-store.ts';
import { startS3 } from '#tests/support/s3-server.ts';

interface Opened {
  /** Opens another store on the same data. */
  open(): ImageStore;
  /** The names of all stored objects. */
  names(): string[];
  /** Runs the action while the storage is broken. */
  withBrokenStorage(act: () => Promise<void>): Promise<void>;
  readonly brokenSays: string;
  drop(): Promise<void>;
}

async function onDisk(): Promise<Opened> {
  const dir = join(mkdtempSync(join(tmpdir(), 'backchannel-images-')), 'images');
  const drop = () => rmSync(join(dir, '..'), { recursive: true, force: true });
  return {
    open: () => createDiskStore(dir),
    names: () => readdirSync(dir),
    brokenSays: 'ENOTDIR',
    async withBrokenStorage(act) {
      renameSync(dir, `${dir}.away`);
      writeFileSync(dir, '');
      await act();
      rmSync(dir);
      renameSync(`${dir}.away`, dir);
    },
    drop: async () => drop(),
  };
}

async function onS3(): Promise<Opened> {
  const server = await startS3();
  const config = loadConfig({ ...server.settings }).images as S3Config;
  return {
    open: () => createS3Store(config),
    names: () => server.keys().map((key) => key.replace(/^images\//, '')),
    brokenSays: 'fetch failed',
    async withBrokenStorage(act) {
      await server.stop();
      await act();
      await server.start();
    },
    drop: server.drop,
  };
}

describe.each([
  ['disk', onDisk],
  ['S3', onS3],
])('pictures on %s', (_where, openStore) => {
  let storeHolder: Opened;
  let store: ImageStore;
  beforeAll(async () => {
    storeHolder = await openStore();
    store = storeHolder.open();
  });
  afterAll(() => storeHolder.drop());

  async function loadFile(name: string, from = store): Promise<Buffer | null> {
    const file = await from.open(name);
    if (!file) return null;
    const content = Buffer.from(await new Response(file.content).arrayBuffer());
    expect(content).toHaveLength(file.bytes);
    return content;
  }
  const createBytes = (length: number, first: number) =>
    new Uint8Array(length).map((_, i) => (i * 7 + first) & 255);

  test('another server can read stored pictures [PIC-17]', async () => {
    const other = storeHolder.open();
    await store.put('-first.webp', createBytes(3_000_000, 1));

    await store.put('-first.small.webp', createBytes(10, 2));

    const names = storeHolder.names().filter((name) => name.startsWith('-first'));
    expect(names.toSorted()).toEqual(['-first.small.webp', '-first.webp']);
    expect((await loadFile('-first.webp', other))!.equals(createBytes(3_000_000, 1))).toBe(true);
    expect((await loadFile('-first.small.webp'))!.equals(createBytes(10, 2))).toBe(true);
  });

  test('pictures can be stored in parallel [PIC-17]', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `many_${i}.webp`);
    await Promise.all(names.map((name, i) => store.put(name, createBytes(100_000, i))));
    const contents = await Promise.all(names.map((name) => loadFile(name)));
    contents.forEach((content, i) => expect(content!.equals(createBytes(100_000, i))).toBe(true));
  });

  test('a missing picture is null [PIC-37]', async () => {
    expect(await store.open('nothing.webp')).toBeNull();
  });

  test('a deletion removes only its picture, and a second deletion succeeds [PIC-17, DELETE-6]', async () => {
    await store.put('gone.webp', createBytes(10, 1));
    await store.put('stays.webp', createBytes(10, 2));

    await store.delete('gone.webp');
    expect(await store.open('gone.webp')).toBeNull();
    expect(storeHolder.names()).not.toContain('gone.webp');

    await store.delete('gone.webp');
    await store.delete('never.webp');
    expect((await loadFile('stays.webp'))!.equals(createBytes(10, 2))).toBe(true);
  });

  test('a part of a picture can be read [HTTP-3]', async () => {
    await store.put('half.webp', createBytes(3_000_000, 1));

    for (let n = 0; n < 20; n++) {
      const reader = (await store.open('half.webp'))!.content.getReader();
      await reader.read();
      await reader.cancel();
    }

    expect(await loadFile('half.webp')).toHaveLength(3_000_000);
  });

  test('pictures never count as stored, missing or deleted while the storage is unreachable [PIC-17, DELETE-6]', async () => {
    await store.put('before.webp', createBytes(10, 3));

    await storeHolder.withBrokenStorage(async () => {
      await expect(store.put('during.webp', createBytes(10, 1))).rejects.toThrow(
        storeHolder.brokenSays,
      );
      await expect(store.open('before.webp')).rejects.toThrow(storeHolder.brokenSays);
      await expect(store.delete('before.webp')).rejects.toThrow(storeHolder.brokenSays);
    });

    expect((await loadFile('before.webp'))!.equals(createBytes(10, 3))).toBe(true);
    expect(await store.open('during.webp')).toBeNull();
  });
});
