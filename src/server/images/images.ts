// The life of an uploaded picture: it is re-encoded, stored, served to members and deleted.
import type { KeyObject } from 'node:crypto';
import type { CallReply } from '#contract/http.ts';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import {
  checkMaySee,
  discardImage,
  imageDigest,
  keepImage,
  detachImage,
  claimUnsentForRemoval,
} from '../domain/images.ts';
import { memberOf } from '../domain/membership.ts';
import type { Actor } from '../domain/messages.ts';
import type { Log } from '../log.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import {
  deleteImage,
  displayName,
  markedForRemoval,
  listDueImages,
  thumbName,
  toPicture,
} from '../storage/queries/images.ts';
import type { ImageStore, StoredImage } from './image-store.ts';
import type { PictureProcessor } from './picture-processor.ts';
import { receiveBody } from './receive-body.ts';
import { createUploadGate } from './upload-gate.ts';

export interface Images {
  /** @throws {AppError} NOT_FOUND, TOO_MANY, UNAVAILABLE, or the reason why the file is refused */
  upload(accountId: string, classId: string, request: Request): Promise<CallReply<'uploadImage'>>;
  /** Deletes an upload that was not sent. @throws {AppError} NOT_FOUND */
  discard(accountId: string, classId: string, imageId: string): Promise<void>;
  /** @throws {AppError} NOT_FOUND */
  checkMaySee(accountId: string, imageId: string): Promise<void>;
  open(name: string): Promise<StoredImage | null>;
  /**
   * Deletes the files of a removed picture.
   *
   * @returns false if that failed; the server retries it later
   */
  delete(imageId: string): Promise<boolean>;
  /** Stops the cleanup. Resolves when no deletion is in progress. */
  stop(): Promise<void>;
}

interface Parts {
  db: Database;
  commits: CommitQueue;
  store: ImageStore;
  maker: PictureProcessor;
  personaKey: KeyObject;
  log: Log;
}

const maxBytesInside = 6 * limits.imageBytes;
const maxWaiting = 1000;
const collectEveryMs = 60_000;
const collectAtOnce = 100;

/** Starts with the deletions that were pending when the server stopped. */
export function createImages({ db, commits, store, maker, personaKey, log }: Parts): Images {
  const gate = createUploadGate(maxBytesInside, maxWaiting);
  let collecting: Promise<void> | null = null;

  async function upload(writing: Actor, request: Request) {
    const { accountId, classId } = writing;
    // Membership is checked before any byte of the body is read.
    const member = await memberOf(db, personaKey, accountId, classId);
    const announced = request.headers.get('content-length');
    const bytes = announced === null ? limits.imageBytes : Number(announced);
    if (!(bytes <= limits.imageBytes)) throw new AppError('IMAGE_TOO_LARGE');
    const place = await gate.enter(accountId, request.signal);
    try {
      const hmac = imageDigest(personaKey, member);
      const file = await receiveBody(request, bytes, place, (chunk) => hmac.update(chunk));
      place.arrived();
      const digest = hmac.digest('base64url');
      const { shape, display, thumb } = await maker.make(file, request.signal);
      const imageId = await commits.write((write) =>
        keepImage(write, writing, {
          shape,
          digest,
          bytes: display.length + thumb.length,
        }),
      );
      await put(imageId, display, thumb);
      const { imageUrl, storagePath, image } = toPicture({ imageId, ...shape, alt: '' });
      if (!imageUrl || !storagePath || !image) throw new Error('A picture has no names.');
      const { alt: _, ...shown } = image;
      return { imageId, imageUrl, storagePath, ...shown };
    } finally {
      place.leave();
    }
  }

  type Content = Uint8Array<ArrayBuffer>;
  async function put(imageId: string, display: Content, thumb: Content): Promise<void> {
    try {
      await store.put(thumbName(imageId), thumb);
      await store.put(displayName(imageId), display);
    } catch (error) {
      log.error('image.not-stored', { error });
      await commits.write((write) => detachImage(write, imageId));
      throw new AppError('UNAVAILABLE');
    }
  }

  async function deleteFiles(imageId: string): Promise<boolean> {
    try {
      await store.delete(displayName(imageId));
      await store.delete(thumbName(imageId));
      await commits.write(async (write) => {
        await deleteImage(write.db, imageId);
        write.erases();
      });
      return true;
    } catch (error) {
      log.warn('image.not-deleted', { error });
      return false;
    }
  }

  /** Deletes uploads that were never sent, and retries failed deletions. */
  async function collect(): Promise<void> {
    try {
      for (;;) {
        const due = await listDueImages(db, Date.now(), collectAtOnce);
        for (const { imageId, keptUntil } of due) {
          const late = keptUntil !== markedForRemoval;
          const ours =
            !late || (await commits.write((write) => claimUnsentForRemoval(write, imageId)));
          // If one deletion fails, the others most likely fail too. The next run retries them.
          if (ours && !(await deleteFiles(imageId))) return;
        }
        if (due.length < collectAtOnce) return;
      }
    } catch (error) {
      log.warn('image.not-deleted', { error });
    }
  }

  function collectNow(): void {
    collecting ??= collect().finally(() => {
      collecting = null;
    });
  }

  collectNow();
  const timer = setInterval(collectNow, collectEveryMs);

  return {
    upload: (accountId, classId, request) => upload({ personaKey, accountId, classId }, request),
    async discard(accountId, classId, imageId) {
      const writing = { personaKey, accountId, classId };
      const gone = await commits.write((write) => discardImage(write, writing, imageId));
      if (gone) await deleteFiles(imageId);
    },
    checkMaySee: (accountId, imageId) => checkMaySee(db, personaKey, accountId, imageId),
    open: (name) => store.open(name),
    delete: deleteFiles,
    async stop() {
      clearInterval(timer);
      maker.stop();
      await collecting;
    },
  };
}
