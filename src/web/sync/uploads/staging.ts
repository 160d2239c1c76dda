// The pictures for the next message of one class. The upload of a picture starts when the member adds it, and
// continues after the message is sent.
import type { ErrorCode } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { isPlainLine } from '#contract/text.ts';
import { getText } from '#web/get-text.ts';
import { createMessageId } from '#web/sync/outbox/outbox.ts';
import type { OutboxPicture } from '#web/sync/outbox/outbox-storage.ts';
import type { PictureCalls } from './browser-pictures.ts';
import type { PictureUploads } from './picture-uploads.ts';
import type { StagedFiles } from './staged-files.ts';
import { isPdfFile } from './pdf-file.ts';
import { createPreloadedModule } from '#web/lazy-module.ts';
import { createStore, type Store } from '#web/store.ts';
import type { ReadPicture } from './load-picture.ts';

export interface StagedPicture extends Pick<
  OutboxPicture,
  'id' | 'size' | 'alt' | 'spoiler' | 'imageId'
> {
  readonly bytes: Blob;
  /** What the member can send instead: the original of a smaller copy, or the copy of an original. */
  readonly alternative: Blob | null;
  /** The uploaded share, from 0 to 1. Null if no upload is in progress. */
  readonly progress: number | null;
  /** The error message if the upload failed. A retry may succeed. */
  readonly problem: string | null;
}

/** A file that was not added, or that loses something. */
export interface RejectedFile {
  /** Shown if several files were added together. Never sent. */
  readonly name: string;
  readonly problem: string;
}

export interface Staged {
  readonly pictures: readonly StagedPicture[];
  /** Files are not in memory yet. A message sent now would go without them. */
  readonly reading: boolean;
  readonly rejected: readonly RejectedFile[];
}

const pictureLoader = createPreloadedModule(() => import('./load-picture.ts'));

const emptyStage: Staged = { pictures: [], reading: false, rejected: [] };
const uploadFailedMessage = (bytes: Blob) =>
  isPdfFile(bytes) ? getText('sync.pdf.notUploaded') : getText('sync.picture.notUploaded');

/** The class or the server may take the same picture later, or in the next session, so it stays. */
const laterCodes: ReadonlySet<ErrorCode> = new Set([
  'READ_ONLY',
  'PICTURES_OFF',
  'STORAGE_FULL',
  'TOO_MANY_BYTES',
  'UNAUTHENTICATED',
]);

/** The code that reads pictures did not load. */
const notReadMessage = getText('sync.picture.notAdded');

interface Dependencies {
  calls: PictureCalls;
  uploads: PictureUploads;
  files: StagedFiles;
  /** Why no picture can be added now, or null. */
  refusal(): string | null;
  /** The member writes the next message as staff. */
  isStaff(): boolean;
}

export class Staging implements Store<Staged> {
  readonly #classId: string;
  readonly #dependencies: Dependencies;
  readonly #store = createStore(emptyStage);
  /** File name by picture, if several files were added together. */
  readonly #names = new Map<string, string>();
  /** Files that are being read. Empty after the pictures were removed or sent. */
  #readings = new Set<symbol>();
  readonly #restored: Promise<void>;
  readonly subscribe = this.#store.subscribe;
  readonly getSnapshot = this.#store.getSnapshot;

  constructor(classId: string, dependencies: Dependencies) {
    this.#classId = classId;
    this.#dependencies = dependencies;
    this.#restored = this.#restore();
  }

  describe(id: string, alt: string): void {
    this.#change(id, { alt });
  }

  /** Hides the picture until a reader presses it, or takes that back. */
  hide(id: string, isHidden: boolean): void {
    this.#change(id, { spoiler: isHidden || undefined });
  }

  /** Moves the picture to this position. */
  move(id: string, to: number): void {
    const picture = this.#find(id);
    if (!picture) return;
    const otherPictures = this.#listPictures().filter((other) => other !== picture);
    this.#set({ pictures: otherPictures.toSpliced(to, 0, picture) });
  }

