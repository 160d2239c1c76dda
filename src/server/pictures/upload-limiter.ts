// Limits the memory of concurrent uploads, counted as their bytes arrive. If there is no room, an
// upload waits and its body stays unread.
import { AppError } from '#contract/errors.ts';

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
const timeoutMs = 10_000; // PIC-9

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

export class UploadLimiter {
  readonly #maxBytes: number;
  readonly #maxWaiting: number;
  /** The admitted upload of each account. */
  readonly #admitted = new Map<string, Upload>();
  #admittedBytes = 0;
  /** Uploads that wait for room, either to enter or to grow. */
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(maxBytes: number, maxWaiting: number) {
    this.#maxBytes = maxBytes;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Admits one upload per account at a time.
   *
   * @throws {AppError} TOO_MANY if too many uploads are already waiting
   */
  async acquire(accountId: string, signal: AbortSignal): Promise<UploadPermit> {
    const waitingOfAccount = this.#waiting.filter(
      (entry) => entry.upload.accountId === accountId,
    ).length;
    if (this.#waiting.length >= this.#maxWaiting || waitingOfAccount >= maxWaitingOfAccount) {
      throw new AppError('TOO_MANY');
    }
    const controller = new AbortController();
    const upload = { accountId, bytes: 0, startedAt: 0, isReceiving: true, controller };
    await this.#wait(upload, signal);
    upload.startedAt = performance.now();
    const aborted = AbortSignal.any([signal, controller.signal]);
    return {
      signal: controller.signal,
      grow: () => this.#wait(upload, aborted),
      markReceived() {
        upload.isReceiving = false;
      },
      release: () => this.#release(upload),
    };
  }

  #wait(upload: Upload, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#stopWaiting(entry);
        reject(signal.reason instanceof AppError ? signal.reason : new AppError('INVALID'));
        this.#updateTimer();
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
      this.#waiting.push(entry);
      this.#admitNext();
    });
  }

  #stopWaiting(entry: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== entry);
  }

  #release(upload: Upload): void {
    this.#admitted.delete(upload.accountId);
    this.#admittedBytes -= upload.bytes;
    this.#admitNext();
  }

  /** Admits uploads in order of arrival, except those whose account already has one admitted. */
  #admitNext(): void {
    for (const entry of this.#waiting) {
      const { upload } = entry;
      if (!this.#isAdmitted(upload) && !this.#canAdmit(upload)) continue;
      if (!this.#hasRoom()) break;
      this.#admitted.set(upload.accountId, upload);
      upload.bytes += blockBytes;
      this.#admittedBytes += blockBytes;
      this.#stopWaiting(entry);
      entry.resolve();
    }
    this.#updateTimer();
  }

  #isAdmitted(upload: Upload): boolean {
    return this.#admitted.get(upload.accountId) === upload;
  }

  #canAdmit({ accountId }: Upload): boolean {
    return !this.#admitted.has(accountId);
  }

  #hasRoom(): boolean {
    return this.#admittedBytes + blockBytes <= this.#maxBytes;
  }

  /**
   * Starts a timer if uploads cannot continue, so that slow senders or mutual waiting do not block all
   * of them.
   */
  #updateTimer(): void {
    const isBlocked =
      !this.#hasRoom() &&
      this.#waiting.some(({ upload }) => this.#isAdmitted(upload) || this.#canAdmit(upload));
    if (!isBlocked && this.#timer) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
    if (isBlocked) this.#timer ??= setTimeout(() => this.#abortSlowest(), timeoutMs).unref();
  }

  #abortSlowest(): void {
    this.#timer = null;
    const now = performance.now();
    const getSpeed = ({ bytes, startedAt }: Upload) => (bytes - blockBytes) / (now - startedAt);
    const [slowest] = [...this.#admitted.values()]
      .filter(({ isReceiving, controller }) => isReceiving && !controller.signal.aborted)
      .toSorted((a, b) => getSpeed(a) - getSpeed(b));
    slowest?.controller.abort(new AppError('TOO_MANY'));
    this.#updateTimer();
  }
}
