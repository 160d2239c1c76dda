// How many bytes of uploads may be in memory at once. Who finds no room waits, unread: the browser's
// bytes stay where they are until there is.
import { Refusal } from '#contract/errors.ts';

export interface UploadGate {
  /**
   * One upload per account at a time.
   *
   * @returns how to leave
   * @throws {Refusal} TOO_MANY where too many wait already
   */
  enter(accountId: string, bytes: number, signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  accountId: string;
  bytes: number;
  admit(): void;
}

export function createUploadGate(mostBytes: number, mostWaiting: number): UploadGate {
  const inside = new Set<string>();
  let bytesInside = 0;
  let waiting: Waiting[] = [];

  /** In the order of their coming, but for those whose own other upload is inside. */
  function admitNext(): void {
    for (const one of waiting) {
      if (inside.has(one.accountId)) continue;
      if (bytesInside + one.bytes > mostBytes) return;
      inside.add(one.accountId);
      bytesInside += one.bytes;
      leaveQueue(one);
      one.admit();
    }
  }

  function leaveQueue(one: Waiting): void {
    waiting = waiting.filter((other) => other !== one);
  }

  return {
    enter(accountId, bytes, signal) {
      return new Promise((resolve, reject) => {
        if (waiting.length >= mostWaiting) return reject(new Refusal('TOO_MANY'));
        const giveUp = () => {
          leaveQueue(one);
          reject(new Refusal('INVALID'));
        };
        const one: Waiting = {
          accountId,
          bytes,
          admit() {
            signal.removeEventListener('abort', giveUp);
            resolve(() => {
              inside.delete(accountId);
              bytesInside -= bytes;
              admitNext();
            });
          },
        };
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.push(one);
        admitNext();
      });
    },
  };
}