  /** Sends the original instead of the smaller copy, or the copy instead of the original. */
  switchSize(id: string): void {
    const picture = this.#find(id);
    if (!picture?.alternative) return;
    const { bytes: alternative, alternative: bytes } = picture;
    this.#cancelUpload(picture);
    this.#change(id, { bytes, alternative, imageId: null, progress: 0, problem: null });
    void this.#dependencies.files.save(id, bytes, alternative);
    void this.#upload(id, bytes);
  }

  remove(id: string): void {
    this.#cancelAll(this.#listPictures().filter((picture) => picture.id === id));
  }

  removeAll(): void {
    this.#stopReading();
    this.#cancelAll(this.#listPictures());
  }

  /** Removes the pictures without a call to the server, because the membership has ended. */
  discardLocally(): void {
    this.#stopReading();
    const ids = this.#listPictures().map(({ id }) => id);
    this.#drop(ids);
    for (const id of ids) this.#dependencies.uploads.cancel(id);
  }

  /** Moves the pictures to a message. Their uploads continue. */
  take(): OutboxPicture[] {
    const takenPictures = this.#listPictures();
    this.#set({ rejected: [] });
    this.#drop(takenPictures.map(({ id }) => id));
    return takenPictures.map(({ id, bytes, size, alt, spoiler, imageId }) => {
      return { id, bytes, size, alt: toPlainLine(alt), spoiler, imageId, refusal: null };
    });
  }

  /** Stores and uploads the pictures again after the session had ended. */
  resume(): void {
    for (const { id, bytes, alternative, imageId } of this.#listPictures()) {
      void this.#dependencies.files.save(id, bytes, alternative);
      if (imageId !== null) continue;
      this.#change(id, { progress: null });
      this.retryUpload(id);
    }
  }

