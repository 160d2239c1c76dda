// Keeps the search index in step with the database. A commit updates the index before the server responds.
import { setImmediate } from 'node:timers/promises';
import type { Class } from '#contract/entities.ts';
import type { Log } from '../log.ts';
import type { ClassChangeListener } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { findClass, listFindableAfter, toClass } from '../storage/queries/classes.ts';
import { createClassIndex, type ClassIndex } from './class-index.ts';

export interface FollowingIndex extends ClassChangeListener {
  readonly index: Pick<ClassIndex, 'find'>;
  /** Rebuilds the index from the database: at startup, and after missed notifications. */
  load(): Promise<void>;
  /** Another process deleted or ended the class. */
  classGone(classId: string): void;
  /** Another process restored the class. */
  classRestored(classId: string): Promise<void>;
  /** Resolves when no read is in progress. */
  stop(): Promise<void>;
}

const rowsPerBatch = 2000;
const retryDelayMs = 1000;

export function createFollowingIndex(db: Database, log: Log): FollowingIndex {
  const index = createClassIndex();
  /** Classes that changed during a full read. The rows of that read are older, so they are ignored. */
  let newer: Set<string> | null = null;
  /** Classes whose last commit has an unknown outcome. */
  const classesToRecheck = new Set<string>();
  let looking: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let loading: Promise<void> = Promise.resolve();

  function know(classId: string, now: Class | null): void {
    classesToRecheck.delete(classId);
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

  async function recheckClasses(): Promise<void> {
    try {
      for (const classId of classesToRecheck) {
        const row = await findClass(db, classId);
        if (classesToRecheck.has(classId)) know(classId, row && toClass(row));
      }
    } catch (error) {
      log.warn('search.failed', { error });
    }
  }

  function schedulePoll(): void {
    if (classesToRecheck.size === 0 || timer) return;
    timer = setTimeout(() => {
      timer = null;
      looking = recheckClasses().finally(schedulePoll);
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
    outcomeUnknown(classIds) {
      for (const classId of classIds) classesToRecheck.add(classId);
      schedulePoll();
    },
    classGone: (classId) => know(classId, null),
    async classRestored(classId) {
      const row = await findClass(db, classId);
      know(classId, row && toClass(row));
    },
    async stop() {
      classesToRecheck.clear();
      if (timer) clearTimeout(timer);
      await looking;
      await loading.catch(() => {});
    },
  };
}
