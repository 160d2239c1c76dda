// A change inside a commit, and the effects that follow when the commit succeeds.
import type { Class } from '#contract/entities.ts';
import type { LogItem } from '#contract/socket.ts';
import type { DatabaseTransaction } from './tables.ts';

/**
 * What follows a commit, as data: the commit queue runs it in commit order, before the callers get their results, also if
 * PostgreSQL's reply was lost.
 */
export type Effect =
  /** Goes to the class's subscribers. */
  | { kind: 'item'; classId: string; item: LogItem }
  /** The search index follows the class; `now` is null if it is gone. */
  | { kind: 'class'; classId: string; now: Class | null }
  /** Content was erased, which must then leave the database's files. */
  | { kind: 'erased' }
  | { kind: 'sessionsEnded'; accountId: string; sessionIds: readonly string[] }
  | { kind: 'enrolment'; accountId: string; classId: string; joined: boolean }
  /** The account has left the class or is deleted: what it chose and read there goes. */
  | { kind: 'departure'; accountId: string; classId: string; salt: string }
  /** A change event was stored: see `appendChangeEvent`. */
  | { kind: 'event' }
  /** The moderators of the class, or all operators, have a case or a review that appeared or changed. */
  | { kind: 'cases'; classId: string | null };

/** A change may run again from the start, so it must have no side effects outside its unit of work. */
export interface UnitOfWork {
  db: DatabaseTransaction;
  /** If the change is not committed, nothing follows. */
  follow(effect: Effect): void;
  publish(classId: string, item: LogItem): void;
  /** Reports the changed class to the search index; null if the class is gone. */
  classChanged(classId: string, now: Class | null): void;
  /** Reports that the change erases content, which must then leave the database's files. */
  contentErased(): void;
}

export type Change<Result> = (unitOfWork: UnitOfWork) => Promise<Result>;

/** Called in commit order, before the callers get their results. */
export interface ClassChangeListener {
  classesChanged(classes: ReadonlyMap<string, Class | null>): void;
}

/** @param effects collects what follows the changes that use this unit of work */
export function createUnitOfWork(db: DatabaseTransaction, effects: Effect[]): UnitOfWork {
  const follow = (effect: Effect) => void effects.push(effect);
  return {
    db,
    follow,
    publish: (classId, item) => follow({ kind: 'item', classId, item }),
    classChanged: (classId, now) => follow({ kind: 'class', classId, now }),
    contentErased: () => follow({ kind: 'erased' }),
  };
}
