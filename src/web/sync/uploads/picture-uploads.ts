// The queue of uploads. A picture is uploaded by one tab at a time.
import { isTemporary } from '#contract/temporary-errors.ts';
import { getText } from '#web/get-text.ts';
import { RejectedError } from '#web/rejected-error.ts';
import type { Tabs } from '#web/sync/engine/browser-tabs.ts';
import type { UploadJob, UploadResult } from '#web/sync/outbox/outbox-sender.ts';
import { type Outbox, isPictureLost } from '#web/sync/outbox/outbox.ts';
import type { PictureCalls } from './browser-pictures.ts';
import { isPdfFile, maxPdfMs } from './pdf-file.ts';

interface Upload {
  result: Promise<UploadResult>;
  /** Null until its turn comes. */
  progress: number | null;
  controller: AbortController;
}

/** A tab that uploads for longer than this may be suspended, so this tab takes over. */
const takeoverAfterMs = 20_000;
const defaultRetryDelayMs = 10_000;
/** Progress is reported in this many steps. */
const progressSteps = 20;

const canceled: UploadResult = { kind: 'canceled' };

export class PictureUploads {
  readonly #calls: PictureCalls;
  readonly #outbox: Outbox;
  readonly #tabs: Tabs;
  readonly #onProgress: (classId: string) => void;
  readonly #uploads = new Map<string, Upload>();
  readonly #keptLocks = new Map<string, () => void>();
  /** The end of the queue. The server reads one upload of an account at a time, so a second one would only wait. */
  #lastInQueue: Promise<unknown> = Promise.resolve();

  constructor(
    calls: PictureCalls,
    outbox: Outbox,
    tabs: Tabs,
    onProgress: (classId: string) => void,
  ) {
    this.#calls = calls;
    this.#outbox = outbox;
    this.#tabs = tabs;
    this.#onProgress = onProgress;
  }

