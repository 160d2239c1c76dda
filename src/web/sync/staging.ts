// The picture for the next message of one class. The upload starts when the member chooses the picture and
// continues after the message is sent.
import { errors } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { isPlainLine } from '#contract/text.ts';
import { newMessageId } from './message-id.ts';
import type { OutboxPicture, PictureSize } from './outbox-storage.ts';
import type { PictureCalls } from './picture-calls.ts';
import type { PictureUploads } from './picture-uploads.ts';
import type { Store } from './room.ts';
import { createCell } from './store.ts';

export interface StagedPicture {
  /** The id of the future message. */
  readonly id: string;
  readonly bytes: Blob;
  /** Null if this browser cannot decode the picture. */
  readonly size: PictureSize | null;
  readonly alt: string;
  readonly imageId: string | null;
  /** The uploaded share, from 0 to 1. Null if no upload is in progress. */
  readonly progress: number | null;
}

export interface Staged {
  readonly picture: StagedPicture | null;
  /** The file is not in memory yet. A message sent now would go without it. */
  readonly reading: boolean;
  /** The error message if the file was rejected or the upload failed. */
  readonly problem: string | null;
}

export interface Staging extends Store<Staged> {
  /** Replaces the staged picture. */
  stage(file: Blob): Promise<void>;
  describe(alt: string): void;
  /** Retries the upload. */
  uploadAgain(): void;
  unstage(): void;
  /** Removes the picture without a call to the server, because the membership has ended. */
  forget(): void;
  /** Moves the picture to a message. Its upload continues. */
  take(): { id: string; picture: OutboxPicture } | null;
  /** Call when upload progress changes. */
  show(): void;
}

const nothing: Staged = { picture: null, reading: false, problem: null };
const notUploaded = 'The picture could not be uploaded. Please check your connection.';

export function createStaging(
  classId: string,
  { calls, uploads }: { calls: PictureCalls; uploads: PictureUploads },
): Staging {
  const cell = createCell(nothing);
  /** Counts the choices, to detect a file that was read too late. */
  let chosen = 0;

  const current = () => cell.getSnapshot().picture;

  async function stage(file: Blob): Promise<void> {
    unstage();
    const mine = chosen;
    cell.set({ ...nothing, reading: true });
    const refuse = (problem: string) => {
      if (mine === chosen) cell.set({ ...nothing, problem });
    };
    if (file.size > limits.imageBytes) return refuse(errors.IMAGE_TOO_LARGE.message); // SEND-5
    if (file.type && !file.type.startsWith('image/')) {
      return refuse(errors.IMAGE_NOT_A_PICTURE.message);
    }
    // Copies the bytes, because the file may change or disappear. The file name stays private.
    const bytes = await file.arrayBuffer().then(
      (content) => new Blob([content], { type: file.type }),
      () => null,
    );
    if (!bytes) return refuse(errors.IMAGE_BROKEN.message);
    const size = await calls.measure(bytes);
    if (size && size.width * size.height > limits.imagePixels) {
      return refuse(errors.IMAGE_TOO_MANY_PIXELS.message); // SEND-5
    }
    if (mine !== chosen) return;
    const id = newMessageId();
    cell.set({ ...nothing, picture: { id, bytes, size, alt: '', imageId: null, progress: 0 } });
    void upload(id, bytes);
  }

  async function upload(id: string, bytes: Blob): Promise<void> {
    const answer = await uploads.start({ id, classId, bytes });
    const picture = current();
    if (picture?.id !== id) return;
    switch (answer.kind) {
      case 'uploaded':
        return cell.set({
          ...nothing,
          picture: { ...picture, imageId: answer.imageId, progress: null },
        });
      case 'refused': {
        const problem = answer.refusal.message;
        const kept = answer.retryInMs === null ? null : { ...picture, progress: null };
        return cell.set({ ...nothing, picture: kept, problem });
      }
      case 'lost':
        return cell.set({
          ...nothing,
          picture: { ...picture, progress: null },
          problem: notUploaded,
        });
      case 'cancelled':
        return;
    }
  }

  function change(fields: Partial<StagedPicture>): void {
    const { picture, ...rest } = cell.getSnapshot();
    if (picture) cell.set({ ...rest, picture: { ...picture, ...fields } });
  }

  function forget(): void {
    chosen += 1;
    const picture = current();
    if (picture) uploads.cancel(picture.id);
    cell.set(nothing);
  }

  function unstage(): void {
    const imageId = current()?.imageId;
    forget();
    // Otherwise the server deletes it after an hour.
    if (imageId) void calls.remove(classId, imageId).catch(() => undefined);
  }

  return {
    subscribe: cell.subscribe,
    getSnapshot: cell.getSnapshot,
    stage,
    describe: (alt) => change({ alt }),
    uploadAgain() {
      const picture = current();
      if (!picture || picture.imageId !== null) return;
      cell.set({ ...nothing, picture: { ...picture, progress: 0 } });
      void upload(picture.id, picture.bytes);
    },
    unstage,
    forget,
    take() {
      const picture = current();
      // Also clears the error of a rejected file.
      if (!cell.getSnapshot().reading) cell.set(nothing);
      if (!picture) return null;
      const { id, bytes, size, alt, imageId } = picture;
      return { id, picture: { bytes, size, alt: plainLine(alt), imageId } };
    },
    show() {
      const picture = current();
      if (!picture || picture.progress === null) return;
      const progress = uploads.progressOf(picture.id) ?? picture.progress;
      if (progress !== picture.progress) change({ progress });
    },
  };
}

/** Removes characters that are not allowed in a line, such as bidirectional controls from pasted text. */
function plainLine(text: string): string {
  return Array.from(text).filter(isPlainLine).join('').trim();
}
