// Unsent messages in the order of sending, after the unsent deletions, votes and marks: the order of writing, except that
// a text comes before messages whose files are not uploaded. Memory is updated immediately. Storage follows, so that
// entries survive the tab and other tabs can show them.
import { attempt } from '#web/attempt.ts';
import type {
  OutboxEntry,
  OutboxPicture,
  OutboxStorage,
  QuestionMark,
  StoredEntry,
} from './outbox-storage.ts';

type NewMessage = Pick<
  OutboxEntry,
  | 'id'
  | 'classId'
  | 'text'
  | 'pictures'
  | 'replyTo'
  | 'question'
  | 'poll'
  | 'topicId'
  | 'staffId'
  | 'icon'
>;
type NewDeletion = Pick<OutboxEntry, 'classId' | 'staffId'> & { deletes: string };
type NewMark = Pick<OutboxEntry, 'classId' | 'staffId'> & { mark: QuestionMark };

const emptyContent = { text: '', pictures: [], replyTo: null };

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

export class Outbox {
  readonly #dependencies: OutboxDependencies;
  #account: string | null = null;
  #entries: readonly OutboxEntry[] = [];
  readonly #onlyInThisTab = new Set<string>();
  readonly #pictureOnlyInThisTab = new Set<string>();
  /** Entries that are being written. A read that started before the write may not contain them. */
  readonly #pendingWrites = new Set<OutboxEntry>();
  /** Counts local changes, to detect a read that started before one. */
  #version = 0;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(dependencies: OutboxDependencies) {
    this.#dependencies = dependencies;
  }

  entries(): readonly OutboxEntry[] {
    return this.#entries;
  }

  listClassEntries(classId: string): readonly OutboxEntry[] {
    return this.#entries.filter((entry) => entry.classId === classId);
  }

  listMessageEntries(classId: string): readonly OutboxEntry[] {
    return this.listClassEntries(classId).filter(isMessageEntry);
  }

  listDeletionEntries(classId: string): readonly OutboxEntry[] {
    return this.listClassEntries(classId).filter(({ deletes }) => deletes !== undefined);
  }

  listMarkEntries(classId: string): readonly OutboxEntry[] {
    return this.listClassEntries(classId).filter(({ mark }) => mark !== undefined);
  }

  /** Finds a deletion, vote or mark that the server rejected. */
  findFailedAction(classId: string): OutboxEntry | undefined {
    return this.listClassEntries(classId).find(
      (entry) => entry.failure !== null && !isMessageEntry(entry),
    );
  }

  findPicture(pictureId: string): OutboxPicture | undefined {
    return this.findByPicture(pictureId)?.pictures.find(({ id }) => id === pictureId);
  }

  /** The message with this picture. */
  findByPicture(pictureId: string): OutboxEntry | undefined {
    return this.#entries.find(({ pictures }) => pictures.some(({ id }) => id === pictureId));
  }

  /** No other tab can see this entry or its pictures, so only this tab can send it. */
  isOnlyInThisTab(id: string): boolean {
    return this.#onlyInThisTab.has(id) || this.#pictureOnlyInThisTab.has(id);
  }

  /** The browser had no room to store the pictures: they are lost when this tab closes. */
  isPictureOnlyInThisTab(id: string): boolean {
    return this.#pictureOnlyInThisTab.has(id);
  }

  /** Binds the outbox to an account: loads its stored entries and stores those added before. */
  async open(account: string): Promise<void> {
    if (this.#account === null) {
      this.#account = account;
      for (const entry of this.#entries) void this.#store(entry);
    }
    await this.reload();
  }

  add(message: NewMessage): void {
    this.#addEntry(message);
  }

  /** Replaces an earlier deletion of the message. @returns the id of the entry */
  addDeletion(deletion: NewDeletion): string {
    const id = `deletion ${deletion.deletes}`;
    this.#addEntry({ ...deletion, ...emptyContent, id });
    return id;
  }

  /** Replaces an earlier vote or mark of this kind on the question or poll. @returns the id of the entry */
  addMark(newMark: NewMark): string {
    const { type, messageId, endorsed } = newMark.mark;
    const isReplaced = ({ mark }: OutboxEntry) =>
      mark?.type === type && mark.messageId === messageId && mark.endorsed === endorsed;
    this.remove(
      this.listMarkEntries(newMark.classId)
        .filter(isReplaced)
        .map(({ id }) => id),
    );
    // A new id each time: the earlier one may be on its way.
    const id = createMessageId();
    this.#addEntry({ ...newMark, ...emptyContent, id });
    return id;
  }

  fail(id: string, failure: string): void {
    void this.#change(id, { failure });
  }

  /** Sends an entry, without the pictures that were lost or rejected, or with another text. */
  retry(id: string, text?: string): void {
    const previousEntry = this.find(id);
    if (!previousEntry) return;
    const entry = { ...previousEntry, text: text ?? previousEntry.text };
    const pictures = entry.pictures.filter((picture) => !isPictureLost(picture));
    // Without these pictures, nothing would be left to send.
    const isOnlyPictures = entry.text === '' && pictures.length === 0;
    for (const picture of entry.pictures) {
      if (!isOnlyPictures && isPictureLost(picture)) {
        this.#dependencies.onPictureRemoved(picture.id);
      }
    }
    const retriedPictures = entry.pictures.map((picture) => ({ ...picture, refusal: null }));
    void this.#change(id, {
      text: entry.text,
      ...(text !== undefined && { edited: true as const }),
      failure: null,
      pictures: isOnlyPictures ? retriedPictures : pictures,
    });
  }

  /** Records the picture's id on the server, or why the server rejected it. Resolves when stored. */
  setUploaded(pictureId: string, uploaded: Uploaded): Promise<void> {
    return this.#changePictures(this.findByPicture(pictureId), (picture) =>
      picture.id === pictureId ? { ...picture, ...uploaded } : picture,
    );
  }

  /** The class allows no pictures. */
  rejectPictures(id: string, refusal: string): Promise<void> {
    return this.#changePictures(this.find(id), (picture) => {
      return { ...picture, imageId: null, refusal };
    });
  }

  /** The server no longer has the pictures of this entry. */
  forgetUploads(id: string): Promise<void> {
    return this.#changePictures(this.find(id), (picture) =>
      picture.imageId === null ? picture : { ...picture, imageId: null },
    );
  }

  remove(ids: readonly string[]): void {
    const removedEntries = this.#entries.filter(({ id }) => ids.includes(id));
    if (removedEntries.length === 0) return;
    this.#version += 1;
    this.#entries = this.#entries.filter((entry) => !removedEntries.includes(entry));
    for (const entry of removedEntries) this.#forget(entry);
    for (const classId of new Set(removedEntries.map((entry) => entry.classId))) {
      this.#onChange(classId);
    }
    this.#write(({ remove }) => remove(removedEntries)).then(
      () => this.#dependencies.onStored(),
      (error: unknown) =>
        // The next tab sends it again, and the server recognizes the id.
        console.warn('A sent message could not be taken out of the store.', error),
    );
  }

  /** Deletes everything of this account, for all tabs. */
  async clear(): Promise<void> {
    this.#version += 1;
    this.#replace([]);
    const account = this.#account;
    if (account !== null) await this.#write(({ clear }) => clear(account));
    this.#dependencies.onStored();
  }

  /** An exception of the view must not keep the entries from being stored and sent. */
  #onChange(classId: string): void {
    attempt(() => this.#dependencies.onChange(classId), undefined);
  }

  /** Writes one change after the other: the order of the first writes is the order of sending. */
  #write(task: (to: OutboxStorage) => Promise<void>): Promise<void> {
    const written = this.#lastWrite.then(async () => task(await this.#dependencies.storage));
    this.#lastWrite = written.catch(() => {});
    return written;
  }

  #replace(next: readonly OutboxEntry[]): void {
    const previousEntries = this.#entries;
    this.#entries = sortMessagesLast(next);
    const remainingIds = new Set(this.#entries.map(({ id }) => id));
    for (const entry of previousEntries) if (!remainingIds.has(entry.id)) this.#forget(entry);
    for (const classId of new Set(
      [...previousEntries, ...this.#entries].map((entry) => entry.classId),
    )) {
      this.#onChange(classId);
    }
  }

  #forget({ id, pictures }: OutboxEntry): void {
    this.#onlyInThisTab.delete(id);
    this.#pictureOnlyInThisTab.delete(id);
    for (const picture of pictures) this.#dependencies.onPictureRemoved(picture.id);
  }

  /** @param beforeId the entry that a new one comes before */
  async #store(entry: OutboxEntry, beforeId?: string): Promise<void> {
    if (this.#account === null) return;
    const storedEntry = { ...entry, account: this.#account };
    this.#pendingWrites.add(entry);
    try {
      await this.#write(async ({ shared, put }) => {
        // Another tab would send it before the earlier ones of its class that only this tab has.
        const index = this.#entries.findIndex(({ id }) => id === entry.id);
        const isBehind = this.#entries
          .slice(0, index)
          .some(({ id, classId }) => classId === entry.classId && this.#onlyInThisTab.has(id));
        if (!isBehind) {
          await this.#putOrDropPictures((newEntry) => put(newEntry, beforeId), storedEntry);
        }
        if (!shared || isBehind) this.#onlyInThisTab.add(entry.id);
      });
    } catch (error) {
      console.warn('An unsent message could not be stored.', error);
      this.#onlyInThisTab.add(entry.id);
    }
    this.#pendingWrites.delete(entry);
    this.#dependencies.onStored();
    this.#onChange(entry.classId);
  }

  /** If the pictures do not fit into storage, stores the text without them. */
  async #putOrDropPictures(
    put: (entry: StoredEntry) => Promise<void>,
    entry: StoredEntry,
  ): Promise<void> {
    const { id, pictures } = entry;
    const withoutBytes = {
      ...entry,
      pictures: pictures.map((picture) => ({ ...picture, bytes: null })),
    };
    if (this.#pictureOnlyInThisTab.has(id)) return put(withoutBytes);
    try {
      await put(entry);
    } catch (error) {
      if (pictures.length === 0) throw error;
      await put(withoutBytes);
      this.#pictureOnlyInThisTab.add(id);
      for (const picture of pictures) this.#dependencies.onPictureOnlyInThisTab(picture.id);
    }
  }

  #change(id: string, fields: Partial<OutboxEntry>): Promise<void> {
    const entry = this.find(id);
    if (!entry) return Promise.resolve();
    this.#version += 1;
    const next = { ...entry, ...fields };
    this.#entries = this.#entries.map((other) => (other === entry ? next : other));
    this.#onChange(entry.classId);
    return this.#store(next);
  }

  #addEntry(draft: Omit<OutboxEntry, 'createdAt' | 'failure'>): void {
    this.#version += 1;
    const entry = { ...draft, createdAt: this.#dependencies.now(), failure: null };
    const otherEntries = this.#entries.filter(({ id }) => id !== entry.id);
    const overtakenEntry = findOvertaken(otherEntries, entry);
    const index = overtakenEntry ? otherEntries.indexOf(overtakenEntry) : otherEntries.length;
    this.#entries = sortMessagesLast(otherEntries.toSpliced(index, 0, entry));
    this.#onChange(entry.classId);
    void this.#store(entry, overtakenEntry?.id);
  }

  find(id: string): OutboxEntry | undefined {
    return this.#entries.find((entry) => entry.id === id);
  }

  async #changePictures(
    entry: OutboxEntry | undefined,
    changePicture: (picture: OutboxPicture) => OutboxPicture,
  ): Promise<void> {
    if (!entry) return;
    const pictures = entry.pictures.map(changePicture);
    if (pictures.some((picture, n) => picture !== entry.pictures[n])) {
      await this.#change(entry.id, { pictures });
    }
  }

  /** Loads the stored entries again after another tab changed them. */
  async reload(): Promise<void> {
    if (this.#account === null) return;
    try {
      let versionBefore: number;
      let storedEntries: readonly OutboxEntry[];
      do {
        versionBefore = this.#version;
        await this.#lastWrite;
        storedEntries = await (await this.#dependencies.storage).list(this.#account);
      } while (versionBefore !== this.#version);
      const storedIds = new Set(storedEntries.map(({ id }) => id));
      const unstored = this.#entries.filter(
        (entry) =>
          !storedIds.has(entry.id) &&
          (this.#onlyInThisTab.has(entry.id) || this.#pendingWrites.has(entry)),
      );
      this.#replace([...storedEntries.map((entry) => this.#keepLocalPictures(entry)), ...unstored]);
    } catch (error) {
      console.warn('Unsent messages could not be read.', error);
    }
  }

  /** Each read returns new Blob handles or none. Keeps the handles that are on screen. */
  #keepLocalPictures(entry: OutboxEntry): OutboxEntry {
    const local = this.find(entry.id)?.pictures ?? [];
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
}

/** The picture cannot be sent: it is neither in this browser nor on the server, or the server rejects it. */
export function isPictureLost({ bytes, imageId, refusal }: OutboxPicture): boolean {
  return imageId === null && (bytes === null || refusal !== null);
}

/** Whether a file of the message is not on the server yet. */
export function isWaitingForUpload({ pictures, failure }: OutboxEntry): boolean {
  return failure === null && pictures.some(({ imageId }) => imageId === null);
}

/** The first message that a new one without pictures does not wait for. */
function findOvertaken(
  entries: readonly OutboxEntry[],
  { classId, pictures }: OutboxEntry,
): OutboxEntry | undefined {
  if (pictures.length > 0) return undefined;
  return entries.find((other) => other.classId === classId && isWaitingForUpload(other));
}

/** Whether the entry is an unsent message. The others delete a message, vote, or mark an answer. */
export function isMessageEntry({ deletes, mark }: OutboxEntry): boolean {
  return deletes === undefined && mark === undefined;
}

/** A member who deletes a message wants it gone, and a vote does not wait for slow mode. Otherwise the order stays. */
function sortMessagesLast(entries: readonly OutboxEntry[]): readonly OutboxEntry[] {
  return [
    ...entries.filter((entry) => !isMessageEntry(entry)),
    ...entries.filter((entry) => isMessageEntry(entry)),
  ];
}

/**
 * Creates a UUID of this version: 8 for what goes to staff alone. `crypto.randomUUID` is missing on plain http, except on localhost.
 */
export function createMessageId(version: '4' | '8' = '4'): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  // The variant digit is 8, 9, a or b.
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `${version}${hex.slice(13, 16)}`];
  return [...parts, variant + hex.slice(17, 20), hex.slice(20)].join('-');
}
