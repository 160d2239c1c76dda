// Keeps read marks in memory and writes them in batches at random times. If a mark were written immediately,
// it would lie next to the sign-in before it and link the account to the persona.
import { randomInt } from 'node:crypto';
import type { CommitQueue } from '../storage/commit-queue.ts';
import { updateReadSeqs, type ReadMark } from '../storage/queries/personas.ts';

export interface ReadMarks {
  note(mark: ReadMark): void;
  /** The highest mark that is not yet saved; 0 if there is none. */
  readSeqOf(classId: string, memberId: string): number;
  /** Writes the remaining marks. */
  stop(): Promise<void>;
}

const earliestMs = 20_000;
const latestMs = 60_000;
/** Marks per commit: small, so that other writes do not wait long. */
const marksPerCommit = 200;

export function createReadMarks(commits: CommitQueue): ReadMarks {
  const marks = new Map<string, ReadMark>();
  let timer: NodeJS.Timeout | null = null;
  let flushing: Promise<void> | null = null;

  const keyOf = (classId: string, memberId: string) => `${classId} ${memberId}`;

  function schedule(): void {
    timer ??= setTimeout(
      () => {
        flushing = flush();
      },
      randomInt(earliestMs, latestMs),
    );
  }

  /** Writes in key order. If a batch fails, it is retried with the next flush. */
  async function flush(): Promise<void> {
    const keys = [...marks.keys()].toSorted();
    for (let from = 0; from < keys.length; from += marksPerCommit) {
      const batch = keys.slice(from, from + marksPerCommit).flatMap((key) => marks.get(key) ?? []);
      try {
        await commits.write(({ db }) => updateReadSeqs(db, batch));
      } catch {
        break;
      }
      for (const mark of batch) {
        const key = keyOf(mark.classId, mark.memberId);
        if (marks.get(key) === mark) marks.delete(key);
      }
    }
    timer = null;
    flushing = null;
    if (marks.size > 0) schedule();
  }

  return {
    note(mark) {
      const { classId, memberId, readSeq } = mark;
      if (readSeq <= (marks.get(keyOf(classId, memberId))?.readSeq ?? 0)) return;
      marks.set(keyOf(classId, memberId), mark);
      schedule();
    },
    readSeqOf: (classId, memberId) => marks.get(keyOf(classId, memberId))?.readSeq ?? 0,
    async stop() {
      await flushing;
      if (marks.size > 0) await flush();
      if (timer) clearTimeout(timer);
    },
  };
}
