// Chooses whose file is decoded next: accounts take turns, and accounts that have used much time get fewer turns.
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { FairQueue } from '#server/base/fair-queue.ts';

/** The time in which the files of an account were decoded. */
export interface DecodingTime {
  isUsedUp(accountId: string): boolean;
  add(accountId: string, seconds: number): void;
}

export interface DecodingTurns {
  /** Runs one job at a time. @throws {AppError} the error of `Options.busyCode` if too many jobs wait */
  run<Result>(accountId: string, job: () => Promise<Result>): Promise<Result>;
}

interface Options {
  decodingTime: DecodingTime;
  /** The maximum number of jobs that wait for the job in progress. */
  maxWaiting: number;
  /** The longest wait. */
  timeoutMs: number;
  busyCode: ErrorCode;
}

/** Accounts that have used up their time get one of five turns while others wait, so that a few accounts cannot delay all. */
const shares = { early: 4, late: 1 }; // PDF-22, PIC-89

export function createDecodingTurns(options: Options): DecodingTurns {
  const { decodingTime, maxWaiting, timeoutMs, busyCode } = options;
  const queue = new FairQueue({
    shares,
    maxRunning: 1,
    maxWaiting,
    maxWaitingOfMember: maxWaiting,
    timeoutMs,
    now: () => performance.now(),
  });
  return {
    async run(accountId, job) {
      const lane = decodingTime.isUsedUp(accountId) ? 'late' : 'early';
      let startedAt: number | null = null;
      try {
        return await queue.run({ lane, group: 'all', member: accountId }, () => {
          startedAt = performance.now();
          return job();
        });
      } catch (error) {
        if (startedAt === null) throw new AppError(busyCode);
        throw error;
      } finally {
        if (startedAt !== null) {
          decodingTime.add(accountId, (performance.now() - startedAt) / 1000);
        }
      }
    },
  };
}
