// What follows each commit, in commit order and before the callers get their results.
import type { Memberships } from './chat/members/memberships.ts';
import type { ReadMarks } from './chat/members/read-marks.ts';
import type { Log } from './base/log.ts';
import type { Feature } from './feature.ts';
import type { ChangeFollower } from './follow-changes.ts';
import type { CatchUpCache } from './live/catch-up-cache.ts';
import type { Hub } from './live/hub.ts';
import type { Effect } from './store/changes.ts';

interface Dependencies {
  hub: Pick<Hub, 'notifyEnrollment' | 'publish'>;
  catchUps: Pick<CatchUpCache, 'update'>;
  features: readonly Feature[];
  memberships: Pick<Memberships, 'add' | 'remove'>;
  readMarks: Pick<ReadMarks, 'delete'>;
  onErased(): void;
  /** Follows the change events of the commit. */
  changes: Pick<ChangeFollower, 'check' | 'endSession'>;
  /** Tells the other nodes to look at the change events and the sessions. */
  notifyNodes(): void;
  /** Only asks open pages to look again. */
  notifyModerators(changedCase: Extract<Effect, { kind: 'case' }>): Promise<void>;
  log: Log;
}

/**
 * A failure here cannot undo the commit.
 *
 * @returns for a commit with change events: resolves when they are followed
 */
export function createFollower(
  dependencies: Dependencies,
): (effects: readonly Effect[]) => Promise<void> | undefined {
  const { hub, catchUps, features, onErased, changes, notifyNodes, log } = dependencies;

  function attempt(run: () => void): void {
    try {
      run();
    } catch (error) {
      log.error('publish.failed', { error });
    }
  }

  return (effects) => {
    const classes = effects.filter((effect) => effect.kind === 'class');
    const items = effects.filter((effect) => effect.kind === 'item');
    if (classes.length > 0) {
      const last = new Map(classes.map(({ classId, now }) => [classId, now]));
      for (const feature of features) attempt(() => feature.onClassesChanged?.(last));
    }
    // One frame for each class, however many changes the commit has.
    for (const [classId, classEffects] of Map.groupBy(items, (effect) => effect.classId)) {
      const appended = classEffects.map(({ item }) => item);
      attempt(() => {
        catchUps.update(classId, appended);
        hub.publish(classId, appended);
      });
      for (const feature of features) attempt(() => feature.onLogAppended?.(classId, appended));
    }
    for (const effect of effects) attempt(() => followOne(dependencies, effect));
    if (effects.some(({ kind }) => kind === 'erased')) attempt(onErased);
    const hasEvents = effects.some(({ kind }) => kind === 'event');
    if (hasEvents || effects.some(({ kind }) => kind === 'sessionsEnded')) attempt(notifyNodes);
    return hasEvents ? changes.check() : undefined;
  };
}

function followOne(dependencies: Dependencies, effect: Effect): void {
  const { hub, features, changes, memberships } = dependencies;
  switch (effect.kind) {
    case 'item':
    case 'class':
    case 'erased':
    case 'event':
      return;
    case 'sessionsEnded':
      for (const sessionId of effect.sessionIds) changes.endSession(effect.accountId, sessionId);
      return;
    case 'enrollment': {
      const { accountId, classId, joined } = effect;
      if (joined) memberships.add(accountId, classId);
      return hub.notifyEnrollment(accountId, classId, joined);
    }
    case 'votes':
      for (const feature of features) feature.onVotesChanged?.(effect.classId, effect.messageId);
      return;
    case 'answered':
      for (const feature of features) feature.onAnswerMarked?.(effect);
      return;
    case 'departure':
      memberships.remove(effect.accountId, effect.classId);
      return dependencies.readMarks.delete(effect);
    case 'case':
      dependencies.notifyModerators(effect).catch((error: unknown) => {
        dependencies.log.error('publish.failed', { error });
      });
  }
}
