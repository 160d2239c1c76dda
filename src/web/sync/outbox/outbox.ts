// Unsent messages in the order of writing, after the unsent deletions. Memory is updated immediately. Storage
// follows, so that entries survive the tab and other tabs can show them.
import { attempt } from '#web/attempt.ts';
import type { OutboxEntry, OutboxPicture, OutboxStorage, StoredEntry } from './outbox-storage.ts';

type NewMessage = Pick<OutboxEntry, 'id' | 'classId' | 'text' | 'pictures' | 'replyTo' | 'staffId'>;
type NewDeletion = Pick<OutboxEntry, 'classId' | 'staffId'> & { deletes: string };

export interface Outbox {
  entries(): readonly OutboxEntry[];
  listClassEntries(classId: string): readonly OutboxEntry[];
  listMessageEntries(classId: string): readonly OutboxEntry[];
  listDeletionEntries(classId: string): readonly OutboxEntry[];
  find(id: string): OutboxEntry | undefined;
  findPicture(pictureId: string): OutboxPicture | undefined;
  /** No other tab can see this entry or its pictures, so only this tab can send it. */
  isOnlyInThisTab(id: string): boolean;
  /** The browser had no room to store the pictures: they are lost when this tab closes. */
  isPictureOnlyInThisTab(id: string): boolean;
  /** Binds the outbox to an account: loads its stored entries and stores those added before. */
  open(account: string): Promise<void>;
  /** Reads storage again after another tab changed it. */
  reload(): Promise<void>;
  add(message: NewMessage): void;
  /** Replaces an earlier deletion of the message. @returns the id of the entry */
  addDeletion(deletion: NewDeletion): string;
  fail(id: string, failure: string): void;
  /** Retries a failed entry, without the pictures that were lost or rejected, or with another text. */
  retry(id: string, text?: string): void;
  /** Records the picture's id on the server, or why the server rejected it. Resolves when stored. */
  setUploaded(pictureId: string, uploaded: Uploaded): Promise<void>;
  /** The class allows no pictures. */
  rejectPictures(id: string, refusal: string): Promise<void>;
  /** The server no longer has the pictures of this entry. */
  forgetUploads(id: string): Promise<void>;
  remove(ids: readonly string[]): void;
  /** Deletes everything of this account, for all tabs. */
  clear(): Promise<void>;
}

export interface OutboxDependencies {
  storage: Promise<OutboxStorage>;
  now(): number;
  /** Called for each class whose entries changed. */
  onChange(classId: string): void;
  /** Called after each write to storage, even a failed one. Other tabs should reload. */
  onStored(): void;
  /** The browser has no room to store this picture. */
  onPictureOnlyInThisTab(pictureId: string): void;
  /** The picture left the outbox. */
  onPictureRemoved(pictureId: string): void;
}

export type Uploaded = Partial<Pick<OutboxPicture, 'imageId' | 'refusal'>>;

