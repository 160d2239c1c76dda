// Keeps staged pictures over a reload. Their order and descriptions are in the tab's storage, like typed text. Their
// bytes are in IndexedDB, under the account.
import type { OutboxPicture, OutboxStorage } from '#web/sync/outbox/outbox-storage.ts';
import type { TabStorage } from '#web/sync/engine/tab-storage.ts';

export type DescribedPicture = Pick<OutboxPicture, 'id' | 'size' | 'alt' | 'spoiler' | 'imageId'>;

interface KeptFile {
  bytes: Blob;
  alternative: Blob | null;
}

export interface StagedFiles {
  /** Binds the files to an account. Before that, nothing is stored or read. */
  open(account: string): void;
  /** The pictures of this tab from before a reload. */
  described(classId: string): readonly DescribedPicture[];
  describe(classId: string, pictures: readonly DescribedPicture[]): void;
  /** Never rejects: without space, the picture is only in memory. */
  save(id: string, bytes: Blob, alternative: Blob | null): Promise<void>;
  read(ids: readonly string[]): Promise<ReadonlyMap<string, KeptFile>>;
  remove(ids: readonly string[]): void;
  /** The session has ended. */
  clear(): void;
}

interface Dependencies {
  storage: Promise<OutboxStorage>;
  tabStorage: TabStorage;
  now(): number;
}

/** A tab that was closed leaves its files behind. */
const retentionMs = 24 * 60 * 60_000; // PIC-70

const toStorageKey = (classId: string) => `pictures:${classId}`;

export function createStagedFiles({ storage, tabStorage, now }: Dependencies): StagedFiles {
  const account = Promise.withResolvers<string>();
  /** Files that were removed before they were stored. */
  const removedIds = new Set<string>();

  async function removeOld(owner: string): Promise<void> {
    const { listStaged, removeStaged } = await storage;
    const old = (await listStaged(owner)).filter(({ savedAt }) => savedAt < now() - retentionMs);
    await removeStaged(old.map(({ id }) => id));
  }

  async function tryTo(work: (stored: OutboxStorage, owner: string) => Promise<unknown>) {
    try {
      await work(await storage, await account.promise);
    } catch (error) {
      console.warn('A picture is not kept over a reload.', error);
    }
  }

  return {
    open(owner) {
      account.resolve(owner);
      void removeOld(owner).catch(() => undefined);
    },
    described: (classId) => parsePictures(tabStorage.read(toStorageKey(classId))),
    describe(classId, pictures) {
      const described = pictures.map(({ id, size, alt, spoiler, imageId }) => {
        return { id, size, alt, spoiler, imageId };
      });
      const text = described.length > 0 ? JSON.stringify(described) : null;
      tabStorage.write(toStorageKey(classId), text);
    },
    save: (id, bytes, alternative) =>
      tryTo(async ({ putStaged, removeStaged }, owner) => {
        await putStaged({ id, account: owner, bytes, alternative, savedAt: now() });
        if (removedIds.has(id)) await removeStaged([id]);
      }),
    async read(ids) {
      const files = new Map<string, KeptFile>();
      await tryTo(async ({ listStaged }, owner) => {
        for (const { id, bytes, alternative = null } of await listStaged(owner)) {
          if (ids.includes(id)) files.set(id, { bytes, alternative });
        }
      });
      return files;
    },
    remove(ids) {
      for (const id of ids) removedIds.add(id);
      if (ids.length > 0) void tryTo(({ removeStaged }) => removeStaged(ids));
    },
    clear() {
      void tryTo(async ({ listStaged, removeStaged }, owner) => {
        await removeStaged((await listStaged(owner)).map(({ id }) => id));
      });
    },
  };
}

function parsePictures(text: string | null): DescribedPicture[] {
  try {
    return text === null ? [] : (JSON.parse(text) as DescribedPicture[]);
  } catch {
    return [];
  }
}
