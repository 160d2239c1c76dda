// A change inside a commit, and the effects that follow when the commit succeeds.
import type { Class } from '#contract/entities.ts';
import type { LogItem } from '#contract/socket.ts';
import type { DatabaseTransaction } from './database.ts';

/** A change may run again from the start, so it must have no side effects outside its unit of work. */
export interface UnitOfWork {
  db: DatabaseTransaction;
  /**
   * Publishes to the class's subscribers after the commit. If the change is not committed, nothing is
   * published.
   */
  publish(classId: string, item: LogItem): void;
  /** Reports the changed class to the search index; null if the class is gone. */
  classChanged(classId: string, now: Class | null): void;
  /** Reports that the change erases content, which must then leave the database's files. */
  contentErased(): void;
}

export type Change<Result> = (unitOfWork: UnitOfWork) => Promise<Result>;

/** What follows the commit of one or more changes. */
export interface Effects {
  classes: Map<string, Class | null>;
  published: Map<string, LogItem[]>;
  contentErased: boolean;
}

/** Called in commit order, before the callers get their results. */
export interface ClassChangeListener {
  classesChanged(classes: ReadonlyMap<string, Class | null>): void;
  /** The outcome of the commit is unknown, so these classes may have changed. */
  outcomeUnknown(classIds: Iterable<string>): void;
}

export function noEffects(): Effects {
  return { classes: new Map(), published: new Map(), contentErased: false };
}

/** Adds the effects of one change to those of its batch. */
export function addEffects(all: Effects, added: Effects): void {
  for (const [classId, now] of added.classes) all.classes.set(classId, now);
  for (const [classId, items] of added.published) {
    all.published.set(classId, [...(all.published.get(classId) ?? []), ...items]);
  }
  all.contentErased ||= added.contentErased;
}

/** @param effects collects the effects of the changes that use this unit of work */
export function createUnitOfWork(db: DatabaseTransaction, effects: Effects): UnitOfWork {
  const { classes, published } = effects;
  return {
    db,
    publish(classId, item) {
      const items = published.get(classId);
      if (items) items.push(item);
      else published.set(classId, [item]);
    },
    classChanged(classId, now) {
      classes.set(classId, now);
    },
    contentErased() {
      effects.contentErased = true;
    },
  };
}