  /** Queues the upload, or returns the one in progress with this id. */
  start(job: UploadJob): Promise<UploadResult> {
    const runningUpload = this.#uploads.get(job.id);
    if (runningUpload) return runningUpload.result;
    const controller = new AbortController();
    const currentUpload: Upload = {
      controller,
      progress: null,
      result: this.#run(job, controller.signal),
    };
    this.#uploads.set(job.id, currentUpload);
    void currentUpload.result.then(() => {
      if (this.#uploads.get(job.id) === currentUpload) this.#uploads.delete(job.id);
      this.#onProgress(job.classId);
    });
    return currentUpload.result;
  }

  #run(job: UploadJob, signal: AbortSignal): Promise<UploadResult> {
    // Without the bytes this tab only waits for another one, which must not hold up the queue.
    if (!job.bytes) return this.#runLocked(job, signal);
    const turn = this.#lastInQueue.then(() =>
      signal.aborted ? canceled : this.#runLocked(job, signal),
    );
    this.#lastInQueue = turn;
    return Promise.race([turn, waitUntilCanceled(signal)]);
  }

  async #runLocked(job: UploadJob, signal: AbortSignal): Promise<UploadResult> {
    const lock = this.#keptLocks.has(job.id) ? null : this.#acquireLock(job, signal);
    try {
      await lock?.acquired;
      if (signal.aborted) return canceled;
      return (await this.#findResultInOutbox(job.id)) ?? (await this.#upload(job, signal));
    } finally {
      lock?.release();
    }
  }

  /** Waits until no other tab uploads the same picture. */
  #acquireLock({ id, bytes }: UploadJob, signal: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<void>();
    let timer: ReturnType<typeof setTimeout> | null = null;
    const listener = { onAcquired: resolve, onLost: () => {} };
    let release = this.#tabs.acquireLeadership(toLockName(id), listener);
    // Without the bytes, only the other tab can upload it.
    if (bytes) {
      timer = setTimeout(
        () => {
          release();
          release = this.#tabs.acquireLeadership(toLockName(id), listener, true);
        },
        isPdfFile(bytes) ? maxPdfMs : takeoverAfterMs,
      );
    }
    const waited = promise.then(() => {
      if (timer) clearTimeout(timer);
    });
    signal.addEventListener('abort', () => resolve());
    return { acquired: waited, release: () => release() };
  }

  /** Checks what another tab has done with a sent message. */
  async #findResultInOutbox(id: string): Promise<UploadResult | null> {
    // A staged picture is in no outbox.
    if (!this.#outbox.findPicture(id)) return null;
    await this.#outbox.reload();
    const entry = this.#outbox.findByPicture(id);
    const picture = this.#outbox.findPicture(id);
    // The member may have stopped the message in the other tab.
    if (!picture || entry?.failure !== null) return canceled;
    const { imageId, refusal } = picture;
    if (imageId !== null) return { kind: 'uploaded', imageId };
    if (!isPictureLost(picture)) return null;
    const error = new RejectedError('IMAGE_GONE', refusal ?? getText('error.IMAGE_GONE'));
    return { kind: 'rejected', error, retryDelayMs: null };
  }

  async #upload(job: UploadJob, signal: AbortSignal): Promise<UploadResult> {
    const { id, classId, asStaff } = job;
    const bytes = job.bytes ?? this.#outbox.findPicture(id)?.bytes;
    if (!bytes) return canceled;
    const reportProgress = this.#createProgressReporter(job);
    reportProgress(0);
    try {
      const { imageId } = await this.#calls.upload(classId, bytes, reportProgress, signal, asStaff);
      if (signal.aborted) {
        void this.#calls.remove(classId, imageId).catch(() => undefined);
        return canceled;
      }
      // Resolves before the lock is released, so that other tabs see the result before they start.
      await this.#outbox.setUploaded(id, { imageId });
      return { kind: 'uploaded', imageId };
    } catch (error) {
      if (signal.aborted) return canceled;
      if (!(error instanceof RejectedError)) return { kind: 'noResponse' };
      const retryDelayMs = isTemporary(error.code)
        ? (error.retryAfterMs ?? defaultRetryDelayMs)
        : null;
      if (retryDelayMs === null && isAboutFile(error)) {
        await this.#outbox.setUploaded(id, { refusal: error.message });
      }
      return { kind: 'rejected', error, retryDelayMs };
    }
  }

  #createProgressReporter({ id, classId }: UploadJob): (share: number) => void {
    return (share) => {
      const currentUpload = this.#uploads.get(id);
      const progress = Math.floor(share * progressSteps) / progressSteps;
      if (!currentUpload || currentUpload.progress === progress) return;
      currentUpload.progress = progress;
      this.#onProgress(classId);
    };
  }

  /** Cancels the upload. If the server has received the picture, it is deleted. */
  cancel(id: string): void {
    this.#uploads.get(id)?.controller.abort();
    this.#uploads.delete(id);
    this.#keptLocks.get(id)?.();
    this.#keptLocks.delete(id);
  }

  /** The uploaded share, from 0 to 1. Null if no upload is in progress in this tab. */
  findProgress(id: string): number | null {
    return this.#uploads.get(id)?.progress ?? null;
  }

  /** Only this tab has the bytes, so other tabs wait while this tab is open. */
  keepLock(id: string): void {
    if (this.#keptLocks.has(id)) return;
    const noListener = { onAcquired: () => {}, onLost: () => {} };
    this.#keptLocks.set(id, this.#tabs.acquireLeadership(toLockName(id), noListener));
  }

  stop(): void {
    for (const id of new Set([...this.#uploads.keys(), ...this.#keptLocks.keys()])) {
      this.cancel(id);
    }
  }
}

const toLockName = (id: string) => `picture ${id}`;

/** Whether the server rejects this file, or all pictures of the class. Other errors say nothing about the file. */
function isAboutFile({ code }: RejectedError): boolean {
  return (
    code.startsWith('IMAGE_') ||
    code.startsWith('PDF_') ||
    ['TOO_LARGE', 'PICTURES_OFF'].includes(code)
  );
}

function waitUntilCanceled(signal: AbortSignal): Promise<UploadResult> {
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve(canceled), { once: true }),
  );
}