  /** Call when upload progress changes. */
  refreshProgress(): void {
    const next = this.#listPictures().map((picture) => {
      if (picture.progress === null) return picture;
      const progress = this.#dependencies.uploads.findProgress(picture.id) ?? picture.progress;
      return progress === picture.progress ? picture : { ...picture, progress };
    });
    const { pictures: previousPictures, ...rest } = this.#store.getSnapshot();
    if (next.some((picture, n) => picture !== previousPictures[n])) {
      this.#store.set({ ...rest, pictures: next });
    }
  }

  #listPictures(): readonly StagedPicture[] {
    return this.#store.getSnapshot().pictures;
  }

  #find(id: string): StagedPicture | undefined {
    return this.#listPictures().find((picture) => picture.id === id);
  }

  #set(changes: Partial<Staged>): void {
    const next = { ...this.#store.getSnapshot(), ...changes, reading: this.#readings.size > 0 };
    this.#store.set(next);
    if (changes.pictures) this.#dependencies.files.describe(this.#classId, next.pictures);
  }

  #change(id: string, fields: Partial<StagedPicture>): void {
    if (this.#find(id)) {
      this.#set({
        pictures: this.#listPictures().map((picture) =>
          picture.id === id ? { ...picture, ...fields } : picture,
        ),
      });
    }
  }

  #reject(name: string, problem: string): void {
    this.#set({ rejected: [...this.#store.getSnapshot().rejected, { name, problem }] });
  }

  /** Adds the files that are pictures, in this order, and says why it rejects the others. */
  async add(addedFiles: readonly File[]): Promise<void> {
    const problem = this.#dependencies.refusal();
    if (problem !== null) return this.#set({ rejected: [{ name: '', problem }] });
    const reading = Symbol('reading');
    this.#readings.add(reading);
    this.#set({ rejected: [] });
    await this.#restored;
    for (const file of addedFiles) {
      const name = addedFiles.length > 1 ? file.name : '';
      if (this.#listPictures().length >= limits.messageImages) {
        this.#reject(name, getText('error.TOO_MANY_IMAGES'));
        continue;
      }
      const read = await this.#load(file).catch(() => ({ problem: notReadMessage }));
      // The pictures were removed or sent in the meantime.
      if (!this.#readings.has(reading)) return;
      if ('problem' in read) {
        this.#reject(name, read.problem);
        continue;
      }
      this.#stage(read, name);
      if (read.note) this.#reject(name, read.note);
    }
    this.#readings.delete(reading);
    this.#set({});
  }

  async #load(file: File): Promise<ReadPicture | { problem: string }> {
    await pictureLoader.load();
    const code = pictureLoader.getSnapshot();
    if (code) return code.loadPicture(file, this.#dependencies.calls);
    // Without the code, only the server checks the file.
    return { bytes: new Blob([file], { type: file.type }), alternative: null, size: null };
  }

  #stage({ bytes, alternative, size }: ReadPicture, name: string): void {
    // Another set of files may have been added meanwhile.
    if (this.#listPictures().length >= limits.messageImages) {
      return this.#reject(name, getText('error.TOO_MANY_IMAGES'));
    }
    const id = createMessageId();
    if (name) this.#names.set(id, name);
    const picture = {
      id,
      bytes,
      alternative,
      size,
      alt: '',
      imageId: null,
      progress: 0,
      problem: null,
    };
    this.#set({ pictures: [...this.#listPictures(), picture] });
    void this.#dependencies.files.save(id, bytes, alternative);
    void this.#upload(id, bytes);
  }

  /** Shows the pictures from before a reload. */
  async #restore(): Promise<void> {
    const described = this.#dependencies.files.described(this.#classId);
    if (described.length === 0) return;
    const reading = Symbol('reading');
    this.#readings.add(reading);
    this.#set({});
    const storedFiles = await this.#dependencies.files.read(described.map(({ id }) => id));
    if (!this.#readings.delete(reading)) return;
    const restoredPictures = described.flatMap((picture): StagedPicture[] => {
      const file = storedFiles.get(picture.id);
      return file ? [{ ...picture, ...file, progress: null, problem: null }] : [];
    });
    this.#set({ pictures: restoredPictures });
    for (const { id } of restoredPictures) this.retryUpload(id);
  }

  async #upload(id: string, bytes: Blob): Promise<void> {
    const result = await this.#dependencies.uploads.start({
      id,
      classId: this.#classId,
      bytes,
      asStaff: this.#dependencies.isStaff(),
    });
    switch (result.kind) {
      case 'uploaded':
        return this.#change(id, { imageId: result.imageId, progress: null });
      case 'rejected': {
        const { code, message } = result.error;
        if (result.retryDelayMs !== null || laterCodes.has(code)) {
          return this.#change(id, { progress: null, problem: message });
        }
        if (!this.#find(id)) return;
        const name = this.#names.get(id) ?? '';
        this.#drop([id]);
        return this.#reject(name, message);
      }
      case 'noResponse':
        return this.#change(id, { progress: null, problem: uploadFailedMessage(bytes) });
      case 'canceled':
        return;
    }
  }

  /** Retries the upload. */
  retryUpload(id: string): void {
    const picture = this.#find(id);
    if (!picture || picture.imageId !== null || picture.progress !== null) return;
    this.#change(id, { progress: 0, problem: null });
    void this.#upload(id, picture.bytes);
  }

  /** Removes the pictures from the composer and from this browser's storage. */
  #drop(ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#set({ pictures: this.#listPictures().filter(({ id }) => !ids.includes(id)) });
    this.#dependencies.files.remove(ids);
    for (const id of ids) this.#names.delete(id);
  }

  #cancelAll(removedPictures: readonly StagedPicture[]): void {
    this.#drop(removedPictures.map(({ id }) => id));
    for (const picture of removedPictures) this.#cancelUpload(picture);
  }

  #cancelUpload({ id, imageId }: StagedPicture): void {
    this.#dependencies.uploads.cancel(id);
    // Otherwise the server deletes it after an hour.
    if (imageId) {
      void this.#dependencies.calls.remove(this.#classId, imageId).catch(() => undefined);
    }
  }

  #stopReading(): void {
    this.#readings = new Set();
    // Pictures from before a reload may not be restored yet.
    this.#dependencies.files.remove(
      this.#dependencies.files.described(this.#classId).map(({ id }) => id),
    );
    this.#dependencies.files.describe(this.#classId, []);
    this.#set({ rejected: [] });
  }
}

/** Removes characters that are not allowed in a line, such as bidirectional controls from pasted text. */
function toPlainLine(text: string): string {
  return Array.from(text).filter(isPlainLine).join('').trim();
}
