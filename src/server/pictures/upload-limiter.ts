// Limits the memory of concurrent uploads, counted as their bytes arrive. If there is no room, an
// upload waits and its body stays unread.
import { AppError } from '#contract/errors.ts';

export interface UploadLimiter {
  /**
   * Admits one upload per account at a time.
   *
   * @throws {AppError} TOO_MANY if too many uploads are already waiting
   */
  acquire(accountId: string, signal: AbortSignal): Promise<UploadPermit>;
}

/** The share of the memory of one upload. */
export interface UploadPermit {
  /** Resolves when there is room for one more block. @throws {AppError} TOO_MANY */
  grow(): Promise<void>;
  /** Call this when the whole file has arrived. The upload no longer depends on its sender. */
  markReceived(): void;
  /** Aborted if this upload must make room for others. */
  readonly signal: AbortSignal;
  release(): void;
}

/** The first share of an upload, and the step by which it grows. */
export const blockBytes = 64 * 1024;
/** Prevents one account from taking all places in the queue. */
const maxWaitingOfAccount = 10;
/** If an upload has waited this long for room, the slowest upload is aborted. */
const timeoutMs = 10_000; // PIC-53

interface Upload {
  accountId: string;
  bytes: number;
  startedAt: number;
  isReceiving: boolean;
  controller: AbortController;
}

interface Waiting {
  upload: Upload;
  resolve(): void;
  reject(error: unknown): void;
}

export function createUploadLimiter(maxBytes: number, maxWaiting: number): UploadLimiter {
  const admitted = new Map<string, Upload>();
  let admittedBytes = 0;
  /** Uploads that wait for room, either to enter or to grow. */
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | null = null;

  const canAdmit = ({ accountId }: Upload) => !admitted.has(accountId);
  const isAdmitted = (upload: Upload) => admitted.get(upload.accountId) === upload;
  const hasRoom = () => admittedBytes + blockBytes <= maxBytes;

  /** Admits uploads in order of arrival, except those whose account already has one admitted. */
  function admitNext(): void {
    for (const entry of waiting) {
      const { upload } = entry;
      if (!isAdmitted(upload) && !canAdmit(upload)) continue;
      if (!hasRoom()) break;
      admitted.set(upload.accountId, upload);
      upload.bytes += blockBytes;
      admittedBytes += blockBytes;
      stopWaiting(entry);
      entry.resolve();
    }
    updateTimer();
  }

  function stopWaiting(entry: Waiting): void {
    waiting = waiting.filter((other) => other !== entry);
  }

  function wait(upload: Upload, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        stopWaiting(entry);
        reject(signal.reason instanceof AppError ? signal.reason : new AppError('INVALID'));
        updateTimer();
      };
      const entry: Waiting = {
        upload,
        resolve() {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
        reject,
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.push(entry);
      admitNext();
    });
  }

  /**
   * Starts a timer if uploads cannot continue, so that slow senders or mutual waiting do not block all
   * of them.
   */
  function updateTimer(): void {
    const isBlocked =
      !hasRoom() && waiting.some(({ upload }) => isAdmitted(upload) || canAdmit(upload));
    if (!isBlocked && timer) {
      clearTimeout(timer);
      timer = null;
    }
    if (isBlocked) timer ??= setTimeout(abortSlowest, timeoutMs).unref();
  }

  function abortSlowest(): void {
    timer = null;
    const now = performance.now();
    const getSpeed = ({ bytes, startedAt }: Upload) => (bytes - blockBytes) / (now - startedAt);
    const [slowest] = [...admitted.values()]
      .filter(({ isReceiving, controller }) => isReceiving && !controller.signal.aborted)
      .toSorted((a, b) => getSpeed(a) - getSpeed(b));
    slowest?.controller.abort(new AppError('TOO_MANY'));
    updateTimer();
  }

  return {
    async acquire(accountId, signal) {
      const waitingOfAccount = waiting.filter(
        (entry) => entry.upload.accountId === accountId,
      ).length;
      if (waiting.length >= maxWaiting || waitingOfAccount >= maxWaitingOfAccount) {
        throw new AppError('TOO_MANY');
      }
      const controller = new AbortController();
      const upload = { accountId, bytes: 0, startedAt: 0, isReceiving: true, controller };
      await wait(upload, signal);
      upload.startedAt = performance.now();
      const aborted = AbortSignal.any([signal, controller.signal]);
      return {
        signal: controller.signal,
        grow: () => wait(upload, aborted),
        markReceived() {
          upload.isReceiving = false;
        },
        release() {
          admitted.delete(accountId);
          admittedBytes -= upload.bytes;
          admitNext();
        },
      };
    },
  };
}