export function createOutbox(dependencies: OutboxDependencies): Outbox {
  const { storage, now, onStored, onPictureOnlyInThisTab, onPictureRemoved } = dependencies;
  /** What shows the entries must not keep them from being stored and sent. */
  const onChange = (classId: string) => attempt(() => dependencies.onChange(classId), undefined);
  let account: string | null = null;
  let entries: readonly OutboxEntry[] = [];
  const onlyInThisTab = new Set<string>();
  const pictureOnlyInThisTab = new Set<string>();
  /** Entries that are being written. A read that started before the write may not contain them. */
  const pendingWrites = new Set<OutboxEntry>();
  /** Counts local changes, to detect a read that started before one. */
  let version = 0;
  let lastWrite: Promise<void> = Promise.resolve();

  /** Writes one change after the other: the order of the first writes is the order of sending. */
  function write(task: (to: OutboxStorage) => Promise<void>): Promise<void> {
    const written = lastWrite.then(async () => task(await storage));
    lastWrite = written.catch(() => {});
    return written;
  }

  function replace(next: readonly OutboxEntry[]): void {
    const previousEntries = entries;
    entries = sortDeletionsFirst(next);
    const remainingIds = new Set(entries.map(({ id }) => id));
    for (const entry of previousEntries) if (!remainingIds.has(entry.id)) forget(entry);
    for (const classId of new Set([...previousEntries, ...entries].map((entry) => entry.classId))) {
      onChange(classId);
    }
  }

  function forget({ id, pictures }: OutboxEntry): void {
    onlyInThisTab.delete(id);
    pictureOnlyInThisTab.delete(id);
    for (const picture of pictures) onPictureRemoved(picture.id);
  }

  async function store(entry: OutboxEntry): Promise<void> {
    if (account === null) return;
    const storedEntry = { ...entry, account };
    pendingWrites.add(entry);
    try {
      await write(async ({ shared, put }) => {
        // Another tab would send it before the earlier ones of its class that only this tab has.
        const index = entries.findIndex(({ id }) => id === entry.id);
        const isBehind = entries
          .slice(0, index)
          .some(({ id, classId }) => classId === entry.classId && onlyInThisTab.has(id));
        if (!isBehind) await putOrDropPictures(put, storedEntry);
        if (!shared || isBehind) onlyInThisTab.add(entry.id);
      });
    } catch (error) {
      console.warn('An unsent message could not be stored.', error);
      onlyInThisTab.add(entry.id);
    }
    pendingWrites.delete(entry);
    onStored();
    onChange(entry.classId);
  }

  /** If the pictures do not fit into storage, stores the text without them. */
  async function putOrDropPictures(put: OutboxStorage['put'], entry: StoredEntry): Promise<void> {
    const { id, pictures } = entry;
    const withoutBytes = {
      ...entry,
      pictures: pictures.map((picture) => ({ ...picture, bytes: null })),
    };
    if (pictureOnlyInThisTab.has(id)) return put(withoutBytes);
    try {
      await put(entry);
    } catch (error) {
      if (pictures.length === 0) throw error;
      await put(withoutBytes);
      pictureOnlyInThisTab.add(id);
      for (const picture of pictures) onPictureOnlyInThisTab(picture.id);
    }
  }

  function change(id: string, fields: Partial<OutboxEntry>): Promise<void> {
    const entry = find(id);
    if (!entry) return Promise.resolve();
    version += 1;
    const next = { ...entry, ...fields };
    entries = entries.map((other) => (other === entry ? next : other));
    onChange(entry.classId);
    return store(next);
  }

  function addEntry(draft: Omit<OutboxEntry, 'createdAt' | 'failure'>): void {
    version += 1;
    const entry = { ...draft, createdAt: now(), failure: null };
    entries = sortDeletionsFirst([...entries.filter(({ id }) => id !== entry.id), entry]);
    onChange(entry.classId);
    void store(entry);
  }

  function find(id: string): OutboxEntry | undefined {
    return entries.find((entry) => entry.id === id);
  }

  function findByPicture(pictureId: string): OutboxEntry | undefined {
    return entries.find(({ pictures }) => pictures.some(({ id }) => id === pictureId));
  }

  async function changePictures(
    entry: OutboxEntry | undefined,
    changePicture: (picture: OutboxPicture) => OutboxPicture,
  ): Promise<void> {
    if (!entry) return;
    const pictures = entry.pictures.map(changePicture);
    if (pictures.some((picture, n) => picture !== entry.pictures[n])) {
      await change(entry.id, { pictures });
    }
  }

  async function reload(): Promise<void> {
    if (account === null) return;
    try {
      let versionBefore: number;
      let storedEntries: readonly OutboxEntry[];
      do {
        versionBefore = version;
        await lastWrite;
        storedEntries = await (await storage).list(account);
      } while (versionBefore !== version);
      const storedIds = new Set(storedEntries.map(({ id }) => id));
      const unstored = entries.filter(
        (entry) =>
          !storedIds.has(entry.id) && (onlyInThisTab.has(entry.id) || pendingWrites.has(entry)),
      );
      replace([...storedEntries.map(keepLocalPictures), ...unstored]);
    } catch (error) {
      console.warn('Unsent messages could not be read.', error);
    }
  }

  /** Each read returns new Blob handles or none. Keeps the handles that are on screen. */
  function keepLocalPictures(entry: OutboxEntry): OutboxEntry {
    const local = find(entry.id)?.pictures ?? [];
    const pictures = entry.pictures.map((picture) => {
      const localPicture = local.find(({ id }) => id === picture.id);
      if (!localPicture?.bytes) return picture;
      const isSame =
        localPicture.imageId === picture.imageId && localPicture.refusal === picture.refusal;
      return isSame ? localPicture : { ...picture, bytes: localPicture.bytes };
    });
    const isSame =
      pictures.length === local.length && pictures.every((picture, n) => picture === local[n]);
    return { ...entry, pictures: isSame ? local : pictures };
  }

  return {
    entries: () => entries,
    listClassEntries: (classId) => entries.filter((entry) => entry.classId === classId),
    listMessageEntries: (classId) =>
      entries.filter((entry) => entry.classId === classId && entry.deletes === undefined),
    listDeletionEntries: (classId) =>
      entries.filter((entry) => entry.classId === classId && entry.deletes !== undefined),
    find,
    findPicture: (pictureId) =>
      findByPicture(pictureId)?.pictures.find(({ id }) => id === pictureId),
    isOnlyInThisTab: (id) => onlyInThisTab.has(id) || pictureOnlyInThisTab.has(id),
    isPictureOnlyInThisTab: (id) => pictureOnlyInThisTab.has(id),
    async open(owner) {
      if (account === null) {
        account = owner;
        for (const entry of entries) void store(entry);
      }
      await reload();
    },
    reload,
    add: addEntry,
    addDeletion(deletion) {
      const id = `deletion ${deletion.deletes}`;
      addEntry({ ...deletion, id, text: '', pictures: [], replyTo: null });
      return id;
    },
    fail: (id, failure) => void change(id, { failure }),
    retry(id, text) {
      const failedEntry = find(id);
      if (!failedEntry) return;
      const entry = { ...failedEntry, text: text?.trim() ?? failedEntry.text };
      const pictures = entry.pictures.filter((picture) => !isPictureLost(picture));
      // Without these pictures, nothing would be left to send.
      const isOnlyPictures = entry.text === '' && pictures.length === 0;
      for (const picture of entry.pictures) {
        if (!isOnlyPictures && isPictureLost(picture)) onPictureRemoved(picture.id);
      }
      const retried = entry.pictures.map((picture) => ({ ...picture, refusal: null }));
      void change(id, {
        text: entry.text,
        failure: null,
        pictures: isOnlyPictures ? retried : pictures,
      });
    },
    setUploaded: (pictureId, uploaded) =>
      changePictures(findByPicture(pictureId), (picture) =>
        picture.id === pictureId ? { ...picture, ...uploaded } : picture,
      ),
    rejectPictures: (id, refusal) =>
      changePictures(find(id), (picture) => ({ ...picture, imageId: null, refusal })),
    forgetUploads: (id) =>
      changePictures(find(id), (picture) =>
        picture.imageId === null ? picture : { ...picture, imageId: null },
      ),
    remove(ids) {
      const removedEntries = entries.filter(({ id }) => ids.includes(id));
      if (removedEntries.length === 0) return;
      version += 1;
      entries = entries.filter((entry) => !removedEntries.includes(entry));
      for (const entry of removedEntries) forget(entry);
      for (const classId of new Set(removedEntries.map((entry) => entry.classId))) {
        onChange(classId);
      }
      write(({ remove }) => remove(removedEntries.map(({ id }) => id))).then(
        onStored,
        (error: unknown) =>
          // The next tab sends it again, and the server recognizes the id.
          console.warn('A sent message could not be taken out of the store.', error),
      );
    },
    async clear() {
      version += 1;
      replace([]);
      const owner = account;
      if (owner !== null) await write(({ clear }) => clear(owner));
      onStored();
    },
  };
}

/** The picture cannot be sent: it is neither in this browser nor on the server, or the server rejects it. */
export function isPictureLost({ bytes, imageId, refusal }: OutboxPicture): boolean {
  return imageId === null && (bytes === null || refusal !== null);
}

/** Who deletes a message needs it gone, so deletions come first. Otherwise the order stays. */
function sortDeletionsFirst(entries: readonly OutboxEntry[]): readonly OutboxEntry[] {
  return [
    ...entries.filter(({ deletes }) => deletes !== undefined),
    ...entries.filter(({ deletes }) => deletes === undefined),
  ];
}

/** Creates a version 4 UUID. `crypto.randomUUID` is missing on plain http, except on localhost. */
export function createMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  // The version digit is 4. The variant digit is 8, 9, a or b.
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...parts, variant + hex.slice(17, 20), hex.slice(20)].join('-');
}
