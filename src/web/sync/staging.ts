// The picture that is chosen for the next message of one class. Its upload begins at once, so that
// sending need not wait; it goes on when the message is sent off meanwhile.
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
  /** Of the message that will have it. */
  readonly id: string;
  readonly bytes: Blob;
  /** Null when this browser cannot show it. */
  readonly size: PictureSize | null;
  readonly alt: string;
  readonly imageId: string | null;
  /** The share that is on its way, from 0 to 1; null while nothing is. */
  readonly progress: number | null;
}

export interface Staged {
  readonly picture: StagedPicture | null;
  /** A file was chosen and is not in memory yet: what is sent now would go without it. */
  readonly reading: boolean;
  /** Why there is none, or why it is not uploaded, as a sentence. */
  readonly problem: string | null;
}

export interface Staging extends Store<Staged> {
  /** Takes the place of what was staged before. */
  stage(file: Blob): Promise<void>;
  describe(alt: string): void;
  /** Tries the upload again. */
  uploadAgain(): void;
  unstage(): void;
  /** The same, of a class that one is no longer in: nothing can be said to the server. */
  forget(): void;
  /** Hands it over to a message; its upload goes on. */
  take(): { id: string; picture: OutboxPicture } | null;
  /** The progress of an upload has changed. */
  show(): void;
}

const nothing: Staged = { picture: null, reading: false, problem: null };
const notUploaded = 'The picture could not be uploaded. Please check your connection.';

export function createStaging(
  classId: string,
  { calls, uploads }: { calls: PictureCalls; uploads: PictureUploads },
): Staging {
  const cell = createCell(nothing);
  /** Counts what was chosen, to tell a file that was read too late. */
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
    // A copy: the file may be changed, moved or unplugged, and its name is nobody's business.
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
    // Otherwise the server collects it after an hour.
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
      // Also what was said of one that was refused: it is the past.
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

/** Without what no line may hold, such as marks that turn its direction: it may have been pasted. */
function plainLine(text: string): string {
  return Array.from(text).filter(isPlainLine).join('').trim();
}
