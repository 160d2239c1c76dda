// The advisory locks of commits on PostgreSQL: commits of all servers and commands follow each other as those of one queue
// do. Without them, a rule that one commit checks could be broken by another one before the first ends (decision 63).
import { createHash } from 'node:crypto';

/**
 * What a change relies on. Changes with the same class or account follow each other, on any server.
 *
 * - 'everything': no other change runs meanwhile.
 * - 'allAccounts': for changes that find accounts by address, or change many of them. Messages go on.
 * - 'nothing': the database keeps the rule, with one statement or a unique key.
 *
 * `callerId` is the account whose call it is: its session stays as the commit finds it.
 */
export type Scope =
  | { classId: string; accountId?: string; callerId?: string }
  | { classId?: string; accountId: string; callerId?: string }
  | { classId?: string; accountId?: string; callerId: string }
  | 'allAccounts'
  | 'everything'
  | 'nothing';

export interface CommitLock {
  /** The arguments of PostgreSQL's functions. */
  key: string;
  isShared: boolean;
}

/** Arbitrary numbers that all versions share. */
const allClasses = '1819240307::bigint';
const allAccounts = '1633903476::bigint';
const classSpace = 1_668_047_219;
const accountSpace = 1_633_906_292;

/** The locks of a change. They end with the transaction. */
export function listLocks(scope: Scope): CommitLock[] {
  if (scope === 'everything') {
    return [createExclusiveLock(allAccounts), createExclusiveLock(allClasses)];
  }
  if (scope === 'allAccounts') return [createExclusiveLock(allAccounts)];
  if (scope === 'nothing') return [createSharedLock(allClasses)];
  const { accountId, classId, callerId } = scope;
  return [
    ...(accountId === undefined && callerId === undefined ? [] : [createSharedLock(allAccounts)]),
    ...(accountId === undefined ? [] : [createExclusiveLock(toLockKey(accountSpace, accountId))]),
    ...(callerId === undefined ? [] : [createSharedLock(toLockKey(accountSpace, callerId))]),
    // Also without a class: a node of an earlier version locks all classes to change what a deletion leaves to do.
    createSharedLock(allClasses),
    ...(classId === undefined ? [] : [createExclusiveLock(toLockKey(classSpace, classId))]),
  ];
}

/** The locks of several changes, in one order at every server: no two servers wait for each other. */
export function mergeLocks(locks: readonly CommitLock[]): CommitLock[] {
  const exclusiveKeys = new Set(locks.flatMap(({ key, isShared }) => (isShared ? [] : [key])));
  const sharedKeys = new Set(locks.map(({ key }) => key)).difference(exclusiveKeys);
  return [
    ...[...sharedKeys].map(createSharedLock),
    ...[...exclusiveKeys].map(createExclusiveLock),
  ].toSorted((first, second) => (first.key < second.key ? -1 : 1));
}

const createSharedLock = (key: string): CommitLock => ({ key, isShared: true });
const createExclusiveLock = (key: string): CommitLock => ({ key, isShared: false });

/** Two classes with one number wait for each other, and nothing else. */
function toLockKey(space: number, id: string): string {
  return `${space}, ${createHash('sha256').update(id).digest().readInt32BE()}`;
}
