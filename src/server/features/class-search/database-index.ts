// Keeps the search index in step with the database. A commit updates the index before the server responds.
import { setImmediate } from 'node:timers/promises';
import type { Class } from '#contract/entities.ts';
import type { Log } from '#server/base/log.ts';
import type { Database } from '#server/store/tables.ts';
import { findClass, listFindableAfter, toClass } from '#server/chat/classes/classes-queries.ts';
import type { ClassChangeListener } from '#server/store/changes.ts';
import { createClassIndex, type ClassIndex } from './class-index.ts';
import type { ShortForms } from './rewrite/short-forms.ts';

export interface DatabaseIndex extends ClassChangeListener {
  readonly index: Pick<ClassIndex, 'find'>;
  /** Rebuilds the index from the database: at startup, and after missed notifications. */
  load(): Promise<void>;
  /** Reads classes again, a moment later, that another node changed. */
  recheck(classIds: Iterable<string>): void;
  /** Another process deleted or ended the class. */
  removeClass(classId: string): void;
  /** Another process restored the class. */
  addClass(classId: string): Promise<void>;
  /** Resolves when no read is in progress. */
  stop(): Promise<void>;
}

const rowsPerBatch = 2000;
const retryDelayMs = 1000;

export function createDatabaseIndex(db: Database, log: Log, shortForms: ShortForms): DatabaseIndex {
  const index = createClassIndex(shortForms);
  /** Classes that changed during a full read. The rows of that read are older, so they are ignored. */
  let newer: Set<string> | null = null;
  /** Classes that another node changed. */
  const classesToRecheck = new Set<string>();
  let rechecking: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let loading: Promise<void> = Promise.resolve();

  function apply(classId: string, now: Class | null): void {
    classesToRecheck.delete(classId);
    newer?.add(classId);
    if (now && !now.ended) index.put(now);
    else index.remove(classId);
  }

  async function fillIndex(): Promise<void> {
    const changedIds = new Set<string>();
    newer = changedIds;
    try {
      await putRows(changedIds);
    } finally {
      newer = null;
    }
  }

  async function putRows(changedIds: ReadonlySet<string>): Promise<void> {
    const missingIds = new Set(index.ids());
    let lastClassId = '';
    for (;;) {
      const rows = await listFindableAfter(db, lastClassId, rowsPerBatch);
      for (const row of rows) {
        missingIds.delete(row.classId);
        if (!changedIds.has(row.classId)) index.put(toClass(row));
      }
      const last = rows.at(-1);
      if (!last) break;
      lastClassId = last.classId;
      await setImmediate();
    }
    for (const classId of missingIds) if (!changedIds.has(classId)) index.remove(classId);
  }

  async function recheckClasses(): Promise<void> {
    try {
      for (const classId of classesToRecheck) {
        const row = await findClass(db, classId);
        if (classesToRecheck.has(classId)) apply(classId, row && toClass(row));
      }
    } catch (error) {
      log.warn('search.failed', { error });
    }
  }

  function schedulePoll(): void {
    if (classesToRecheck.size === 0 || timer) return;
    timer = setTimeout(() => {
      timer = null;
      rechecking = recheckClasses().finally(schedulePoll);
    }, retryDelayMs);
  }

  return {
    index,
    load() {
      loading = loading.catch(() => {}).then(fillIndex);
      return loading;
    },
    classesChanged(classes) {
      for (const [classId, now] of classes) apply(classId, now);
    },
    recheck(classIds) {
      for (const classId of classIds) classesToRecheck.add(classId);
      schedulePoll();
    },
    removeClass: (classId) => apply(classId, null),
    async addClass(classId) {
      const row = await findClass(db, classId);
      apply(classId, row && toClass(row));
    },
    async stop() {
      classesToRecheck.clear();
      if (timer) clearTimeout(timer);
      await rechecking;
      await loading.catch(() => {});
    },
  };
}
