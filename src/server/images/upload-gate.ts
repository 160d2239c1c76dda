// How many bytes of uploads may be in memory at once, counted as they arrive. Who finds no room waits,
// unread: the browser's bytes stay where they are until there is.
import { AppError } from '#contract/errors.ts';

export interface UploadGate {
  /**
   * One upload per account at a time.
   *
   * @throws {AppError} TOO_MANY where too many wait already
   */
  enter(accountId: string, signal: AbortSignal): Promise<UploadPlace>;
}

/** What one upload has of the memory. */
export interface UploadPlace {
  /** Resolves when there is room for one more block. @throws {AppError} TOO_MANY */
  grow(): Promise<void>;
  /** The whole file is here: it waits for nothing from its sender any more. */
  arrived(): void;
  /** Aborted when this upload has to make room for others. */
  readonly signal: AbortSignal;
  leave(): void;
}

/** What an upload has on entering, and how much more it asks for at a time. */
export const blockBytes = 64 * 1024;
/** Nobody takes the places of all who wait. */
const maxWaitingOfAccount = 10;
/** When somebody has waited this long for room, the slowest of the uploads makes it. */
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
  /** For room, whether to enter or to grow. */
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | null = null;

  const mayEnter = ({ accountId }: Upload) => !inside.has(accountId);
  const isInside = (upload: Upload) => inside.get(upload.accountId) === upload;
  const hasRoom = () => bytesInside + blockBytes <= maxBytes;

  /** In the order of their coming, but for those whose own other upload is inside. */
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

  /** Nobody's slowness, nor uploads that wait for each other's room, may stop all of them. */
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
