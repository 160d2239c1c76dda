// The queue of uploads. A picture is uploaded by one tab at a time.
import { browserErrors, isTemporary } from '#contract/browser-errors.ts';
import { RejectedError } from '#web/rejected-error.ts';
import type { Tabs } from '#web/sync/engine/browser-tabs.ts';
import type { UploadJob, UploadResult } from '#web/sync/outbox/outbox-sender.ts';
import { type Outbox, isPictureLost } from '#web/sync/outbox/outbox.ts';
import type { PictureCalls } from './browser-pictures.ts';
import { isPdfFile, maxPdfMs } from './pdf-file.ts';

export interface PictureUploads {
  /** Queues the upload, or returns the one in progress with this id. */
  start(job: UploadJob): Promise<UploadResult>;
  /** The uploaded share, from 0 to 1. Null if no upload is in progress. */
  findProgress(id: string): number | null;
  /** Cancels the upload. If the server has received the picture, it is deleted. */
  cancel(id: string): void;
  /** Only this tab has the bytes, so other tabs wait while this tab is open. */
  keepLock(id: string): void;
  stop(): void;
}

interface Dependencies {
  calls: PictureCalls;
  outbox: Pick<Outbox, 'findPicture' | 'reload' | 'setUploaded'>;
  tabs: Pick<Tabs, 'acquireLeadership'>;
  onProgress(classId: string): void;
}

interface Upload {
  result: Promise<UploadResult>;
  progress: number;
  controller: AbortController;
}

/** A tab that uploads for longer than this may be suspended, so this tab takes over. */
const takeoverAfterMs = 20_000;
const defaultRetryDelayMs = 10_000;
/** Progress is reported in this many steps. */
const progressSteps = 20;

const canceled: UploadResult = { kind: 'canceled' };

export function createPictureUploads({
  calls,
  outbox,
  tabs,
  onProgress,
}: Dependencies): PictureUploads {
  const uploads = new Map<string, Upload>();
  const keptLocks = new Map<string, () => void>();
  /** The end of the queue. The server reads one upload of an account at a time, so a second one would only wait. */
  let lastInQueue: Promise<unknown> = Promise.resolve();

  function start(job: UploadJob): Promise<UploadResult> {
    const runningUpload = uploads.get(job.id);
    if (runningUpload) return runningUpload.result;
    const controller = new AbortController();
    const currentUpload: Upload = { controller, progress: 0, result: run(job, controller.signal) };
    uploads.set(job.id, currentUpload);
    void currentUpload.result.then(() => {
      if (uploads.get(job.id) === currentUpload) uploads.delete(job.id);
      onProgress(job.classId);
    });
    return currentUpload.result;
  }

  function run(job: UploadJob, signal: AbortSignal): Promise<UploadResult> {
    // Without the bytes this tab only waits for another one, which must not hold up the queue.
    if (!job.bytes) return runLocked(job, signal);
    const turn = lastInQueue.then(() => (signal.aborted ? canceled : runLocked(job, signal)));
    lastInQueue = turn;
    return Promise.race([turn, waitUntilCanceled(signal)]);
  }

  async function runLocked(job: UploadJob, signal: AbortSignal): Promise<UploadResult> {
    const lock = keptLocks.has(job.id) ? null : acquireLock(job, signal);
    try {
      await lock?.acquired;
      if (signal.aborted) return canceled;
      return (await findResultInOutbox(job.id)) ?? (await upload(job, signal));
    } finally {
      lock?.release();
    }
  }

  /** Waits until no other tab uploads the same picture. */
  function acquireLock({ id, bytes }: UploadJob, signal: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<void>();
    let timer: ReturnType<typeof setTimeout> | null = null;
    const listener = { onAcquired: resolve, onLost: () => {} };
    let release = tabs.acquireLeadership(lockName(id), listener);
    // Without the bytes, only the other tab can upload it.
    if (bytes) {
      timer = setTimeout(
        () => {
          release();
          release = tabs.acquireLeadership(lockName(id), listener, true);
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
  async function findResultInOutbox(id: string): Promise<UploadResult | null> {
    // A staged picture is in no outbox.
    if (!outbox.findPicture(id)) return null;
    await outbox.reload();
    const picture = outbox.findPicture(id);
    if (!picture) return canceled;
    const { imageId, refusal } = picture;
    if (imageId !== null) return { kind: 'uploaded', imageId };
    if (!isPictureLost(picture)) return null;
    const error = new RejectedError('IMAGE_GONE', refusal ?? browserErrors.IMAGE_GONE.message);
    return { kind: 'rejected', error, retryDelayMs: null };
  }

  async function upload(job: UploadJob, signal: AbortSignal): Promise<UploadResult> {
    const { id, classId, asStaff } = job;
    const bytes = job.bytes ?? outbox.findPicture(id)?.bytes;
    if (!bytes) return canceled;
    try {
      const { imageId } = await calls.upload(
        classId,
        bytes,
        createProgressReporter(job),
        signal,
        asStaff,
      );
      if (signal.aborted) {
        void calls.remove(classId, imageId).catch(() => undefined);
        return canceled;
      }
      // Resolves before the lock is released, so that other tabs see the result before they start.
      await outbox.setUploaded(id, { imageId });
      return { kind: 'uploaded', imageId };
    } catch (error) {
      if (signal.aborted) return canceled;
      if (!(error instanceof RejectedError)) return { kind: 'noResponse' };
      const retryDelayMs = isTemporary(error.code)
        ? (error.retryAfterMs ?? defaultRetryDelayMs)
        : null;
      if (retryDelayMs === null && isAboutFile(error)) {
        await outbox.setUploaded(id, { refusal: error.message });
      }
      return { kind: 'rejected', error, retryDelayMs };
    }
  }

  function createProgressReporter({ id, classId }: UploadJob): (share: number) => void {
    return (share) => {
      const currentUpload = uploads.get(id);
      const progress = Math.floor(share * progressSteps) / progressSteps;
      if (!currentUpload || currentUpload.progress === progress) return;
      currentUpload.progress = progress;
      onProgress(classId);
    };
  }

  function cancel(id: string): void {
    uploads.get(id)?.controller.abort();
    uploads.delete(id);
    keptLocks.get(id)?.();
    keptLocks.delete(id);
  }

  return {
    start,
    findProgress: (id) => uploads.get(id)?.progress ?? null,
    cancel,
    keepLock(id) {
      if (keptLocks.has(id)) return;
      const noListener = { onAcquired: () => {}, onLost: () => {} };
      keptLocks.set(id, tabs.acquireLeadership(lockName(id), noListener));
    },
    stop() {
      for (const id of new Set([...uploads.keys(), ...keptLocks.keys()])) cancel(id);
    },
  };
}

const lockName = (id: string) => `picture ${id}`;

/** Whether the server rejects this file, or all pictures of the class. Other errors say nothing about it. */
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
