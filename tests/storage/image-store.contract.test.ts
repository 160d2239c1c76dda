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
])('pictures on %s', (_where, openedThere) => {
  let opened: Opened;
  let store: ImageStore;
  beforeAll(async () => {
    opened = await openedThere();
    store = opened.open();
  });
  afterAll(() => opened.drop());

  async function read(name: string, from = store): Promise<Buffer | null> {
    const file = await from.open(name);
    if (!file) return null;
    const content = Buffer.from(await new Response(file.content).arrayBuffer());
    expect(content).toHaveLength(file.bytes);
    return content;
  }
  const bytes = (length: number, first: number) =>
    new Uint8Array(length).map((_, i) => (i * 7 + first) & 255);

  test('can be read after they are stored, by another server too [PIC-17]', async () => {
    const other = opened.open();
    await store.put('-first.webp', bytes(3_000_000, 1));
    await store.put('-first.small.webp', bytes(10, 2));
    const names = opened.names().filter((name) => name.startsWith('-first'));
    expect(names.toSorted()).toEqual(['-first.small.webp', '-first.webp']);
    expect((await read('-first.webp', other))!.equals(bytes(3_000_000, 1))).toBe(true);
    expect((await read('-first.small.webp'))!.equals(bytes(10, 2))).toBe(true);
  });

  test('can be stored in parallel [PIC-17]', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `many_${i}.webp`);
    await Promise.all(names.map((name, i) => store.put(name, bytes(100_000, i))));
    const contents = await Promise.all(names.map((name) => read(name)));
    contents.forEach((content, i) => expect(content!.equals(bytes(100_000, i))).toBe(true));
  });

  test('that do not exist are null [PIC-18]', async () => {
    expect(await store.open('nothing.webp')).toBeNull();
  });

  test('are gone after their deletion, other pictures stay, and a second deletion succeeds [PIC-17, DELETE-6]', async () => {
    await store.put('gone.webp', bytes(10, 1));
    await store.put('stays.webp', bytes(10, 2));
    await store.delete('gone.webp');
    expect(await store.open('gone.webp')).toBeNull();
    expect(opened.names()).not.toContain('gone.webp');
    await store.delete('gone.webp');
    await store.delete('never.webp');
    expect((await read('stays.webp'))!.equals(bytes(10, 2))).toBe(true);
  });

  test('can be read partially [HTTP-14]', async () => {
    await store.put('half.webp', bytes(3_000_000, 1));
    for (let n = 0; n < 20; n++) {
      const reader = (await store.open('half.webp'))!.content.getReader();
      await reader.read();
      await reader.cancel();
    }
    expect(await read('half.webp')).toHaveLength(3_000_000);
  });

  test('never count as stored, missing or deleted while the storage is unreachable [PIC-17, PIC-19]', async () => {
    await store.put('before.webp', bytes(10, 3));
    await opened.withBrokenStorage(async () => {
      await expect(store.put('during.webp', bytes(10, 1))).rejects.toThrow(opened.brokenSays);
      await expect(store.open('before.webp')).rejects.toThrow(opened.brokenSays);
      await expect(store.delete('before.webp')).rejects.toThrow(opened.brokenSays);
    });
    expect((await read('before.webp'))!.equals(bytes(10, 3))).toBe(true);
    expect(await store.open('during.webp')).toBeNull();
  });
});
