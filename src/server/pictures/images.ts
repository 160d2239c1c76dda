// The life of an uploaded picture or PDF: it is re-encoded, stored, served to members and deleted.
import type { CallReply } from '#contract/http.ts';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { isPdf } from '#contract/pdf.ts';
import type { ServerCore } from '#server/accounts/server-core.ts';
import { checkMayUpload } from '#server/chat/messages/may-post.ts';
import {
  checkMaySee,
  discardImage,
  createImageHmac,
  addImage,
  claimUnsentForDeletion,
  type PictureProperties,
} from '#server/chat/attachments/attachments.ts';
import { getMember, getSpeaker, type Actor } from '#server/chat/members/member.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Log } from '#server/base/log.ts';
import type { WorkCounter } from '#server/base/metrics.ts';
import type { PdfProcessor } from './pdf/pdf-processor.ts';
import type { Database } from '#server/store/tables.ts';
import {
  deleteImage,
  toDisplayName,
  toFileNames,
  listDueImages,
  retireImages,
  toPdfName,
  toStoragePath,
  toThumbName,
  toPicture,
} from '#server/chat/attachments/attachment-queries.ts';
import type { ImageStore, StoredImage } from './image-store.ts';
import type { PictureProcessor } from './picture-processor.ts';
import { receiveBody } from './receive-body.ts';
import { UploadLimiter } from './upload-limiter.ts';
import type { UploadSpace } from './upload-space.ts';

interface Processors {
  pictures: PictureProcessor;
  pdfs: PdfProcessor;
}

type Content = Uint8Array<ArrayBuffer>;

interface ImageRef {
  imageId: string;
  classId: string;
}

/** The new files of an upload. */
interface NewFiles {
  shape: PictureProperties;
  display: Content;
  thumb: Content;
  pdf?: Content;
}

/** The memory that all uploads may use together. */
const maxBytesInMemory = 6 * limits.imageBytes;
const maxWaitingUploads = 1000;
const cleanupIntervalMs = 60_000;
const cleanupBatchSize = 100;

export class Images {
  readonly #server: ServerCore;
  readonly #db: Database;
  readonly #store: ImageStore;
  readonly #space: UploadSpace;
  readonly #processors: Processors;
  readonly #log: Log;
  readonly #metrics: WorkCounter;
  readonly #uploadLimiter = new UploadLimiter(maxBytesInMemory, maxWaitingUploads);
  readonly #timer: NodeJS.Timeout;
  #currentCleanup: Promise<void> | null = null;
  #uploadCount = 0;

  /** Starts a cleanup, for deletions that were pending when the server stopped. */
  constructor(server: ServerCore, store: ImageStore, space: UploadSpace, processors: Processors) {
    this.#server = server;
    this.#db = server.db;
    this.#store = store;
    this.#space = space;
    this.#processors = processors;
    this.#log = server.log;
    this.#metrics = server.metrics;
    this.#startCleanup();
    this.#timer = setInterval(() => this.#startCleanup(), cleanupIntervalMs);
  }

  /**
   * Receives a file, creates new files from its content and stores them.
   *
   * @throws {AppError} NOT_FOUND, READ_ONLY, PICTURES_OFF, STORAGE_FULL, TOO_MANY_BYTES, TOO_MANY, UNAVAILABLE, or an error that
   *   says why the file is rejected
   */
  async upload(
    callCommits: CallCommits,
    accountId: string,
    classId: string,
    request: Request,
    asStaff: boolean,
  ): Promise<CallReply<'uploadImage'>> {
    this.#uploadCount += 1;
    try {
      const actor = { accountId, classId };
      return await this.#process(callCommits, actor, request, asStaff);
    } finally {
      this.#uploadCount -= 1;
    }
  }

  /** The number of uploads that wait or are in progress. */
  countUploads(): number {
    return this.#uploadCount;
  }

  /** Deletes an upload that was not sent. @throws {AppError} NOT_FOUND */
  async discard(
    callCommits: CallCommits,
    accountId: string,
    classId: string,
    imageId: string,
  ): Promise<void> {
    const actor = { accountId, classId };
    const isDiscarded = await callCommits.write(
      (unitOfWork) => discardImage(unitOfWork, actor, imageId),
      { classId },
    );
    if (isDiscarded) await this.#eraseImage({ imageId, classId });
  }

