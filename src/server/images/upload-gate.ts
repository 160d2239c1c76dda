// Limits the memory of concurrent uploads, counted as their bytes arrive. If there is no room, an
// upload waits and its body stays unread.
import { AppError } from '#contract/errors.ts';

export interface UploadGate {
  /**
   * Admits one upload per account at a time.
   *
   * @throws {AppError} TOO_MANY if too many uploads are already waiting
   */
  enter(accountId: string, signal: AbortSignal): Promise<UploadPlace>;
}

/** The share of the memory that one upload has. */
export interface UploadPlace {
  /** Resolves when there is room for one more block. @throws {AppError} TOO_MANY */
  grow(): Promise<void>;
  /** Call this when the whole file has arrived. The upload no longer depends on its sender. */
  arrived(): void;
  /** Aborted if this upload must make room for others. */
  readonly signal: AbortSignal;
  leave(): void;
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
  since: number;
  isArriving: boolean;
  end: AbortController;
}

interface Waiting {
  upload: Upload;
  resolve(): void;
  reject(error: unknown): void;
}

export function createUploadGate(maxBytes: number, maxWaiting: number): UploadGate {
  const inside = new Map<string, Upload>();
  let bytesInside = 0;
  /** Uploads that wait for room, either to enter or to grow. */
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | null = null;

  const mayEnter = ({ accountId }: Upload) => !inside.has(accountId);
  const isInside = (upload: Upload) => inside.get(upload.accountId) === upload;
  const hasRoom = () => bytesInside + blockBytes <= maxBytes;

  /** Admits uploads in order of arrival, except those whose account already has one inside. */
  function admitNext(): void {
    for (const one of waiting) {
      const { upload } = one;
      if (!isInside(upload) && !mayEnter(upload)) continue;
      if (!hasRoom()) break;
      inside.set(upload.accountId, upload);
      upload.bytes += blockBytes;
      bytesInside += blockBytes;
      stopWaiting(one);
      one.resolve();
    }
    watch();
  }

  function stopWaiting(one: Waiting): void {
    waiting = waiting.filter((other) => other !== one);
  }

  function wait(upload: Upload, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        stopWaiting(one);
        reject(signal.reason instanceof AppError ? signal.reason : new AppError('INVALID'));
        watch();
      };
      const one: Waiting = {
        upload,
        resolve() {
          signal.removeEventListener('abort', giveUp);
          resolve();
        },
        reject,
      };
      if (signal.aborted) return giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.push(one);
      admitNext();
    });
  }

  /**
   * Starts a timer if uploads cannot continue, so that slow senders or mutual waiting do not block all
   * of them.
   */
  function watch(): void {
    const isShort =
      !hasRoom() && waiting.some(({ upload }) => isInside(upload) || mayEnter(upload));
    if (!isShort && timer) {
      clearTimeout(timer);
      timer = null;
    }
    if (isShort) timer ??= setTimeout(makeRoom, timeoutMs).unref();
  }

  function makeRoom(): void {
    timer = null;
    const now = performance.now();
    const paceOf = ({ bytes, since }: Upload) => (bytes - blockBytes) / (now - since);
    const [slowest] = [...inside.values()]
      .filter(({ isArriving, end }) => isArriving && !end.signal.aborted)
      .toSorted((one, other) => paceOf(one) - paceOf(other));
    slowest?.end.abort(new AppError('TOO_MANY'));
    watch();
  }

  return {
    async enter(accountId, signal) {
      const ofAccount = waiting.filter((one) => one.upload.accountId === accountId).length;
      if (waiting.length >= maxWaiting || ofAccount >= maxWaitingOfAccount) {
        throw new AppError('TOO_MANY');
      }
      const end = new AbortController();
      const upload = { accountId, bytes: 0, since: 0, isArriving: true, end };
      await wait(upload, signal);
      upload.since = performance.now();
      const ended = AbortSignal.any([signal, end.signal]);
      return {
        signal: end.signal,
        grow: () => wait(upload, ended),
        arrived() {
          upload.isArriving = false;
        },
        leave() {
          inside.delete(accountId);
          bytesInside -= upload.bytes;
          admitNext();
        },
      };
    },
  };
}
