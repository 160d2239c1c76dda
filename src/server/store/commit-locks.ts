// The advisory locks of commits on PostgreSQL. With them, commits of all servers and commands follow each other as those of one
// queue do. Without them, another commit could break a rule between its check and the end of the commit (decision 63).
import { createHash } from 'node:crypto';

/**
 * What a change relies on. Changes that rely on the same class or account follow each other, on any server.
 *
 * - 'everything': no other change runs at the same time.
 * - 'allAccounts': for changes that find accounts by address, or change many of them. Members can still post.
 * - 'independent': the change relies on nothing, because one statement or a unique key of the database ensures its rule.
 *
 * `callerId` is the account that makes the call. Its sessions cannot end during the commit.
 */
export type Scope =
  | { classId: string; accountId?: string; callerId?: string }
  | { classId?: string; accountId: string; callerId?: string }
  | { classId?: string; accountId?: string; callerId: string }
  | 'allAccounts'
  | 'everything'
  | 'independent';

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

/** Lists the locks of a change, which end with its transaction. */
export function listLocks(scope: Scope): CommitLock[] {
  if (scope === 'everything') {
    return [createExclusiveLock(allAccounts), createExclusiveLock(allClasses)];
  }
  if (scope === 'allAccounts') return [createExclusiveLock(allAccounts)];
  if (scope === 'independent') return [createSharedLock(allClasses)];
  const { accountId, classId, callerId } = scope;
  return [
    ...(accountId === undefined && callerId === undefined ? [] : [createSharedLock(allAccounts)]),
    ...(accountId === undefined ? [] : [createExclusiveLock(toLockKey(accountSpace, accountId))]),
    ...(callerId === undefined ? [] : [createSharedLock(toLockKey(accountSpace, callerId))]),
    // A change without a class needs it, too, because a node of an earlier version locks all classes to change pending removals.
    createSharedLock(allClasses),
    ...(classId === undefined ? [] : [createExclusiveLock(toLockKey(classSpace, classId))]),
  ];
}

/** Lists what a change shares with later changes that must not overtake it while it waits for its locks. */
export function listOrderedIds(scope: Scope, withClass = true): string[] {
  if (scope === 'independent') return [];
  if (typeof scope === 'string') return [scope];
  const { classId, accountId, callerId } = scope;
  return [withClass ? classId : undefined, accountId, callerId].filter((id) => id !== undefined);
}

/** Merges the locks of several changes, in the same order on every server, so that no two servers wait for each other. */
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

/** If two ids have the same key, their changes only wait for each other. */
function toLockKey(space: number, id: string): string {
  return `${space}, ${createHash('sha256').update(id).digest().readInt32BE()}`;
}