  /** @throws {AppError} NOT_FOUND */
  checkMaySee(accountId: string, imageId: string): Promise<void> {
    return checkMaySee(this.#server, accountId, imageId);
  }

  open(name: string): Promise<StoredImage | null> {
    return this.#store.open(name);
  }

  /**
   * Deletes the files of removed pictures.
   *
   * @returns false if a deletion failed; the server retries it later
   */
  async delete(classId: string, imageIds: readonly string[]): Promise<boolean> {
    const results = await Promise.all(
      imageIds.map((imageId) => this.#eraseImage({ imageId, classId })),
    );
    return results.every((isDeleted) => isDeleted);
  }

  /** Stops the cleanup. Resolves when no deletion is in progress. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#processors.pictures.stop();
    this.#processors.pdfs.stop();
    await this.#currentCleanup;
  }

  async #process(callCommits: CallCommits, actor: Actor, request: Request, asStaff: boolean) {
    const { accountId, classId } = actor;
    // Membership, mutes and the class's settings are checked before any byte of the body is read.
    const member = getSpeaker(await getMember(this.#server, accountId, classId), asStaff);
    checkMayUpload(member);
    await this.#space.check();
    const contentLength = request.headers.get('content-length');
    const announcedBytes = contentLength === null ? limits.imageBytes : Number(contentLength);
    if (!(announcedBytes <= limits.imageBytes)) throw new AppError('IMAGE_TOO_LARGE');
    const permit = await this.#uploadLimiter.acquire(accountId, request.signal);
    try {
      const hmac = createImageHmac(this.#server.keys.personas, member);
      const file = await receiveBody(request, announcedBytes, permit, (chunk) =>
        hmac.update(chunk),
      );
      permit.markReceived();
      const digest = hmac.digest('base64url');
      const files: NewFiles = isPdf(file)
        ? await this.#redrawPdf(accountId, file, request.signal)
        : await this.#processors.pictures.process(accountId, file, request.signal);
      const imageId = await this.#save(callCommits, actor, files, digest, asStaff);
      this.#metrics.count('pictures', 'processed');
      const { alt: _, ...picture } = toPicture({ imageId, ...files.shape, alt: '' });
      return { imageId, storagePath: toStoragePath(imageId), ...picture };
    } finally {
      permit.release();
    }
  }

  async #redrawPdf(accountId: string, file: Uint8Array, signal: AbortSignal) {
    const { limiter } = this.#server;
    limiter.take('pdfs', accountId, 1, 'PDF_TOO_MANY');
    try {
      const { pdf, pages, preview } = await this.#processors.pdfs.process(accountId, file, signal);
      return { ...preview, shape: { ...preview.shape, pages }, pdf };
    } catch (error) {
      if (error instanceof AppError && error.code === 'PDF_BUSY') {
        limiter.refund('pdfs', accountId);
      }
      throw error;
    }
  }

  /**
   * Saves the files of an upload. If this fails, their bytes do not count against the account's limit.
   *
   * @returns the id of the picture
   */
  async #save(
    callCommits: CallCommits,
    actor: Actor,
    files: NewFiles,
    digest: string,
    asStaff: boolean,
  ) {
    const { shape, display, thumb, pdf } = files;
    const bytes = display.length + thumb.length + (pdf?.length ?? 0);
    const { limiter } = this.#server;
    limiter.take('uploadKilobytes', actor.accountId, bytes / 1000, 'TOO_MANY_BYTES');
    try {
      const imageId = await callCommits.write(
        (unitOfWork) => addImage(unitOfWork, actor, { shape, digest, bytes }, asStaff),
        { classId: actor.classId },
      );
      await this.#put({ imageId, classId: actor.classId }, files);
      this.#space.add(bytes);
      return imageId;
    } catch (error) {
      limiter.refund('uploadKilobytes', actor.accountId, bytes / 1000);
      throw error;
    }
  }

  async #put({ imageId, classId }: ImageRef, { display, thumb, pdf }: NewFiles): Promise<void> {
    try {
      if (pdf) await this.#store.put(toPdfName(imageId), pdf);
      await this.#store.put(toThumbName(imageId), thumb);
      await this.#store.put(toDisplayName(imageId), display);
    } catch (error) {
      this.#log.error('image.not-stored', { error });
      this.#metrics.count('pictures', 'failed');
      await this.#server.commits.write(({ db }) => retireImages(db, [imageId], 'deleted'), {
        classId,
      });
      throw new AppError('UNAVAILABLE');
    }
  }

  /**
   * Deletes the files of a picture, then its row.
   *
   * @returns false if it failed; the cleanup retries it
   */
  async #eraseImage({ imageId, classId }: ImageRef): Promise<boolean> {
    try {
      for (const name of toFileNames(imageId)) await this.#store.delete(name);
      await this.#server.commits.write(
        async (unitOfWork) => {
          await deleteImage(unitOfWork.db, imageId);
          unitOfWork.contentErased();
        },
        { classId },
      );
      return true;
    } catch (error) {
      this.#log.warn('image.not-deleted', { error });
      return false;
    }
  }

  /** Deletes uploads that were never sent, and retries failed deletions. */
  async #cleanUp(): Promise<void> {
    try {
      for (;;) {
        const dueImages = await listDueImages(this.#db, Date.now(), cleanupBatchSize);
        for (const { imageId, classId, status } of dueImages) {
          const isDeleted =
            status === 'deleted' ||
            (await this.#server.commits.write(
              (unitOfWork) => claimUnsentForDeletion(unitOfWork, imageId),
              {
                classId,
              },
            ));
          // If one deletion fails, the others most likely fail too. The next run retries them.
          if (isDeleted && !(await this.#eraseImage({ imageId, classId }))) return;
        }
        if (dueImages.length < cleanupBatchSize || !this.#server.lease.isHeld()) return;
      }
    } catch (error) {
      this.#log.warn('image.not-deleted', { error });
    }
  }

  #startCleanup(): void {
    if (!this.#server.lease.isHeld()) return;
    this.#currentCleanup ??= this.#cleanUp().finally(() => {
      this.#currentCleanup = null;
    });
  }
}
