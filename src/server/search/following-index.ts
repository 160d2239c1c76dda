// The index as it follows the database: what a commit changed is in it before anybody is answered.
import { setImmediate } from 'node:timers/promises';
import type { Class } from '#contract/entities.ts';
import type { Log } from '../log.ts';
import type { ClassChangeListener } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { findClass, listFindableAfter, toClass } from '../storage/queries/classes.ts';
import { createClassIndex, type ClassIndex } from './class-index.ts';

export interface FollowingIndex extends ClassChangeListener {
  readonly index: Pick<ClassIndex, 'find'>;
  /** Makes it equal to the database: at the start, and when news was missed. */
  load(): Promise<void>;
  /** Another program deleted or ended the class. */
  classGone(classId: string): void;
  /** Another program restored the class. */
  classRestored(classId: string): Promise<void>;
  /** Resolves when nothing is being read any more. */
  stop(): Promise<void>;
}

const rowsPerBatch = 2000;
const retryDelayMs = 1000;

export function createFollowingIndex(db: Database, log: Log): FollowingIndex {
  const index = createClassIndex();
  /** Classes that changed while everything is being read: what is read of them is older. */
  let newer: Set<string> | null = null;
  /** Nobody knows whether their change was committed. */
  const doubtful = new Set<string>();
  let looking: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let loading: Promise<void> = Promise.resolve();

  function know(classId: string, now: Class | null): void {
    doubtful.delete(classId);
    newer?.add(classId);
    if (now && !now.ended) index.put(now);
    else index.remove(classId);
  }

  async function readAll(): Promise<void> {
    const changed = new Set<string>();
    newer = changed;
    try {
      await readRows(changed);
    } finally {
      newer = null;
    }
  }

  async function readRows(changed: ReadonlySet<string>): Promise<void> {
    const gone = new Set(index.ids());
    let after = '';
    for (;;) {
      const rows = await listFindableAfter(db, after, rowsPerBatch);
      for (const row of rows) {
        gone.delete(row.classId);
        if (!changed.has(row.classId)) index.put(toClass(row));
      }
      const last = rows.at(-1);
      if (!last) break;
      after = last.classId;
      await setImmediate();
    }
    for (const classId of gone) if (!changed.has(classId)) index.remove(classId);
  }

  async function lookAtDoubtful(): Promise<void> {
    try {
      for (const classId of doubtful) {
        const row = await findClass(db, classId);
        if (doubtful.has(classId)) know(classId, row && toClass(row));
      }
    } catch (error) {
      log.warn('search.failed', { error });
    }
  }

  function schedulePoll(): void {
    if (doubtful.size === 0 || timer) return;
    timer = setTimeout(() => {
      timer = null;
      looking = lookAtDoubtful().finally(schedulePoll);
    }, retryDelayMs);
  }

  return {
    index,
    load() {
      loading = loading.catch(() => {}).then(readAll);
      return loading;
    },
    classesChanged(classes) {
      for (const [classId, now] of classes) know(classId, now);
    },
    classesInDoubt(classIds) {
      for (const classId of classIds) doubtful.add(classId);
      schedulePoll();
    },
    classGone: (classId) => know(classId, null),
    async classRestored(classId) {
      const row = await findClass(db, classId);
      know(classId, row && toClass(row));
    },
    async stop() {
      doubtful.clear();
      if (timer) clearTimeout(timer);
      await looking;
      await loading.catch(() => {});
    },
  };
}
